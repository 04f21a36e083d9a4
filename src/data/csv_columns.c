/* CSV: detects a header line and matches columns by name. */
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/csv.h"
#include <stdlib.h>
#include <string.h>

typedef struct gt_csv_name {
  const char *name;
  int column;
} gt_csv_name;

static int by_name(const void *a, const void *b) {
  return strcmp(((const gt_csv_name *)a)->name, ((const gt_csv_name *)b)->name);
}

int gt_csv_find(const gt_csv *csv, const char *name) {
  const gt_csv_name key = {.name = name};
  const gt_csv_name *found = bsearch(&key, csv->sorted, (size_t)csv->columns, sizeof key, by_name);
  return found ? found->column : -1;
}

const char *gt_csv_nearest(const gt_csv *csv, const char *name) {
  return gt_nearest(name, csv->names, (size_t)csv->columns);
}

const char *gt_csv_how_named(const gt_csv *csv, const char *name) {
  if (!csv->header)
    return ": its first line is read as a sample, not as a header, so its columns have numbers";
  return gt_csv_nearest(csv, name) ? "" : ": its first line is read as the header";
}

/* The key `header` is of the format csv; lists of images have none. */
static const char *name_help(const gt_data_reader *reader, const gt_csv *csv, const char *name) {
  const bool settable = !strcmp(reader->dataset->format, "csv");
  if (!*gt_csv_how_named(csv, name)) return NULL;
  if (csv->header)
    return settable ? "set `header: false` if that line is a sample; columns then have numbers from 1" : NULL;
  return gt_arena_printf(reader->arena, "write the number of a column, from 1 to %d%s", csv->columns,
                         settable ? ", or set `header: true` if that line holds the column names" : "");
}

gt_diagnostic *gt_csv_no_column(gt_data_reader *reader, const gt_csv *csv, const char *name, gt_position at) {
  gt_diagnostic *d = gt_error_at(reader->diagnostics, at, "there is no column '%s' in %s%s", name, csv->path,
                                 gt_csv_how_named(csv, name));
  const char *nearest = gt_csv_nearest(csv, name);
  d->suggestion = nearest ? gt_arena_strdup(reader->arena, nearest) : NULL;
  d->help = name_help(reader, csv, name);
  return d;
}

/* --- the first line --- */

/* True for "1" to "columns": the names of columns in a file without a header. */
static bool is_place(const char *name, int columns) {
  long place = 0;
  for (const char *c = name; *c; c++) {
    if (*c < '0' || *c > '9' || place > columns) return false;
    place = 10 * place + (*c - '0');
  }
  return *name && *name != '0' && place <= columns;
}

static bool are_places(const char *const *names, int64_t count, int columns) {
  for (int64_t i = 0; i < count; i++)
    if (!is_place(names[i], columns)) return false;
  return true;
}

static bool is_number(const char *text, size_t length) {
  double value;
  return gt_parse_number(text, length, &value);
}

/* True if the line contains a known column name that is not a number, or every name of a list. A single
 * number may match by chance. */
static bool holds_known(const gt_csv *csv, gt_strings known) {
  int found = 0;
  for (int i = 0; i < known.count; i++) {
    if (gt_csv_find(csv, known.items[i]) < 0) continue;
    if (!is_number(known.items[i], strlen(known.items[i]))) return true;
    found++;
  }
  return found > 1 && found == known.count && !are_places(known.items, known.count, csv->columns);
}

/* A line is a header if it has no number in it or contains known names. */
static bool looks_like_header(const gt_csv *csv, const gt_csv_form *form) {
  bool text = false, numbers = false;
  for (size_t i = 0; i < csv->record.count; i++) {
    const gt_cell *cell = &csv->record.items[i];
    numbers = numbers || is_number(cell->text, cell->length);
    text = text || cell->length;
  }
  if (!numbers) return text;
  for (int i = 0; i < GT_CSV_KNOWN; i++)
    if (holds_known(csv, form->known[i])) return true;
  return false;
}

/* True if the numbers of the line are whole and rising, like years or column numbers. Two numbers must be
 * consecutive. */
static bool is_rising(const gt_cells *record) {
  double first = 0, last = 0, value;
  int numbers = 0;
  for (size_t i = 0; i < record->count; i++) {
    const gt_cell *cell = &record->items[i];
    if (!gt_parse_number(cell->text, cell->length, &value)) continue;
    for (uint32_t k = 0; k < cell->length; k++)
      if (cell->text[k] < '0' || cell->text[k] > '9') return false;
    if (numbers++ && value <= last) return false;
    if (numbers == 1) first = value;
    last = value;
  }
  return numbers > 2 || (numbers == 2 && last == first + 1);
}

void gt_csv_doubt(const gt_csv *csv) {
  if (is_rising(&csv->record)) return;
  gt_warn("%s:1:1: this line of rising numbers is read as a sample, not as a header; set data.header to true "
          "or false to decide",
          csv->path);
}

static void name_all(gt_csv *csv) {
  for (int i = 0; i < csv->columns; i++) {
    const gt_cell *cell = &csv->record.items[i];
    csv->names[i] = csv->header && cell->length ? gt_arena_strndup(&csv->arena, cell->text, cell->length)
                                                : gt_arena_printf(&csv->arena, "%d", i + 1);
    csv->sorted[i] = (gt_csv_name){csv->names[i], i};
  }
  qsort(csv->sorted, (size_t)csv->columns, sizeof *csv->sorted, by_name);
}

static bool check_names(const gt_csv *csv) {
  char shown[48];
  for (int i = 0; i < csv->columns && csv->header; i++) {
    const gt_cell *cell = &csv->record.items[i];
    if (cell->length && memchr(cell->text, 0, cell->length))
      return gt_csv_fail(csv, cell, "the column name contains a zero byte; is this a text file?");
    if (!gt_cell_is_utf8(cell))
      return gt_csv_fail(csv, cell,
                         "the column name '%s' is not UTF-8; convert the file first, for example with iconv "
                         "-f LATIN1 -t UTF-8",
                         gt_cell_shown(cell, shown));
  }
  for (int i = 1; i < csv->columns; i++)
    if (!by_name(&csv->sorted[i], &csv->sorted[i - 1])) {
      const int a = csv->sorted[i].column, b = csv->sorted[i - 1].column;
      const gt_cell *cell = &csv->record.items[a > b ? a : b];
      return gt_csv_fail(csv, cell, "there is more than one column named '%s'", gt_cell_shown(cell, shown));
    }
  return true;
}

bool gt_csv_name_columns(gt_csv *csv, const gt_csv_form *form) {
  csv->columns = (int)csv->record.count;
  csv->names = GT_NEW_N(&csv->arena, const char *, csv->columns);
  csv->sorted = GT_NEW_N(&csv->arena, gt_csv_name, csv->columns);
  csv->role = GT_NEW_N(&csv->arena, int32_t, csv->columns);
  csv->header = form->header != GT_CSV_NO_HEADER;
  name_all(csv);
  if (form->header == GT_CSV_AUTO) csv->header = looks_like_header(csv, form);
  if (!csv->header) name_all(csv);
  csv->doubtful = form->header == GT_CSV_AUTO && !csv->header && is_rising(&csv->record);
  return check_names(csv);
}

/* --- matching the columns of two files --- */

bool gt_csv_goes_by_name(const gt_csv *csv, const char *const *names, int64_t count, const char *whose) {
  bool all = csv->header && names;
  for (int64_t i = 0; i < count && all; i++) all = gt_csv_find(csv, names[i]) >= 0;
  const bool named = names && !are_places(names, count, csv->columns);
  if (all || (csv->header && named)) return true;
  if (csv->header && !named)
    gt_warn("%s:1:1: %s has no column names, so the columns of this file are matched by position", csv->path,
            whose);
  if (!csv->header && named)
    gt_warn("%s:1:1: this file has no header, so its columns are matched by position with those of %s",
            csv->path, whose);
  return false;
}

static bool take_named(gt_csv *csv, const char *const *names, int count, int first_role) {
  for (int i = 0; i < count; i++) {
    const int column = gt_csv_find(csv, names[i]);
    if (column < 0) {
      const char *nearest = gt_csv_nearest(csv, names[i]);
      if (csv->columns == 1)
        return gt_fail(csv->error, GT_ERR_DATA,
                       "%s:1:1: there is no column '%s'; is the delimiter '%c' right?", csv->path, names[i],
                       csv->delimiter);
      return gt_fail(csv->error, GT_ERR_DATA, "%s:1:1: there is no column '%s'%s%s%s%s", csv->path, names[i],
                     gt_csv_how_named(csv, names[i]), nearest ? "; did you mean '" : "",
                     nearest ? nearest : "", nearest ? "'?" : "");
    }
    if (csv->role[column] >= 0)
      return gt_fail(csv->error, GT_ERR_DATA, "%s:1:1: column '%s' is used twice", csv->path, names[i]);
    csv->role[column] = first_role + i;
  }
  return true;
}

bool gt_csv_take_columns(gt_csv *csv, const char *const *inputs, int input_count, const char *const *targets,
                         int target_count) {
  for (int i = 0; i < csv->columns; i++) csv->role[i] = -1;
  csv->inputs = input_count;
  csv->targets = target_count;
  return take_named(csv, inputs, input_count, 0) && take_named(csv, targets, target_count, input_count);
}
