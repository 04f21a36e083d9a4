/* The registry: the ops of all families, which the build collects from GT_DEFINE lines. */
#include "op/op.h"
#include "op/check.h"
#include <assert.h>
#include <stdarg.h>
#include <string.h>

#define X(name) extern const gt_op_type gt_op_##name;
#include "registry/op.inc"
#undef X

static const gt_op_type *const families[] = {
#define X(name) &gt_op_##name,
#include "registry/op.inc"
#undef X
};

enum { FAMILIES = sizeof families / sizeof *families, MAX_APPLIED = 8 };

int gt_op_count(void) {
  int count = 0;
  for (int f = 0; f < FAMILIES; f++) count += families[f]->count;
  return count;
}

const gt_op *gt_op_at(int index) {
  for (int f = 0; f < FAMILIES; f++) {
    if (index < families[f]->count) return &families[f]->ops[index];
    index -= families[f]->count;
  }
  return NULL;
}

const gt_op *gt_op_find(const char *name) {
  for (int f = 0; f < FAMILIES; f++)
    for (int r = 0; r < families[f]->count; r++)
      if (!strcmp(families[f]->ops[r].name, name)) return &families[f]->ops[r];
  return NULL;
}

gt_id gt_apply(gt_graph *graph, const char *op, int inputs, ...) {
  const gt_op *row = gt_op_find(op);
  gt_id input[MAX_APPLIED];
  va_list list;
  assert(row && inputs <= MAX_APPLIED);
  va_start(list, inputs);
  for (int i = 0; i < inputs; i++) input[i] = va_arg(list, gt_id);
  va_end(list);
  return gt_node_add(graph, row, input, inputs, NULL, 0);
}

bool gt_check_size(const char *op, gt_shape shape, gt_error *error) {
  int64_t count = 1;
  char text[128];
  for (int d = 0; d < shape.rank; d++) {
    if (shape.dim[d] < 1)
      return gt_fail(error, GT_ERR_CONFIG, "%s would produce %s, which has no elements", op,
                     gt_shape_text(shape, text));
    if (shape.dim[d] > GT_MAX_ELEMENTS / count)
      return gt_fail(error, GT_ERR_CONFIG, "%s would produce %s: a value may have at most %d elements", op,
                     gt_shape_text(shape, text), GT_MAX_ELEMENTS);
    count *= shape.dim[d];
  }
  return true;
}

bool gt_check_f32(const char *op, const gt_node *input, gt_error *error) {
  if (input->dtype == GT_F32) return true;
  return gt_fail(error, GT_ERR_CONFIG, "%s works on f32 values, not on %s", op, gt_dtype_name(input->dtype));
}

bool gt_check_words(const char *op, const gt_node *input, gt_error *error) {
  if (input->dtype == GT_F32 || input->dtype == GT_I32) return true;
  return gt_fail(error, GT_ERR_CONFIG, "%s works on f32 or i32 values, not on %s", op,
                 gt_dtype_name(input->dtype));
}

bool gt_is_i32(const gt_node *input, int64_t count) {
  return input->dtype == GT_I32 && gt_shape_count(input->shape) == count;
}
