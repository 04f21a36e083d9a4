/* Time series: options, order of rows, splits and stretches. */
#include "data/series/series.h"
#include "data/date.h"
#include "base/count.h"
#include "base/memory.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const gap_choices[] = {"split", "ignore", NULL};
static const gt_field fields[] = {
    GT_ROW(gt_data_series, window, GT_FIELD_INT, .min = 1, .max = 1 << 20, .flags = GT_FIELD_REQUIRED,
           .help = "rows that a sample holds: the model's input is [window, columns]"),
    GT_ROW(gt_data_series, horizon, GT_FIELD_INT, .fallback = "1", .min = 1, .max = 1 << 20,
           .help = "rows after the window that are predicted: the targets are [horizon, target columns], one "
                   "after another"),
    GT_ROW(gt_data_series, stride, GT_FIELD_INT, .fallback = "1", .min = 1, .max = 1 << 20,
           .help = "rows between the beginnings of two windows"),
    GT_ROW(gt_data_series, time, GT_FIELD_STRING,
           .help = "column of a CSV with the time of each row, a date or a number; it must rise within a "
                   "group. No window crosses a gap: a step wider than 1.5 times the usual one"),
    GT_ROW(gt_data_series, group, GT_FIELD_STRING,
           .help = "column of a CSV that names the series of each row, such as a station; rows of several "
                   "series may be mixed"),
    GT_ROW(gt_data_series, season, GT_FIELD_INT, .fallback = "0", .min = 0, .max = 1 << 20,
           .help = "rows of a season, at most the window: models are compared with the value a season before "
                   "(skill); 0: only with the last value"),
    GT_ROW(gt_data_series, gaps, GT_FIELD_CHOICE, .fallback = "split", .choices = gap_choices,
           .help = "split: a gap ends a series; ignore: rows before and after a gap are neighbors, as for "
                   "trading days"),
    GT_ROW(gt_data_series, order, GT_FIELD_CHOICE, .choices = gt_date_orders,
           .help = "how the dates of `time` are written (default: found from them)"),
    {.name = NULL},
};
const gt_schema gt_data_series_schema = {
    .name = "series",
    .help = "samples are windows of consecutive rows, and the targets are the rows after them",
    .fields = fields,
    .shorthand = "window"};

/* --- options --- */

static gt_position position_of(const gt_data_reader *reader, const char *key) {
  const gt_spec *node = gt_data_node(reader, "series", key);
  return node ? node->at : gt_data_position(reader, "series");
}

/* Fails for other splits than `last` and by column: windows overlap and neighboring rows are similar, so a
 * random split would test on training data. */
static bool check_split(gt_data_reader *reader) {
  const gt_spec *split = reader->common->split;
  const bool group = reader->split.group;
  if (!group && (!reader->split.method || !strcmp(reader->split.method, "last"))) return true;
  const char *kind = group ? "by group" : reader->split.method;
  gt_error_at(
      reader->diagnostics, split->at,
      "split '%s' does not go with 'series': windows overlap, so training would see the rows that it is "
      "tested on",
      kind)
      ->expected = "split: last, which tests on the newest rows of each group, or {column: NAME}";
  return false;
}

/* Fails for keys that select or reshape single rows. */
static bool check_keys(gt_data_reader *reader) {
  static const char *const keys[][2] = {
      {"per_class", "all rows are needed, because windows hold neighbors"},
      {"shape", "a sample has the shape [window, columns]"},
      {"crop", "a sample is a window of rows"},
      {"weight", "a window has many rows"},
  };
  const char *names[GT_DATA_MAX_TARGETS];
  bool ok = gt_data_target_names(reader->spec, names) < 2;
  if (!ok)
    gt_error_at(reader->diagnostics, position_of(reader, NULL),
                "a series has a single target, with any number of columns")
        ->expected = "target: [temp_max, temp_min], without names";
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const gt_spec *node = gt_data_node(reader, keys[i][0], NULL);
    if (gt_spec_is_null(node)) continue;
    gt_error_at(reader->diagnostics, node->at, "'%s' does not go with 'series': %s", keys[i][0], keys[i][1])
        ->help = "remove the key";
    ok = false;
  }
  if (!reader->common->classes.listed) return ok;
  gt_error_at(
      reader->diagnostics, gt_data_position(reader, "classes"),
      "a list of classes does not go with 'series': all rows are needed, because windows hold neighbors")
      ->expected = "the number of classes; otherwise remove the key";
  return false;
}

static bool check_columns(gt_data_reader *reader) {
  static const char *const keys[] = {"time", "group"};
  for (int i = 0; i < 2; i++) {
    const gt_spec *node = gt_data_node(reader, "series", keys[i]);
    if (gt_spec_is_null(node) || !strcmp(reader->dataset->format, "csv")) continue;
    gt_error_at(reader->diagnostics, node->at, "'%s' names a column of a CSV, but the format is '%s'",
                keys[i], reader->dataset->format)
        ->help = "remove it: the rows are one series of equal steps";
    return false;
  }
  return true;
}

static bool check_season(gt_data_reader *reader, const gt_data_series *o) {
  if (o->season <= o->window) return true;
  gt_error_at(reader->diagnostics, position_of(reader, "season"),
              "the season has %" PRId64 " rows and the window %" PRId64
              ", so the value one season before is not in the window",
              o->season, o->window)
      ->expected = gt_arena_printf(reader->arena, "at most %" PRId64 ", or a larger window", o->window);
  return false;
}

/* Fails if a trained model has other windows. */
static bool check_model(gt_data_reader *reader, const gt_data_series *o) {
  const gt_data_signature *model = reader->wanted->signature;
  if (!model) return true;
  const gt_input *input = &model->input[0];
  if (input->window && input->dim[0] == o->window) return true;
  if (input->window)
    gt_error_at(reader->diagnostics, position_of(reader, "window"),
                "the model was trained on windows of %" PRId64 " rows", input->dim[0])
        ->expected = gt_arena_printf(reader->arena, "window: %" PRId64, input->dim[0]);
  else
    gt_error_at(reader->diagnostics, position_of(reader, NULL),
                "the model was not trained on windows of a series")
        ->help = "remove the key";
  return false;
}

static bool check_future(gt_data_reader *reader) {
  const gt_spec *future = gt_data_node(reader, "future", NULL);
  if (gt_spec_is_null(future)) return true;
  gt_error_at(reader->diagnostics, future->at,
              "'future' needs 'series': it lists the columns whose rows after a "
              "window are known")
      ->expected = "series: {window: ROWS}, or the columns in 'inputs'";
  return false;
}

bool gt_series_read(gt_data_reader *reader) {
  const gt_spec *node = reader->common->series;
  const int errors = reader->diagnostics->errors;
  if (gt_spec_is_null(node)) return check_future(reader);
  gt_series *series = gt_alloc(sizeof *series);
  reader->series = series;
  if (!gt_schema_read(&gt_data_series_schema, &series->options, NULL, NULL, node, node->at, "in 'series'",
                      reader->arena, reader->diagnostics))
    return false;
  const gt_data_series *o = &series->options;
  check_split(reader);
  check_keys(reader);
  check_columns(reader);
  check_season(reader, o);
  check_model(reader, o);
  if (reader->diagnostics->errors > errors) return false;
  for (int f = 0; f < 2; f++) series->file[f].groups = 1;
  if (reader->wanted->signature) reader->wanted = gt_series_row_wanted(reader->wanted, o, reader->arena);
  return true;
}

gt_data_series gt_data_series_options(const gt_spec *data) {
  gt_data_series o = {.horizon = 1, .stride = 1, .gaps = gap_choices[0]};
  const gt_spec *node = gt_spec_find(data, "series"), *window = node;
  int64_t value;
  if (node && node->kind == GT_SPEC_MAP) window = gt_spec_find(node, "window");
  if (window && gt_spec_int(window, &value)) o.window = value;
  if (!node || node->kind != GT_SPEC_MAP) return o;
  const gt_spec *horizon = gt_spec_find(node, "horizon"), *time = gt_spec_find(node, "time"),
                *group = gt_spec_find(node, "group"), *gaps = gt_spec_find(node, "gaps"),
                *stride = gt_spec_find(node, "stride"), *season = gt_spec_find(node, "season"),
                *order = gt_spec_find(node, "order");
  if (horizon && gt_spec_int(horizon, &value)) o.horizon = value;
  if (stride && gt_spec_int(stride, &value)) o.stride = value;
  if (season && gt_spec_int(season, &value)) o.season = value;
  if (!gt_spec_is_null(time) && time->kind == GT_SPEC_SCALAR) o.time = time->scalar;
  if (!gt_spec_is_null(group) && group->kind == GT_SPEC_SCALAR) o.group = group->scalar;
  if (gaps && gaps->kind == GT_SPEC_SCALAR && !strcmp(gaps->scalar, gap_choices[1])) o.gaps = gap_choices[1];
  for (int k = 0; order && order->kind == GT_SPEC_SCALAR && gt_date_orders[k]; k++)
    if (!strcmp(order->scalar, gt_date_orders[k])) o.order = gt_date_orders[k];
  return o;
}

const char *gt_data_series_target(const char *name, gt_arena *arena) {
  const char *plus = strrchr(name, '+');
  return plus ? gt_arena_strndup(arena, name, (size_t)(plus - name)) : name;
}

gt_input gt_series_row_input(const gt_input *input) {
  gt_input row = *input;
  if (!input->window) return row;
  row.window = false;
  row.rank--;
  memmove(row.dim, input->dim + 1, (size_t)row.rank * sizeof *row.dim);
  return row;
}

const gt_data_requirements *gt_series_row_wanted(const gt_data_requirements *wanted,
                                                 const gt_data_series *options, gt_arena *arena) {
  gt_data_requirements *row = gt_arena_copy(arena, wanted, sizeof *wanted);
  gt_data_signature *signature = gt_arena_copy(arena, wanted->signature, sizeof *wanted->signature);
  for (int k = 0; k < signature->inputs; k++) signature->input[k] = gt_series_row_input(&signature->input[k]);
  row->signature = signature;
  gt_data_target *target = &signature->target[0];
  target->column_count /= (int)options->horizon;
  const char **names = GT_NEW_N(arena, const char *, target->column_count + 1);
  for (int t = 0; t < target->column_count && target->columns; t++)
    names[t] = target->classes && options->horizon == 1 ? target->columns[t]
                                                        : gt_data_series_target(target->columns[t], arena);
  target->columns = target->columns && target->column_count ? names : NULL;
  return row;
}

/* --- the order of rows --- */

/* order[i]: the old index of the row at new index i; rows are sorted by group, with the order of the file in
 * each group. */
static int64_t *sorted_order(const gt_series_rows *rows, int64_t count) {
  int64_t *first = gt_alloc(((size_t)rows->groups + 1) * sizeof *first),
          *order = gt_alloc((size_t)count * sizeof *order + 1);
  for (int64_t i = 0; i < count; i++) first[rows->group[i] + 1]++;
  for (int g = 0; g < rows->groups; g++) first[g + 1] += first[g];
  for (int64_t i = 0; i < count; i++) order[first[rows->group[i]]++] = i;
  free(first);
  return order;
}

/* Reorders an array of `count` elements of `size` bytes. */
static void reorder(void *data, size_t size, const int64_t *order, int64_t count) {
  if (!data || !size) return;
  uint8_t *copy = gt_alloc((size_t)count * size + 1);
  for (int64_t i = 0; i < count; i++)
    memcpy(copy + (size_t)i * size, (const uint8_t *)data + (size_t)order[i] * size, size);
  memcpy(data, copy, (size_t)count * size);
  free(copy);
}

static void reorder_tensor(gt_tensor *tensor, const int64_t *order) {
  if (tensor->rank)
    reorder(tensor->data, (size_t)gt_tensor_features(tensor) * gt_element_size(tensor->element), order,
            tensor->dim[0]);
}

static void sort_by_group(gt_data_reader *reader, gt_split *split, gt_series_rows *rows, uint8_t *part) {
  const int64_t count = split->samples;
  if (!rows->group || rows->groups < 2) return;
  int64_t *order = sorted_order(rows, count);
  for (int k = 0; k < reader->dataset->inputs; k++)
    reorder_tensor(gt_split_edit(split, GT_SAMPLE_INPUT, k), order);
  reorder_tensor(gt_split_edit(split, GT_SAMPLE_TARGET, 0), order);
  reorder(part, sizeof *part, order, count);
  reorder(rows->time, sizeof *rows->time, order, count);
  reorder(rows->line, sizeof *rows->line, order, count);
  reorder(rows->number, sizeof *rows->number, order, count);
  reorder(rows->group, sizeof *rows->group, order, count);
  free(order);
}

bool gt_series_sort_by_group(gt_data_reader *reader) {
  gt_dataset *d = reader->dataset;
  gt_series *series = reader->series;
  for (int k = 0; k < d->inputs; k++)
    if (gt_train_input(d, k)->rank != 2)
      return gt_fail(
          reader->error, GT_ERR_DATA,
          "%s: a series needs rows of numbers, [rows, columns]; a row of this data has %d dimensions",
          reader->train_name ? reader->train_name : "the data", gt_train_input(d, k)->rank - 1);
  if (gt_train_target(d, 0)->rank > 2 || (gt_train_target(d, 0)->rank == 2 && d->target[0].classification))
    return gt_fail(reader->error, GT_ERR_DATA,
                   "%s: a series needs one label or one row of numbers as the target",
                   reader->train_name ? reader->train_name : "the data");
  sort_by_group(reader, &d->split[GT_PART_TRAIN], &series->file[GT_SERIES_TRAIN], reader->part);
  if (d->split[GT_PART_TEST].samples)
    sort_by_group(reader, &d->split[GT_PART_TEST], &series->file[GT_SERIES_TEST], NULL);
  return true;
}

/* --- splits --- */

/* The index after the last row of the group that begins at row `first`. */
static int64_t end_of_group(const gt_series_rows *rows, int64_t first, int64_t count) {
  int64_t end = first + 1;
  if (!rows->group) return count;
  while (end < count && rows->group[end] == rows->group[first]) end++;
  return end;
}

static int64_t rows_of_fraction(double fraction, int64_t rows) {
  return (int64_t)floor(fraction * (double)rows + 0.5);
}

void gt_series_assign(gt_data_reader *reader, uint8_t *part, int64_t count[GT_PARTS]) {
  const gt_series_rows *rows = &reader->series->file[GT_SERIES_TRAIN];
  const int64_t n = reader->dataset->split[GT_PART_TRAIN].samples;
  memset(count, 0, GT_PARTS * sizeof *count);
  for (int64_t first = 0, end; first < n; first = end) {
    end = end_of_group(rows, first, n);
    const int64_t all = end - first, test = gt_min_i64(rows_of_fraction(reader->test_fraction, all), all),
                  validation = gt_min_i64(rows_of_fraction(reader->common->validation, all), all - test);
    memset(part + first, GT_PART_TRAIN, (size_t)(all - test - validation));
    memset(part + end - test - validation, GT_PART_VALIDATION, (size_t)validation);
    memset(part + end - test, GT_PART_TEST, (size_t)test);
    count[GT_PART_TRAIN] += all - test - validation;
    count[GT_PART_VALIDATION] += validation;
    count[GT_PART_TEST] += test;
  }
}

/* The pace of the file's largest group. */
static gt_series_pace pace_of_file(const gt_series_rows *rows, int64_t count) {
  int64_t largest = 0, size = 0;
  for (int64_t first = 0, end; first < count; first = end) {
    end = end_of_group(rows, first, count);
    if (end - first > size) size = end - first, largest = first;
  }
  return gt_series_measure_pace(rows->time + largest, size, rows->dates);
}

/* The pace of a group; that of the file if the group has too few rows to measure it. */
static gt_series_pace pace_of_group(const gt_series_rows *rows, int64_t first, int64_t end,
                                    const gt_series_pace *of_file) {
  enum { FEW = 4 };
  return end - first > FEW ? gt_series_measure_pace(rows->time + first, end - first, rows->dates) : *of_file;
}

typedef struct divider {
  gt_series *series;
  const gt_series_rows *rows;
  const uint8_t *part;               /* [rows] the split; NULL: all rows are test rows */
  int64_t rows_so_far[GT_PARTS + 1]; /* of each split and of GT_PART_NONE */
  gt_series_pace pace;               /* of the current group */
} divider;

/* True if no window may contain both row i and row i - 1 of the same group; then counts the break. */
static bool is_break(divider *d, int64_t i) {
  const gt_series_rows *rows = d->rows;
  gt_series_breaks *b = &d->series->breaks;
  const uint32_t line = rows->line ? rows->line[i] : 0;
  if (rows->number && rows->number[i] != rows->number[i - 1] + 1) {
    if (!b->left_out++) b->left_line = line;
    return true;
  }
  if (!strcmp(d->series->options.gaps, "ignore") || !rows->time ||
      !gt_series_is_gap(&d->pace, rows->time[i - 1], rows->time[i]))
    return false;
  if (!b->gaps++ || (rows->path == b->gap_path && line < b->gap_line))
    b->gap_line = line, b->gap_path = rows->path;
  return true;
}

int64_t gt_series_windows_in(const gt_data_series *o, int64_t rows) {
  const int64_t last_start = rows - o->window - o->horizon; /* first row of the last window that fits */
  return last_start < 0 ? 0 : last_start / o->stride + 1;
}

/* Adds the stretches of one group. */
static void divide_group(divider *d, int64_t first, int64_t end) {
  gt_stretch *s = NULL;
  int64_t joined = 0; /* consecutive rows of one split, regardless of breaks */
  for (int64_t i = first; i < end; i++) {
    const int part = d->part ? d->part[i] : GT_PART_TEST;
    const bool is_border = i == first || (d->part && part != d->part[i - 1]);
    const bool is_broken = !is_border && is_break(d, i);
    if (is_border) d->series->joined += gt_series_windows_in(&d->series->options, joined), joined = 0;
    if (is_border || is_broken) {
      s = GT_PUSH(&d->series->stretches);
      *s = (gt_stretch){part, d->rows->group ? d->rows->group[i] : 0, d->rows_so_far[part], 0};
    }
    s->rows++;
    joined++;
    d->rows_so_far[part]++;
  }
  d->series->joined += gt_series_windows_in(&d->series->options, joined);
}

/* Adds the stretches of a file. */
static void divide_file(gt_series *series, int file, const uint8_t *part, int64_t count) {
  divider d = {.series = series, .rows = &series->file[file], .part = part};
  const gt_series_pace of_file = d.rows->time ? pace_of_file(d.rows, count) : (gt_series_pace){0};
  for (int64_t first = 0, end; first < count; first = end) {
    end = end_of_group(d.rows, first, count);
    if (d.rows->time) d.pace = pace_of_group(d.rows, first, end, &of_file);
    divide_group(&d, first, end);
  }
}

void gt_series_make_stretches(gt_data_reader *reader, const uint8_t *part) {
  divide_file(reader->series, GT_SERIES_TRAIN, part, reader->dataset->split[GT_PART_TRAIN].samples);
  if (reader->dataset->split[GT_PART_TEST].samples)
    divide_file(reader->series, GT_SERIES_TEST, NULL, reader->dataset->split[GT_PART_TEST].samples);
}

void gt_series_rows_finish(gt_series_rows *rows) {
  free(rows->time);
  free(rows->line);
  free(rows->group);
  free(rows->number);
  free(rows->lacks);
  free(rows->has_target);
}

void gt_series_close(gt_data_reader *reader) {
  gt_series *series = reader->series;
  for (int f = 0; series && f < 2; f++) gt_series_rows_finish(&series->file[f]);
  if (series) free(series->stretches.items);
  free(series);
  reader->series = NULL;
}
