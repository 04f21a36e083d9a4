/* Computes the normalization of inputs and targets from measured or given means and deviations. */
#include "base/log.h"
#include "base/memory.h"
#include "base/order.h"
#include "data/table/column_rule.h"
#include "data/format.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds up x of each of `period` columns over the rows, or if center is not NULL, (x - center)^2. A row is a
 * sample or, for channels, a position in a sample. x is the value times `unit`. */
static void accumulate(const gt_tensor *inputs, int64_t rows, int64_t period, double unit,
                       const double *center, double *sum) {
  const uint8_t *bytes = inputs->data;
  const float *floats = inputs->data;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t f = 0; f < period; f++) {
      const int64_t at = i * period + f;
      const double x = unit * (inputs->element == GT_ELEMENT_U8 ? bytes[at] : (double)floats[at]);
      sum[f] += center ? (x - center[f]) * (x - center[f]) : x;
    }
}

/* Mean and standard deviation of each of `period` features or channels over the training split, in two passes
 * to avoid cancellation. */
static void measure(const gt_tensor *inputs, double unit, double *mean, double *std, int64_t period) {
  const int64_t rows = inputs->dim[0] * (gt_tensor_features(inputs) / period);
  accumulate(inputs, rows, period, unit, NULL, mean);
  for (int64_t f = 0; f < period; f++) mean[f] /= (double)rows;
  accumulate(inputs, rows, period, unit, mean, std);
  for (int64_t f = 0; f < period; f++) {
    std[f] = sqrt(std[f] / (double)rows);
    /* The deviation of a constant feature is 0 except for rounding of the mean. */
    if (!(std[f] > 1e-7 * fabs(mean[f])) || std[f] < 1e-30) std[f] = 1;
  }
}

/* True if `count` values of mean or std fit the inputs; else reports that they do not. */
static bool check_length(gt_data_reader *reader, const char *key, int count, int64_t channels,
                         int64_t features) {
  if (count <= 1 || count == channels || count == features) return true;
  const gt_spec *node = gt_data_node(reader, "normalize", key);
  return gt_refuse(reader->diagnostics, node ? node->at : reader->spec->at,
                   gt_arena_printf(reader->arena,
                                   "1, %" PRId64 " (channels) or %" PRId64 " (features) values", channels,
                                   features),
                   "%d values of '%s' do not fit the inputs", count, key);
}

/* The number of values of the given mean and std: 1, channels or features; 0 after reporting that they do not
 * fit. */
static int64_t given_period(gt_data_reader *reader, const gt_data_normalize *normalize, int64_t channels,
                            int64_t features) {
  const int a = normalize->mean.count, b = normalize->std.count;
  if (!check_length(reader, "mean", a, channels, features) ||
      !check_length(reader, "std", b, channels, features))
    return 0;
  if (a > 1 && b > 1 && a != b) {
    gt_data_refuse(reader, "normalize", "mean and std have different lengths",
                   "the same length for both, or one value");
    return 0;
  }
  return a > b ? a : b > 1 ? b : 1;
}

/* Converts (value*unit - mean)/std to (value - center)*scale + shift: for values that are far from 0 and
 * close together, value - center is exact in float. */
static bool fill_scale(gt_data_reader *reader, int64_t period, double unit, const double *mean,
                       const double *std, gt_scaling *out) {
  float *center = GT_NEW_N(reader->arena, float, 3 * period), *scale = center + period,
        *shift = scale + period;
  for (int64_t f = 0; f < period; f++) {
    center[f] = (float)(mean[f] / unit);
    scale[f] = (float)(unit / std[f]);
    shift[f] = (float)(-(mean[f] - (double)center[f] * unit) / std[f]);
    if (isfinite(center[f]) && isfinite(scale[f]) && isfinite(shift[f])) continue;
    return gt_data_refuse(reader, "normalize", "the scaling of the inputs overflows 32-bit floats", NULL);
  }
  *out = (gt_scaling){period, center};
  return true;
}

static bool use_model_scale(gt_data_reader *reader, int index) {
  const gt_scaling *scaling = &reader->wanted->signature->input[index].scaling;
  if (scaling->count && gt_tensor_features(gt_train_input(reader->dataset, index)) % scaling->count)
    return gt_fail(reader->error, GT_ERR_DATA, "the model's normalization does not match its inputs");
  reader->dataset->input[index].scaling = *scaling;
  return true;
}

/* Checks that every key of `normalize: {inputs: …}` is the name of an input. */
static bool check_names(gt_data_reader *reader, const gt_spec *inputs) {
  if (gt_spec_is_null(inputs)) return true;
  for (int i = 0; inputs->kind == GT_SPEC_MAP && i < inputs->count; i++)
    if (gt_data_find_input(reader, inputs->child[i]->key, inputs->child[i]->key_at) < 0) return false;
  if (inputs->kind == GT_SPEC_MAP) return true;
  return gt_refuse(reader->diagnostics, inputs->at, "inputs: {NAME: standard}",
                   "'inputs' in 'normalize': expected a map");
}

/* The normalization of an input: that of its name in `normalize.inputs`, else the common one. NULL after
 * reporting. */
static const gt_data_normalize *normalize_of(gt_data_reader *reader, int index) {
  const gt_data_normalize *common = &reader->common->normalize;
  if (!check_names(reader, common->inputs)) return NULL;
  const gt_spec *entry = gt_spec_find(common->inputs, reader->dataset->input[index].name);
  if (!entry) return common;
  gt_data_normalize *normalize = GT_NEW(reader->arena, gt_data_normalize);
  const char *where = gt_arena_printf(reader->arena, "in 'normalize' of '%s'", entry->key);
  const bool ok = gt_schema_read(&gt_data_normalize_schema, normalize, NULL, NULL, entry, entry->at, where,
                                 reader->arena, reader->diagnostics);
  if (!ok || !normalize->inputs) return ok ? normalize : NULL;
  gt_error_at(reader->diagnostics, gt_spec_find(entry, "inputs")->key_at, "unknown key 'inputs' %s", where)
      ->expected = "the names of inputs directly in 'normalize'";
  return NULL;
}

/* --- per column --- */

/* The quantile `fraction` (0 to 1) with linear interpolation, as numpy.quantile. */
static double quantile(const float *sorted, int64_t count, double fraction) {
  const double at = fraction * (double)(count - 1);
  const int64_t below = (int64_t)at, above = below + 1 < count ? below + 1 : below;
  return (double)sorted[below] + (at - (double)below) * ((double)sorted[above] - (double)sorted[below]);
}

/* Center and width of a column: the minimum and the range or, robust, the median and the interquartile
 * range. */
static void measure_range(const gt_tensor *inputs, int64_t column, bool robust, double *center,
                          double *width) {
  const int64_t rows = inputs->dim[0], columns = gt_tensor_features(inputs);
  const float *from = inputs->data;
  float *value = gt_alloc((size_t)rows * sizeof *value + 1);
  for (int64_t i = 0; i < rows; i++) value[i] = from[i * columns + column];
  qsort(value, (size_t)rows, sizeof *value, gt_order_floats);
  *center = robust ? quantile(value, rows, 0.5) : (double)value[0];
  *width =
      robust ? quantile(value, rows, 0.75) - quantile(value, rows, 0.25) : (double)value[rows - 1] - *center;
  free(value);
  if (!(*width > 1e-7 * fabs(*center)) || *width < 1e-30) *width = 1;
}

static bool is_bits(const gt_tensor *inputs, int64_t column) {
  const int64_t rows = inputs->dim[0], columns = gt_tensor_features(inputs);
  const float *value = (const float *)inputs->data + column;
  int64_t i = 0;
  while (i < rows && (value[i * columns] == 0 || value[i * columns] == 1)) i++;
  return i == rows;
}

/* Replaces mean and deviation of columns with a scaling method of their own, and of columns that are not
 * scaled. automatic: `normalize: auto`, which does not scale columns of 0 and 1. */
static void scale_columns(const gt_data_reader *reader, int index, bool automatic, double *mean,
                          double *std) {
  const gt_tensor *inputs = gt_train_input(reader->dataset, index);
  const uint8_t *scale = reader->scale[index];
  for (int64_t f = 0; f < gt_tensor_features(inputs); f++) {
    const bool robust = scale[f] == GT_SCALE_ROBUST;
    if (scale[f] == GT_SCALE_MINMAX || robust)
      measure_range(inputs, f, robust, &mean[f], &std[f]);
    else if (scale[f] == GT_SCALE_NONE || (scale[f] == GT_SCALE_AUTO && automatic && is_bits(inputs, f)))
      mean[f] = 0, std[f] = 1;
  }
}

/* True if the columns of a table need different scaling. scales: `normalize` scales the input, so columns
 * that must not be scaled, such as codes, are different. */
static bool has_column_scaling(const gt_data_reader *reader, int index, bool scales) {
  const uint8_t *scale = reader->scale[index];
  if (!scale || gt_train_input(reader->dataset, index)->rank != 2) return false;
  for (int64_t f = 0; f < gt_tensor_features(gt_train_input(reader->dataset, index)); f++)
    if (scale[f] != GT_SCALE_AUTO && (scale[f] != GT_SCALE_NONE || scales)) return true;
  return false;
}

/* True if `normalize: auto` scales the input: a table that is not reshaped, if the config sets nothing
 * else. */
static bool is_automatic(const gt_data_reader *reader, int index, const gt_data_normalize *normalize) {
  const gt_tensor *inputs = gt_train_input(reader->dataset, index);
  return reader->scale[index] && inputs->data && inputs->rank == 2 && !reader->wanted->unscaled &&
         !gt_data_node(reader, "shape", NULL) && !reader->common->normalize.inputs &&
         !strcmp(normalize->method, "auto") && !normalize->mean.count && !normalize->std.count &&
         normalize->scale <= 0 && !inputs->bits;
}

/* False if `normalize: auto` would scale no column: all are numbers of 0 and 1, or codes. */
static bool has_something_to_scale(const gt_data_reader *reader, int index) {
  const gt_tensor *inputs = gt_train_input(reader->dataset, index);
  for (int64_t f = 0; f < gt_tensor_features(inputs); f++) {
    const uint8_t scale = reader->scale[index][f];
    if (scale != GT_SCALE_NONE && !(scale == GT_SCALE_AUTO && is_bits(inputs, f))) return true;
  }
  return false;
}

/* Logs automatic scaling. */
static void log_scaling(const gt_data_reader *reader, int index) {
  const char *name = reader->dataset->input[index].name;
  const bool one = reader->dataset->inputs == 1;
  if (!reader->trust.untrusted)
    gt_info("%s: input%s%s%s standardized (turn off with data: {normalize: none})", reader->train_name,
            one ? "s" : " '", one ? "" : name, one ? "" : "'");
}

typedef struct scale_plan {
  bool measured;  /* means and deviations are measured */
  bool automatic; /* by `normalize: auto` */
  bool by_column; /* columns have different methods */
  double unit;    /* factor on the raw values */
  int64_t period; /* number of means and deviations */
} scale_plan;

static bool fill_scales(gt_data_reader *reader, int index, const gt_data_normalize *normalize,
                        const scale_plan *plan) {
  const gt_tensor *inputs = gt_train_input(reader->dataset, index);
  const gt_floats m = normalize->mean, s = normalize->std;
  void *memory;
  if (!gt_try_alloc(&memory, (uint64_t)plan->period, 2 * sizeof(double), "means", reader->error))
    return false;
  double *mean = memory, *std = mean + plan->period;
  if (plan->measured || plan->by_column) measure(inputs, plan->unit, mean, std, plan->period);
  for (int64_t f = 0; !plan->measured && f < plan->period; f++) {
    if (plan->by_column && reader->scale[index][f] == GT_SCALE_STANDARD) continue;
    mean[f] = m.count ? m.items[m.count > 1 ? f : 0] : 0;
    std[f] = s.count ? s.items[s.count > 1 ? f : 0] : 1;
  }
  if (plan->by_column) scale_columns(reader, index, plan->automatic, mean, std);
  const bool ok =
      fill_scale(reader, plan->period, plan->unit, mean, std, &reader->dataset->input[index].scaling);
  free(memory);
  return ok;
}

bool gt_data_scale(gt_data_reader *reader, int index) {
  if (reader->wanted->signature) return use_model_scale(reader, index);
  const gt_data_normalize *normalize = normalize_of(reader, index);
  if (!normalize) return false;
  const gt_tensor *inputs = gt_train_input(reader->dataset, index);
  const int64_t features = gt_tensor_features(inputs), channels = inputs->dim[inputs->rank - 1];
  const bool bytes = inputs->element == GT_ELEMENT_U8, by_channel = !strcmp(normalize->method, "channel");
  const bool given = normalize->mean.count || normalize->std.count;
  scale_plan plan = {.automatic = is_automatic(reader, index, normalize),
                     .unit = normalize->scale > 0 ? normalize->scale
                             : bytes              ? 1.0 / 255
                                                  : 1.0};
  plan.measured = by_channel || plan.automatic || !strcmp(normalize->method, "standard");
  if (plan.automatic && !has_something_to_scale(reader, index)) return true;
  plan.by_column =
      plan.automatic || has_column_scaling(reader, index, plan.measured || given || normalize->scale > 0);
  if (plan.automatic) log_scaling(reader, index);
  reader->dataset->input[index].white = 1 / plan.unit;
  if (plan.measured && given)
    return gt_data_refuse(reader, "normalize", "mean and std are given, but the method measures them",
                          "either method: standard or channel, or mean and std");
  if (!plan.measured && !plan.by_column && !given && !bytes && normalize->scale <= 0) return true;
  if (given && !given_period(reader, normalize, channels, features)) return false;
  plan.period = plan.by_column  ? features
                : by_channel    ? channels
                : plan.measured ? features
                                : given_period(reader, normalize, channels, features);
  if (plan.measured && !inputs->data) {
    reader->dataset->input[index].scaling = (gt_scaling){.count = plan.period};
    return true;
  }
  return plan.period >= 1 && fill_scales(reader, index, normalize, &plan);
}

bool gt_input_is_scaled(const gt_input *input, int64_t value) {
  const int64_t n = input->scaling.count;
  const float *of_value = n ? input->scaling.values + value % n : NULL;
  return n && (of_value[0] != 0 || of_value[n] != 1);
}

gt_target_scaling gt_data_measure_target(const gt_tensor *target, int64_t horizon, gt_arena *arena) {
  const int64_t count = gt_tensor_features(target), period = horizon ? count / horizon : count;
  double *mean = GT_NEW_N(arena, double, 2 * count);
  float *values = GT_NEW_N(arena, float, 2 * count);
  measure(target, 1, mean, mean + count, period);
  /* All steps of a series share the mean and deviation of their column. */
  for (int64_t i = 0; i < 2 * count; i++) values[i] = (float)mean[i / count * count + i % count % period];
  return (gt_target_scaling){count, values};
}
