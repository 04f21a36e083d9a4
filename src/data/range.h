/* Ranges: the smallest and largest value of each column of an input's samples. A trained model has the ranges
 * of its training samples, in the units of the files, to detect other data: bytes instead of floats, metres
 * instead of feet, a wrong column. */
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
  int64_t columns;         /* 0: unknown */
  const float *low, *high; /* [columns] */
  int64_t count;           /* number of samples; of rows, if samples are windows of a series */
  bool bits;               /* all values are 0 or 1 */
} gt_value_range;

/* The range of a tensor of bytes or floats; unknown for integers, which are indices, and for a tensor without
 * data. Each feature is a column; for images, each channel; but more than 4,096 are one column. In the
 * arena. */
gt_value_range gt_tensor_range(const struct gt_tensor *tensor, gt_arena *arena);
/* The range of a tensor of the input's samples after the input's scaling, as the network receives the values;
 * columns: those of gt_tensor_range or, if more, those that are scaled differently. Unknown as above. */
gt_value_range gt_scaled_range(const struct gt_input *input, const struct gt_tensor *samples,
                               gt_arena *arena);
/* A sentence about samples outside input->range, the range of the training samples, and in *help what to do
 * about them; NULL if there is no reason to warn. In the arena. */
const char *gt_range_warning(const struct gt_input *input, const struct gt_tensor *samples, gt_arena *arena,
                             const char **help);
/* The fraction of values outside [low, high], among the values first, first + step, … of each sample.
 * Examines only some rows, evenly spread, if there are many. scaling: is applied to the values first; NULL:
 * none. */
double gt_share_outside(const struct gt_tensor *samples, const struct gt_scaling *scaling, int64_t first,
                        int64_t step, double low, double high);
/* Sets used[k] for each k from 1 to count - 1 if a scaled value is above level[k - 1] and at most level[k].
 * level: ascending. */
void gt_mark_separated(const struct gt_input *input, const struct gt_tensor *samples, const double *level,
                       int count, bool *used);
#endif
