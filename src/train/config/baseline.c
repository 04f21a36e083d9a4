#include "train/config/baseline.h"
#include "base/text.h"
#include "base/memory.h"
#include "data/column.h"
#include "train/config/class_table.h"
#include "train/config/sampler.h"
#include "train/config/threshold.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Inputs with larger magnitudes need scaling: networks train well on values near 1. */
static const double far = 30;

static double weight_of(const gt_split *split, int64_t sample) {
  const float *weights = gt_split_weights(split)->data;
  return weights ? (double)weights[sample] : 1;
}

static gt_result_id metric_of(int target, const char *name) {
  return (gt_result_id){.kind = gt_metric_find(name), .target = target, .column = -1};
}

static void add(gt_baseline *b, int target, const char *name, double value) {
  b->metric[b->count++] = (gt_result_item){metric_of(target, name), value};
}

/* The guess that always outputs one class. */
static const char *always_text(const gt_dataset *data, int target, int class, gt_arena *arena) {
  return gt_arena_printf(arena, "always '%s'", gt_class_name(&data->target[target], 0, class, arena));
}

static gt_baseline baseline_of_classes(const gt_dataset *data, const gt_split *split, int target,
                                       gt_arena *arena) {
  gt_baseline b = {0};
  const double *training_weight = data->target[target].training,
               *weight = gt_class_items_of(data, split, target, 0, 1, arena).weight;
  double all = 0;
  int most = 0;
  if (data->target[target].training_count != data->target[target].classes) return b;
  for (int c = 0; weight && c < data->target[target].classes; c++) {
    if (training_weight[c] > training_weight[most]) most = c;
    all += weight[c];
  }
  if (!(all > 0)) return b;
  b.guess = always_text(data, target, most, arena);
  add(&b, target, "accuracy", weight[most] / all);
  return b;
}

double gt_target_mean(const gt_split *split, int target, int64_t output) {
  const float *value = gt_split_target(split, target)->data;
  const int64_t outputs = gt_tensor_features(gt_split_target(split, target));
  double sum = 0, all = 0;
  for (int64_t i = 0; i < split->samples; i++) {
    sum += weight_of(split, i) * (double)value[i * outputs + output];
    all += weight_of(split, i);
  }
  return sum / all;
}

void gt_measure_training(gt_dataset *data, int target, gt_arena *arena) {
  gt_data_target *to = &data->target[target];
  const gt_split *train = &data->split[GT_PART_TRAIN];
  const gt_tensor *values = gt_split_target(train, target);
  if (!values->data || data->boards) return;
  if (to->classification) {
    to->training = gt_class_items_of(data, train, target, 0, 1, arena).weight;
    to->training_count = to->classes;
    return;
  }
  const int64_t outputs = gt_tensor_features(values);
  if (outputs > GT_METRIC_MAX_OUTPUTS || values->element != GT_ELEMENT_F32) return;
  double *mean = GT_NEW_N(arena, double, outputs);
  for (int64_t o = 0; o < outputs; o++)
    if (!isfinite(mean[o] = gt_target_mean(train, target, o))) return; /* all weights are 0 */
  to->training = mean;
  to->training_count = (int)outputs;
}

gt_target_errors gt_target_errors_of(const gt_split *split, int target, int64_t output, double guess) {
  const float *value = gt_split_target(split, target)->data;
  const int64_t outputs = gt_tensor_features(gt_split_target(split, target));
  gt_target_errors e = {0};
  double all = 0;
  for (int64_t i = 0; i < split->samples; i++) {
    const double t = (double)value[i * outputs + output], w = weight_of(split, i), d = t - guess;
    e.squared += w * d * d;
    e.absolute += w * fabs(d);
    e.wrong += w * ((t > 0.5) != (guess > 0.5));
    all += w;
  }
  return (gt_target_errors){e.squared / all, e.absolute / all, e.wrong / all};
}

static gt_baseline baseline_of_numbers(const gt_config *config, const gt_split *split, int target,
                                       gt_arena *arena) {
  gt_baseline b = {0};
  const gt_loss_type *loss = config->loss[target]->type;
  const int64_t outputs = gt_tensor_features(gt_split_target(split, target));
  const bool bits = gt_metric_task_of(config->loss[target]) == GT_METRIC_BITS;
  const gt_target_scaling *scaling = &config->dataset.target[target].scaling;
  gt_target_errors mean = {0}, loss_mean = {0};
  double rmse = 0;
  if (config->dataset.target[target].training_count != outputs) return b;
  for (int64_t o = 0; o < outputs; o++) {
    const double guess = config->dataset.target[target].training[o];
    const gt_target_errors e = gt_target_errors_of(split, target, o, guess);
    mean.squared += e.squared / (double)outputs;
    mean.absolute += e.absolute / (double)outputs;
    mean.wrong += e.wrong / (double)outputs;
    const double unit = scaling->count ? (double)scaling->values[scaling->count + o] : 1;
    /* The loss compares targets that are divided by `unit`. */
    loss_mean.squared += e.squared / (unit * unit) / (double)outputs;
    loss_mean.absolute += e.absolute / unit / (double)outputs;
    rmse += sqrt(e.squared) / (double)outputs;
    b.guess = outputs == 1 && bits ? always_text(&config->dataset, target, guess > 0.5, arena)
              : bits               ? "always the more frequent value"
                                   : "always the mean";
  }
  if (bits) {
    add(&b, target, "accuracy", 1 - mean.wrong);
    return b;
  }
  if (!strcmp(loss->name, "mse")) add(&b, target, "loss", loss_mean.squared);
  if (!strcmp(loss->name, "mae")) add(&b, target, "loss", loss_mean.absolute);
  add(&b, target, "rmse", rmse);
  add(&b, target, "mae", mean.absolute);
  return b;
}

/* --- time series --- */

/* The mean error over the steps of a column. error: [horizon, columns]. */
static double mean_over_steps(const double *error, int64_t horizon, int64_t columns, int64_t column) {
  double sum = 0;
  for (int64_t k = 0; k < horizon; k++) sum += error[k * columns + column];
  return sum / (double)horizon;
}

/* The naive forecast with the smaller error of a column over its steps, and that error. */
static int best_naive(const gt_split *split, int64_t steps, int64_t columns, int64_t column, double *error) {
  const double *season = split->naive[GT_NAIVE_SEASON];
  const double by_last = mean_over_steps(split->naive[GT_NAIVE_LAST], steps, columns, column),
               by_season = season ? mean_over_steps(season, steps, columns, column) : INFINITY;
  *error = by_season < by_last ? by_season : by_last;
  return by_season < by_last ? GT_NAIVE_SEASON : GT_NAIVE_LAST;
}

gt_naive_error gt_naive_error_of(const gt_split *split, int64_t horizon, int64_t output) {
  if (!split->naive[GT_NAIVE_LAST] || !horizon) return (gt_naive_error){NAN, NAN};
  const int64_t columns = gt_tensor_features(gt_split_target(split, 0)) / horizon;
  double all_steps;
  const int naive = best_naive(split, horizon, columns, output % columns, &all_steps);
  return (gt_naive_error){split->naive[naive][output], all_steps};
}

static const char *season_text(const gt_config *config, gt_arena *arena) {
  const gt_data_series options = gt_data_series_options(gt_spec_find(config->root, "data"));
  return gt_arena_printf(arena, "the value %lld rows before", (long long)options.season);
}

/* True if the target has classes or booleans, so that a forecast of it is right or wrong. */
static bool is_discrete(const gt_config *config, int target) {
  return config->dataset.target[target].classification ||
         (config->loss[target] && gt_metric_task_of(config->loss[target]) == GT_METRIC_BITS);
}

static gt_baseline baseline_of_series(const gt_config *config, const gt_split *split, gt_arena *arena) {
  gt_baseline b = {.forecast = true};
  double error; /* the mean over all outputs */
  const int naive = best_naive(split, gt_tensor_features(gt_split_target(split, 0)), 1, 0, &error);
  b.guess = naive == GT_NAIVE_SEASON ? season_text(config, arena) : "the last value";
  if (is_discrete(config, 0))
    add(&b, 0, "accuracy", 1 - error);
  else
    add(&b, 0, "mae", error);
  return b;
}

/* "3.6"; for several columns "mae.sales 3.6, mae.visits 0.2", because their units differ. */
static const char *naive_values(const gt_dataset *data, const double *error, int64_t outputs, bool discrete,
                                gt_arena *arena) {
  enum { MAX_COLUMNS = 8 }; /* more columns are summarized by their mean */
  const int64_t horizon = data->target[0].horizon, columns = outputs / horizon;
  const double mean = mean_over_steps(error, outputs, 1, 0);
  gt_list list = gt_list_open(arena, MAX_COLUMNS);
  gt_result_id id = metric_of(0, discrete ? "accuracy" : "mae");
  if (columns == 1 || columns > MAX_COLUMNS)
    return gt_arena_printf(arena, "%.4g", discrete ? 1 - mean : mean);
  for (int64_t c = 0; c < columns; c++) {
    const double value = mean_over_steps(error, horizon, columns, c);
    id.column = (int)c;
    gt_list_add(&list, "%s %.4g", gt_result_print(data, id, arena), discrete ? 1 - value : value);
  }
  return list.text;
}

const char *gt_naive_text(const gt_config *config, gt_arena *arena) {
  const gt_dataset *data = &config->dataset;
  const int part = gt_dataset_default_part(data);
  const gt_split *split = &data->split[part];
  const int64_t outputs = gt_tensor_features(gt_split_target(split, 0));
  if (!split->naive[GT_NAIVE_LAST]) return NULL;
  const bool discrete = is_discrete(config, 0);
  const char *last = naive_values(data, split->naive[GT_NAIVE_LAST], outputs, discrete, arena),
             *metric = strchr(last, ' ') ? ""
                       : discrete        ? "accuracy "
                                         : "mae ";
  const char *text = gt_arena_printf(arena, "%s%s with the last value", metric, last);
  if (split->naive[GT_NAIVE_SEASON])
    text = gt_arena_printf(arena, "%s%s %s with %s", text, *metric ? "," : ";",
                           naive_values(data, split->naive[GT_NAIVE_SEASON], outputs, discrete, arena),
                           season_text(config, arena));
  return gt_arena_printf(arena, "%s (%s)", text, gt_part_keys[part]);
}

/* --- with a threshold --- */

/* The metric of always answering `answer`, for count[2] items with label 0 and 1. */
static double metric_of_answer(const gt_metric_type *type, const double *count, int answer, int positive) {
  const double matrix[] = {answer ? 0 : count[0], answer ? count[0] : 0, /* [label][predicted] */
                           answer ? 0 : count[1], answer ? count[1] : 0};
  return type->of_counts(&(gt_metric_counts){2, matrix, positive});
}

/* Adds the best that constant answers reach by a metric: the mean over the columns. count: [columns][2]. */
static void add_at_threshold(gt_baseline *b, const gt_config *config, const gt_metric_type *type,
                             const double *count, int64_t columns, gt_arena *arena) {
  double sum = 0;
  int answer = 0;
  for (int64_t c = 0; c < columns; c++) {
    const int positive = config->dataset.target[0].positive;
    const double zero = metric_of_answer(type, count + 2 * c, 0, positive),
                 one = metric_of_answer(type, count + 2 * c, 1, positive);
    answer = one >= zero;
    sum += answer ? one : zero;
  }
  for (int i = 0; i < b->at_thresholds; i++)
    if (b->at_threshold[i].id.kind->type == type) return;
  if (!b->at_thresholds)
    b->guess_at_threshold =
        columns > 1 ? "always the same answer" : always_text(&config->dataset, 0, answer, arena);
  b->at_threshold[b->at_thresholds++] = (gt_result_item){metric_of(0, type->name), sum / (double)columns};
}

static void find_at_threshold(gt_baseline *b, const gt_config *config, const gt_split *split,
                              gt_arena *arena) {
  const gt_data_target *target = &config->dataset.target[0];
  const int64_t outputs = gt_tensor_features(gt_split_target(split, 0)),
                values = target->horizon ? outputs / target->horizon : outputs,
                columns = target->classification ? 1 : values;
  double *count = GT_NEW_N(arena, double, 2 * columns);
  for (int64_t c = 0; c < columns; c++)
    memcpy(count + 2 * c, gt_class_items_of(&config->dataset, split, 0, c, columns, arena).weight,
           2 * sizeof *count);
  add_at_threshold(b, config, config->threshold.metric, count, columns, arena);
  for (int i = 0; gt_threshold_metrics[i]; i++)
    add_at_threshold(b, config, gt_metric_find(gt_threshold_metrics[i])->type, count, columns, arena);
}

/* The settings of a target's loss; NULL: it has none. */
static const gt_spec *loss_node(const gt_config *config, int target) {
  const gt_spec *node = gt_spec_find(config->root, "loss");
  const char *name = config->dataset.target[target].name;
  return name ? gt_spec_find(node, name) : node;
}

gt_baseline gt_baseline_of(const gt_config *config, const gt_split *split, int target, gt_arena *arena) {
  const gt_dataset *data = &config->dataset;
  const bool discrete = is_discrete(config, target);
  const double *training = data->target[target].training;
  if (!split || !gt_split_target(split, target)->data || data->boards) return (gt_baseline){0};
  gt_baseline b = {0};
  if (data->target[target].classification && training)
    b = baseline_of_classes(data, split, target, arena);
  else if (split->naive[GT_NAIVE_LAST] && !discrete)
    b = baseline_of_series(config, split, arena);
  else if (training && (discrete || gt_loss_regresses_targets(config->loss[target])))
    b = baseline_of_numbers(config, split, target, arena);
  if (split->naive[GT_NAIVE_LAST] && discrete) {
    const gt_baseline naive = baseline_of_series(config, split, arena);
    if (!b.count || naive.metric[0].value > b.metric[0].value) b = naive;
  }
  b.balances = gt_spec_find(loss_node(config, target), "class_weights") || gt_sampler_balances(config);
  if (b.count && config->threshold.count) find_at_threshold(&b, config, split, arena);
  return b;
}

gt_baselines gt_baselines_of(const gt_config *config, const gt_split *split, gt_arena *arena) {
  gt_baselines all = {.count = config->dataset.targets};
  for (int k = 0; k < all.count; k++) all.item[k] = gt_baseline_of(config, split, k, arena);
  return all;
}

static const gt_result_item *first_in(const gt_results *results, const gt_result_item *item, int count) {
  for (int i = 0; i < count; i++)
    if (gt_result_find(results, item[i].id)) return &item[i];
  return NULL;
}

const gt_result_item *gt_baseline_main(const gt_baseline *baseline, const gt_results *results) {
  return first_in(results, baseline->metric, baseline->count);
}

const gt_result_item *gt_baseline_at_threshold(const gt_baseline *baseline, const gt_results *results) {
  return first_in(results, baseline->at_threshold, baseline->at_thresholds);
}

/* True if the baseline makes no error, because all samples have the same target: no model can be better. */
static bool is_perfect(const gt_result_item *m) {
  return gt_metric_is_larger_better(m->id.kind) ? m->value >= 1 : m->value <= 0;
}

bool gt_baseline_is_aim(const gt_baseline *baseline, const gt_results *results) {
  return !baseline->balances || gt_baseline_at_threshold(baseline, results);
}

bool gt_is_guessing(const gt_baseline *baseline, const gt_results *results) {
  const gt_result_item *m = gt_baseline_main(baseline, results);
  if (!m || !gt_baseline_is_aim(baseline, results) || is_perfect(m)) return false;
  for (int i = 0; i < baseline->at_thresholds; i++) {
    const gt_result_item *other = &baseline->at_threshold[i];
    if (gt_result_value(results, other->id) > other->value) return false;
  }
  const double value = gt_result_value(results, m->id);
  return gt_metric_is_larger_better(m->id.kind) ? !(value > m->value) : !(value < m->value);
}

/* Finds the largest magnitude of each column. most: [columns], zeroed by the caller. */
static void find_magnitudes(const gt_tensor *tensor, float *most) {
  const int64_t columns = tensor->dim[1];
  const float *value = tensor->data;
  for (int64_t row = 0; row < tensor->dim[0]; row++, value += columns)
    for (int64_t c = 0; c < columns; c++) {
      const float magnitude = fabsf(value[c]);
      most[c] = magnitude > most[c] ? magnitude : most[c];
    }
}

gt_unscaled_column gt_largest_unscaled_column(const gt_dataset *data) {
  gt_unscaled_column most = {0};
  for (int k = 0; k < data->inputs; k++) {
    const gt_tensor rows = gt_tensor_as_rows(gt_train_input(data, k)), *t = &rows;
    if (t->element != GT_ELEMENT_F32 || !t->data || t->rank != 2) continue;
    float *magnitude = gt_alloc((size_t)t->dim[1] * sizeof *magnitude + 1);
    find_magnitudes(t, magnitude);
    for (int64_t c = 0; c < t->dim[1]; c++)
      if ((double)magnitude[c] > most.magnitude && !gt_input_is_scaled(&data->input[k], c) &&
          !gt_table_is_one_hot(data->input[k].table, c))
        most = (gt_unscaled_column){&data->input[k], c, (double)magnitude[c]};
    free(magnitude);
  }
  return most;
}

const char *gt_unscaled_column_text(const gt_unscaled_column *column, gt_arena *arena) {
  const char *const *names = column->input->columns;
  const char *name = names ? gt_arena_printf(arena, "'%s'", gt_escape_name(arena, names[column->column]))
                           : gt_arena_printf(arena, "%lld", (long long)column->column + 1);
  return gt_arena_printf(arena, "input column %s reaches %.6g and is not scaled", name, column->magnitude);
}

const char *gt_guessing_reason(const gt_config *config, gt_arena *arena) {
  const gt_diagnostics *found = &config->diagnostics;
  for (int i = 0; i < found->count; i++)
    if (found->items[i].reason) return found->items[i].reason;
  const gt_unscaled_column column = gt_largest_unscaled_column(&config->dataset);
  if (!(column.magnitude > far)) return NULL;
  return gt_arena_printf(arena, "%s; set data: {normalize: standard}",
                         gt_unscaled_column_text(&column, arena));
}
