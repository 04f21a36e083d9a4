/* CSV: facts about the cells of each column, and the message about those that are no numbers. */
#include "data/csv_facts.h"
#include "base/memory.h"
#include "base/text.h"
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void gt_csv_facts_start(gt_csv *csv) {
  const size_t count = (size_t)csv->inputs + (size_t)csv->targets;
  csv->fact_count = (int)count;
  csv->facts = gt_alloc((count + 1) * sizeof *csv->facts);
  for (size_t i = 0; i < count; i++)
    csv->facts[i] = (gt_csv_facts){.least = DBL_MAX, .largest = -DBL_MAX, .whole = true, .counts = true};
}

void gt_csv_facts_finish(gt_csv_facts *facts) {
  if (!facts->odd) return;
  free(facts->odd->text);
  free(facts->odd->slot);
  free(facts->odd);
  facts->odd = NULL;
}

enum { SLOTS = 2 * GT_CSV_MAX_TEXTS, FEW = 8 };

/* The slot of the text, or the empty one where it belongs. */
static int16_t *slot_of(const gt_csv_odd *odd, const gt_cell *cell) {
  size_t i = gt_hash(GT_HASH_START, cell->text, cell->length) % SLOTS;
  while (odd->slot[i] >= 0 && !gt_cell_is_same(&odd->text[odd->slot[i]].first, cell)) i = (i + 1) % SLOTS;
  return &odd->slot[i];
}

static int find_text(const gt_csv_odd *odd, const gt_cell *cell) {
  if (odd->slot) return *slot_of(odd, cell);
  for (int i = 0; i < odd->distinct; i++)
    if (gt_cell_is_same(&odd->text[i].first, cell)) return i;
  return -1;
}

static void add_slots(gt_csv_odd *odd) {
  odd->slot = gt_alloc(SLOTS * sizeof *odd->slot);
  for (int i = 0; i < SLOTS; i++) odd->slot[i] = -1;
  for (int i = 0; i < odd->distinct; i++) *slot_of(odd, &odd->text[i].first) = (int16_t)i;
}

static void add_text(gt_csv_odd *odd, const gt_cell *cell) {
  const int known = find_text(odd, cell);
  if (known >= 0) {
    odd->text[known].count++;
    return;
  }
  if (odd->distinct == GT_CSV_MAX_TEXTS) {
    odd->more = true;
    return;
  }
  if (odd->distinct == odd->capacity) {
    odd->capacity = odd->capacity ? 2 * odd->capacity : 2;
    odd->text = gt_realloc(odd->text, (size_t)odd->capacity * sizeof *odd->text);
  }
  odd->text[odd->distinct++] = (gt_csv_text){*cell, 1};
  if (odd->slot)
    *slot_of(odd, cell) = (int16_t)(odd->distinct - 1);
  else if (odd->distinct > FEW)
    add_slots(odd);
}

void gt_csv_facts_odd(gt_csv_facts *f, const gt_cell *cell, bool unfit) {
  if (!f->odd) f->odd = gt_alloc(sizeof *f->odd);
  if (f->odd->bads < GT_CSV_FIRST_BAD) f->odd->bad[f->odd->bads++] = *cell;
  f->counts = false;
  if (unfit)
    f->unfit++;
  else if (!cell->length)
    f->empty++;
  else if (gt_cell_is_missing(cell))
    f->missing++;
  else {
    f->texts++;
    add_text(f->odd, cell);
  }
}

void gt_csv_facts_of_targets(gt_csv *csv) {
  double value;
  for (size_t i = 0; i < csv->target_cells.count; i++) {
    const gt_cell *cell = &csv->target_cells.items[i];
    gt_csv_facts *f = &csv->facts[(size_t)csv->inputs + i % (size_t)csv->targets];
    if (!gt_csv_parse(csv, cell, &value))
      gt_csv_facts_odd(f, cell, false);
    else if (!isfinite((float)value))
      gt_csv_facts_odd(f, cell, true);
    else
      gt_csv_facts_number(f, value, i / (size_t)csv->targets);
  }
}

/* --- the message --- */

/* A text that is filled up to its size. */
typedef struct writer {
  char *text;
  size_t size, length;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int n = vsnprintf(w->text + w->length, w->size - w->length, format, arguments);
  va_end(arguments);
  w->length += n > 0 ? (size_t)n : 0;
  if (w->length >= w->size) w->length = w->size - 1;
}

static const char *name_of(const gt_csv *csv, int role) {
  for (int i = 0; i < csv->columns; i++)
    if (csv->role[i] == role) return csv->names[i];
  return "";
}

/* "4 of 5 cells (3 text, 1 empty): 'male' at 2:5, empty at 3:5" */
static void put_column(writer *w, const gt_csv *csv, const gt_csv_facts *f) {
  const struct {
    uint64_t count;
    const char *what;
  } kinds[] = {{f->texts, "text"}, {f->empty, "empty"}, {f->missing, "missing"}, {f->unfit, "not in range"}};
  const uint64_t bad = gt_csv_facts_bad(f);
  const char *separator = "";
  char shown[48];
  put(w, "%" PRIu64 " of %zu cells (", bad, csv->rows);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (!kinds[i].count) continue;
    put(w, "%s", separator);
    if (kinds[i].count < bad) put(w, "%" PRIu64 " ", kinds[i].count);
    put(w, "%s", kinds[i].what);
    separator = ", ";
  }
  put(w, "): ");
  for (int i = 0; i < f->odd->bads; i++) {
    const gt_cell *cell = &f->odd->bad[i];
    put(w, "%s", i ? ", " : "");
    if (cell->length)
      put(w, "'%s' at %u:%u", gt_cell_shown(cell, shown), cell->line, cell->column);
    else
      put(w, "empty at %u:%u", cell->line, cell->column);
  }
}

/* In a flow sequence of YAML. */
static void put_yaml(writer *w, const char *name) {
  bool plain = *name && !(*name >= '0' && *name <= '9');
  for (const char *c = name; *c; c++)
    plain &= (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_';
  if (plain) {
    put(w, "%s", name);
    return;
  }
  put(w, "'");
  for (const char *c = name; *c; c++) put(w, *c == '\'' ? "''" : "%c", *c);
  put(w, "'");
}

enum { MAX_SHOWN = 12, MAX_NAMES = 24 };

static void put_ignore(writer *w, const gt_csv *csv, const int *bad, int bads) {
  if (bads > MAX_NAMES) return;
  put(w, "\n    data: {ignore: [");
  for (int i = 0, any = 0; i < bads; i++) {
    if (bad[i] >= csv->inputs) continue;
    put(w, "%s", any++ ? ", " : "");
    put_yaml(w, name_of(csv, bad[i]));
  }
  put(w, "]} leaves these input columns out");
}

bool gt_csv_fail_number(const gt_csv *csv, const gt_cell *cell, const char *column, const char *more) {
  char shown[48];
  double value;
  gt_cell_shown(cell, shown);
  if (!cell->length)
    return gt_csv_fail(csv, cell, "missing value in column '%s'; expected a number%s", column, more);
  if (!gt_csv_parse(csv, cell, &value))
    return gt_csv_fail(csv, cell,
                       "'%s' in column '%s' is not a number; expected a finite number, such as -1%c5e3%s",
                       shown, column, csv->decimal, more);
  if (!isfinite((float)value))
    return gt_csv_fail(csv, cell, "'%s' in column '%s' is too large for a 32-bit float", shown, column);
  return gt_csv_fail(csv, cell,
                     "'%s' in column '%s' is not a whole number from 0 to %d, which its input needs", shown,
                     column, GT_DATA_MAX_INTEGER);
}

/* Only one column has such cells: reports the first of them. */
static bool fail_cell(const gt_csv *csv, int role, bool ignorable) {
  char more[512] = "";
  writer rest = {more, sizeof more, 0};
  const gt_csv_facts *f = &csv->facts[role];
  const char *name = name_of(csv, role);
  if (gt_csv_facts_bad(f) > 1)
    put(&rest, "; %" PRIu64 " of the column's %zu cells are not numbers", gt_csv_facts_bad(f), csv->rows);
  if (ignorable) {
    put(&rest, "; to leave the column out: data: {ignore: [");
    put_yaml(&rest, name);
    put(&rest, "]}");
  }
  return gt_csv_fail_number(csv, &f->odd->bad[0], name, more);
}

static bool fail_columns(const gt_csv *csv, const int *bad, int bads, bool trained) {
  char text[1900];
  writer w = {text, sizeof text - 400, 0};
  const gt_cell *first = &csv->facts[bad[0]].odd->bad[0];
  bool inputs = false;
  for (int i = 0; i < bads; i++) {
    const gt_cell *cell = &csv->facts[bad[i]].odd->bad[0];
    if (cell->line < first->line || (cell->line == first->line && cell->column < first->column)) first = cell;
    inputs |= bad[i] < csv->inputs;
  }
  put(&w, "%d columns have cells that are not numbers", bads);
  for (int i = 0; i < bads && i < MAX_SHOWN; i++) {
    put(&w, "\n    %s%s: ", name_of(csv, bad[i]), bad[i] >= csv->inputs ? " (target)" : "");
    put_column(&w, csv, &csv->facts[bad[i]]);
  }
  w.size = sizeof text;
  if (bads > MAX_SHOWN) put(&w, "\n    … %d more columns", bads - MAX_SHOWN);
  if (inputs && !trained) put_ignore(&w, csv, bad, bads);
  return gt_fail(csv->error, GT_ERR_DATA, "%s:%u:%u: %s", csv->path, first->line, first->column, text);
}

bool gt_csv_check_cells(const gt_csv *csv, bool number_targets, bool trained) {
  const int count = csv->inputs + (number_targets ? csv->targets : 0);
  int *bad = gt_alloc((size_t)count * sizeof *bad + 1), bads = 0;
  for (int i = 0; i < count; i++)
    if (gt_csv_facts_bad(&csv->facts[i])) bad[bads++] = i;
  bool ok = true;
  if (bads == 1)
    ok = fail_cell(csv, bad[0], !trained && bad[0] < csv->inputs && csv->inputs > 1);
  else if (bads > 1)
    ok = fail_columns(csv, bad, bads, trained);
  free(bad);
  return ok;
}
