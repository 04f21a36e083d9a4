#include "data/tensor.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

size_t gt_element_size(gt_element element) { return element == GT_ELEMENT_U8 ? 1 : 4; }

void gt_tensor_finish(gt_tensor *tensor) {
  free(tensor->data);
  *tensor = (gt_tensor){0};
}

int64_t gt_tensor_features(const gt_tensor *tensor) {
  int64_t count = 1;
  for (int i = 1; i < tensor->rank; i++) count *= tensor->dim[i];
  return count;
}

static size_t value_size(const gt_tensor *tensor) {
  return tensor->narrow ? 1 : gt_element_size(tensor->element);
}

gt_tensor gt_tensor_as_rows(const gt_tensor *tensor) {
  gt_tensor rows = *tensor;
  if (!tensor->stored) return rows;
  rows.start = NULL;
  rows.stored = rows.stride = rows.begin = 0;
  rows.rank--;
  rows.dim[0] = tensor->stored;
  memmove(rows.dim + 1, tensor->dim + 2, (size_t)(rows.rank - 1) * sizeof *rows.dim);
  return rows;
}

const void *gt_tensor_sample(const gt_tensor *tensor, int64_t sample) {
  const gt_tensor rows = gt_tensor_as_rows(tensor);
  const int64_t first =
      tensor->start ? tensor->start[sample] : sample * (tensor->stored ? tensor->stride : 1);
  return (const uint8_t *)tensor->data +
         (size_t)((first + tensor->begin) * gt_tensor_features(&rows)) * value_size(tensor);
}

bool gt_tensor_is_text(const gt_tensor *tensor) { return tensor->stored && !tensor->start; }

uint64_t gt_tensor_bytes(const gt_tensor *tensor) {
  const gt_tensor rows = gt_tensor_as_rows(tensor);
  uint64_t bytes = value_size(tensor);
  for (int i = 0; i < rows.rank; i++)
    if (__builtin_mul_overflow(bytes, (uint64_t)rows.dim[i], &bytes)) return UINT64_MAX;
  return bytes;
}

uint64_t gt_tensor_sample_bytes(const gt_tensor *tensor) {
  return (uint64_t)(gt_tensor_features(tensor) + gt_tensor_is_text(tensor)) * value_size(tensor);
}

bool gt_tensor_alloc(gt_tensor *tensor, const char *what, gt_error *error) {
  uint64_t count = 1;
  for (int i = 0; i < tensor->rank; i++)
    if (__builtin_mul_overflow(count, (uint64_t)tensor->dim[i], &count))
      return gt_fail(error, GT_ERR_MEMORY, "%s: too many elements: their number does not fit in 64 bits",
                     what);
  return gt_try_alloc(&tensor->data, count, gt_element_size(tensor->element), what, error);
}
