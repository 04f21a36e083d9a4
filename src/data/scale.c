/* Normalization of the inputs with measured or given means and deviations. */
#include "base/memory.h"
#include "data/format.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static gt_diagnostic *problem(gt_data_reader *reader, const char *text) {
  return gt_error_at(reader->diagnostics, gt_data_position(reader, "normalize"), "%s", text);
}

/* Sums each of `period` columns over the rows; a row is a sample or, for channels, a position in a sample:
 * sums x, or with a center (x - center)^2. */
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

/* Mean and standard deviation of each feature or channel over the training split, in two passes to avoid
 * cancellation. */
static void measure(const gt_tensor *inputs, double unit, double *mean, double *std, int64_t period) {
  const int64_t rows = inputs->dim[0] * (gt_tensor_features(inputs) / period);
  accumulate(inputs, rows, period, unit, NULL, mean);
  for (int64_t f = 0; f < period; f++) mean[f] /= (double)rows;
  accumulate(inputs, rows, period, unit, mean, std);
  for (int64_t f = 0; f < period; f++) {
    std[f] = sqrt(std[f] / (double)rows);
    /* A constant feature must not get a tiny deviation from rounding of the mean. */
    if (!(std[f] > 1e-7 * fabs(mean[f])) || std[f] < 1e-30) std[f] = 1;
  }
}

static bool fits(gt_data_reader *reader, const char *key, int count, int64_t channels, int64_t features) {
  if (count <= 1 || count == channels || count == features) return true;
  const gt_spec *node = gt_data_node(reader, "normalize", key);
  gt_diagnostic *d = gt_error_at(reader->diagnostics, node ? node->at : reader->spec->at,
                                 "%d values of '%s' do not fit the inputs", count, key);
  d->expected = gt_arena_printf(reader->arena, "1, %" PRId64 " (channels) or %" PRId64 " (features) values",
                                channels, features);
  return false;
}

/* The number of scales that the given mean and std describe; 0 after reporting that they do not fit. */
static int64_t given_period(gt_data_reader *reader, const gt_data_normalize *normalize, int64_t channels,
                            int64_t features) {
  const int a = normalize->mean.count, b = normalize->std.count;
  if (!fits(reader, "mean", a, channels, features) || !fits(reader, "std", b, channels, features)) return 0;
  if (a > 1 && b > 1 && a != b) {
    problem(reader, "mean and std have different lengths")->expected = "the same length for both, or one "
                                                                       "value";
    return 0;
  }
  return a > b ? a : b > 1 ? b : 1;
}

/* (value*unit - mean)/std as (value - center)*scale + shift: if values are far from 0 and close together,
 * their difference from a center among them is exact. */
static bool fill_scale(gt_data_reader *reader, int64_t period, double unit, const double *mean,
                       const double *std, gt_scaling *out) {
  float *center = GT_NEW_N(reader->arena, float, 3 * period), *scale = center + period,
        *shift = scale + period;
  for (int64_t f = 0; f < period; f++) {
    center[f] = (float)(mean[f] / unit);
    scale[f] = (float)(unit / std[f]);
    shift[f] = (float)(-(mean[f] - (double)center[f] * unit) / std[f]);
    if (isfinite(center[f]) && isfinite(scale[f]) && isfinite(shift[f])) continue;
    problem(reader, "the scaling of the inputs overflows 32-bit floats");
    return false;
  }
  *out = (gt_scaling){period, center};
  return true;
}

static bool taught_scale(gt_data_reader *reader, int index) {
  const gt_scaling *taught = &reader->wanted->signature->input[index].scaling;
  if (taught->count && gt_tensor_features(&reader->dataset->train.input[index]) % taught->count)
    return gt_fail(reader->error, GT_ERR_DATA, "the model's normalization does not match its inputs");
  reader->dataset->input[index].scaling = *taught;
  return true;
}

/* Checks that every key of `normalize: {inputs: …}` is the name of an input. */
static bool check_names(gt_data_reader *reader, const gt_spec *inputs) {
  if (gt_spec_is_null(inputs)) return true;
  for (int i = 0; inputs->kind == GT_SPEC_MAP && i < inputs->count; i++)
    if (gt_data_find_input(reader, inputs->child[i]->key, inputs->child[i]->key_at) < 0) return false;
  if (inputs->kind == GT_SPEC_MAP) return true;
  gt_error_at(reader->diagnostics, inputs->at, "'inputs' in 'normalize': expected a map")->expected =
      "inputs: {NAME: standard}";
  return false;
}

/* The normalization of an input: its own entry, else the common one. NULL after reporting. */
static const gt_data_normalize *normalize_of(gt_data_reader *reader, int index) {
  const gt_data_normalize *common = &reader->common->normalize;
  if (!check_names(reader, common->inputs)) return NULL;
  const gt_spec *own = gt_spec_find(common->inputs, reader->dataset->input[index].name);
  if (!own) return common;
  gt_data_normalize *normalize = GT_NEW(reader->arena, gt_data_normalize);
  const char *where = gt_arena_printf(reader->arena, "in 'normalize' of '%s'", own->key);
  const bool ok = gt_schema_read(&gt_data_normalize_schema, normalize, NULL, NULL, own, own->at, where,
                                 reader->arena, reader->diagnostics);
  if (!ok || !normalize->inputs) return ok ? normalize : NULL;
  gt_error_at(reader->diagnostics, gt_spec_find(own, "inputs")->key_at, "unknown key 'inputs' %s", where)
      ->expected = "the names of inputs directly in 'normalize'";
  return NULL;
}

bool gt_data_scale(gt_data_reader *reader, int index) {
  if (reader->wanted->signature) return taught_scale(reader, index);
  const gt_data_normalize *normalize = normalize_of(reader, index);
  if (!normalize) return false;
  const gt_tensor *inputs = &reader->dataset->train.input[index];
  const int64_t features = gt_tensor_features(inputs), channels = inputs->dim[inputs->rank - 1];
  const bool bytes = inputs->element == GT_ELEMENT_U8, by_channel = !strcmp(normalize->method, "channel"),
             measured = by_channel || !strcmp(normalize->method, "standard");
  const bool given = normalize->mean.count || normalize->std.count;
  const double unit = normalize->scale > 0 ? normalize->scale : bytes ? 1.0 / 255 : 1.0;
  reader->dataset->input[index].white = 1 / unit;
  if (measured && given) {
    problem(reader, "mean and std are given, but the method measures them")->expected =
        "either method: standard or channel, or mean and std";
    return false;
  }
  if (!measured && !given && !bytes && normalize->scale <= 0) return true;
  const int64_t period = by_channel ? channels
                         : measured ? features
                                    : given_period(reader, normalize, channels, features);
  if (measured && !inputs->data) {
    reader->dataset->input[index].scaling = (gt_scaling){.count = period};
    return true;
  }
  void *memory;
  if (period < 1 || !gt_try_alloc(&memory, (uint64_t)period, 2 * sizeof(double), "means", reader->error))
    return false;
  double *mean = memory, *std = mean + period;
  if (measured) measure(inputs, unit, mean, std, period);
  for (int64_t f = 0; !measured && f < period; f++) {
    const gt_floats m = normalize->mean, s = normalize->std;
    mean[f] = m.count ? m.items[m.count > 1 ? f : 0] : 0;
    std[f] = s.count ? s.items[s.count > 1 ? f : 0] : 1;
  }
  const bool ok = fill_scale(reader, period, unit, mean, std, &reader->dataset->input[index].scaling);
  free(memory);
  return ok;
}
