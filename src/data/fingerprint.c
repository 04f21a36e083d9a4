#include "base/fingerprint.h"
#include "data/column.h"
#include "data/data.h"
#include "tokens/tokens.h"
#include <string.h>

static uint64_t of_tensor(uint64_t before, const gt_tensor *tensor) {
  const int64_t rows = tensor->rank ? tensor->dim[0] : 0;
  const int64_t shape[2] = {tensor->element, tensor->rank};
  before = gt_fingerprint(before, shape, sizeof shape);
  before = gt_fingerprint(before, tensor->dim, (size_t)tensor->rank * sizeof *tensor->dim);
  if (tensor->stored)
    before = gt_fingerprint(before, (const int64_t[]){tensor->stored, tensor->stride, tensor->begin},
                            3 * sizeof(int64_t));
  if (!rows || !tensor->data) return before;
  if (tensor->start) before = gt_fingerprint(before, tensor->start, (size_t)rows * sizeof *tensor->start);
  if (tensor->length) before = gt_fingerprint(before, tensor->length, (size_t)rows * sizeof *tensor->length);
  return gt_fingerprint(before, tensor->data, gt_tensor_bytes(tensor));
}

/* 0 is reserved for "unknown". */
static uint64_t told(uint64_t print) { return print ? print : 1; }

uint64_t gt_split_fingerprint(const gt_split *split, int inputs, int targets) {
  uint64_t print = 1;
  for (int k = 0; k < inputs; k++) print = of_tensor(print, &split->input[k]);
  for (int k = 0; k < targets; k++) print = of_tensor(print, &split->target[k]);
  return told(split->weights.rank ? of_tensor(print, &split->weights) : print);
}

static uint64_t of_scaling(uint64_t print, const gt_target_scaling *scaling) {
  if (!scaling->count) return print;
  return gt_fingerprint(print, scaling->values, 2 * (size_t)scaling->count * sizeof *scaling->values);
}

/* The names of targets are in the config and need not be here. */
static uint64_t of_target(uint64_t print, const gt_data_target *target) {
  const int64_t numbers[] = {target->classification, target->classes, target->class_names != NULL};
  print = gt_fingerprint(print, numbers, sizeof numbers);
  for (int i = 0; target->class_names && i < target->classes; i++)
    print = gt_fingerprint(print, target->class_names[i], strlen(target->class_names[i]) + 1);
  return of_scaling(print, &target->scaling);
}

static uint64_t of_meaning(const gt_dataset *data) {
  const int64_t numbers[] = {data->target[0].classification, data->target[0].classes,
                             data->target[0].class_names != NULL, data->input[0].scaling.count};
  uint64_t print = gt_fingerprint(2, numbers, sizeof numbers);
  for (int i = 0; data->target[0].class_names && i < data->target[0].classes; i++)
    print = gt_fingerprint(print, data->target[0].class_names[i], strlen(data->target[0].class_names[i]) + 1);
  for (int k = 0; k < data->inputs; k++) {
    const gt_scaling *scaling = &data->input[k].scaling;
    const int64_t *crop = data->input[k].crop;
    if (crop[0]) print = gt_fingerprint(print, crop, sizeof data->input[k].crop);
    if (strcmp(data->input[k].name, GT_INPUT_NAME))
      print = gt_fingerprint(print, data->input[k].name, strlen(data->input[k].name) + 1);
    if (scaling->count)
      print = gt_fingerprint(print, scaling->values, 3 * (size_t)scaling->count * sizeof *scaling->values);
    print = gt_table_fingerprint(data->input[k].table, print);
    if (data->input[k].vocabulary) print = gt_vocabulary_fingerprint(data->input[k].vocabulary, print);
  }
  print = of_scaling(print, &data->target[0].scaling);
  for (int k = 1; k < data->targets; k++) print = of_target(print, &data->target[k]);
  return told(print);
}

gt_data_fingerprint gt_dataset_fingerprint(const gt_dataset *data) {
  return (gt_data_fingerprint){.train = gt_split_fingerprint(&data->train, data->inputs, data->targets),
                               .validation =
                                   gt_split_fingerprint(&data->validation, data->inputs, data->targets),
                               .test = gt_split_fingerprint(&data->test, data->inputs, data->targets),
                               .meaning = of_meaning(data)};
}
