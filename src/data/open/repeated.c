/* Finds test samples whose inputs and targets are equal to those of a training sample. Fills a hash table
 * with the test split, which is smaller; then looks up every training sample.
 *
 * In a table of few different values, such as answers from 1 to 5, equal rows are different people: they are
 * not reported. */
#include "base/fingerprint.h"
#include "base/memory.h"
#include "data/format.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EMPTY = -1 };

typedef struct table {
  const gt_split *split;
  int32_t *slot;  /* [slots] the first test sample with these contents; EMPTY: none */
  int32_t *count; /* [slots] number of such test samples; 0 after they were counted as repeated */
  uint64_t slots; /* a power of two */
} table;

static const char *row_of(const gt_tensor *tensor, int64_t sample, size_t *size) {
  *size = (size_t)gt_tensor_features(tensor) * gt_element_size(tensor->element);
  return (const char *)tensor->data + (size_t)sample * *size;
}

/* The next item after `item` (NULL: the first) that samples are compared by; NULL: there is none. */
static const gt_split_item *next_item(const gt_split *split, const gt_split_item *item) {
  for (item = item ? item + 1 : split->item; item < split->item + split->items; item++)
    if (gt_sample_role_types[item->role].is_compared) return item;
  return NULL;
}

static uint64_t hash_of(const gt_split *split, int64_t sample) {
  uint64_t hash = 0;
  size_t size;
  for (const gt_split_item *item = NULL; (item = next_item(split, item));) {
    const char *row = row_of(&item->tensor, sample, &size);
    hash = gt_fingerprint(hash, row, size);
  }
  return hash;
}

static bool are_equal(const gt_split *a, int64_t i, const gt_split *b, int64_t j) {
  size_t size, other;
  for (const gt_split_item *item = NULL; (item = next_item(a, item));) {
    const char *row = row_of(&item->tensor, i, &size);
    if (memcmp(row, row_of(gt_split_tensor(b, item->role, item->of), j, &other), size)) return false;
  }
  return true;
}

/* The slot of a sample's contents, or the empty slot for them. */
static uint64_t find(const table *t, const gt_split *split, int64_t sample) {
  uint64_t at = hash_of(split, sample) & (t->slots - 1);
  while (t->slot[at] != EMPTY && !are_equal(split, sample, t->split, t->slot[at]))
    at = (at + 1) & (t->slots - 1);
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

static bool has_data(const gt_split *split) {
  bool has = split->samples > 0;
  for (const gt_split_item *item = NULL; has && (item = next_item(split, item));) has = item->tensor.data;
  return has;
}

/* --- tables of few values --- */

/* Rows of a table are told apart by a column that takes `min_share` as many values as there are rows. In a
 * file that holds each row several times, no column does; but two columns take nearly as many values
 * (`min_of_different`) as there are different rows. */
static const double min_share = 0.4, min_of_different = 0.9;
enum { MIN_DIFFERENT = 20 /* rows; combinations of fewer values are no sign of copied rows */ };

/* A number for the value of a feature, equal for equal values; not 0. item: NULL for the whole sample. */
static uint64_t key_of(const gt_split *split, const gt_split_item *item, int64_t feature, int64_t sample) {
  if (!item) return hash_of(split, sample) | 1;
  const gt_tensor *from = gt_split_tensor(split, item->role, item->of);
  const size_t size = gt_element_size(from->element);
  uint64_t bits = 0;
  size_t row_size;
  memcpy(&bits, row_of(from, sample, &row_size) + (size_t)feature * size,
         size < sizeof bits ? size : sizeof bits);
  return bits + 1;
}

/* The number of different values of a feature, or of different rows, in both splits. seen: [slots], more than
 * there are rows. */
static int64_t count_different(const gt_split *const splits[2], const gt_split_item *item, int64_t feature,
                               uint64_t *seen, uint64_t slots) {
  int64_t different = 0;
  memset(seen, 0, slots * sizeof *seen);
  for (int k = 0; k < 2; k++)
    for (int64_t i = 0; i < splits[k]->samples; i++) {
      const uint64_t key = key_of(splits[k], item, feature, i);
      uint64_t at = gt_fingerprint(0, &key, sizeof key) & (slots - 1);
      while (seen[at] && seen[at] != key) at = (at + 1) & (slots - 1);
      different += !seen[at];
      seen[at] = key;
    }
  return different;
}

/* True if the samples are rows of a table without a column that tells them apart, so that equal rows need not
 * be copies. */
static bool has_few_values(const gt_dataset *dataset) {
  const gt_split *const splits[] = {&dataset->split[GT_PART_TRAIN], &dataset->split[GT_PART_TEST]};
  const int64_t rows = splits[0]->samples + splits[1]->samples;
  uint64_t slots = 16;
  void *memory;
  for (int k = 0; k < dataset->inputs; k++)
    if (!dataset->input[k].columns) return false;
  while (slots < 2 * (uint64_t)rows) slots *= 2;
  if (!gt_try_alloc(&memory, slots, sizeof(uint64_t), "the values of a column", &(gt_error){0})) return false;
  const int64_t different = count_different(splits, NULL, 0, memory, slots);
  int telling = 0; /* columns with nearly as many values as there are different rows */
  bool few = true;
  for (const gt_split_item *item = NULL; few && (item = next_item(splits[0], item));)
    for (int64_t c = 0; c < gt_tensor_features(&item->tensor) && few; c++) {
      const double values = (double)count_different(splits, item, c, memory, slots);
      telling += different >= MIN_DIFFERENT && values >= min_of_different * (double)different;
      few = values < min_share * (double)rows && telling < 2;
    }
  free(memory);
  return few;
}

static gt_position position_of(const gt_data_reader *reader) {
  const char *key = gt_data_node(reader, "test", NULL)            ? "test"
                    : gt_data_node(reader, "test_fraction", NULL) ? "test_fraction"
                                                                  : "split";
  return gt_data_position(reader, key);
}

void gt_data_review_repeated(gt_data_reader *reader) {
  const gt_dataset *dataset = reader->dataset;
  const gt_split *train = &dataset->split[GT_PART_TRAIN], *test = &dataset->split[GT_PART_TEST];
  table t = {.split = test, .slots = 16};
  void *memory;
  /* A trained model's data was reviewed when it was trained. Samples that are made from a formula or a table
   * may repeat on purpose. */
  if (reader->wanted->signature || !dataset->from_files || dataset->boards || !has_data(train) ||
      !has_data(test))
    return;
  while (t.slots < 2 * (uint64_t)test->samples) t.slots *= 2;
  if (!gt_try_alloc(&memory, t.slots, 2 * sizeof *t.slot, "the test samples", &(gt_error){0})) return;
  t.slot = memory;
  t.count = t.slot + t.slots;
  const int64_t repeated = count_repeated(&t, train);
  free(memory);
  /* A test file of which all rows are training rows is more likely the training file. */
  const bool is_same_file = gt_data_node(reader, "test", NULL) && repeated == test->samples;
  if (repeated && (is_same_file || !has_few_values(dataset)))
    gt_finding_at(reader->diagnostics, GT_FINDING_repeated_samples, position_of(reader),
                  "%" PRId64 " of the %" PRId64
                  " test samples %s also in the training split: their inputs and "
                  "targets are equal",
                  repeated, test->samples, repeated == 1 ? "is" : "are")
        ->help =
        "remove repeated rows, or keep rows that belong together in one split: split: {group: COLUMN}";
}
