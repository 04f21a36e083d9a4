/* Finds test samples whose inputs and targets are equal to those of a training sample. Fills a hash table
 * with the test split, which is smaller; then looks up every training sample. */
#include "base/fingerprint.h"
#include "base/memory.h"
#include "data/format.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EMPTY = -1 };

typedef struct table {
  const gt_split *split;
  int inputs, tensors; /* number of inputs; of inputs and targets */
  int32_t *slot;       /* [slots] the first test sample with these contents; EMPTY: none */
  int32_t *count;      /* [slots] number of such test samples; 0 after they were counted as repeated */
  uint64_t slots;      /* a power of two */
} table;

static const char *row_of(const gt_tensor *tensor, int64_t sample, size_t *size) {
  *size = (size_t)gt_tensor_features(tensor) * gt_element_size(tensor->element);
  return (const char *)tensor->data + (size_t)sample * *size;
}

static const gt_tensor *tensor_of(const gt_split *split, int inputs, int index) {
  return index < inputs ? &split->input[index] : &split->target[index - inputs];
}

static uint64_t hash_of(const table *t, const gt_split *split, int64_t sample) {
  uint64_t hash = 0;
  size_t size;
  for (int k = 0; k < t->tensors; k++) {
    const char *row = row_of(tensor_of(split, t->inputs, k), sample, &size);
    hash = gt_fingerprint(hash, row, size);
  }
  return hash;
}

static bool are_equal(const table *t, const gt_split *a, int64_t i, int64_t j) {
  size_t size, other;
  for (int k = 0; k < t->tensors; k++) {
    const char *row = row_of(tensor_of(a, t->inputs, k), i, &size);
    if (memcmp(row, row_of(tensor_of(t->split, t->inputs, k), j, &other), size)) return false;
  }
  return true;
}

/* The slot of a sample's contents, or the empty slot for them. */
static uint64_t find(const table *t, const gt_split *split, int64_t sample) {
  uint64_t at = hash_of(t, split, sample) & (t->slots - 1);
  while (t->slot[at] != EMPTY && !are_equal(t, split, sample, t->slot[at])) at = (at + 1) & (t->slots - 1);
  return at;
}

static int64_t count_repeated(table *t, const gt_split *train) {
  int64_t repeated = 0;
  for (uint64_t s = 0; s < t->slots; s++) t->slot[s] = EMPTY;
  for (int64_t i = 0; i < t->split->samples; i++) {
    const uint64_t at = find(t, t->split, i);
    if (t->slot[at] == EMPTY) t->slot[at] = (int32_t)i;
    t->count[at]++;
  }
  for (int64_t i = 0; i < train->samples; i++) {
    const uint64_t at = find(t, train, i);
    repeated += t->count[at];
    t->count[at] = 0;
  }
  return repeated;
}

static bool has_data(const table *t, const gt_split *split) {
  bool has = split->samples > 0;
  for (int k = 0; k < t->tensors && has; k++) has = tensor_of(split, t->inputs, k)->data != NULL;
  return has;
}

static gt_position position_of(const gt_data_reader *reader) {
  const char *key = gt_data_node(reader, "test", NULL)            ? "test"
                    : gt_data_node(reader, "test_fraction", NULL) ? "test_fraction"
                                                                  : "split";
  return gt_data_position(reader, key);
}

void gt_data_review_repeated(gt_data_reader *reader) {
  const gt_dataset *dataset = reader->dataset;
  const gt_split *train = &dataset->train, *test = &dataset->test;
  table t = {
      .split = test, .inputs = dataset->inputs, .tensors = dataset->inputs + dataset->targets, .slots = 16};
  void *memory;
  /* A trained model's data was reviewed when it was trained. Samples that are made from a formula or a table
   * may repeat on purpose. */
  if (reader->wanted->signature || !dataset->from_files || dataset->boards || !has_data(&t, train) ||
      !has_data(&t, test))
    return;
  while (t.slots < 2 * (uint64_t)test->samples) t.slots *= 2;
  if (!gt_try_alloc(&memory, t.slots, 2 * sizeof *t.slot, "the test samples", &(gt_error){0})) return;
  t.slot = memory;
  t.count = t.slot + t.slots;
  const int64_t repeated = count_repeated(&t, train);
  free(memory);
  if (repeated)
    gt_finding_at(reader->diagnostics, GT_FINDING_repeated_samples, position_of(reader),
                  "%" PRId64 " of the %" PRId64
                  " test samples %s also in the training split: their inputs and "
                  "targets are equal",
                  repeated, test->samples, repeated == 1 ? "is" : "are")
        ->help =
        "remove repeated rows, or keep rows that belong together in one split: split: {group: COLUMN}";
}
