/* CSV: the message about columns whose cells cannot be read. */
#include "base/memory.h"
#include "base/text.h"
#include "data/table/csv_typed.h"
#include <inttypes.h>
#include <stdlib.h>

enum { MAX_SHOWN = 12, MAX_FIXES = 16 }; /* columns in a message, and rules that it suggests */

static const char *name_of(const gt_csv *csv, int role) {
  for (int i = 0; i < csv->columns; i++)
    if (csv->role[i] == role || (csv->also_target && csv->also_target[i] == role - csv->inputs))
      return csv->names[i];
  return "";
}

/* Lists the cells that a message shows; returns their number. For missing values: the first one. Else the
 * first different texts or, if there are none, the first cells that are not numbers; without missing values
 * if there are numbers that do not fit. */
static int cells_of(const gt_csv *csv, const gt_column_problem *problem,
                    const gt_cell *out[GT_CSV_FIRST_BAD]) {
  const gt_csv_facts *f = &csv->facts[problem->role];
  const gt_csv_odd *odd = f->odd;
  int count = 0;
  if (!odd) return 0;
  if (problem->gaps) {
    out[0] = &odd->gap;
    return 1;
  }
  for (int i = 0; i < (odd->distinct ? odd->distinct : odd->bads) && i < GT_CSV_FIRST_BAD; i++) {
    const gt_cell *cell = odd->distinct ? &odd->text[i] : &odd->bad[i];
    if (!f->unfit || !gt_csv_is_missing(csv, cell)) out[count++] = cell;
  }
  return count;
}

/* "'male' at 2:5, empty at 3:5" */
static const char *first_cells(const gt_csv *csv, const gt_column_problem *problem, gt_arena *arena) {
  const gt_cell *cell[GT_CSV_FIRST_BAD];
  const int count = cells_of(csv, problem, cell);
  gt_list list = gt_list_open(arena, count);
  char shown[48];
  for (int i = 0; i < count; i++) {
    const char *quote = cell[i]->length ? "'" : "";
    gt_list_add(&list, "%s%s%s at %u:%u", quote, *quote ? gt_cell_shown(cell[i], shown) : "empty", quote,
                cell[i]->line, cell[i]->column);
  }
  return list.text;
}

/* "data: {columns: {Name: ignore, Ticket: category}}"; NULL if no problem has a fix. */
static const char *fixes(const gt_csv *csv, const gt_column_problem *problem, int problems, gt_arena *arena) {
  gt_list list = gt_list_open(arena, MAX_FIXES);
  for (int i = 0; i < problems; i++)
    if (problem[i].fix)
      gt_list_add(&list, "%s: %s", gt_spec_key(arena, name_of(csv, problem[i].role)), problem[i].fix);
  return list.count ? gt_arena_printf(arena, "data: {columns: {%s}}", list.text) : NULL;
}

const char *gt_csv_drop_help(const gt_csv *csv, int target, char out[GT_CSV_DROP_HELP]) {
  gt_arena arena;
  gt_arena_init(&arena);
  *out = 0;
  const char *key = gt_spec_key(&arena, name_of(csv, csv->inputs + target));
  /* The sentence around the key has fewer than 80 bytes. */
  if (csv->has_rules && strlen(key) < GT_CSV_DROP_HELP - 80)
    snprintf(out, GT_CSV_DROP_HELP, "; to leave out such rows: data: {columns: {%s: {missing: drop}}}", key);
  gt_arena_finish(&arena);
  return out;
}

static const gt_cell *first_cell(const gt_csv *csv, const gt_column_problem *problem, int problems) {
  const gt_cell *first = NULL, *cell[GT_CSV_FIRST_BAD];
  for (int i = 0; i < problems; i++) {
    const int count = cells_of(csv, &problem[i], cell);
    for (int k = 0; k < count; k++)
      if (!first || cell[k]->line < first->line ||
          (cell[k]->line == first->line && cell[k]->column < first->column))
        first = cell[k];
  }
  return first;
}

bool gt_csv_fail_number(const gt_csv *csv, const gt_cell *cell, const char *column, const char *more) {
  char shown[48];
  double value;
  gt_cell_shown(cell, shown);
  if (gt_csv_lacks_target(csv, cell))
    return gt_csv_fail(csv, cell, "missing value in column '%s'; expected a number%s", column, more);
  if (!gt_csv_parse(csv, cell, &value))
    return gt_csv_fail(csv, cell,
                       "'%s' in column '%s' is not a number; expected a finite number, such as -1%c5e3%s",
                       shown, column, csv->decimal, more);
  return gt_csv_fail(csv, cell, "'%s' in column '%s' is too large for a 32-bit float", shown, column);
}

static bool fail_one(const gt_csv *csv, const gt_column_problem *problem, gt_arena *arena) {
  const gt_cell *first = first_cell(csv, problem, 1);
  const char *name = name_of(csv, problem->role), *fix = fixes(csv, problem, 1, arena),
             *cells = first_cells(csv, problem, arena);
  const char *text =
      gt_arena_printf(arena, "column '%s' %s%s%s%s%s%s%s%s", name, problem->what, *cells ? " (" : "", cells,
                      *cells ? ")" : "", fix ? "; fix it with " : "", fix ? fix : "",
                      !problem->also ? ""
                      : fix          ? "; or "
                                     : "; ",
                      problem->also ? problem->also : "");
  return gt_fail(csv->error, GT_ERR_DATA, "%s:%u:%u: %s", csv->path, first ? first->line : 1,
                 first ? first->column : 1, text);
}

static bool fail_several(const gt_csv *csv, const gt_column_problem *problem, int problems, gt_arena *arena) {
  const gt_cell *first = first_cell(csv, problem, problems);
  const char *text = "", *fix = fixes(csv, problem, problems, arena);
  for (int i = 0; i < problems && i < MAX_SHOWN; i++) {
    const char *cells = first_cells(csv, &problem[i], arena);
    text = gt_arena_printf(arena, "%s\n    %s %s%s%s", text, name_of(csv, problem[i].role), problem[i].what,
                           *cells ? ": " : "", cells);
    if (problem[i].also)
      text = gt_arena_printf(arena, "%s\n      %s%s", text, problem[i].fix ? "or " : "", problem[i].also);
  }
  if (problems > MAX_SHOWN)
    text = gt_arena_printf(arena, "%s\n    … %d more columns", text, problems - MAX_SHOWN);
  if (fix) text = gt_arena_printf(arena, "%s\n    to fix them: %s", text, fix);
  return gt_fail(csv->error, GT_ERR_DATA, "%s:%u:%u: %d columns cannot be read as they are%s", csv->path,
                 first ? first->line : 1, first ? first->column : 1, problems, text);
}

/* True if the first line is read as a sample, and only its cells cannot be read. */
static bool only_first_line(const gt_csv *csv, const gt_column_problem *problem, int problems) {
  if (csv->header || csv->rows < 3) return false;
  for (int i = 0; i < problems; i++) {
    const gt_csv_facts *f = &csv->facts[problem[i].role];
    if (gt_csv_facts_bad(f) != 1 || !f->odd || f->odd->bad[0].line != csv->first_line) return false;
  }
  return true;
}

static bool fail_first_line(const gt_csv *csv, const gt_column_problem *problem, int problems) {
  const gt_cell *cell = first_cell(csv, problem, problems);
  char shown[48];
  return gt_csv_fail(
      csv, cell,
      "'%s' is not a number, while all rows below have numbers in this column; if this line is "
      "not a sample, set data.skip: %u, or data.header: true if it is the header",
      gt_cell_shown(cell, shown), csv->first_line);
}

bool gt_csv_fail_columns(const gt_csv *csv, const gt_column_problem *problem, int problems) {
  gt_arena arena;
  gt_arena_init(&arena);
  if (only_first_line(csv, problem, problems))
    fail_first_line(csv, problem, problems);
  else if (problems == 1)
    fail_one(csv, problem, &arena);
  else
    fail_several(csv, problem, problems, &arena);
  gt_arena_finish(&arena);
  return false;
}

/* True if all cells of a target that are not numbers are missing values, so that `drop` removes their
 * rows. */
static bool has_only_gaps(const gt_csv *csv, const gt_csv_facts *f) {
  return csv->has_rules && !f->unfit && !f->texts;
}

/* True for one of several targets if all its cells are texts. */
static bool are_classes(const gt_csv *csv, int role) {
  const gt_csv_facts *f = &csv->facts[role];
  return csv->has_rules && csv->targets > 1 && !f->numbers && !f->unfit;
}

/* Help for a column of texts that is one of several targets. */
static const char *classes_help(const gt_csv *csv) {
  return csv->targets_may_be_inputs
             ? "if its texts are classes, make it the only target: a series predicts classes of one column"
             : "if its texts are classes, make it a target of its own: "
               "data: {targets: {NAME: COLUMN, ...}} (docs/data.md)";
}

static gt_column_problem target_problem(const gt_csv *csv, int role) {
  gt_csv_units units;
  gt_arena *arena = (gt_arena *)&csv->arena; /* the message lives as long as the file */
  if (has_only_gaps(csv, &csv->facts[role]))
    return (gt_column_problem){role, "is a target and has missing values", "{missing: drop}", NULL, true};
  if (!gt_csv_find_units(csv, &csv->facts[role], arena, &units))
    return (gt_column_problem){role, "is a target and has cells that are not numbers", NULL,
                               are_classes(csv, role) ? classes_help(csv) : NULL, false};
  return (gt_column_problem){role, gt_arena_printf(arena, "is a target and has %s", units.what), NULL,
                             units.fix, false};
}

int gt_csv_target_problems(const gt_csv *csv, const bool *are_numbers, gt_column_problem *problem) {
  int problems = 0;
  for (int i = csv->inputs; i < csv->inputs + csv->targets; i++)
    if (are_numbers && are_numbers[i - csv->inputs] && gt_csv_facts_bad(&csv->facts[i]))
      problem[problems++] = target_problem(csv, i);
  return problems;
}

bool gt_csv_check_targets(const gt_csv *csv, const bool *are_numbers) {
  gt_column_problem *problem = gt_alloc(((size_t)csv->targets + 1) * sizeof *problem);
  const int problems = gt_csv_target_problems(csv, are_numbers, problem);
  const gt_csv_facts *f = problems ? &csv->facts[problem[0].role] : NULL;
  const bool ok = !problems;
  if (problems == 1) {
    char more[64 + GT_CSV_DROP_HELP] = "", help[GT_CSV_DROP_HELP];
    const bool gaps = has_only_gaps(csv, f);
    if (gt_csv_facts_bad(f) > 1)
      snprintf(more, sizeof more, "; %" PRIu64 " of the column's %zu cells are %s", gt_csv_facts_bad(f),
               csv->rows, gaps ? "missing" : "not numbers");
    if (gaps) strcat(more, gt_csv_drop_help(csv, problem[0].role - csv->inputs, help));
    if (problem[0].also && strlen(more) + strlen(problem[0].also) + 2 < sizeof more)
      strcat(strcat(more, "; "), problem[0].also);
    gt_csv_fail_number(csv, &f->odd->bad[0], name_of(csv, problem[0].role), more);
  } else if (problems)
    gt_csv_fail_columns(csv, problem, problems);
  free(problem);
  return ok;
}
