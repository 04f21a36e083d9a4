#include "base/count.h"
#include "data/data.h"
#include <stdlib.h>

const char *const gt_part_keys[GT_PARTS] = {"train", "validation", "test"};

const gt_split *gt_dataset_split(const gt_dataset *dataset, int part) {
  return dataset->split[part].samples ? &dataset->split[part] : NULL;
}

int gt_dataset_default_part(const gt_dataset *dataset) {
  int part = GT_PART_TEST;
  while (part > GT_PART_TRAIN && !dataset->split[part].samples) part--;
  return part;
}

const gt_tensor *gt_split_tensor(const gt_split *split, gt_sample_role role, int of) {
  return role == GT_SAMPLE_INPUT    ? &split->input[of]
         : role == GT_SAMPLE_TARGET ? &split->target[of]
                                    : &split->weights;
}

gt_tensor *gt_split_edit(gt_split *split, gt_sample_role role, int of) {
  return (gt_tensor *)gt_split_tensor(split, role, of);
}

gt_tensor *gt_split_add(gt_split *split, gt_sample_role role, int of, gt_tensor tensor) {
  gt_tensor *added = gt_split_edit(split, role, of);
  *added = tensor;
  return added;
}

void gt_split_finish(gt_split *split) {
  for (int k = 0; k < GT_DATA_MAX_INPUTS; k++) gt_tensor_finish(&split->input[k]);
  for (int k = 0; k < GT_DATA_MAX_TARGETS; k++) gt_tensor_finish(&split->target[k]);
  gt_tensor_finish(&split->weights);
  free(split->start);
  split->start = NULL;
}

gt_split gt_split_without_overlap(const gt_split *split, int64_t most) {
  gt_split selected = *split;
  gt_tensor *tensor[2] = {gt_split_edit(&selected, GT_SAMPLE_INPUT, 0),
                          gt_split_edit(&selected, GT_SAMPLE_TARGET, 0)};
  const gt_tensor *windows = tensor[0];
  if (!gt_tensor_is_text(windows)) return selected;
  const int64_t length = windows->dim[1], stride = windows->stride;
  /* Selects every step-th window. */
  int64_t step = gt_ceil_div(length, stride), samples = (selected.samples - 1) / step + 1;
  if (most && samples > most) {
    step *= samples / most;
    samples = most;
  }
  selected.samples = samples;
  for (int i = 0; i < 2; i++) tensor[i]->dim[0] = samples, tensor[i]->stride = step * stride;
  return selected;
}

double gt_split_weight(const gt_split *split) {
  const float *weight = gt_split_weights(split)->data;
  double sum = 0;
  for (int64_t i = 0; weight && i < split->samples; i++) sum += (double)weight[i];
  return weight ? sum : (double)split->samples;
}
