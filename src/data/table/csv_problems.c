/* CSV: the message about columns whose cells cannot be read. */
#include "base/memory.h"
#include "base/text.h"
#include "data/table/table.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Columns in a message, cells of each, and rules that it suggests. */
enum { MAX_SHOWN = 12, MAX_CELLS = 3, MAX_FIXES = 16 };

static const char *name_of(const gt_table_file *file, const gt_column_problem *problem) {
  return gt_table_name(file, &file->column[problem->column]);
}

/* True if the cell is not a number of its column. */
static bool is_bad(const gt_table_file *file, const gt_table_column *column, size_t row) {
  const uint32_t code = gt_table_code(file, column, row);
  const double *value = column->facts.dictionary.value;
  return code != GT_CELL_NUMBER && !(value && isfinite((float)value[code]));
}

/* Lists the rows whose cells a message shows; returns their number. For missing values: the first one. Else
 * the first different texts or, if there are none, the first cells that are not numbers; without missing
 * values if there are numbers that do not fit. */
static int rows_of(const gt_table_file *file, const gt_column_problem *problem, size_t out[MAX_CELLS]) {
  const gt_table_column *column = &file->column[problem->column];
  const gt_column_facts *f = &column->facts;
  int count = 0, bad = 0;
  for (size_t row = 0; row < file->rows && bad < MAX_CELLS && gt_facts_bad(f); row++) {
    if (!is_bad(file, column, row)) continue;
    const uint32_t code = gt_table_code(file, column, row);
    const bool is_gap = gt_table_is_gap(file, column, row);
    bool is_shown = problem->gaps ? is_gap : !f->texts || (code >= GT_CELL_TEXT && !is_gap);
    for (int i = 0; i < count && f->texts; i++) is_shown &= code != gt_table_code(file, column, out[i]);
    if (!is_shown) continue;
    bad++;
    if (problem->gaps || f->texts || !f->unfit || !is_gap) out[count++] = row;
    if (problem->gaps) break;
  }
  return count;
}

/* "'male' at 2:5, empty at 3:5" */
static const char *first_cells(const gt_table_file *file, const gt_column_problem *problem, gt_arena *arena) {
  size_t row[MAX_CELLS];
  const int count = rows_of(file, problem, row);
  gt_list list = gt_list_open(arena, count);
  char shown[48];
  for (int i = 0; i < count; i++) {
    const gt_cell cell = gt_table_locate(file, &file->column[problem->column], row[i]);
    const char *quote = cell.length ? "'" : "";
    gt_list_add(&list, "%s%s%s at %u:%u", quote, *quote ? gt_cell_shown(&cell, shown) : "empty", quote,
                cell.line, cell.column);
  }
  return list.text;
}

/* "data: {columns: {Name: ignore, Ticket: category}}"; NULL if no problem has a fix. */
static const char *fixes(const gt_table_file *file, const gt_column_problem *problem, int problems,
                         gt_arena *arena) {
  gt_list list = gt_list_open(arena, MAX_FIXES);
  for (int i = 0; i < problems; i++)
    if (problem[i].fix)
      gt_list_add(&list, "%s: %s", gt_spec_key(arena, name_of(file, &problem[i])), problem[i].fix);
  return list.count ? gt_arena_printf(arena, "data: {columns: {%s}}", list.text) : NULL;
}

const char *gt_csv_drop_help(const gt_table_file *file, const gt_table_column *target,
                             char out[GT_CSV_DROP_HELP]) {
  gt_arena arena;
  gt_arena_init(&arena);
  *out = 0;
  const char *key = gt_spec_key(&arena, gt_table_name(file, target));
  /* The sentence around the key has fewer than 80 bytes. */
  if (file->has_rules && strlen(key) < GT_CSV_DROP_HELP - 80)
    snprintf(out, GT_CSV_DROP_HELP, "; to leave out such rows: data: {columns: {%s: {missing: drop}}}", key);
  gt_arena_finish(&arena);
  return out;
}

/* The first cell that the problems are about. */
static gt_cell first_cell(const gt_table_file *file, const gt_column_problem *problem, int problems) {
  const gt_table_column *first = NULL;
  size_t least = 0, row[MAX_CELLS];
  for (int i = 0; i < problems; i++) {
    const gt_table_column *column = &file->column[problem[i].column];
    if (!rows_of(file, &problem[i], row) ||
        (first && (row[0] > least || (row[0] == least && column->index > first->index))))
      continue;
    first = column;
    least = row[0];
  }
  return first ? gt_table_locate(file, first, least) : (gt_cell){.text = "", .line = 1, .column = 1};
}

bool gt_csv_fail_number(const gt_csv *csv, const gt_cell *cell, const char *column, const char *more) {
  char shown[48];
  double value;
  gt_cell_shown(cell, shown);
  if (!cell->length || (csv->missing && gt_csv_is_missing(csv, cell)))
    return gt_csv_fail(csv, cell, "missing value in column '%s'; expected a number%s", column, more);
  if (!gt_csv_parse(csv, cell, &value))
    return gt_csv_fail(csv, cell,
                       "'%s' in column '%s' is not a number; expected a finite number, such as -1%c5e3%s",
                       shown, column, csv->decimal, more);
  return gt_csv_fail(csv, cell, "'%s' in column '%s' is too large for a 32-bit float", shown, column);
}

static const char *describe_one(const gt_table_file *file, const gt_column_problem *problem, int problems,
                                gt_arena *arena) {
  const char *fix = fixes(file, problem, problems, arena), *cells = first_cells(file, problem, arena);
  return gt_arena_printf(arena, "column '%s' %s%s%s%s%s%s%s%s", name_of(file, problem), problem->what,
                         *cells ? " (" : "", cells, *cells ? ")" : "", fix ? "; fix it with " : "",
                         fix ? fix : "",
                         !problem->also ? ""
                         : fix          ? "; or "
                                        : "; ",
                         problem->also ? problem->also : "");
}

static const char *describe_several(const gt_table_file *file, const gt_column_problem *problem, int problems,
                                    gt_arena *arena) {
  const char *fix = fixes(file, problem, problems, arena),
             *text = gt_arena_printf(arena, "%d columns cannot be read as they are", problems);
  for (int i = 0; i < problems && i < MAX_SHOWN; i++) {
    const char *cells = first_cells(file, &problem[i], arena);
    text = gt_arena_printf(arena, "%s\n    %s %s%s%s", text, name_of(file, &problem[i]), problem[i].what,
                           *cells ? ": " : "", cells);
    if (problem[i].also)
      text = gt_arena_printf(arena, "%s\n      %s%s", text, problem[i].fix ? "or " : "", problem[i].also);
  }
  if (problems > MAX_SHOWN)
    text = gt_arena_printf(arena, "%s\n    … %d more columns", text, problems - MAX_SHOWN);
  return fix ? gt_arena_printf(arena, "%s\n    to fix them: %s", text, fix) : text;
}

/* True if the first line is read as a sample, and only its cells cannot be read. */
static bool only_first_line(const gt_table_file *file, const gt_column_problem *problem, int problems) {
  if (file->csv.header || file->rows < 3 || file->line[0] != file->csv.first_line) return false;
  for (int i = 0; i < problems; i++) {
    const gt_table_column *column = &file->column[problem[i].column];
    if (gt_facts_bad(&column->facts) != 1 || !is_bad(file, column, 0)) return false;
  }
  return true;
}

bool gt_csv_fail_columns(const gt_table_file *file, const gt_column_problem *problem, int problems) {
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_cell cell = first_cell(file, problem, problems);
  char shown[48];
  if (only_first_line(file, problem, problems))
    gt_csv_fail(&file->csv, &cell,
                "'%s' is not a number, while all rows below have numbers in this column; if this line is "
                "not a sample, set data.skip: %u, or data.header: true if it is the header",
                gt_cell_shown(&cell, shown), file->csv.first_line);
  else
    gt_fail(file->csv.error, GT_ERR_DATA, "%s:%u:%u: %s", file->csv.path, cell.line, cell.column,
            (problems == 1 ? describe_one : describe_several)(file, problem, problems, &arena));
  gt_arena_finish(&arena);
  return false;
}

/* True if all cells of a target that are not numbers are missing values, so that `drop` removes their
 * rows. */
static bool has_only_gaps(const gt_table_file *file, const gt_column_facts *f) {
  return file->has_rules && !f->unfit && !f->texts;
}

/* True for one of several targets if all its cells are texts. */
static bool are_classes(const gt_table_file *file, const gt_column_facts *f) {
  return file->has_rules && file->targets > 1 && !f->numbers && !f->unfit;
}

/* Help for a column of texts that is one of several targets. */
static const char *classes_help(const gt_table_file *file) {
  return file->targets_may_be_inputs
             ? "if its texts are classes, make it the only target: a series predicts classes of one column"
             : "if its texts are classes, make it a target of its own: "
               "data: {targets: {NAME: COLUMN, ...}} (docs/data.md)";
}

static gt_column_problem target_problem(const gt_table_file *file, int column, gt_arena *arena) {
  const gt_column_facts *f = &file->column[column].facts;
  gt_csv_units units;
  if (has_only_gaps(file, f))
    return (gt_column_problem){column, "is a target and has missing values", "{missing: drop}", NULL, true};
  if (!gt_csv_find_units(&file->csv, f, arena, &units))
    return (gt_column_problem){column, "is a target and has cells that are not numbers", NULL,
                               are_classes(file, f) ? classes_help(file) : NULL, false};
  return (gt_column_problem){column, gt_arena_printf(arena, "is a target and has %s", units.what), NULL,
                             units.fix, false};
}

int gt_csv_target_problems(const gt_table_file *file, const bool *are_numbers, gt_column_problem *problem,
                           gt_arena *arena) {
  int problems = 0;
  for (int i = 0; i < file->targets; i++)
    if (are_numbers && are_numbers[i] && gt_facts_bad(&gt_table_target(file, i)->facts))
      problem[problems++] = target_problem(file, file->inputs + i, arena);
  return problems;
}

/* Reports the only target column with cells that are not numbers. */
static bool fail_target(const gt_table_file *file, const gt_column_problem *problem) {
  const gt_table_column *column = &file->column[problem->column];
  const gt_column_facts *f = &column->facts;
  const bool gaps = has_only_gaps(file, f);
  char more[64 + GT_CSV_DROP_HELP] = "", help[GT_CSV_DROP_HELP];
  size_t row = 0;
  if (gt_facts_bad(f) > 1)
    snprintf(more, sizeof more, "; %" PRIu64 " of the column's %zu cells are %s", gt_facts_bad(f), file->rows,
             gaps ? "missing" : "not numbers");
  if (gaps) strcat(more, gt_csv_drop_help(file, column, help));
  if (problem->also && strlen(more) + strlen(problem->also) + 2 < sizeof more)
    strcat(strcat(more, "; "), problem->also);
  while (!is_bad(file, column, row)) row++;
  const gt_cell cell = gt_table_locate(file, column, row);
  return gt_csv_fail_number(&file->csv, &cell, name_of(file, problem), more);
}

bool gt_csv_check_targets(const gt_table_file *file, const bool *are_numbers) {
  gt_arena arena;
  gt_arena_init(&arena);
  gt_column_problem *problem = GT_NEW_N(&arena, gt_column_problem, file->targets + 1);
  const int problems = gt_csv_target_problems(file, are_numbers, problem, &arena);
  if (problems == 1)
    fail_target(file, problem);
  else if (problems)
    gt_csv_fail_columns(file, problem, problems);
  gt_arena_finish(&arena);
  return !problems;
}
