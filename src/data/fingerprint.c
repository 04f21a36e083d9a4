#include "base/fingerprint.h"
#include "data/column.h"
#include "data/data.h"
#include "tokens/tokens.h"
#include <string.h>

/* length: lengths of the samples, or NULL. */
static uint64_t add_tensor(uint64_t hash, const gt_tensor *tensor, const void *length) {
  const int64_t rows = tensor->rank ? tensor->dim[0] : 0;
  const int64_t shape[2] = {tensor->element, tensor->rank};
  hash = gt_fingerprint(hash, shape, sizeof shape);
  hash = gt_fingerprint(hash, tensor->dim, (size_t)tensor->rank * sizeof *tensor->dim);
  if (tensor->stored)
    hash = gt_fingerprint(hash, (const int64_t[]){tensor->stored, tensor->stride, tensor->begin},
                          3 * sizeof(int64_t));
  if (!rows || !tensor->data) return hash;
  if (tensor->start) hash = gt_fingerprint(hash, tensor->start, (size_t)rows * sizeof *tensor->start);
  if (length) hash = gt_fingerprint(hash, length, (size_t)rows * sizeof(int32_t));
  return gt_fingerprint(hash, tensor->data, gt_tensor_bytes(tensor));
}

/* A hash of 0 means "unknown". */
static uint64_t nonzero(uint64_t hash) { return hash ? hash : 1; }

/* The order is part of model.bin: of each input its shape, windows, lengths and data; then the targets; then
 * tensors of other roles. */
uint64_t gt_split_fingerprint(const gt_split *split, int inputs, int targets) {
  uint64_t hash = 1;
  for (int k = 0; k < inputs; k++)
    hash = add_tensor(hash, gt_split_input(split, k), gt_split_tensor(split, GT_SAMPLE_LENGTH, k)->data);
  for (int k = 0; k < targets; k++) hash = add_tensor(hash, gt_split_target(split, k), NULL);
  for (int i = 0; i < split->items; i++)
    if (split->item[i].role > GT_SAMPLE_TARGET) hash = add_tensor(hash, &split->item[i].tensor, NULL);
  return nonzero(hash);
}

static uint64_t add_scaling(uint64_t hash, const gt_target_scaling *scaling) {
  if (!scaling->count) return hash;
  return gt_fingerprint(hash, scaling->values, 2 * (size_t)scaling->count * sizeof *scaling->values);
}

/* The names of targets are in the config, so the hash need not include them. */
static uint64_t add_target(uint64_t hash, const gt_data_target *target) {
  const int64_t numbers[] = {target->classification, target->classes, target->class_names != NULL};
  hash = gt_fingerprint(hash, numbers, sizeof numbers);
  for (int i = 0; target->class_names && i < target->classes; i++)
    hash = gt_fingerprint(hash, target->class_names[i], strlen(target->class_names[i]) + 1);
  return add_scaling(hash, &target->scaling);
}

uint64_t gt_meaning_fingerprint(const gt_input *input, int inputs, const gt_data_target *target,
                                int targets) {
  const int64_t numbers[] = {target[0].classification, target[0].classes, target[0].class_names != NULL,
                             input[0].scaling.count};
  uint64_t hash = gt_fingerprint(2, numbers, sizeof numbers);
  for (int i = 0; target[0].class_names && i < target[0].classes; i++)
    hash = gt_fingerprint(hash, target[0].class_names[i], strlen(target[0].class_names[i]) + 1);
  for (int k = 0; k < inputs; k++) {
    const gt_scaling *scaling = &input[k].scaling;
    const int64_t *crop = input[k].crop;
    if (crop[0]) hash = gt_fingerprint(hash, crop, sizeof input[k].crop);
    if (strcmp(input[k].name, GT_INPUT_NAME))
      hash = gt_fingerprint(hash, input[k].name, strlen(input[k].name) + 1);
    if (scaling->count)
      hash = gt_fingerprint(hash, scaling->values, 3 * (size_t)scaling->count * sizeof *scaling->values);
    hash = gt_table_fingerprint(input[k].table, hash);
    if (input[k].vocabulary) hash = gt_vocabulary_fingerprint(input[k].vocabulary, hash);
  }
  hash = add_scaling(hash, &target[0].scaling);
  for (int k = 1; k < targets; k++) hash = add_target(hash, &target[k]);
  return nonzero(hash);
}

gt_data_fingerprint gt_dataset_fingerprint(const gt_dataset *data) {
  gt_data_fingerprint hash = {
      .meaning = gt_meaning_fingerprint(data->input, data->inputs, data->target, data->targets)};
  for (int part = 0; part < GT_PARTS; part++)
    hash.split[part] = gt_split_fingerprint(&data->split[part], data->inputs, data->targets);
  return hash;
}

const char *gt_dataset_note_on_times(const gt_dataset *data) {
  for (int k = 0; k < data->inputs; k++) {
    const gt_table *table = data->input[k].table;
    for (int i = 0; table && i < table->count; i++)
      if (table->column[i].hours)
        return "; if the files are the same, an earlier version of gtrain trained with rounded times";
  }
  return "";
}
