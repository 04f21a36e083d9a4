#include "base/count.h"
#include "base/memory.h"
#include "data/data.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

const gt_sample_role_type gt_sample_role_types[GT_SAMPLE_ROLES] = {
    [GT_SAMPLE_INPUT] = {GT_OF_INPUT, "", .is_streamed = true, .is_compared = true},
    [GT_SAMPLE_LENGTH] = {GT_OF_INPUT, ".lengths", .is_streamed = true},
    [GT_SAMPLE_START] = {GT_OF_SAMPLE, ".starts"},
    [GT_SAMPLE_TARGET] = {GT_OF_TARGET, "", .is_streamed = true, .is_compared = true},
    [GT_SAMPLE_WEIGHT] = {GT_OF_SAMPLE, ".weights", .is_streamed = true},
};

const char *const gt_part_keys[GT_PARTS] = {"train", "validation", "test"};

const gt_split *gt_dataset_split(const gt_dataset *dataset, int part) {
  return dataset->split[part].samples ? &dataset->split[part] : NULL;
}

int gt_dataset_default_part(const gt_dataset *dataset) {
  int part = GT_PART_TEST;
  while (part > GT_PART_TRAIN && !dataset->split[part].samples) part--;
  return part;
}

/* The place of an item, or the place for it. */
static int place_of(const gt_split *split, gt_sample_role role, int of) {
  int i = 0;
  while (i < split->items &&
         (split->item[i].role < role || (split->item[i].role == role && split->item[i].of < of)))
    i++;
  return i;
}

const gt_tensor *gt_split_tensor(const gt_split *split, gt_sample_role role, int of) {
  static const gt_tensor none;
  const int place = place_of(split, role, of);
  const gt_split_item *item = &split->item[place];
  return place < split->items && item->role == role && item->of == of ? &item->tensor : &none;
}

gt_tensor *gt_split_edit(gt_split *split, gt_sample_role role, int of) {
  gt_split_item *item = &split->item[place_of(split, role, of)];
  assert(gt_split_tensor(split, role, of) == &item->tensor);
  return &item->tensor;
}

gt_tensor *gt_split_add(gt_split *split, gt_sample_role role, int of, gt_tensor tensor) {
  const int place = place_of(split, role, of);
  gt_split_item *item = &split->item[place];
  assert(split->items < GT_SPLIT_ITEMS);
  memmove(item + 1, item, (size_t)(split->items++ - place) * sizeof *item);
  *item = (gt_split_item){role, of, tensor};
  return &item->tensor;
}

void gt_split_finish(gt_split *split) {
  while (split->items) gt_tensor_finish(&split->item[--split->items].tensor);
}

/* --- dividing --- */

/* Copies the samples of split `which` to the beginning of `to`, which may be from->data. */
static void copy_samples(const gt_tensor *from, const uint8_t *part, int which, uint8_t *to) {
  const size_t size = (size_t)gt_tensor_features(from) * gt_element_size(from->element);
  const uint8_t *sample = from->data;
  for (int64_t i = 0; i < from->dim[0]; i++, sample += size) {
    if (part[i] != which) continue;
    if (sample != to) memcpy(to, sample, size);
    to += size;
  }
}

/* Keeps only the training samples, in place. */
static void keep_training(gt_tensor *tensor, const uint8_t *part, int64_t samples) {
  if (tensor->data) copy_samples(tensor, part, GT_PART_TRAIN, tensor->data);
  tensor->dim[0] = samples;
  void *smaller = tensor->data && samples ? realloc(tensor->data, gt_tensor_bytes(tensor)) : NULL;
  if (smaller) tensor->data = smaller;
}

/* Copies only validation and test samples, one tensor after the other, to save memory. */
bool gt_split_divide(gt_split split[GT_PARTS], const uint8_t *part, const int64_t count[GT_PARTS],
                     gt_error *error) {
  gt_split *all = &split[GT_PART_TRAIN];
  for (int k = 0; k < all->items; k++) {
    gt_split_item *from = &all->item[k];
    for (int p = GT_PART_TRAIN + 1; p < GT_PARTS; p++) {
      if (!count[p]) continue;
      gt_tensor *to = gt_split_add(&split[p], from->role, from->of, from->tensor);
      to->dim[0] = count[p];
      to->data = NULL;
      if (!from->tensor.data) continue; /* an outline, without data */
      if (!gt_tensor_alloc(to, "a split of the data", error)) return false;
      copy_samples(&from->tensor, part, p, to->data);
    }
    keep_training(&from->tensor, part, count[GT_PART_TRAIN]);
  }
  for (int p = 0; p < GT_PARTS; p++)
    if (count[p] || p == GT_PART_TRAIN) split[p].samples = count[p];
  return true;
}

/* --- reading --- */

const char *gt_split_variable(const gt_dataset *data, const char *begin, int part, gt_sample_role role,
                              int of, gt_arena *arena) {
  static const char *const lists[] = {
      [GT_OF_INPUT] = ".inputs", [GT_OF_TARGET] = ".targets", [GT_OF_SAMPLE] = ""};
  const gt_sample_role_type *type = &gt_sample_role_types[role];
  const char *name = type->of == GT_OF_INPUT    ? data->input[of].name
                     : type->of == GT_OF_TARGET ? data->target[of].name
                                                : NULL;
  if (type->of == GT_OF_INPUT && !strcmp(name, GT_INPUT_NAME)) name = NULL;
  return gt_arena_printf(arena, "%s.%s%s%s%s%s", begin, gt_part_keys[part], lists[type->of], name ? "." : "",
                         name ? name : "", type->variable);
}

gt_split gt_split_without_overlap(const gt_split *split, int64_t most) {
  gt_split selected = *split;
  const gt_tensor *windows = gt_split_input(split, 0);
  if (!gt_tensor_is_text(windows)) return selected;
  const int64_t length = windows->dim[1], stride = windows->stride;
  /* Selects every step-th window. */
  int64_t step = gt_ceil_div(length, stride), samples = (selected.samples - 1) / step + 1;
  if (most && samples > most) {
    step *= samples / most;
    samples = most;
  }
  selected.samples = samples;
  for (int i = 0; i < selected.items; i++) {
    selected.item[i].tensor.dim[0] = samples;
    selected.item[i].tensor.stride = step * stride;
  }
  return selected;
}

double gt_split_weight(const gt_split *split) {
  const float *weight = gt_split_weights(split)->data;
  double sum = 0;
  for (int64_t i = 0; weight && i < split->samples; i++) sum += (double)weight[i];
  return weight ? sum : (double)split->samples;
}
