/* Tensors in host memory: dense, row-major; the first dimension is the sample. */
#ifndef GT_DATA_TENSOR_H
#define GT_DATA_TENSOR_H
#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GT_DATA_MAX_RANK = 8 };

typedef enum gt_element { GT_ELEMENT_U8, GT_ELEMENT_F32, GT_ELEMENT_I32 } gt_element;

typedef struct gt_tensor { /* dim[0] = samples */
  gt_element element;
  int rank;
  int64_t dim[GT_DATA_MAX_RANK];
  void *data;    /* heap, row-major; NULL in an outline (gt_data_requirements) */
  int64_t limit; /* of integer inputs: values lie in [0, limit); the same in all splits */
  bool bits;     /* F32: all values are 0 or 1; of a table with categories, all features */
  /* Samples may be windows of consecutive rows, which may overlap, so rows are stored only once: `data` has
   * `stored` rows of dim[2 …] values (of a text: one integer), and sample i is the dim[1] rows that begin at
   * row start[i] + begin, or at i * stride + begin if `start` is NULL. stored 0: no windows; samples are
   * stored one after another. */
  int64_t stored, stride, begin;
  const int32_t *start; /* [dim[0]], for a series: the data of GT_SAMPLE_START; else NULL */
  bool narrow;          /* of the windows of a text: the I32 values are stored as bytes */
} gt_tensor;

size_t gt_element_size(gt_element element);
/* Allocates heap memory for a tensor whose shape and element are set. */
bool gt_tensor_alloc(gt_tensor *tensor, const char *what, gt_error *error);
void gt_tensor_finish(gt_tensor *tensor);
/* Number of values in one sample: the product of dim[1 …]. */
int64_t gt_tensor_features(const gt_tensor *tensor);
/* The values of sample `sample`, contiguous. */
const void *gt_tensor_sample(const gt_tensor *tensor, int64_t sample);
/* The rows of which the windows consist, as a tensor [stored, values…]; a tensor without windows is returned
 * unchanged. The result borrows the data. */
gt_tensor gt_tensor_as_rows(const gt_tensor *tensor);
/* True for windows of one long text, whose targets are the same windows shifted by one token. */
bool gt_tensor_is_text(const gt_tensor *tensor);
uint64_t gt_tensor_bytes(const gt_tensor *tensor); /* size of `data`; UINT64_MAX on overflow */
/* Bytes of one sample if it is copied on its own: its values, and for a text the token after them, which
 * belongs to its target. */
uint64_t gt_tensor_sample_bytes(const gt_tensor *tensor);
#endif
