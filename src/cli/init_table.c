/* gtrain init: the columns of the table, as a comment, and the `data:` map. */
#include "base/log.h"
#include "base/memory.h"
#include "base/stream.h"
#include "base/text.h"
#include "cli/init.h"
#include "train/config/classes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROW_NUMBER_REASON "counts the rows; if it is an input, remove it from 'ignore'"
enum { MAX_LISTED = 40 /* columns */ };
enum { MIN_TO_TEST = 10, MIN_TO_VALIDATE = 50, ENOUGH_TO_VALIDATE = 2000 }; /* rows */

int64_t gt_scaffold_samples(const gt_scaffold *init) { return init->dataset.split[GT_PART_TRAIN].samples; }
int64_t gt_scaffold_inputs(const gt_scaffold *init) {
  int64_t shape[GT_DATA_MAX_RANK];
  gt_input_network_shape(&init->dataset.input[0], shape);
  return shape[0];
}

/* Tables often end in rows whose target is still unknown: these are dropped. But if a column of texts has
 * words such as NA or -, they may be a class, so nothing is dropped and training reports the empty cells. */
uint64_t gt_scaffold_dropped_rows(const gt_scaffold *init, int index) {
  const gt_survey_column *target = &init->table.column[init->target[index]];
  return target->texts && target->missing > target->empty ? 0 : target->missing;
}

const char *gt_scaffold_quoted(const gt_scaffold *init, const char *name) {
  return gt_arena_printf(init->arena, "'%s'", gt_escape_name(init->arena, name));
}

/* --- the target --- */

static bool fail_no_column(const gt_scaffold *init, const char *name, const char *const *names,
                           gt_error *error) {
  const gt_survey *table = &init->table;
  const char *nearest = gt_nearest(name, names, (size_t)table->columns);
  gt_list list = gt_list_open(init->arena, MAX_LISTED);
  for (int i = 0; i < table->columns; i++) gt_list_add(&list, "%s", gt_scaffold_quoted(init, names[i]));
  return gt_fail(error, GT_ERR_USAGE, "--target: there is no column '%s' in %s; expected one of: %s%s%s%s",
                 name, init->file, gt_list_text(&list, ", …"), nearest ? "; did you mean '" : "",
                 nearest ? nearest : "", nearest ? "'?" : "");
}

bool gt_scaffold_choose_targets(gt_scaffold *init, gt_strings selected, gt_error *error) {
  const gt_survey *table = &init->table;
  const char **names = GT_NEW_N(init->arena, const char *, table->columns);
  int *target = GT_NEW_N(init->arena, int, selected.count + 1);
  init->target = target;
  init->targets = selected.count ? selected.count : 1;
  init->target_given = selected.count > 0;
  init->reason = GT_NEW_N(init->arena, const char *, table->columns);
  *target = table->columns - 1;
  if (init->kind->needs_numbers && selected.count > 1)
    return gt_fail(error, GT_ERR_USAGE,
                   "--target: a formula predicts one column, but %d are given; write a config for each of "
                   "them with --output",
                   selected.count);
  for (int i = 0; i < table->columns; i++) names[i] = table->column[i].name;
  if (table->columns <= init->targets)
    return gt_fail(
        error, GT_ERR_DATA, "%s:1:1: the table has %s column%s; expected inputs and a target", init->file,
        table->columns == 1 ? gt_arena_printf(init->arena, "one")
                            : gt_arena_printf(init->arena, "%d", table->columns),
        table->columns == 1 ? gt_arena_printf(init->arena, ", '%s'", gt_escape_name(init->arena, names[0]))
                            : "s");
  for (int k = 0; k < selected.count; k++) {
    int i = 0;
    while (i < table->columns && strcmp(selected.items[k], names[i]) != 0) i++;
    if (i == table->columns) return fail_no_column(init, selected.items[k], names, error);
    target[k] = i;
    for (int before = 0; before < k; before++)
      if (target[before] == i)
        return gt_fail(error, GT_ERR_USAGE, "--target: the column '%s' is given twice", names[i]);
  }
  return true;
}

bool gt_scaffold_is_target(const gt_scaffold *init, int column) {
  for (int i = 0; i < init->targets; i++)
    if (init->target[i] == column) return true;
  return false;
}

const char *gt_scaffold_target_names(const gt_scaffold *init) {
  gt_list list = gt_list_open(init->arena, init->targets);
  for (int i = 0; i < init->targets; i++)
    gt_list_add(&list, "%s", gt_scaffold_quoted(init, init->table.column[init->target[i]].name));
  return list.text;
}

bool gt_scaffold_has_labels(const gt_scaffold *init) {
  for (int i = 0; i < init->targets; i++) {
    const gt_survey_column *c = &init->table.column[init->target[i]];
    const bool digits = c->numbers && !c->texts && c->whole && c->least == 0 && c->largest == 1;
    if (!digits && !(c->texts && c->kind && *c->kind == 'b')) return false;
  }
  return init->targets > 1 && !init->kind->task;
}

double gt_scaffold_rarest(const gt_scaffold *init, const char **name) {
  const gt_class_table counts = gt_class_table_of(&init->dataset, 0, init->arena);
  int64_t all = 0;
  int rarest = 0;
  if (counts.classes < 2 || init->kind->task || gt_scaffold_has_heads(init)) return 1;
  for (int c = 0; c < counts.classes; c++) {
    all += gt_class_table_total(&counts, c);
    if (gt_class_table_total(&counts, c) < gt_class_table_total(&counts, rarest)) rarest = c;
  }
  const double share = (double)gt_class_table_total(&counts, rarest) / (double)all;
  *name = counts.name[rarest];
  return share < 0.1 && 3 * counts.classes * share < 1 ? share : 1;
}

/* The rarer of two classes, if no word says which one is positive; else NULL. */
static const char *named_positive(const gt_scaffold *init) {
  const gt_survey_column *c = &init->table.column[init->target[0]];
  const gt_class_table counts = gt_class_table_of(&init->dataset, 0, init->arena);
  if (init->targets > 1 || init->kind->task || counts.classes != 2) return NULL;
  if (init->dataset.target[0].positive_by == GT_POSITIVE_BY_WORDS) return NULL;
  if (c->missing > c->empty) return NULL; /* one of the names may be a word for a missing value */
  return counts.name[gt_class_table_total(&counts, 0) >= gt_class_table_total(&counts, 1)];
}

const char *gt_scaffold_measured(const gt_scaffold *init, const char **rare) {
  const gt_class_table counts = gt_class_table_of(&init->dataset, 0, init->arena);
  const char *named = named_positive(init), *rarest;
  *rare = NULL;
  if (named || counts.classes != 2 || gt_scaffold_rarest(init, &rarest) == 1) return named;
  const char *name = counts.name[init->dataset.target[0].positive];
  if (strcmp(rarest, name) != 0) *rare = rarest;
  return name;
}

double gt_scaffold_validation(const gt_scaffold *init) {
  if (init->kind->needs_numbers || init->table.rows < MIN_TO_VALIDATE) return 0;
  return init->table.rows < ENOUGH_TO_VALIDATE ? 0.2 : 0.1;
}

/* --- the text --- */

static const char *describe_range(gt_arena *arena, const gt_survey_column *c) {
  if (!c->numbers) return "";
  if (!(c->least <= c->largest)) return "numbers that are too large";
  if (c->least == c->largest) return gt_arena_printf(arena, "always %.6g", c->least);
  if (c->whole && c->least == 0 && c->largest == 1) return "0 and 1";
  return gt_arena_printf(arena, "%s%.6g to %.6g", c->whole ? "integers, " : "", c->least, c->largest);
}

static const char *describe_texts(const gt_survey_column *c) {
  if (!c->kind) return "text";
  return *c->kind == 'c' ? "categories" : *c->kind == 'd' ? "dates" : *c->kind == 'b' ? "yes or no" : "text";
}

/* "integers, 1 to 5, 3 of 40 missing" */
static const char *describe_column(const gt_scaffold *init, const gt_survey_column *c) {
  gt_arena *arena = init->arena;
  const char *text = describe_range(arena, c);
  if (c->texts)
    text = gt_arena_printf(arena, "%s%s%s, %d distinct value%s", text, *text ? " and " : "",
                           describe_texts(c), c->distinct, c->distinct == 1 ? "" : "s");
  if (c->missing)
    text = gt_arena_printf(arena, "%s%s%llu of %llu missing", text, *text ? ", " : "",
                           (unsigned long long)c->missing, (unsigned long long)init->table.rows);
  return text;
}

static void write_columns(const gt_scaffold *init, FILE *out) {
  const gt_survey *table = &init->table;
  const int shown = table->columns < MAX_LISTED ? table->columns : MAX_LISTED;
  int width = 0;
  for (int i = 0; i < shown; i++) {
    const int length = gt_text_width(gt_escape_name(init->arena, table->column[i].name));
    if (length > width && length <= 30) width = length;
  }
  fprintf(out, "#\n# Columns:\n");
  for (int i = 0; i < shown; i++) {
    const gt_survey_column *c = &table->column[i];
    const char *name = gt_escape_name(init->arena, c->name), *why = init->reason[i];
    fprintf(out, "#   %s%*s  %s", name, gt_padding(width, name), "", describe_column(init, c));
    fprintf(out, "%s%s\n",
            gt_scaffold_is_target(init, i) ? ": the target"
            : why                          ? ": skipped, "
                                           : "",
            why ? why : "");
  }
  if (table->columns > shown) fprintf(out, "#   … %d more\n", table->columns - shown);
  for (int i = 0; i < init->dataset.targets; i++) {
    const gt_class_table counts = gt_class_table_of(&init->dataset, i, init->arena);
    if (!counts.classes) continue;
    const char *name = gt_escape_name(init->arena, table->column[init->target[i]].name);
    fprintf(out, "#\n# Classes%s, with their training samples: %s\n",
            counts.target ? gt_arena_printf(init->arena, " of '%s'", name) : "",
            gt_escape_name(init->arena, gt_class_table_text(&counts, init->arena)));
  }
}

/* A comment on the task: what the target's values mean and, if that is a guess, the alternative. */
static const char *describe_task(const gt_scaffold *init) {
  const gt_survey_column *target = &init->table.column[init->target[0]];
  if (init->targets > 1) return "quantities";
  if (init->kind->task) return "a quantity";
  if (init->dataset.target[0].classification)
    return target->texts ? "the texts are classes"
                         : "integers counting from 0 are classes; quantities: regression";
  return target->whole && target->largest - target->least < 20
             ? "a quantity; for classes: task: classification and classes: [1, 2, …]"
             : "a quantity";
}

static void write_ignored(const gt_scaffold *init, FILE *out) {
  const char *separator = "  ignore: [";
  for (int i = 0; i < init->table.columns; i++) {
    /* A series reads its times. */
    const bool reads_time = init->tries_series && &init->table.column[i] == gt_scaffold_time(init);
    if (!init->reason[i] || reads_time) continue;
    fprintf(out, "%s%s", separator, gt_spec_word(init->arena, init->table.column[i].name));
    separator = ", ";
  }
  if (*separator == ',') fprintf(out, "]\n");
  for (int i = 0; i < init->table.columns; i++) {
    const gt_survey_column *c = &init->table.column[i];
    if (init->reason[i] && c->ambiguous_dates && !init->kind->needs_numbers)
      fprintf(
          out,
          "  # To read '%s', remove it from 'ignore' and say which comes first, day_first or month_first:\n"
          "  # columns: {%s: {type: date, order: day_first}}\n",
          gt_escape_name(init->arena, c->name), gt_spec_word(init->arena, c->name));
  }
}

/* The rules of the dates whose order the rows decide: "when: {type: date, order: day_first}". */
static gt_list date_rules(const gt_scaffold *init) {
  gt_list rules = gt_list_open(init->arena, INT_MAX);
  for (int i = 0; i < init->table.columns; i++) {
    const gt_survey_column *c = &init->table.column[i];
    if (!c->date_order || init->reason[i] || gt_scaffold_is_target(init, i)) continue;
    gt_list_add(&rules, "%s: {type: date, order: %s}", gt_spec_word(init->arena, c->name), c->date_order);
  }
  return rules;
}

static void write_rules(const gt_scaffold *init, FILE *out) {
  gt_list rules = date_rules(init);
  const bool dates = rules.count;
  uint64_t rows = 0;
  int dropping = 0;
  for (int i = 0; i < init->targets; i++) {
    const char *name = gt_spec_word(init->arena, init->table.column[init->target[i]].name);
    const uint64_t dropped = gt_scaffold_dropped_rows(init, i);
    if (!dropped) continue;
    gt_list_add(&rules, "%s: {missing: drop}", name);
    dropping++;
    rows = dropped > rows ? dropped : rows;
  }
  if (!rules.count) return;
  fprintf(out, "  columns: {%s}  # ", rules.text);
  if (dates) fprintf(out, "read so, the rows are in order of time%s", rows ? "; " : "");
  if (rows)
    fprintf(out, "leaves out %s%llu row%s without a target", dropping > 1 ? "at least " : "",
            (unsigned long long)rows, rows == 1 ? "" : "s");
  fprintf(out, "\n");
}

static void write_targets(const gt_scaffold *init, FILE *out) {
  if (gt_scaffold_has_heads(init)) {
    gt_scaffold_write_head_targets(init, out);
    return;
  }
  fprintf(out, "  target: %s", init->targets > 1 ? "[" : "");
  for (int i = 0; i < init->targets; i++)
    fprintf(out, "%s%s", i ? ", " : "", gt_spec_word(init->arena, init->table.column[init->target[i]].name));
  fprintf(out, init->targets > 1 ? "]  # the columns to predict\n" : "  # the column to predict\n");
}

/* Where the samples of a rare class are: few of them may not fill all splits, stratified or not. */
static const char *describe_share(const gt_scaffold *init, const char *class_name) {
  static const char *const splits[] = {"training", "validation", "test"};
  const gt_class_table counts = gt_class_table_of(&init->dataset, 0, init->arena);
  int c = 0;
  const char *without = "";
  while (c + 1 < counts.classes && strcmp(counts.name[c], class_name) != 0) c++;
  for (int s = 0; s < 3; s++)
    if (counts.part[s].count && !counts.part[s].count[c])
      without = gt_arena_printf(init->arena, "%s%s%s", without, *without ? " and " : "", splits[s]);
  const int64_t all = gt_class_table_total(&counts, c);
  return *without ? gt_arena_printf(init->arena, "its %lld row%s not enough for all splits: %s %s none",
                                    (long long)all, all == 1 ? " is" : "s are", without,
                                    strstr(without, " and ") ? "have" : "has")
                  : "each split gets its share of it";
}

static void write_split(const gt_scaffold *init, FILE *out) {
  const char *name;
  const gt_survey_column *time = gt_scaffold_time(init);
  const double share = gt_scaffold_rarest(init, &name);
  if (init->table.rows < MIN_TO_TEST) return;
  if (time) gt_scaffold_write_time(init, out);
  /* A random split may contain no sample of a rare class. */
  if (share == 1 || (time && time->time_order > 0)) return;
  fprintf(out, "  split: stratified  # class %s is rare (%.2g %%): %s\n", gt_scaffold_quoted(init, name),
          100 * share, describe_share(init, name));
}

static void write_positive(const gt_scaffold *init, FILE *out) {
  const char *name = named_positive(init);
  if (!name) return;
  fprintf(out,
          "  positive: %s  # f1, precision, recall and eval.threshold are those of %s, the rarer class\n",
          gt_spec_word(init->arena, name), gt_scaffold_quoted(init, name));
}

static void write_data(const gt_scaffold *init, FILE *out) {
  const bool opened = init->dataset.split[GT_PART_TRAIN].samples > 0;
  fprintf(out, "data:\n");
  if (!init->table.known_suffix) fprintf(out, "  format: csv\n");
  fprintf(out, "  train: %s\n", gt_spec_word(init->arena, init->file));
  write_targets(init, out);
  write_ignored(init, out);
  write_rules(init, out);
  if ((opened || init->kind->task) && !gt_scaffold_has_labels(init) && !gt_scaffold_has_heads(init))
    fprintf(out, "  task: %s  # %s\n",
            init->kind->task                         ? init->kind->task
            : init->dataset.target[0].classification ? "classification"
                                                     : "regression",
            describe_task(init));
  write_positive(init, out);
  if (init->table.rows >= MIN_TO_TEST)
    fprintf(out, "  test_fraction: 0.2  # hold out a fifth of the rows to test the trained model\n");
  if (gt_scaffold_validation(init) > 0)
    fprintf(out, "  validation: %g  # and a %s of the others to choose the best epoch\n",
            gt_scaffold_validation(init), gt_scaffold_validation(init) < 0.15 ? "tenth" : "fifth");
  write_split(init, out);
  if (init->kind->needs_numbers)
    fprintf(out, "  normalize: standard  # subtract each input's mean and divide by its deviation\n");
}

const char *gt_scaffold_text(const gt_scaffold *init) {
  gt_arena *arena = init->arena;
  gt_text text = {0};
  FILE *out = gt_text_open(&text);
  fprintf(out, "# Predicts %s from %lld inputs of %s (%llu rows).\n", gt_scaffold_target_names(init),
          (long long)gt_scaffold_inputs(init), gt_escape_name(arena, init->file),
          (unsigned long long)init->table.rows);
  fprintf(out, "# Written by `gtrain init %s`. To train: gtrain train %s\n", init->kind->name,
          gt_escape_name(arena, gt_shell_word(arena, init->config)));
  write_columns(init, out);
  fprintf(out, "\nseed: 1  # of the split and the initial weights\n\n");
  write_data(init, out);
  fprintf(out, "\n");
  init->kind->write(init, out);
  fclose(out);
  const char *config = gt_arena_strndup(arena, text.items, text.count);
  free(text.items);
  return config;
}

/* --- opening --- */

/* Columns that are excluded, in addition to those of the level before. */
enum { ROW_NUMBERS, UNREADABLE, NOT_NUMBERS, LEVELS };

/* Why training cannot read the column; NULL: it can. */
static const char *why_unreadable(const gt_survey_column *c) {
  if (c->ambiguous_dates) return "day and month could be either way round";
  if (c->too_large) return "numbers that are too large for a 32-bit float";
  if (c->kind) return NULL;
  return c->units ? c->units : c->numbers ? "numbers and texts" : "free text";
}

/* Excludes the columns of a level from the inputs, unless none would remain. False if nothing changes. */
static bool exclude_columns(gt_scaffold *init, int level) {
  bool changed = false;
  int remaining = 0;
  for (int i = 0; i < init->table.columns; i++) {
    const gt_survey_column *c = &init->table.column[i];
    if (gt_scaffold_is_target(init, i)) continue;
    const char *why = init->reason[i];
    if (!why && level == ROW_NUMBERS && c->counts_rows && !init->kind->needs_numbers) why = ROW_NUMBER_REASON;
    if (!why && level == UNREADABLE) why = why_unreadable(c);
    if (!why && level == NOT_NUMBERS && (c->texts || c->missing)) why = c->texts ? "text" : "missing values";
    changed |= why != init->reason[i];
    init->reason[i] = why;
    remaining += !why;
  }
  if (!remaining && !init->kind->needs_numbers)
    memset(init->reason, 0, (size_t)init->table.columns * sizeof *init->reason);
  return remaining && changed;
}

static bool has_inputs(const gt_scaffold *init) {
  for (int i = 0; i < init->table.columns; i++)
    if (!gt_scaffold_is_target(init, i) && !init->reason[i]) return true;
  return false;
}

bool gt_scaffold_open_dataset(const gt_scaffold *init, gt_dataset *dataset, gt_diagnostics *diagnostics,
                              gt_error *error) {
  gt_text text = {0};
  FILE *out = gt_text_open(&text);
  write_data(init, out);
  fclose(out);
  const gt_spec *root = gt_spec_parse(init->arena, init->config, text.items, text.count, diagnostics);
  free(text.items);
  gt_dataset_close(dataset);
  return root &&
         gt_dataset_open(gt_spec_find(root, "data"), 1, NULL, init->arena, dataset, diagnostics, error);
}

/* Opens the dataset again if its classes change the `data:` map, so that class counts are those of the splits
 * that training makes. */
static bool open_as_written(gt_scaffold *init, gt_diagnostics *diagnostics, gt_error *error) {
  const char *name;
  init->late_class = NULL;
  if (!gt_scaffold_open_dataset(init, &init->dataset, diagnostics, error)) return false;
  gt_scaffold_find_late_class(init);
  return (gt_scaffold_rarest(init, &name) == 1 && !named_positive(init) && !init->late_class) ||
         gt_scaffold_open_dataset(init, &init->dataset, diagnostics, error);
}

bool gt_scaffold_open(gt_scaffold *init, int *code) {
  gt_error last = {0};
  gt_diagnostics diagnostics;
  bool tried = false;
  *code = GT_OK;
  for (int level = 0; level < LEVELS; level++) {
    gt_error error = {0};
    gt_diagnostics attempt;
    gt_diagnostics_init(&attempt, init->arena);
    const bool changed = exclude_columns(init, level);
    if ((tried && !changed) || (init->kind->needs_numbers && level < NOT_NUMBERS)) continue;
    if (init->kind->needs_numbers && !has_inputs(init)) {
      gt_log_error("%s: no column except the target has numbers alone, which a formula needs", init->file);
      *code = GT_ERR_DATA;
      return false;
    }
    tried = true;
    if (open_as_written(init, &attempt, &error)) {
      gt_scaffold_choose_series(init);
      *code = GT_OK;
      return true;
    }
    last = error;
    diagnostics = attempt;
    *code = attempt.errors ? (int)gt_diagnostics_status(&attempt) : (int)error.status;
  }
  gt_diagnostics_print(&diagnostics, stderr);
  if (last.status) gt_report(&last);
  return false;
}
