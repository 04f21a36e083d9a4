/* gtrain init: tables whose rows are in order of time. They are split in time, because a row between known
 * rows is easier to predict than rows that are still to come, and a comment names the map `series` that reads
 * windows of rows. That map is tried first, so that the comment works if it is followed. */
#include "base/text.h"
#include "cli/init.h"
#include "train/config/classes.h"
#include <stdlib.h>

enum { WINDOW = 24, MIN_WINDOW = 2, MAX_GROUPS_TRIED = 4 };

const gt_survey_column *gt_scaffold_time(const gt_scaffold *init) {
  if (init->kind->needs_numbers) return NULL; /* a formula of time is a law, not a forecast */
  for (int i = 0; i < init->table.columns; i++)
    if (init->table.column[i].time_order && !gt_scaffold_is_target(init, i)) return &init->table.column[i];
  return NULL;
}

/* --- classes that begin late --- */

/* The largest class without a training sample, if it has a twentieth of all samples or if training has a
 * single class; else NULL. */
static const char *find_late(const gt_scaffold *init, int target) {
  const gt_class_table c = gt_class_table_of(&init->dataset, target, init->arena);
  int64_t all = 0, most = 0;
  int late = -1, found = 0;
  for (int i = 0; i < c.classes; i++) {
    const int64_t samples = gt_class_table_total(&c, i);
    all += samples;
    found += c.part[0].count[i] > 0;
    if (!c.part[0].count[i] && samples > most) most = samples, late = i;
  }
  return late >= 0 && (found == 1 || 20 * most >= all) ? c.name[late] : NULL;
}

void gt_scaffold_find_late_class(gt_scaffold *init) {
  const gt_survey_column *time = gt_scaffold_time(init);
  init->late_class = NULL;
  for (int i = 0; time && time->time_order > 0 && !init->late_class && i < init->dataset.targets; i++)
    init->late_class = find_late(init, i);
}

/* The split of a table with such a class. Stratified splits need a single target. */
static const char *split_of_late_class(const gt_scaffold *init) {
  return init->targets == 1 ? "stratified" : "random";
}

/* --- the series --- */

static const char *column_value(const gt_scaffold *init, const gt_survey_column *c) {
  return gt_spec_word(init->arena, c->name);
}

/* True if the table can be read with this map, with windows in each split. */
static bool series_works(gt_scaffold *init, const char *series) {
  gt_diagnostics diagnostics;
  gt_error error = {0};
  gt_dataset dataset = {0};
  gt_diagnostics_init(&diagnostics, init->arena);
  init->series = series;
  init->tries_series = true;
  const bool opened = gt_scaffold_open_dataset(init, &dataset, &diagnostics, &error);
  init->tries_series = false;
  const bool works = opened && !gt_diagnostics_has(&diagnostics, GT_FINDING_short_series) &&
                     dataset.split[GT_PART_TRAIN].samples && dataset.split[GT_PART_TEST].samples &&
                     (dataset.split[GT_PART_VALIDATION].samples || gt_scaffold_validation(init) <= 0);
  gt_dataset_close(&dataset);
  return works;
}

/* The window of series with this many rows: the smaller held-out split holds a window and as many targets. */
static int64_t window_of(const gt_scaffold *init, double rows) {
  const double validation = gt_scaffold_validation(init), share = validation > 0 ? 0.8 * validation : 0.2;
  const double window = rows * share / 2;
  return window < WINDOW ? (int64_t)window : WINDOW;
}

/* The number of values of a column that may name the series of each row; 0: it does not. */
static double count_groups(const gt_scaffold *init, int column) {
  const gt_survey_column *c = &init->table.column[column];
  const bool names = c->texts && !c->numbers && c->kind && *c->kind == 'c';
  const bool numbers = c->numbers && !c->texts && c->whole && !c->time_order && c->largest > c->least;
  if (gt_scaffold_is_target(init, column) || init->reason[column] || c->missing) return 0;
  return names ? c->distinct : numbers ? c->largest - c->least + 1 : 0;
}

void gt_scaffold_choose_series(gt_scaffold *init) {
  const gt_survey_column *time = gt_scaffold_time(init);
  const double rows = (double)init->table.rows;
  init->series = NULL;
  if (!time || time->time_order < 0 || init->late_class || init->targets > 1) return;
  if (time->time_rises) {
    const char *series = gt_arena_printf(init->arena, "{time: %s, window: %lld}", column_value(init, time),
                                         (long long)window_of(init, rows));
    if (window_of(init, rows) < MIN_WINDOW || !series_works(init, series)) init->series = NULL;
    return;
  }
  /* Several rows have the same time: they may belong to several series, which a column tells apart. */
  for (int i = 0, tried = 0; i < init->table.columns && tried < MAX_GROUPS_TRIED; i++) {
    const double groups = count_groups(init, i);
    const int64_t window = groups > 1 ? window_of(init, rows / groups) : 0;
    if (window < MIN_WINDOW) continue;
    if (series_works(init, gt_arena_printf(init->arena, "{time: %s, group: %s, window: %lld}",
                                           column_value(init, time),
                                           column_value(init, &init->table.column[i]), (long long)window)))
      return;
    tried++;
  }
  init->series = NULL;
}

/* --- the text --- */

void gt_scaffold_write_time(const gt_scaffold *init, FILE *out) {
  const gt_survey_column *time = gt_scaffold_time(init);
  const char *name = gt_scaffold_quoted(init, time->name);
  if (time->time_order < 0) {
    fprintf(
        out,
        "  # The rows are in order of time (%s), the newest first. Random test rows lie between known rows\n"
        "  # and are easier to predict than new ones: reverse the table and add split: last\n",
        name);
    return;
  }
  if (init->late_class) {
    fprintf(out,
            "  split: %s  # the rows are in order of time (%s), but the first ones, on which a split in time "
            "trains, have no class %s\n",
            split_of_late_class(init), name, gt_scaffold_quoted(init, init->late_class));
    return;
  }
  fprintf(out,
          "  split: last  # the rows are in order of time (%s): the last ones tell how well new rows are "
          "predicted; random ones lie between known rows\n",
          name);
  if (init->tries_series) {
    fprintf(out, "  series: %s\n", init->series);
  } else if (init->series) {
    fprintf(out,
            "  # To predict from the rows before, too: series: %s, and flatten as the first layer "
            "(docs/sequences.md)%s\n",
            init->series,
            init->reason[time - init->table.column]
                ? gt_arena_printf(init->arena, "; then remove %s from 'ignore'", name)
                : "");
  }
}

const char *gt_scaffold_time_text(const gt_scaffold *init) {
  const gt_survey_column *time = gt_scaffold_time(init);
  const char *name = gt_arena_printf(init->arena, "(%s%s)", gt_scaffold_quoted(init, time->name),
                                     time->ambiguous_dates ? ", whichever number is the day" : "");
  if (time->time_order < 0)
    return gt_arena_printf(init->arena,
                           "split: random, although the table is in order of time %s, the newest rows first: "
                           "reverse it and add split: last to test on new rows",
                           name);
  if (init->late_class)
    return gt_arena_printf(init->arena,
                           "split: %s, although the table is in order of time %s: the first rows, on which a "
                           "split in time trains, have no class %s",
                           split_of_late_class(init), name, gt_scaffold_quoted(init, init->late_class));
  return gt_arena_printf(
      init->arena, "split: the last rows are the test rows, because the table is in order of time %s", name);
}
