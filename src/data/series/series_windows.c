/* Time series: makes the windows inside the stretches of each split. The rows of the inputs are not copied: a
 * window is the index of its first row. Targets are copied, because their consumers expect one row per
 * sample. */
#include "base/count.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/column.h"
#include "data/series/series.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LISTED = 4 }; /* groups in a message */

typedef struct cutting {
  gt_data_reader *reader;
  const gt_data_series *o;   /* settings */
  gt_split *split;           /* [GT_PARTS] */
  int64_t windows[GT_PARTS]; /* number of windows */
  int64_t longest[GT_PARTS]; /* rows of the longest stretch */
} cutting;

static void count_windows(cutting *c) {
  const gt_stretches *all = &c->reader->series->stretches;
  for (size_t i = 0; i < all->count; i++) {
    const gt_stretch *s = &all->items[i];
    if (s->part == GT_PART_NONE) continue;
    c->windows[s->part] += gt_series_windows_in(c->o, s->rows);
    c->longest[s->part] = gt_max_i64(c->longest[s->part], s->rows);
  }
}

/* --- messages --- */

/* The key of the config that decides how many rows a split has. */
static const char *key_of(const cutting *c, int part) {
  if (c->reader->split.column) return "split";
  if (part == GT_PART_VALIDATION) return "validation";
  return part == GT_PART_TEST && c->reader->test_fraction > 0 ? "test_fraction" : "series";
}

/* Why stretches are short, and what to do; NULL: there are no breaks. */
static const char *explain_short(const cutting *c) {
  const gt_series_breaks *b = &c->reader->series->breaks;
  gt_arena *arena = c->reader->arena;
  if (b->gaps)
    return gt_arena_printf(arena,
                           "gaps in time end a stretch, the first of %" PRId64
                           " before line %u; if rows beside them are "
                           "neighbors, as for trading days: series: {gaps: ignore}",
                           b->gaps, b->gap_line);
  if (b->left_out)
    return gt_arena_printf(arena,
                           "rows that are left out (missing: drop) end a stretch, the first of %" PRId64
                           " before line %u",
                           b->left_out, b->left_line);
  return NULL;
}

static bool check_splits(const cutting *c) {
  gt_data_reader *reader = c->reader;
  bool ok = true;
  for (int p = 0; p < GT_PARTS; p++) {
    if (!c->split[p].samples || c->windows[p]) continue;
    const char *key = key_of(c, p);
    const bool by_fraction = !strcmp(key, "validation") || !strcmp(key, "test_fraction");
    gt_diagnostic *d = gt_error_at(reader->diagnostics, gt_data_position(reader, key),
                                   "no window of %" PRId64 " rows with a horizon of %" PRId64
                                   " fits into the %s rows: the longest stretch without a gap has %" PRId64
                                   " rows, %" PRId64 " are needed",
                                   c->o->window, c->o->horizon, gt_data_part_name(reader, p), c->longest[p],
                                   c->o->window + c->o->horizon);
    d->expected = by_fraction
                      ? gt_arena_printf(reader->arena, "a larger %s, or a smaller window or horizon", key)
                      : "a smaller window or horizon";
    d->help = explain_short(c);
    ok = false;
  }
  return ok;
}

typedef struct group_size {
  int64_t rows, windows;
} group_size;

/* The size of each group in a split; part -1: in all splits. Heap. */
static group_size *size_groups(const cutting *c, int part, int groups) {
  const gt_stretches *all = &c->reader->series->stretches;
  group_size *size = gt_alloc((size_t)groups * sizeof *size);
  for (size_t i = 0; i < all->count; i++) {
    const gt_stretch *s = &all->items[i];
    if (s->part == GT_PART_NONE || (part >= 0 && s->part != part)) continue;
    size[s->group].rows += s->rows;
    size[s->group].windows += gt_series_windows_in(c->o, s->rows);
  }
  return size;
}

/* Lists groups without a window: "'north' (12 rows), 'south' (30 rows)". */
static gt_list list_short(const cutting *c, const group_size *size) {
  const gt_series_rows *file = &c->reader->series->file[GT_SERIES_TRAIN];
  gt_list list = gt_list_open(c->reader->arena, MAX_LISTED);
  for (int g = 0; g < file->groups; g++)
    if (!size[g].windows && size[g].rows)
      gt_list_add(&list, "'%s' (%" PRId64 " rows)", file->name[g], size[g].rows);
  return list;
}

static void report_short(const cutting *c, int part, const group_size *size) {
  gt_data_reader *reader = c->reader;
  const gt_list groups = list_short(c, size);
  if (!groups.count) return;
  gt_finding_at(reader->diagnostics, GT_FINDING_short_series, gt_data_position(reader, "series"),
                "%d of %d groups %s shorter than a window and its horizon, %" PRId64 " rows%s%s%s: %s",
                groups.count, reader->series->file[GT_SERIES_TRAIN].groups, groups.count == 1 ? "is" : "are",
                c->o->window + c->o->horizon, part < 0 ? "" : ", in the ",
                part < 0 ? "" : gt_data_part_names[part], part < 0 ? "" : " split",
                gt_list_text(&groups, ", …"))
      ->help = part < 0 ? "they give no samples; a smaller window or horizon uses them"
                        : "larger fractions, or a smaller window or horizon";
}

/* Reports groups that are too short for a window, in all splits or in one. Reports nothing if the test file
 * has groups: their numbers are not those of the training file. */
static void review_groups(const cutting *c) {
  gt_data_reader *reader = c->reader;
  const gt_series_rows *file = &reader->series->file[GT_SERIES_TRAIN];
  if (!file->name || reader->series->file[GT_SERIES_TEST].name || reader->trust.untrusted ||
      reader->wanted->signature)
    return;
  group_size *all_splits = size_groups(c, -1, file->groups);
  report_short(c, -1, all_splits);
  for (int p = 0; p < GT_PARTS; p++) {
    group_size *size = size_groups(c, p, file->groups);
    for (int g = 0; g < file->groups; g++)
      if (!all_splits[g].windows) size[g].rows = 0; /* already reported */
    report_short(c, p, size);
    free(size);
  }
  free(all_splits);
}

static const char *at_line(gt_arena *arena, uint32_t line) {
  return line ? gt_arena_printf(arena, ", the first before line %u", line) : "";
}

static void log_summary(const cutting *c) {
  gt_data_reader *reader = c->reader;
  gt_arena *arena = reader->arena;
  const gt_series *series = reader->series;
  const gt_series_breaks *b = &series->breaks;
  gt_list counts = gt_list_open(arena, GT_PARTS);
  const char *name = reader->train_name ? reader->train_name : "the data";
  int64_t all = 0;
  if (reader->trust.untrusted) return;
  for (int p = 0; p < GT_PARTS; p++) {
    all += c->windows[p];
    if (c->windows[p]) gt_list_add(&counts, "%" PRId64 " %s", c->windows[p], gt_data_part_name(reader, p));
  }
  gt_info("%s: %d series; windows of %" PRId64 " rows, then %" PRId64 " to predict: %s", name,
          series->file[GT_SERIES_TRAIN].groups, c->o->window, c->o->horizon, counts.text);
  if (b->gaps)
    gt_info("%s: %" PRId64 " gap%s in time%s; windows never span a gap (unless series: {gaps: ignore})",
            b->gap_path, b->gaps, b->gaps == 1 ? "" : "s", at_line(arena, b->gap_line));
  if (b->left_out)
    gt_info("%s: rows dropped at %" PRId64 " place%s%s; windows never span them", name, b->left_out,
            b->left_out == 1 ? "" : "s", at_line(arena, b->left_line));
  if (series->joined > all)
    gt_info("%s: %s remove %" PRId64 " of %" PRId64 " windows", name,
            !b->left_out ? "these gaps"
            : !b->gaps   ? "the dropped rows"
                         : "the gaps and dropped rows",
            series->joined - all, series->joined);
}

/* --- windows --- */

/* Adds the first row of each window. */
static bool list_starts(cutting *c, int part) {
  const gt_stretches *all = &c->reader->series->stretches;
  gt_tensor *starts =
      gt_split_add(&c->split[part], GT_SAMPLE_START, 0,
                   (gt_tensor){.element = GT_ELEMENT_I32, .rank = 1, .dim = {c->windows[part]}});
  if (!gt_tensor_alloc(starts, "the windows", c->reader->error)) return false;
  int32_t *to = starts->data;
  for (size_t i = 0; i < all->count; i++) {
    const gt_stretch *s = &all->items[i];
    if (s->part != part) continue;
    for (int64_t w = 0; w < gt_series_windows_in(c->o, s->rows); w++)
      *to++ = (int32_t)(s->first + w * c->o->stride);
  }
  return true;
}

static const int32_t *starts_of(const gt_split *split) {
  return gt_split_tensor(split, GT_SAMPLE_START, 0)->data;
}

/* The error of value `from` as a forecast of value `at`: the absolute difference; for labels 0 or 1, or NAN
 * for a label that is ignored. */
static double error_of(const gt_tensor *rows, int64_t at, int64_t from) {
  const int32_t *label = rows->data;
  const float *value = rows->data;
  if (rows->element == GT_ELEMENT_F32) return fabs((double)value[at] - (double)value[from]);
  return label[at] < 0 ? NAN : label[at] != label[from];
}

/* The mean error of a naive forecast for each target value of a sample: the forecast is the last row of the
 * window or, seasonal, the last known row a multiple of the season before. In the arena. */
static const double *naive_errors(const cutting *c, int part, const gt_tensor *rows, bool seasonal) {
  const gt_data_series *o = c->o;
  const int64_t columns = gt_tensor_features(rows), windows = c->windows[part];
  double *error = GT_NEW_N(c->reader->arena, double, o->horizon *columns);
  int64_t *count = GT_NEW_N(c->reader->arena, int64_t, o->horizon * columns);
  const int32_t *start = starts_of(&c->split[part]);
  for (int64_t w = 0; w < windows; w++)
    for (int64_t k = 0; k < o->horizon; k++) {
      const int64_t next = start[w] + o->window, back = seasonal ? o->season : 1,
                    from = seasonal ? next + k - (k / back + 1) * back : next - 1;
      for (int64_t t = 0; t < columns; t++) {
        const double e = error_of(rows, (next + k) * columns + t, from * columns + t);
        if (!isnan(e)) error[k * columns + t] += e, count[k * columns + t]++;
      }
    }
  for (int64_t i = 0; i < o->horizon * columns; i++) error[i] /= count[i] ? (double)count[i] : 1;
  return error;
}

static bool make_targets(cutting *c, int part) {
  gt_split *split = &c->split[part];
  gt_tensor *out = gt_split_edit(split, GT_SAMPLE_TARGET, 0);
  const gt_tensor rows = *out;
  const gt_data_series *o = c->o;
  const int64_t columns = gt_tensor_features(&rows), values = o->horizon * columns,
                windows = c->windows[part];
  const bool numbers = rows.element == GT_ELEMENT_F32;
  *out = (gt_tensor){.element = rows.element,
                     .rank = numbers || o->horizon > 1 ? 2 : 1,
                     .bits = rows.bits,
                     .dim = {windows, values}};
  if (!rows.data) return true;
  const bool ok = gt_tensor_alloc(out, "the targets of the windows", c->reader->error);
  const size_t size = gt_element_size(rows.element);
  const int32_t *start = starts_of(split);
  for (int64_t w = 0; ok && w < windows; w++)
    memcpy((uint8_t *)out->data + (size_t)(w * values) * size,
           (const uint8_t *)rows.data + (size_t)((start[w] + o->window) * columns) * size,
           (size_t)values * size);
  if (ok) split->naive[GT_NAIVE_LAST] = naive_errors(c, part, &rows, false);
  if (ok && o->season) split->naive[GT_NAIVE_SEASON] = naive_errors(c, part, &rows, true);
  free(rows.data);
  return ok;
}

static bool make_windows(cutting *c, int part, int index) {
  gt_split *split = &c->split[part];
  gt_tensor *tensor = gt_split_edit(split, GT_SAMPLE_INPUT, index);
  const bool ahead = gt_series_is_ahead(&c->reader->dataset->input[index]);
  if (tensor->element == GT_ELEMENT_U8 && tensor->data &&
      !gt_data_to_floats(tensor, "the windows", c->reader->error))
    return false;
  if (tensor->element == GT_ELEMENT_U8) tensor->element = GT_ELEMENT_F32; /* an outline, without data */
  tensor->stored = tensor->dim[0];
  tensor->start = starts_of(split);
  tensor->begin = ahead ? c->o->window : 0;
  tensor->rank = 3;
  tensor->dim[2] = tensor->dim[1];
  tensor->dim[1] = ahead ? c->o->horizon : c->o->window;
  tensor->dim[0] = c->windows[part];
  return true;
}

static void describe_inputs(const cutting *c) {
  gt_dataset *d = c->reader->dataset;
  for (int k = 0; k < d->inputs; k++) {
    gt_input *input = &d->input[k];
    input->window = true;
    input->element = gt_train_input(d, k)->element;
    input->rank = 2;
    input->dim[1] = input->dim[0];
    input->dim[0] = gt_train_input(d, k)->dim[1];
  }
}

/* Names the targets with their step: "temp_max+1" is the first row after the window. A class label keeps its
 * name if the horizon is 1. */
static void name_targets(const cutting *c) {
  gt_data_target *target = &c->reader->dataset->target[0];
  const int64_t horizon = c->o->horizon,
                columns = gt_tensor_features(gt_split_target(&c->split[GT_PART_TRAIN], 0)) / horizon;
  target->horizon = horizon;
  target->row_columns = target->columns;
  if (!target->columns || (target->classification && horizon == 1)) return;
  const char **names = GT_NEW_N(c->reader->arena, const char *, horizon *columns);
  const char **words = target->words ? GT_NEW_N(c->reader->arena, const char *, 2 * horizon * columns) : NULL;
  for (int64_t i = 0; i < horizon * columns; i++) {
    names[i] =
        gt_arena_printf(c->reader->arena, "%s+%" PRId64, target->columns[i % columns], i / columns + 1);
    for (int v = 0; v < 2 && words; v++) words[2 * i + v] = target->words[2 * (i % columns) + v];
  }
  target->columns = names;
  target->column_count = (int)(horizon * columns);
  target->words = words;
}

/* Reports a series without `time` that has a column of dates: the order of the rows and gaps cannot be
 * checked. */
static void review_time(const cutting *c) {
  const gt_dataset *d = c->reader->dataset;
  if (c->o->time || c->reader->wanted->signature) return;
  for (int i = 0; i < d->columns; i++) {
    const gt_column_summary *column = &d->column[i];
    if (strcmp(column->kind, gt_column_kind_names[GT_COLUMN_DATE])) continue;
    gt_finding_at(
        c->reader->diagnostics, GT_FINDING_unnamed_time, gt_data_position(c->reader, "series"),
        "the series has no 'time', though column '%s' holds dates: neither the order of the rows nor gaps "
        "are checked",
        column->name)
        ->help =
        gt_arena_printf(c->reader->arena, "series: {time: %s}", gt_spec_key(c->reader->arena, column->name));
    return;
  }
}

bool gt_series_make_windows(gt_data_reader *reader) {
  gt_dataset *d = reader->dataset;
  cutting c = {reader, &reader->series->options, d->split, {0}, {0}};
  count_windows(&c);
  if (!check_splits(&c)) return false;
  for (int p = 0; p < GT_PARTS; p++) {
    if (!c.split[p].samples) continue;
    if (!list_starts(&c, p) || !make_targets(&c, p)) return false;
    for (int k = 0; k < d->inputs; k++)
      if (!make_windows(&c, p, k)) return false;
    c.split[p].samples = c.windows[p];
  }
  describe_inputs(&c);
  name_targets(&c);
  review_groups(&c);
  review_time(&c);
  log_summary(&c);
  return true;
}
