/* CSV: reads the columns with the weight, the split or the group of each row. */
#include "base/memory.h"
#include "base/names.h"
#include "data/table/csv_facts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const gt_cells *gt_csv_role_cells(const gt_csv *csv, gt_csv_role role) {
  return csv->role_column[role] < 0 ? NULL : &csv->role_cells[role];
}

static const char *name_of(const gt_csv *csv, gt_csv_role role) { return csv->names[csv->role_column[role]]; }

bool gt_csv_read_weights(const gt_csv *csv, gt_tensor *out) {
  const gt_cells *cells = gt_csv_role_cells(csv, GT_CSV_WEIGHT);
  char shown[48];
  double value;
  if (!cells) return true;
  *out = (gt_tensor){.element = GT_ELEMENT_F32, .rank = 1, .dim = {(int64_t)csv->rows}};
  if (!gt_tensor_alloc(out, csv->path, csv->error)) return false;
  float *to = out->data;
  for (size_t i = 0; i < cells->count; i++) {
    const gt_cell *cell = &cells->items[i];
    if (csv->missing && cell->length && gt_csv_is_missing(csv, cell))
      return gt_csv_fail(csv, cell, "missing weight in column '%s': '%s' is in data.missing_values",
                         name_of(csv, GT_CSV_WEIGHT), gt_cell_shown(cell, shown));
    if (!gt_csv_parse(csv, cell, &value) || !isfinite(to[i] = (float)value))
      return gt_csv_fail_number(csv, cell, name_of(csv, GT_CSV_WEIGHT), "");
    if (to[i] < 0)
      return gt_csv_fail(csv, cell,
                         "the weight '%s' in column '%s' is negative; expected a number of at least 0",
                         gt_cell_shown(cell, shown), name_of(csv, GT_CSV_WEIGHT));
  }
  return true;
}

/* --- splits --- */

/* True if the cell has this value: the same text, or the same number. */
static bool has_value(const gt_csv *csv, const gt_cell *cell, const char *value) {
  double a, b;
  const size_t length = strlen(value);
  if (cell->length == length && !memcmp(cell->text, value, length)) return true;
  return gt_csv_parse(csv, cell, &a) && gt_parse_number(value, length, '.', &b) && a >= b && a <= b;
}

/* True if the cell has one of the values, which is then marked in found[]. */
static bool is_one_of(const gt_csv *csv, const gt_cell *cell, gt_strings values, bool *found) {
  for (int i = 0; i < values.count; i++)
    if (has_value(csv, cell, values.items[i])) return found[i] = true;
  return false;
}

/* Reads cells such as train, validation and test. */
static bool read_words(gt_data_reader *reader, const gt_csv *csv, const gt_cells *cells) {
  char shown[48];
  for (size_t i = 0; i < cells->count; i++) {
    const gt_cell *cell = &cells->items[i];
    const int part = gt_data_part_named(cell->text, cell->length);
    if (part < 0)
      return gt_csv_fail(csv, cell,
                         "'%s' in column '%s' does not name a split; expected train, validation or test; to "
                         "name other values: split: {column: %s, test: VALUE, validation: VALUE}",
                         gt_cell_shown(cell, shown), name_of(csv, GT_CSV_SPLIT), name_of(csv, GT_CSV_SPLIT));
    reader->part[i] = (uint8_t)part;
  }
  return true;
}

static bool check_found(gt_data_reader *reader, const gt_csv *csv, gt_strings values, const bool *found) {
  for (int i = 0; i < values.count; i++) {
    if (found[i]) continue;
    gt_error_at(reader->diagnostics, values.at[i], "no row of %s has '%s' in column '%s'", csv->path,
                values.items[i], name_of(csv, GT_CSV_SPLIT))
        ->expected = "a value of the column";
    return false;
  }
  return true;
}

/* Reads cells with the values that the config lists for each split. */
static bool read_values(gt_data_reader *reader, const gt_csv *csv, const gt_cells *cells) {
  const gt_data_split *split = &reader->split;
  bool *found_test = GT_NEW_N(reader->arena, bool, split->test.count + 1),
       *found_validation = GT_NEW_N(reader->arena, bool, split->validation.count + 1);
  for (size_t i = 0; i < cells->count; i++) {
    const gt_cell *cell = &cells->items[i];
    const bool test = is_one_of(csv, cell, split->test, found_test),
               validation = is_one_of(csv, cell, split->validation, found_validation);
    char shown[48];
    if (!cell->length)
      return gt_csv_fail(csv, cell, "missing value in column '%s', which names the split of the row",
                         name_of(csv, GT_CSV_SPLIT));
    if (test && validation)
      return gt_csv_fail(csv, cell,
                         "'%s' in column '%s' is a value of both test and validation in data.split",
                         gt_cell_shown(cell, shown), name_of(csv, GT_CSV_SPLIT));
    reader->part[i] = test ? GT_PART_TEST : validation ? GT_PART_VALIDATION : GT_PART_TRAIN;
  }
  return check_found(reader, csv, split->test, found_test) &&
         check_found(reader, csv, split->validation, found_validation);
}

/* --- groups --- */

int gt_csv_read_groups(const gt_csv *csv, gt_arena *arena, int32_t *group, const char *const **out) {
  const gt_cells *cells = gt_csv_role_cells(csv, GT_CSV_GROUP);
  gt_names seen = {.arena = arena};
  size_t capacity = 0;
  const char **names = NULL;
  char *name = NULL;
  int count = 0;
  bool ok = true;
  for (size_t i = 0; i < cells->count && ok; i++) {
    const gt_cell *cell = &cells->items[i];
    ok = cell->length ||
         gt_csv_fail(csv, cell, "missing value in column '%s', which names the group of the row",
                     name_of(csv, GT_CSV_GROUP));
    ok = ok && (gt_cell_is_clean(cell) ||
                gt_csv_fail(csv, cell, "this name of a group contains control characters or is not UTF-8"));
    if (!ok) break;
    name = gt_realloc(name, cell->length + 1);
    memcpy(name, cell->text, cell->length);
    name[cell->length] = 0;
    group[i] = gt_names_find(&seen, name);
    if (group[i] >= 0) continue;
    if ((size_t)count == capacity) names = gt_realloc(names, (capacity = 2 * capacity + 16) * sizeof *names);
    names[count] = gt_arena_strdup(arena, name);
    group[i] = gt_names_add(&seen, names[count], count);
    count++;
  }
  *out = gt_arena_copy(arena, names, (size_t)count * sizeof *names);
  free(names);
  free(name);
  return ok ? count : -1;
}

bool gt_csv_read_parts(gt_data_reader *reader, const gt_csv *csv) {
  const gt_cells *splits = gt_csv_role_cells(csv, GT_CSV_SPLIT),
                 *groups = gt_csv_role_cells(csv, GT_CSV_GROUP);
  void *memory;
  if (splits) {
    if (!gt_try_alloc(&memory, csv->rows, sizeof *reader->part, csv->path, csv->error)) return false;
    reader->part = memory;
    const bool values = reader->split.test.count || reader->split.validation.count;
    if (!(values ? read_values : read_words)(reader, csv, splits)) return false;
  }
  if (!groups || reader->series) return true;
  if (!gt_try_alloc(&memory, csv->rows, sizeof *reader->group, csv->path, csv->error)) return false;
  reader->group = memory;
  reader->groups = gt_csv_read_groups(csv, reader->arena, reader->group, &reader->group_names);
  return reader->groups >= 0;
}
