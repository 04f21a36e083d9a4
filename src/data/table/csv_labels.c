/* CSV: class labels, numbers or text. */
#include "base/memory.h"
#include "base/text.h"
#include "base/unicode.h"
#include "data/table/csv_facts.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AUTO_CLASSES = 1000 }; /* numbers from 0 to AUTO_CLASSES - 1 are recognized as classes */

static bool is_number(const gt_csv *csv, const gt_cell *cell) {
  double value;
  return gt_csv_parse(csv, cell, &value);
}

/* The value, 0 to 999, if the cell has only digits; else -1. */
static int small_whole(const gt_cell *cell) {
  int value = 0;
  if (!cell->length || cell->length > 3) return -1;
  for (uint32_t i = 0; i < cell->length; i++) {
    if (cell->text[i] < '0' || cell->text[i] > '9') return -1;
    value = value * 10 + (cell->text[i] - '0');
  }
  return value;
}

bool gt_csv_is_classification(const gt_csv *csv, int column, bool whole_numbers) {
  bool seen[AUTO_CLASSES] = {0}, all_text = true, all_whole = whole_numbers;
  int largest = 0;
  for (size_t row = 0; row < csv->rows; row++) {
    const gt_cell *cell = gt_csv_target_cell(csv, column, row);
    if (gt_csv_lacks_target(csv, cell)) continue; /* does not decide */
    const int whole = small_whole(cell);
    all_whole = all_whole && whole >= 0;
    all_text = all_text && !is_number(csv, cell);
    if (!all_whole && !all_text) return false;
    if (whole >= 0) seen[whole] = true;
    if (whole > largest) largest = whole;
  }
  if (all_text) return true;
  for (int i = 0; i <= largest; i++)
    if (!seen[i]) return false;
  return true;
}

static bool is_label(double value) {
  return value >= 0 && value < GT_DATA_MAX_CLASSES && value == floor(value);
}

bool gt_csv_can_be_labels(const gt_csv *csv, int column) {
  double value;
  bool whole = true;
  for (size_t row = 0; row < csv->rows; row++) {
    const gt_cell *cell = gt_csv_target_cell(csv, column, row);
    if (gt_csv_lacks_target(csv, cell)) continue;
    if (!gt_csv_parse(csv, cell, &value)) return true;
    whole = whole && is_label(value);
  }
  return whole;
}

/* True for U+0080 to U+009F, control characters that UTF-8 encodes in two bytes. */
static bool is_c1(const char *text, uint32_t length) {
  return length > 1 && (unsigned char)text[0] == 0xC2 && (unsigned char)text[1] < 0xA0;
}

bool gt_cell_is_clean(const gt_cell *cell) {
  for (uint32_t i = 0; i < cell->length; i++)
    if ((unsigned char)cell->text[i] < 32 || cell->text[i] == 127 || is_c1(cell->text + i, cell->length - i))
      return false;
  return gt_cell_is_utf8(cell);
}

/* The hash slot of a name, or the empty slot for it. */
static int *slot_of(const gt_csv_labels *labels, const char *text, size_t length) {
  size_t i = gt_hash(GT_HASH_START, text, length) & (labels->slot_count - 1);
  for (;; i = (i + 1) & (labels->slot_count - 1)) {
    const int index = labels->slots[i];
    if (index < 0) break;
    const char *name = labels->names[index];
    if (strlen(name) == length && !memcmp(name, text, length)) break;
  }
  return &labels->slots[i];
}

/* The class whose name is in the cell, in any Unicode form; -1: none. */
static int class_of(const gt_csv_labels *labels, const gt_cell *cell) {
  int class = *slot_of(labels, cell->text, cell->length);
  if (class >= 0) return class;
  char *composed = gt_nfc(cell->text, cell->length);
  if (composed) class = *slot_of(labels, composed, strlen(composed));
  free(composed);
  return class;
}

static void make_slots(gt_csv_labels *labels, size_t most, gt_arena *arena) {
  labels->slot_count = 16;
  while (labels->slot_count < 2 * most) labels->slot_count *= 2;
  labels->slots = GT_NEW_N(arena, int, labels->slot_count);
  for (size_t i = 0; i < labels->slot_count; i++) labels->slots[i] = -1;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool fail_missing_label(const gt_csv *csv, int column, const gt_cell *cell) {
  size_t count = 0;
  char help[GT_CSV_DROP_HELP], shown[48], why[96] = "";
  gt_csv_drop_help(csv, column, help);
  for (size_t row = 0; row < csv->rows; row++)
    count += gt_csv_lacks_target(csv, gt_csv_target_cell(csv, column, row));
  if (cell->length)
    snprintf(why, sizeof why, ", because '%s' is in data.missing_values", gt_cell_shown(cell, shown));
  if (count == 1) return gt_csv_fail(csv, cell, "missing label%s%s", why, help);
  return gt_csv_fail(csv, cell, "missing label%s; %zu of %zu labels are missing%s", why, count, csv->rows,
                     help);
}

/* Collects the distinct labels of the file in order of appearance, then sorts them. */
static bool collect_names(gt_csv_labels *labels, const gt_csv *csv, gt_arena *arena) {
  const int column = labels->column;
  const char **names = GT_NEW_N(arena, const char *, GT_CSV_MAX_CLASSES);
  /* [labels] true if the first cell with this label was not in NFC. */
  bool *was_composed = GT_NEW_N(arena, bool, GT_CSV_MAX_CLASSES);
  labels->names = names;
  make_slots(labels, GT_CSV_MAX_CLASSES, arena);
  for (size_t row = 0; row < csv->rows; row++) {
    const gt_cell *cell = gt_csv_target_cell(csv, column, row);
    if (gt_csv_lacks_target(csv, cell)) return fail_missing_label(csv, column, cell);
    if (!gt_cell_is_clean(cell))
      return gt_csv_fail(csv, cell, "this label contains control characters or is not UTF-8");
    char *composed = gt_nfc(cell->text, cell->length);
    const char *name = composed ? composed : cell->text;
    const size_t length = composed ? strlen(composed) : cell->length;
    int *slot = slot_of(labels, name, length);
    if (*slot < 0 && labels->count < GT_CSV_MAX_CLASSES) {
      *slot = labels->count++;
      names[*slot] = gt_arena_strndup(arena, name, length);
      was_composed[*slot] = composed;
    }
    if (*slot >= 0 && was_composed[*slot] != (composed != NULL)) labels->respelled = names[*slot];
    free(composed);
    if (*slot < 0)
      return gt_csv_fail(csv, cell, "more than %d different labels; is this really the target column?",
                         GT_CSV_MAX_CLASSES);
  }
  qsort(names, (size_t)labels->count, sizeof *names, by_text);
  return true;
}

bool gt_csv_labels_init(gt_csv_labels *labels, const gt_csv *csv, int column, gt_strings class_names,
                        bool text, gt_arena *arena) {
  *labels = (gt_csv_labels){.text = text, .column = column};
  for (size_t row = 0; row < csv->rows && !labels->text; row++) {
    const gt_cell *cell = gt_csv_target_cell(csv, column, row);
    labels->text = !gt_csv_lacks_target(csv, cell) && !is_number(csv, cell);
  }
  if (!labels->text) return true;
  if (class_names.count) {
    labels->names = class_names.items;
    labels->count = class_names.count;
  } else if (!collect_names(labels, csv, arena)) {
    return false;
  }
  make_slots(labels, (size_t)labels->count, arena);
  for (int i = 0; i < labels->count; i++) {
    int *slot = slot_of(labels, labels->names[i], strlen(labels->names[i]));
    if (*slot < 0) *slot = i;
  }
  return true;
}

static bool fail_unknown_label(const gt_csv_labels *labels, const gt_csv *csv, const gt_cell *cell) {
  char shown[48], help[256];
  const gt_strings known = {.items = labels->names, .count = labels->count};
  gt_data_class_help(gt_cell_shown(cell, shown), known, labels->listed ? "the labels of the file" : NULL,
                     help, sizeof help);
  return gt_csv_fail(csv, cell, "'%s' %s", shown, help);
}

static bool read_number(const gt_csv *csv, const gt_cell *cell, int32_t *out) {
  char shown[48];
  double value;
  const bool number = gt_csv_parse(csv, cell, &value);
  if (!number || !is_label(value))
    return gt_csv_fail(csv, cell, "'%s' is not a label; expected a whole number from 0 to %d%s",
                       gt_cell_shown(cell, shown), GT_DATA_MAX_CLASSES - 1,
                       number ? gt_data_regression_help(value) : "");
  *out = (int32_t)value;
  return true;
}

bool gt_csv_labels_read(const gt_csv_labels *labels, const gt_csv *csv, gt_tensor *out) {
  *out = (gt_tensor){.element = GT_ELEMENT_I32, .rank = 1, .dim = {(int64_t)csv->rows}};
  if (!gt_tensor_alloc(out, csv->path, csv->error)) return false;
  int32_t *to = out->data;
  for (size_t i = 0; i < csv->rows; i++) {
    const gt_cell *cell = gt_csv_target_cell(csv, labels->column, i);
    if (gt_csv_lacks_target(csv, cell)) return fail_missing_label(csv, labels->column, cell);
    if (!labels->text) {
      if (!read_number(csv, cell, &to[i])) return false;
      if (!labels->count || to[i] < labels->count || labels->open) continue;
      return gt_csv_fail(csv, cell, "label %d is out of range: with %d %s%s, labels go from 0 to %d", to[i],
                         labels->count, labels->listed ? "class_name" : "class",
                         labels->count == 1 ? ""
                         : labels->listed   ? "s"
                                            : "es",
                         labels->count - 1);
    }
    to[i] = class_of(labels, cell);
    if (to[i] < 0 && !labels->open) return fail_unknown_label(labels, csv, cell);
  }
  return true;
}
