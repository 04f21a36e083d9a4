/* Tables: the columns with the weight, the split or the group of each row. */
#include "base/memory.h"
#include "data/table/table.h"
#include <math.h>
#include <stdlib.h>

bool gt_csv_read_weights(const gt_table_file *file, gt_tensor *out) {
  const gt_table_column *column = gt_table_find(file, GT_USE_WEIGHT);
  const gt_csv *csv = &file->csv;
  char shown[48];
  size_t row = 0;
  if (!column) return true;
  *out = (gt_tensor){.element = GT_ELEMENT_F32, .rank = 1, .dim = {(int64_t)file->rows}};
  if (!gt_tensor_alloc(out, csv->path, csv->error)) return false;
  for (float *to = out->data; row < file->rows; row++) {
    to[row] = gt_table_value(file, column, row);
    if (!(to[row] >= 0)) break;
  }
  if (row == file->rows) return true;
  const gt_cell cell = gt_table_locate(file, column, row);
  const char *name = gt_table_name(file, column);
  gt_cell_shown(&cell, shown);
  if (csv->missing && cell.length && gt_csv_is_missing(csv, &cell))
    return gt_csv_fail(csv, &cell, "missing weight in column '%s': '%s' is in data.missing_values", name,
                       shown);
  if (gt_table_code(file, column, row) != GT_CELL_NUMBER) return gt_csv_fail_number(csv, &cell, name, "");
  return gt_csv_fail(
      csv, &cell, "the weight '%s' in column '%s' is negative; expected a number of at least 0", shown, name);
}

/* --- splits --- */

/* True if the cell has this value: the same text, or the same number. */
static bool has_value(const gt_csv *csv, const gt_cell *cell, const char *value) {
  double a, b;
  return gt_cell_is(cell, value) ||
         (gt_csv_parse(csv, cell, &a) && gt_parse_number(value, strlen(value), '.', &b) && a >= b && a <= b);
}

static bool is_one_of(const gt_csv *csv, const gt_cell *cell, gt_strings values) {
  int i = 0;
  while (i < values.count && !has_value(csv, cell, values.items[i])) i++;
  return i < values.count;
}

/* Fails if no row has one of the values. */
static bool check_found(gt_data_reader *reader, const gt_table_file *file, const gt_table_column *column,
                        gt_strings values) {
  const gt_texts *texts = &column->facts.dictionary;
  for (int i = 0; i < values.count; i++) {
    int k = 0;
    while (k < texts->distinct && !has_value(&file->csv, &texts->text[k], values.items[i])) k++;
    if (k < texts->distinct) continue;
    return gt_refuse(reader->diagnostics, values.at[i], "a value of the column",
                     "no row of %s has '%s' in column '%s'", file->csv.path, values.items[i],
                     gt_table_name(file, column));
  }
  return true;
}

/* The split that a text names, by the values of the config, or as a word such as train, validation or test;
 * -1: none. */
static int split_of(const gt_csv *csv, const gt_data_split *split, const gt_cell *cell) {
  if (!split->test.count && !split->validation.count) return gt_data_part_named(cell->text, cell->length);
  const bool test = is_one_of(csv, cell, split->test), validation = is_one_of(csv, cell, split->validation);
  return test && validation ? -1 : test ? GT_PART_TEST : validation ? GT_PART_VALIDATION : GT_PART_TRAIN;
}

static bool read_splits(gt_data_reader *reader, const gt_table_file *file, const gt_table_column *column) {
  const gt_texts *texts = &column->facts.dictionary;
  const gt_data_split *split = &reader->split;
  int8_t *part = gt_alloc((size_t)texts->distinct + 1);
  size_t row = 0;
  for (int i = 0; i < texts->distinct; i++) part[i] = (int8_t)split_of(&file->csv, split, &texts->text[i]);
  for (; row < file->rows; row++) {
    const uint32_t code = gt_table_code(file, column, row);
    if (code < GT_CELL_TEXT || part[code - GT_CELL_TEXT] < 0) break;
    reader->part[row] = (uint8_t)part[code - GT_CELL_TEXT];
  }
  free(part);
  if (row == file->rows)
    return check_found(reader, file, column, split->test) &&
           check_found(reader, file, column, split->validation);
  const gt_csv *csv = &file->csv;
  const gt_cell cell = gt_table_locate(file, column, row);
  const char *name = gt_table_name(file, column);
  char shown[48];
  gt_cell_shown(&cell, shown);
  if (!split->test.count && !split->validation.count)
    return gt_csv_fail(csv, &cell,
                       "'%s' in column '%s' does not name a split; expected train, validation or test; to "
                       "name other values: split: {column: %s, test: VALUE, validation: VALUE}",
                       shown, name, name);
  if (!cell.length)
    return gt_csv_fail(csv, &cell, "missing value in column '%s', which names the split of the row", name);
  return gt_csv_fail(csv, &cell, "'%s' in column '%s' is a value of both test and validation in data.split",
                     shown, name);
}

/* --- groups --- */

int gt_csv_read_groups(const gt_table_file *file, gt_arena *arena, int32_t *group, const char *const **out) {
  const gt_table_column *column = gt_table_find(file, GT_USE_GROUP);
  const gt_texts *texts = &column->facts.dictionary;
  /* [distinct] the group of a text, from 1; 0: no row before has it. */
  int32_t *number = gt_alloc((size_t)texts->distinct * sizeof *number + 1), count = 0;
  const char **names = gt_alloc((size_t)texts->distinct * sizeof *names + 1);
  size_t row = 0;
  for (; row < file->rows; row++) {
    const uint32_t code = gt_table_code(file, column, row), i = code - GT_CELL_TEXT;
    if (code < GT_CELL_TEXT || (!number[i] && !gt_cell_is_clean(&texts->text[i]))) break;
    if (!number[i]) {
      names[count] = gt_arena_strndup(arena, texts->text[i].text, texts->text[i].length);
      number[i] = ++count;
    }
    group[row] = number[i] - 1;
  }
  *out = gt_arena_copy(arena, names, (size_t)count * sizeof *names);
  free(number);
  free(names);
  if (row == file->rows) return count;
  const gt_cell cell = gt_table_locate(file, column, row);
  if (cell.length)
    gt_csv_fail(&file->csv, &cell,
                gt_table_code(file, column, row) == GT_CELL_MORE
                    ? "too many groups"
                    : "this name of a group contains control characters or is not UTF-8");
  else
    gt_csv_fail(&file->csv, &cell, "missing value in column '%s', which names the group of the row",
                gt_table_name(file, column));
  return -1;
}

bool gt_csv_read_parts(gt_data_reader *reader, const gt_table_file *file) {
  const gt_csv *csv = &file->csv;
  const gt_table_column *split = gt_table_find(file, GT_USE_SPLIT),
                        *groups = gt_table_find(file, GT_USE_GROUP);
  void *memory;
  if (split) {
    if (!gt_try_alloc(&memory, file->rows, sizeof *reader->part, csv->path, csv->error)) return false;
    reader->part = memory;
    if (!read_splits(reader, file, split)) return false;
  }
  if (!groups || reader->series) return true;
  if (!gt_try_alloc(&memory, file->rows, sizeof *reader->group, csv->path, csv->error)) return false;
  reader->group = memory;
  reader->groups = gt_csv_read_groups(file, reader->arena, reader->group, &reader->group_names);
  return reader->groups >= 0;
}
