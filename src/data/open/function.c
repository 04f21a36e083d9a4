/* Format `function`: regression data without a file: one or more formulas, evaluated at random or evenly
 * spaced points. With `field` the inputs are not the points but a signal, image or volume that depends on
 * them: x0, x1, … are drawn for each sample, `field` is the value at a grid position, and `formula` gives the
 * targets. */
#include "base/formula.h"
#include "base/memory.h"
#include "base/philox.h"
#include "base/text.h"
#include "data/format.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MAX_INPUTS = 64, MAX_OUTPUTS = 256, MAX_AXES = 3, MAX_LENGTH = 4096 };
enum { OUTLINE_BYTES = 1 << 20 }; /* of an outline's samples that are computed anyway, to find bad values */
/* The `step` of the random numbers: a stream of its own for each use. */
enum { TRAIN_POINTS, TEST_POINTS, TRAIN_NOISE, TRAIN_FIELD_NOISE, TEST_FIELD_NOISE };
static const char *const coordinate[MAX_AXES] = {"u", "v", "w"};

typedef struct options {
  gt_strings formula, field;
  gt_ints grid;
  int64_t inputs, samples, test_samples;
  const gt_spec *range;
  const char *points;
  double noise, field_noise;
} options;

static const gt_field fields[] = {
    GT_ROW(options, formula, GT_FIELD_STRINGS, .flags = GT_FIELD_REQUIRED,
           .help = "formula of x0, x1, … (x for a single input), or a list with one formula per target"),
    GT_ROW(options, inputs, GT_FIELD_INT, .min = 1, .max = MAX_INPUTS,
           .help = "number of inputs (default: the number that the formulas use)"),
    GT_ROW(options, range, GT_FIELD_NODE, .definition = "plain",
           .help = "[min, max] of all inputs, or a list with one pair per input (default: [-1, 1])"),
    GT_ROW(options, points, GT_FIELD_CHOICE, .choices = (const char *const[]){"random", "even", NULL},
           .help = "how to place the samples: at random, or spread evenly"),
    GT_ROW(options, samples, GT_FIELD_INT, .fallback = "1000", .min = 1, .max = INT32_MAX,
           .help = "number of training samples"),
    GT_ROW(options, test_samples, GT_FIELD_INT, .fallback = "1000", .min = 0, .max = INT32_MAX,
           .help = "number of test samples"),
    GT_ROW(options, noise, GT_FIELD_FLOAT, .fallback = "0", .min = 0, .max = 1e30,
           .help = "standard deviation of Gaussian noise on the training targets"),
    GT_ROW(options, field, GT_FIELD_STRINGS,
           .help = "formula of x0, x1, … and the position u, v, w (each in [0, 1]), or one per "
                   "channel: its values on `grid` are the model's inputs instead of x0, x1, …"),
    GT_ROW(options, grid, GT_FIELD_INTS, .min = 1, .max = MAX_LENGTH,
           .help = "grid points of the field along each of its one to three axes"),
    GT_ROW(options, field_noise, GT_FIELD_FLOAT, .min = 0, .max = 1e30,
           .help = "standard deviation of Gaussian noise on the field, in both splits (default: no noise)"),
    {.name = NULL},
};

typedef struct sampler {
  gt_data_reader *reader;
  const options *options;
  const gt_formula *formula[MAX_OUTPUTS], *field[MAX_OUTPUTS];
  double low[MAX_INPUTS], high[MAX_INPUTS];
  /* Even points: the step from one point to the next as a fraction of the range, modulo 1. 0: random
   * points. */
  double stride[MAX_INPUTS];
  int inputs, outputs;
  /* Formulas may use x0 … x(known - 1). In the array of variables, x (a short name of x0) and the grid
   * position u, v, w follow them. */
  int known;
  int64_t places; /* number of grid points; 0: without `field` */
} sampler;

/* The highest index of a variable below `known` that the formula uses; -1: none. */
static int max_variable(const gt_formula *f, int known) {
  int max = f->kind == GT_FORMULA_VARIABLE && f->variable < known ? f->variable : -1;
  for (int i = 0; i < f->arguments; i++) {
    const int m = max_variable(f->argument[i], known);
    if (m > max) max = m;
  }
  return max;
}

/* The config's node of a formula, for messages. */
static const gt_spec *formula_node(const gt_data_reader *reader, const char *key, int index) {
  const gt_spec *node = gt_data_node(reader, key, NULL);
  return node && node->kind == GT_SPEC_SEQUENCE && index < node->count ? node->child[index] : node;
}

/* Parses the formulas at `key`. *used becomes at least the number of inputs x0, x1, … that they use. */
static bool parse(const sampler *s, const char *key, gt_strings texts, const char *const *names, int count,
                  const gt_formula **out, int *used) {
  gt_data_reader *reader = s->reader;
  bool ok = true;
  for (int i = 0; i < texts.count; i++) {
    gt_formula_error problem = {0};
    out[i] = gt_formula_parse(reader->arena, texts.items[i], names, count, &problem);
    if (out[i]) {
      const int max = max_variable(out[i], s->known);
      if (max >= *used) *used = max + 1;
      continue;
    }
    ok = false;
    const gt_spec *node = formula_node(reader, key, i);
    const gt_position at = node ? gt_position_within(node, problem.column, 1) : reader->spec->at;
    gt_diagnostic *d = gt_error_at(reader->diagnostics, at, "%s", problem.message);
    d->suggestion = problem.suggestion;
  }
  return ok;
}

static bool parse_formulas(sampler *s) {
  const options *o = s->options;
  const char *names[MAX_INPUTS + 1 + MAX_AXES];
  s->known = o->inputs ? (int)o->inputs : MAX_INPUTS;
  for (int i = 0; i < s->known; i++) names[i] = gt_arena_printf(s->reader->arena, "x%d", i);
  names[s->known] = "x"; /* a short name of x0 */
  for (int i = 0; i < o->grid.count; i++) names[s->known + 1 + i] = coordinate[i];
  int used = 1;
  bool ok = parse(s, "formula", o->formula, names, s->known + 1, s->formula, &used);
  ok &= parse(s, "field", o->field, names, s->known + 1 + o->grid.count, s->field, &used);
  s->inputs = o->inputs ? s->known : used;
  return ok;
}

/* Fails if only one of `field` and `grid` is given, or if the field of a sample is too large for a tensor. */
static bool read_grid(sampler *s) {
  const options *o = s->options;
  gt_diagnostics *diagnostics = s->reader->diagnostics;
  if (!o->field.count != !o->grid.count) {
    const char *there = o->grid.count ? "grid" : "field", *missing = o->grid.count ? "field" : "grid";
    return gt_refuse(diagnostics, gt_data_position(s->reader, there),
                     "field: \"sin(2*pi*x0*u)\" with grid: [100]", "'%s' without '%s'", there, missing);
  }
  if (!o->grid.count) return true;
  s->places = 1;
  for (int i = 0; i < o->grid.count && i < MAX_AXES; i++) s->places *= o->grid.items[i];
  if (o->grid.count <= MAX_AXES && o->field.count <= MAX_OUTPUTS && s->places * o->field.count <= INT32_MAX)
    return true;
  return gt_refuse(diagnostics, gt_data_position(s->reader, o->grid.count > MAX_AXES ? "grid" : "field"),
                   "one to three axes, at most 256 formulas and 2^31 values", "this field is too large");
}

static bool read_pair(const gt_spec *node, double *low, double *high) {
  return node->kind == GT_SPEC_SEQUENCE && node->count == 2 && gt_spec_float(node->child[0], low) &&
         gt_spec_float(node->child[1], high) && isfinite((float)*low) && isfinite((float)*high) &&
         *low <= *high;
}

static bool read_range(sampler *s) {
  const gt_spec *range = s->options->range;
  double low = -1, high = 1;
  const bool one_each =
      range && range->kind == GT_SPEC_SEQUENCE && range->count && range->child[0]->kind == GT_SPEC_SEQUENCE;
  bool ok = !range || (one_each ? range->count == s->inputs : read_pair(range, &low, &high));
  for (int i = 0; i < s->inputs && ok; i++) {
    if (one_each) ok = read_pair(range->child[i], &low, &high);
    s->low[i] = low;
    s->high[i] = high;
  }
  if (ok) return true;
  return gt_refuse(s->reader->diagnostics, range->at, "[lowest, highest], or one such pair for each input",
                   "this is not the range of %d input%s", s->inputs, s->inputs > 1 ? "s" : "");
}

static bool fail_value(const sampler *s, const char *key, int output, const double *x, const char *what,
                       const char *expected) {
  gt_data_reader *reader = s->reader;
  gt_list point = gt_list_open(reader->arena, 8);
  for (int i = 0; i < s->inputs; i++) gt_list_add(&point, "x%d = %g", i, x[i]);
  const gt_spec *node = formula_node(reader, key, output);
  return gt_refuse(reader->diagnostics, node ? node->at : reader->spec->at, expected, "%s at %s", what,
                   point.text);
}

/* A standard normal number by the Box-Muller transform. */
static double normal(uint64_t seed, uint32_t step, uint32_t element) {
  const gt_philox bits = gt_philox_block(seed, GT_PURPOSE_SAMPLE, step, element);
  const double u = ((double)bits.v[0] + 0.5) * 0x1p-32,
               angle = 6.283185307179586477 * (double)bits.v[1] * 0x1p-32;
  return sqrt(-2 * log(u)) * cos(angle);
}

/* Evaluates the formulas at point i. */
static bool sample_targets(const sampler *s, int64_t i, const double *x, double noise, float *targets) {
  gt_data_reader *reader = s->reader;
  char why[128];
  for (int k = 0; k < s->outputs; k++) {
    double y = gt_formula_evaluate(s->formula[k], x);
    if (!isfinite((float)y))
      return fail_value(s, "formula", k, x,
                        isnan(y) ? "the value of this formula is not a number"
                                 : "the value of this formula is infinite",
                        "a formula that is finite over the whole range");
    if (noise > 0) y += noise * normal(reader->seed, TRAIN_NOISE, (uint32_t)(i * s->outputs + k));
    if (!reader->dataset->target[0].classification && !gt_data_target_fits(reader, 0, y, why))
      return fail_value(s, "formula", k, x, why, NULL);
    targets[k] = (float)y;
  }
  return true;
}

/* Evaluates the field of point i on the grid, last axis fastest. x: the values of all variables. */
static bool sample_field(const sampler *s, int64_t i, double *x, uint32_t step, float *out) {
  const options *o = s->options;
  const int64_t channels = o->field.count;
  double *place = x + s->known + 1;
  for (int64_t n = 0; n < s->places; n++) {
    int64_t remaining = n;
    for (int axis = o->grid.count - 1; axis >= 0; axis--) {
      const int64_t length = o->grid.items[axis];
      place[axis] = length > 1 ? (double)(remaining % length) / (double)(length - 1) : 0;
      remaining /= length;
    }
    for (int64_t k = 0; k < channels; k++) {
      double y = gt_formula_evaluate(s->field[k], x);
      if (!isfinite((float)y))
        return fail_value(s, "field", (int)k, x, "the value of this field is not finite",
                          "a formula that is finite over the whole range");
      const uint32_t element = (uint32_t)((i * s->places + n) * channels + k);
      if (o->field_noise > 0) y += o->field_noise * normal(s->reader->seed, step, element);
      out[n * channels + k] = (float)y;
    }
  }
  return true;
}

/* Sets the strides to a low-discrepancy sequence for any number of inputs n: powers of the root of x^(n + 1)
 * = x + 1 (Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences", 2018); for one input the
 * golden ratio. */
static void spread_evenly(sampler *s) {
  double root = 2;
  /* Fixed-point iteration; 64 steps are enough for double precision. */
  for (int i = 0; i < 64; i++) root = pow(1 + root, 1.0 / (s->inputs + 1));
  for (int k = 0; k < s->inputs; k++) s->stride[k] = pow(root, -(k + 1));
}

/* Input k at point i as a fraction of its range. Even test points continue the sequence of the training
 * points. */
static double fraction_of(const sampler *s, int64_t i, int k, bool test) {
  const double position = 0.5 + s->stride[k] * (double)(i + (test ? s->options->samples : 0));
  if (s->stride[k] > 0) return position - floor(position);
  return (double)gt_random_uniform(s->reader->seed, GT_PURPOSE_SAMPLE, test ? TEST_POINTS : TRAIN_POINTS,
                                   (uint32_t)(i * s->inputs + k));
}

static gt_tensor input_of(const sampler *s, int64_t n) {
  const options *o = s->options;
  gt_tensor input = {.element = GT_ELEMENT_F32, .rank = 2, .dim = {n, s->inputs}};
  if (!s->places) return input;
  for (int i = 0; i < o->grid.count; i++) input.dim[1 + i] = o->grid.items[i];
  input.rank = 2 + o->grid.count;
  input.dim[input.rank - 1] = o->field.count;
  return input;
}

/* Computes the first n samples of a split; only their targets if the inputs have no data. */
static bool evaluate(const sampler *s, int64_t n, bool test, const gt_split *out) {
  const options *o = s->options;
  const int64_t features = gt_tensor_features(gt_split_input(out, 0));
  float *inputs = gt_split_input(out, 0)->data, *targets = gt_split_target(out, 0)->data;
  double x[MAX_INPUTS + 1 + MAX_AXES] = {0};
  for (int64_t i = 0; i < n; i++) {
    float *input = inputs ? inputs + i * features : NULL;
    for (int k = 0; k < s->inputs; k++) {
      const float value = (float)(s->low[k] + fraction_of(s, i, k, test) * (s->high[k] - s->low[k]));
      x[k] = (double)value;
      if (input && !s->places) input[k] = value;
    }
    x[s->known] = x[0];
    if (!sample_targets(s, i, x, test ? 0 : o->noise, targets + i * s->outputs)) return false;
    if (input && s->places && !sample_field(s, i, x, test ? TEST_FIELD_NOISE : TRAIN_FIELD_NOISE, input))
      return false;
  }
  return true;
}

/* Adds the tensors of n samples, without data. */
static void add_shapes(const sampler *s, int64_t n, gt_split *out) {
  gt_split_add(out, GT_SAMPLE_INPUT, 0, input_of(s, n));
  gt_split_add(out, GT_SAMPLE_TARGET, 0,
               (gt_tensor){.element = GT_ELEMENT_F32, .rank = 2, .dim = {n, s->outputs}});
}

/* Allocates and computes n samples; inputs: false for targets only. */
static bool make_samples(const sampler *s, int64_t n, bool test, bool inputs, gt_split *out) {
  static const char what[] = "the samples of the formula";
  gt_error *error = s->reader->error;
  add_shapes(s, n, out);
  return (!inputs || gt_tensor_alloc(gt_split_edit(out, GT_SAMPLE_INPUT, 0), what, error)) &&
         gt_tensor_alloc(gt_split_edit(out, GT_SAMPLE_TARGET, 0), what, error) && evaluate(s, n, test, out);
}

/* Makes the n samples of a split. For an outline computes only the first samples, to find formulas with
 * infinite values; but all labels, because the number of classes depends on them. */
static bool make_split(const sampler *s, int64_t n, bool test, gt_split *out) {
  const gt_tensor input = input_of(s, n);
  const uint64_t sample_bytes = (uint64_t)(gt_tensor_features(&input) + s->outputs) * sizeof(float);
  out->samples = n;
  if (!gt_data_is_outlined(s->reader, (uint64_t)n * sample_bytes)) return make_samples(s, n, test, true, out);
  const uint64_t computed = OUTLINE_BYTES / sample_bytes;
  if (!make_samples(s, computed < (uint64_t)n ? (int64_t)computed : n, test, true, out)) return false;
  gt_split_finish(out);
  if (s->reader->dataset->target[0].classification) return make_samples(s, n, test, false, out);
  add_shapes(s, n, out);
  return true;
}

/* Converts the values of a formula to class labels. */
static bool to_labels(gt_data_reader *reader, gt_tensor *targets) {
  for (int64_t i = 0; i < targets->dim[0]; i++) {
    char *at = (char *)targets->data + (size_t)i * sizeof(float);
    float value;
    memcpy(&value, at, sizeof value);
    if (!(value >= 0 && value < GT_DATA_MAX_CLASSES) || value != floorf(value))
      return gt_refuse(reader->diagnostics, gt_data_position(reader, "formula"),
                       "a formula of whole numbers from 0, without noise",
                       "the value %g is not a class label", (double)value);
    const int32_t label = (int32_t)value;
    memcpy(at, &label, sizeof label);
  }
  targets->element = GT_ELEMENT_I32;
  targets->rank = 1;
  return true;
}

/* Fails if there are more random numbers than a 32-bit index allows. */
static bool check_count(const sampler *s) {
  const options *o = s->options;
  const int64_t field = s->places * o->field.count, drawn = s->inputs > s->outputs ? s->inputs : s->outputs;
  const int64_t per_sample = field > drawn ? field : drawn;
  if (o->samples * per_sample <= UINT32_MAX && o->test_samples * per_sample <= UINT32_MAX) return true;
  return gt_data_refuse(s->reader, "samples", "too many samples",
                        "a number of samples times inputs below 2^32");
}

static bool open_function(gt_data_reader *reader, const void *given) {
  const options *o = given;
  gt_dataset *dataset = reader->dataset;
  sampler *s = GT_NEW(reader->arena, sampler);
  s->reader = reader;
  s->options = o;
  s->outputs = o->formula.count;
  dataset->target[0].classification = reader->task[0] == GT_TASK_CLASSIFICATION;
  if (s->outputs < 1 || s->outputs > (dataset->target[0].classification ? 1 : MAX_OUTPUTS))
    return gt_data_refuse(reader, "formula", "wrong number of formulas",
                          dataset->target[0].classification ? "one formula that gives the class label"
                                                            : "1 to 256 formulas");
  if (!read_grid(s) || !parse_formulas(s) || !read_range(s) || !check_count(s)) return false;
  if (o->points && !strcmp(o->points, "even")) spread_evenly(s);
  reader->train_name = reader->test_name = "formula";
  gt_split *train = &dataset->split[GT_PART_TRAIN], *test = &dataset->split[GT_PART_TEST];
  if (!make_split(s, o->samples, false, train)) return false;
  if (o->test_samples && !make_split(s, o->test_samples, true, test)) return false;
  if (!dataset->target[0].classification) return true;
  return to_labels(reader, gt_split_edit(train, GT_SAMPLE_TARGET, 0)) &&
         (!o->test_samples || to_labels(reader, gt_split_edit(test, GT_SAMPLE_TARGET, 0)));
}

static bool probe(const gt_data_probe *p) { return p->spec && gt_spec_find(p->spec, "formula"); }

const gt_data_format gt_data_function = {
    .name = "function",
    .schema = GT_SCHEMA("function", "samples of a formula", fields),
    .options_size = sizeof(options),
    .probe = probe,
    .open = open_function,
};
GT_REGISTER(data, function)
