#include "train/file/model_scaling.h"
#include "base/memory.h"
#include <string.h>

/* --- inputs --- */

static const char *const rows[3] = {"center", "scale", "offset"}; /* of gt_scaling.values */

/* The name of the tensor of a row of the scaling. */
static const char *row_name(gt_arena *arena, const gt_input *input, int row) {
  return gt_arena_printf(arena, "data.%s.%s", input->name, rows[row]);
}

int gt_scaling_tensors(const gt_input *input, gt_arena *arena, gt_stored *tensors) {
  const int64_t n = input->scaling.count;
  if (!n) return 0;
  for (int i = 0; i < 3; i++)
    tensors[i] = (gt_stored){row_name(arena, input, i), GT_F32, gt_shape_1(n), input->scaling.values + i * n};
  return 3;
}

bool gt_scaling_from_tensors(gt_container *container, gt_input *input) {
  const gt_stored *row[3];
  for (int i = 0; i < 3; i++) row[i] = gt_container_tensor(container, row_name(&container->arena, input, i));
  if (!row[0] && !row[1] && !row[2]) return true;
  if (!row[0] || row[0]->shape.rank != 1 || row[0]->shape.dim[0] < 1) return false;
  const int64_t n = row[0]->shape.dim[0];
  float *scaling = gt_arena_alloc_n(&container->arena, 3 * (size_t)n, sizeof *scaling);
  for (int i = 0; i < 3; i++) {
    if (!row[i] || row[i]->dtype != GT_F32 || !gt_shape_equal(row[i]->shape, row[0]->shape)) return false;
    memcpy(scaling + i * n, row[i]->data, (size_t)n * sizeof *scaling);
  }
  input->scaling = (gt_scaling){n, scaling};
  return gt_input_features(input) % n == 0;
}

/* --- targets --- */

/* The name of the tensor of a row of a target's scaling: data.target_scale, or data.target_scale.NAME. */
static const char *target_row(gt_arena *arena, const gt_data_target *target, const char *row) {
  return gt_arena_printf(arena, "data.target_%s%s%s", row, target->name ? "." : "",
                         target->name ? target->name : "");
}

int gt_target_scaling_tensors(const gt_data_target *target, gt_arena *arena, gt_stored *tensors) {
  const int64_t n = target->scaling.count;
  const float *values = target->scaling.values;
  if (!n) return 0;
  tensors[0] = (gt_stored){target_row(arena, target, "center"), GT_F32, gt_shape_1(n), values};
  tensors[1] = (gt_stored){target_row(arena, target, "scale"), GT_F32, gt_shape_1(n), values + n};
  return 2;
}

bool gt_target_scaling_from_tensors(gt_container *container, gt_data_target *target) {
  gt_arena *arena = &container->arena;
  const gt_stored *center = gt_container_tensor(container, target_row(arena, target, "center")),
                  *scale = gt_container_tensor(container, target_row(arena, target, "scale"));
  if (!center && !scale) return true;
  if (!center || !scale || center->dtype != GT_F32 || scale->dtype != GT_F32 || scale->shape.rank != 1 ||
      scale->shape.dim[0] < 1 || !gt_shape_equal(center->shape, scale->shape))
    return false;
  const int64_t n = scale->shape.dim[0];
  float *values = gt_arena_alloc_n(arena, 2 * (size_t)n, sizeof *values);
  memcpy(values, center->data, (size_t)n * sizeof *values);
  memcpy(values + n, scale->data, (size_t)n * sizeof *values);
  for (int64_t i = 0; i < n; i++)
    if (!(values[n + i] > 0)) return false;
  target->scaling = (gt_target_scaling){n, values};
  return true;
}
