/* CSV: names the columns of a file, and matches the columns of two files. */
#include "base/log.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "data/table/csv_layout.h"
#include "data/table/table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct gt_csv_name {
  const char *name;
  int column;
} gt_csv_name;

static int by_name_and_column(const void *a, const void *b) {
  const gt_csv_name *x = a, *y = b;
  const int order = strcmp(x->name, y->name);
  return order ? order : x->column - y->column;
}

int gt_csv_find(const gt_csv *csv, const char *name) {
  const gt_csv_name key = {.name = name};
  const gt_csv_name *found = bsearch(&key, csv->sorted, (size_t)csv->columns, sizeof key, gt_order_texts);
  return found ? found->column : -1;
}

const char *gt_csv_nearest(const gt_csv *csv, const char *name) {
  return gt_nearest(name, csv->names, (size_t)csv->columns);
}

const char *gt_csv_header_note(const gt_csv *csv, const char *name) {
  if (!csv->header)
    return ": its first line is read as a sample, not as a header, so its columns have numbers";
  return gt_csv_nearest(csv, name) ? "" : ": its first line is read as the header";
}

/* What to set if a column is missing because of how the first line was read. Only the format csv has the key
 * `header`. */
static const char *header_help(const gt_data_reader *reader, const gt_csv *csv, const char *name) {
  const bool has_key = !strcmp(reader->dataset->format, "csv");
  if (!*gt_csv_header_note(csv, name)) return NULL;
  if (csv->header)
    return has_key
               ? "set `header: false` if that line is a sample, or `skip` to leave it out; columns without a header "
                 "have numbers from 1"
               : NULL;
  return gt_arena_printf(reader->arena, "write the number of a column, from 1 to %d%s", csv->columns,
                         has_key ? ", or set `header: true` if that line holds the column names" : "");
}

gt_diagnostic *gt_csv_report_no_column(gt_data_reader *reader, const gt_csv *csv, const char *name,
                                       gt_position at) {
  gt_diagnostic *d = gt_error_at(reader->diagnostics, at, "there is no column '%s' in %s%s", name, csv->path,
                                 gt_csv_header_note(csv, name));
  const char *nearest = gt_csv_nearest(csv, name);
  d->suggestion = nearest ? gt_arena_strdup(reader->arena, nearest) : NULL;
  d->help = header_help(reader, csv, name);
  return d;
}

/* --- names --- */

/* True if the name is a number from 1 to `columns`: the name of a column in a file without a header. */
static bool is_column_number(const char *name, int columns) {
  long number = 0;
  for (const char *c = name; *c; c++) {
    if (*c < '0' || *c > '9' || number > columns) return false;
    number = 10 * number + (*c - '0');
  }
  return *name && *name != '0' && number <= columns;
}

bool gt_csv_are_column_numbers(const char *const *names, int64_t count, int columns) {
  for (int64_t i = 0; i < count; i++)
    if (!is_column_number(names[i], columns)) return false;
  return true;
}

/* True for a header's cell that is empty, or that pandas wrote for a column without a name. */
static bool is_nameless(const gt_cell *cell) {
  static const char pandas[] = "Unnamed: ";
  return !cell->length ||
         (cell->length > sizeof pandas - 1 && !memcmp(cell->text, pandas, sizeof pandas - 1));
}

/* True if every name is in single quotes, so that they must be removed; false if the config or a model has
 * such a name. */
static bool has_single_quotes(const gt_csv *csv, const gt_csv_form *form) {
  for (int k = 0; k < GT_CSV_KNOWN; k++)
    for (int i = 0; i < form->known[k].count; i++)
      if (*form->known[k].items[i] == '\'') return false;
  for (int i = 0; i < csv->columns; i++) {
    const gt_cell *cell = &csv->record.items[i];
    if (cell->quoted || cell->length < 3 || *cell->text != '\'' || cell->text[cell->length - 1] != '\'')
      return false;
  }
  return true;
}

/* Names the columns: by the record if csv->header, else by their numbers. */
static void name_all(gt_csv *csv, const gt_csv_form *form) {
  const uint32_t quotes = csv->header && has_single_quotes(csv, form); /* characters to cut off at each end */
  for (int i = 0; i < csv->columns; i++) {
    const gt_cell *cell = &csv->record.items[i];
    csv->names[i] = csv->header && cell->length
                        ? gt_arena_strndup(&csv->arena, cell->text + quotes, cell->length - 2 * quotes)
                        : gt_arena_printf(&csv->arena, "%d", i + 1);
    csv->sorted[i] = (gt_csv_name){csv->names[i], i};
    csv->nameless[i] = csv->header && is_nameless(cell);
  }
  qsort(csv->sorted, (size_t)csv->columns, sizeof *csv->sorted, by_name_and_column);
}

static bool check_names(const gt_csv *csv) {
  for (int i = 0; i < csv->columns && csv->header; i++) {
    const gt_cell *cell = &csv->record.items[i];
    if (cell->length && memchr(cell->text, 0, cell->length))
      return gt_csv_fail(csv, cell, "the column name contains a zero byte; is this a text file?");
  }
  return true;
}

/* A unique name with a number: a.1, a.2, … *next: the first number to try. */
static const char *unique_name(gt_csv *csv, const char *name, int *next) {
  for (;;) {
    const char *unique = gt_arena_printf(&csv->arena, "%s.%d", name, (*next)++);
    if (gt_csv_find(csv, unique) < 0) return unique;
  }
}

/* Renames columns that have the name of an earlier column, as pandas does. */
static void rename_repeated(gt_csv *csv) {
  gt_csv_name *renamed = NULL;
  int count = 0;
  for (int i = 1, first = 0, next = 1; i < csv->columns; i++) {
    if (strcmp(csv->sorted[i].name, csv->sorted[first].name)) {
      first = i;
      next = 1;
      continue;
    }
    if (!renamed) {
      renamed = GT_NEW_N(&csv->arena, gt_csv_name, csv->columns);
      csv->same_name = GT_NEW_N(&csv->arena, int32_t, csv->columns);
      for (int k = 0; k < csv->columns; k++) csv->same_name[k] = -1;
    }
    const gt_csv_name now = csv->sorted[i];
    csv->same_name[now.column] = csv->sorted[first].column;
    renamed[count++] = (gt_csv_name){unique_name(csv, now.name, &next), now.column};
  }
  if (count && !csv->untrusted)
    gt_info("%s: columns %d and %d are both named '%s'; column %d is read as '%s'%s", csv->path,
            csv->same_name[renamed[0].column] + 1, renamed[0].column + 1, csv->names[renamed[0].column],
            renamed[0].column + 1, renamed[0].name, count > 1 ? ", and so on" : "");
  for (int i = 0; i < count; i++) csv->names[renamed[i].column] = renamed[i].name;
  for (int i = 0; count && i < csv->columns; i++) csv->sorted[i] = (gt_csv_name){csv->names[i], i};
  if (count) qsort(csv->sorted, (size_t)csv->columns, sizeof *csv->sorted, by_name_and_column);
}

/* Inserts an empty cell before the header's cells, for the column with the names of the rows. */
static bool add_header_cell(gt_csv *csv, const gt_csv_form *form) {
  const int cells = (int)csv->record.count;
  if (form->header == GT_CSV_NO_HEADER)
    return gt_csv_fail(csv, &csv->record.items[0], "this row has %d cells; expected %d, as in the rows below",
                       cells, cells + 1);
  GT_PUSH(&csv->record);
  memmove(csv->record.items + 1, csv->record.items, (size_t)cells * sizeof *csv->record.items);
  csv->record.items[0].length = 0;
  csv->row_names = true;
  return true;
}

bool gt_csv_name_columns(gt_csv *csv, const gt_csv_form *form, const struct gt_csv_sample *sample) {
  if (sample->row_names && !add_header_cell(csv, form)) return false;
  csv->columns = (int)csv->record.count;
  if (sample->rows.count && sample->columns < csv->columns) csv->columns = sample->columns;
  csv->names = GT_NEW_N(&csv->arena, const char *, csv->columns);
  csv->sorted = GT_NEW_N(&csv->arena, gt_csv_name, csv->columns);
  csv->nameless = GT_NEW_N(&csv->arena, bool, csv->columns);
  csv->header = form->header != GT_CSV_NO_HEADER;
  name_all(csv, form);
  csv->header = gt_csv_has_header(csv, form, sample);
  if (!csv->header) name_all(csv, form);
  if (!check_names(csv)) return false;
  rename_repeated(csv);
  return true;
}

/* --- matching the columns of two files --- */

bool gt_csv_matches_by_name(const gt_csv *csv, const char *const *names, int64_t count, const char *whose) {
  bool all = csv->header && names;
  for (int64_t i = 0; i < count && all; i++) all = gt_csv_find(csv, names[i]) >= 0;
  const bool named = names && !gt_csv_are_column_numbers(names, count, csv->columns);
  if (all || (csv->header && named)) return true;
  if (csv->header && !named)
    gt_warn("%s:1:1: %s has no column names, so the columns of this file are matched by position", csv->path,
            whose);
  if (!csv->header && named)
    gt_warn("%s:1:1: this file has no header, so its columns are matched by position with those of %s",
            csv->path, whose);
  return false;
}

enum { MAX_ABSENT = 8, MAX_PRESENT = 12 }; /* names in a message */

bool gt_csv_fail_no_column(const gt_csv *csv, const char *name) {
  const char *nearest = gt_csv_nearest(csv, name);
  return gt_fail(csv->error, GT_ERR_DATA, "%s:1:1: there is no column '%s'%s%s%s%s", csv->path, name,
                 gt_csv_header_note(csv, name), nearest ? "; did you mean '" : "", nearest ? nearest : "",
                 nearest ? "'?" : "");
}

/* Reports the columns that the file does not have, each with the most similar one that it has. */
static bool fail_several_absent(const gt_csv *csv, const char *const *absent, int count) {
  gt_arena arena;
  gt_arena_init(&arena);
  gt_list names = gt_list_open(&arena, MAX_ABSENT), present = gt_list_open(&arena, MAX_PRESENT);
  bool any_near = false;
  for (int i = 0; i < count; i++) {
    const char *nearest = gt_csv_nearest(csv, absent[i]);
    any_near |= nearest != NULL;
    gt_list_add(&names, "'%s'%s%s%s", gt_escape_name(&arena, absent[i]), nearest ? " (did you mean '" : "",
                nearest ? nearest : "", nearest ? "'?)" : "");
  }
  for (int i = 0; i < csv->columns; i++) gt_list_add(&present, "'%s'", gt_escape_name(&arena, csv->names[i]));
  gt_fail(csv->error, GT_ERR_DATA, "%s:1:1: there are no columns %s; the file has %s%s", csv->path,
          gt_list_more(&names), gt_list_more(&present),
          !csv->header ? ", as its first line is read as a sample, not as a header"
          : any_near   ? ""
                       : ", as its first line is read as the header");
  gt_arena_finish(&arena);
  return false;
}

bool gt_csv_have_columns(const gt_csv *csv, const char *const *inputs, int input_count,
                         const char *const *targets, int target_count) {
  gt_arena arena;
  gt_arena_init(&arena);
  const char **absent = GT_NEW_N(&arena, const char *, input_count + target_count + 1);
  int count = 0;
  for (int i = 0; i < input_count + target_count; i++) {
    const char *name = i < input_count ? inputs[i] : targets[i - input_count];
    if (gt_csv_find(csv, name) < 0) absent[count++] = name;
  }
  if (count && csv->columns == 1)
    gt_fail(csv->error, GT_ERR_DATA, "%s:1:1: there is no column '%s'; is the delimiter '%c' right?",
            csv->path, absent[0], csv->delimiter);
  else if (count == 1)
    gt_csv_fail_no_column(csv, absent[0]);
  else if (count)
    fail_several_absent(csv, absent, count);
  gt_arena_finish(&arena);
  return !count;
}

bool gt_table_assign(gt_table_file *file, const char *const *inputs, int input_count,
                     const char *const *targets, int target_count) {
  gt_csv *csv = &file->csv;
  if (!gt_csv_have_columns(csv, inputs, input_count, targets, target_count)) return false;
  gt_column_use *use = GT_NEW_N(&csv->arena, gt_column_use, csv->columns);
  for (int c = 0; c < csv->columns; c++) use[c] = GT_USES;
  for (int i = 0; i < input_count + target_count; i++) {
    const bool is_input = i < input_count;
    const char *name = is_input ? inputs[i] : targets[i - input_count];
    const int column = gt_csv_find(csv, name);
    const bool may_share = file->targets_may_be_inputs && !is_input && use[column] == GT_USE_INPUT;
    if (use[column] != GT_USES && !may_share)
      return gt_fail(csv->error, GT_ERR_DATA, "%s:1:1: column '%s' is used twice", csv->path, name);
    use[column] = is_input ? GT_USE_INPUT : GT_USE_TARGET;
    gt_table_use(file, use[column], column);
  }
  return true;
}
