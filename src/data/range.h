/* Ranges: the smallest and largest value of each column of an input's samples. A trained model keeps those of
 * its training samples, in the units of the files, to detect other data: bytes for floats, metres for feet,
 * another column. */
#ifndef GT_DATA_RANGE_H
#define GT_DATA_RANGE_H
#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>

struct gt_tensor;
struct gt_input;
struct gt_scaling;

/* Value i of a sample belongs to column i % columns. */
typedef struct gt_value_range {
  int64_t columns;         /* 0: not known */
  const float *low, *high; /* [columns] */
  int64_t count;           /* samples */
  bool bits;               /* all values are 0 or 1 */
} gt_value_range;

/* The range of a tensor of bytes or floats; none for integers, which are indices, and for a tensor without
 * values. Each feature is a column; for images, each channel is. In the arena. */
gt_value_range gt_tensor_range(const struct gt_tensor *tensor, gt_arena *arena);
/* The warning about samples outside input->range, the range of the training samples: a sentence in the arena,
 * or NULL if nearly all are inside. */
const char *gt_range_warning(const struct gt_input *input, const struct gt_tensor *samples, gt_arena *arena);
/* Share of the values i of samples with i % step == first, from 0 to 1, that lie outside [low, high]; if
 * there are many rows, it looks at some, evenly spread. scaling: what the network sees is compared; NULL: the
 * values. */
double gt_share_outside(const struct gt_tensor *samples, const struct gt_scaling *scaling, int64_t first,
                        int64_t step, double low, double high);
#endif
