/* Function: a formula, or several, sampled at random points: regression without a file. */
#include "base/formula.h"
#include "base/memory.h"
#include "base/philox.h"
#include "data/format.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_INPUTS = 64, MOST_OUTPUTS = 256 };
enum { TRAIN_POINTS, TEST_POINTS, TRAIN_NOISE }; /* the `step` of the random numbers: one stream each */

typedef struct options {
  gt_strings formula;
  int64_t inputs, samples, test_samples;
  const gt_spec *range;
  double noise;
} options;

static const gt_field fields[] = {
    GT_ROW(options, formula, GT_FIELD_STRINGS, .flags = GT_FIELD_REQUIRED,
           .help = "formula of x0, x1, … (x, if there is one input), or one formula for each target"),
    GT_ROW(options, inputs, GT_FIELD_INT, .min = 1, .max = MOST_INPUTS,
           .help = "number of inputs; default: as the formulas use"),
    GT_ROW(options, range, GT_FIELD_NODE,
           .help = "[lowest, highest] of all inputs, or one such pair for each; default [-1, 1]"),
    GT_ROW(options, samples, GT_FIELD_INT, .fallback = "1000", .min = 1, .max = INT32_MAX,
           .help = "training samples"),
    GT_ROW(options, test_samples, GT_FIELD_INT, .fallback = "1000", .min = 0, .max = INT32_MAX,
           .help = "test samples"),
    GT_ROW(options, noise, GT_FIELD_FLOAT, .fallback = "0", .min = 0, .max = 1e30,
           .help = "deviation of the Gaussian noise added to the training targets"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "function", .help = "a formula sampled at random points", .fields = fields};

typedef struct sampler {
  gt_data_reader *reader;
  const options *options;
  const gt_formula *formula[MOST_OUTPUTS];
  double low[MOST_INPUTS], high[MOST_INPUTS];
  int inputs, outputs;
} sampler;

static int most_variable(const gt_formula *f) {
  int most = f->kind == GT_FORMULA_VARIABLE ? f->variable : -1;
  for (int i = 0; i < f->arguments; i++) {
    const int m = most_variable(f->argument[i]);
    if (m > most) most = m;
  }
  return most;
}

/* Where the formula stands, for messages. */
static const gt_spec *formula_node(const gt_data_reader *reader, int index) {
  const gt_spec *node = gt_data_node(reader, "formula", NULL);
  return node && node->kind == GT_SPEC_SEQUENCE && index < node->count ? node->child[index] : node;
}

static bool parse_formulas(sampler *s) {
  gt_data_reader *reader = s->reader;
  const gt_strings texts = s->options->formula;
  const char *names[MOST_INPUTS + 1];
  const int known = s->options->inputs ? (int)s->options->inputs : MOST_INPUTS;
  for (int i = 0; i < known; i++) names[i] = gt_arena_printf(reader->arena, "x%d", i);
  names[known] = "x"; /* a short name of x0, as the last variable */
  int used = 1;
  bool ok = true;
  for (int i = 0; i < texts.count; i++) {
    gt_formula_error problem = {0};
    s->formula[i] = gt_formula_parse(reader->arena, texts.items[i], names, known + 1, &problem);
    if (s->formula[i]) {
      const int most = most_variable(s->formula[i]);
      if (most < known && most >= used) used = most + 1;
      continue;
    }
    ok = false;
    const gt_spec *node = formula_node(reader, i);
    const gt_position at = node ? gt_position_within(node, problem.column, 1) : reader->spec->at;
    gt_diagnostic *d = gt_error_at(reader->diagnostics, at, "%s", problem.message);
    d->suggestion = problem.suggestion;
  }
  s->inputs = s->options->inputs ? known : used;
  return ok;
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
  gt_diagnostic *d = gt_error_at(s->reader->diagnostics, range->at, "this is not the range of %d input%s",
                                 s->inputs, s->inputs > 1 ? "s" : "");
  d->expected = "[lowest, highest], or one such pair for each input";
  return false;
}

static bool bad_value(const sampler *s, int output, const double *x, const char *what, const char *expected) {
  gt_data_reader *reader = s->reader;
  char *point = gt_arena_strdup(reader->arena, "");
  for (int i = 0; i < s->inputs && i < 8; i++)
    point = gt_arena_printf(reader->arena, "%s%sx%d = %g", point, i ? ", " : "", i, x[i]);
  const gt_spec *node = formula_node(reader, output);
  gt_error_at(reader->diagnostics, node ? node->at : reader->spec->at, "%s at %s", what, point)->expected =
      expected;
  return false;
}

/* Standard normal numbers by Box and Muller's transform. */
static double normal(uint64_t seed, uint32_t step, uint32_t element) {
  const gt_philox bits = gt_philox_block(seed, GT_PURPOSE_SAMPLE, step, element);
  const double u = ((double)bits.v[0] + 0.5) * 0x1p-32,
               angle = 6.283185307179586477 * (double)bits.v[1] * 0x1p-32;
  return sqrt(-2 * log(u)) * cos(angle);
}

static bool sample(const sampler *s, int64_t n, uint32_t step, double noise, gt_split *out) {
  gt_data_reader *reader = s->reader;
  const uint64_t seed = reader->seed;
  out->samples = n;
  out->input[0] = (gt_tensor){.element = GT_ELEMENT_F32, .rank = 2, .dim = {n, s->inputs}};
  out->targets = (gt_tensor){.element = GT_ELEMENT_F32, .rank = 2, .dim = {n, s->outputs}};
  if (!gt_tensor_alloc(&out->input[0], "the samples of the formula", reader->error) ||
      !gt_tensor_alloc(&out->targets, "the samples of the formula", reader->error))
    return false;
  float *inputs = out->input[0].data, *targets = out->targets.data;
  double x[MOST_INPUTS + 1] = {0};
  char why[128];
  for (int64_t i = 0; i < n; i++) {
    for (int k = 0; k < s->inputs; k++) {
      const uint32_t element = (uint32_t)(i * s->inputs + k);
      const double u = (double)gt_random_uniform(seed, GT_PURPOSE_SAMPLE, step, element);
      x[k] = (double)(inputs[i * s->inputs + k] = (float)(s->low[k] + u * (s->high[k] - s->low[k])));
    }
    x[s->options->inputs ? s->inputs : MOST_INPUTS] = x[0];
    for (int k = 0; k < s->outputs; k++) {
      const uint32_t element = (uint32_t)(i * s->outputs + k);
      double y = gt_formula_evaluate(s->formula[k], x);
      if (!isfinite((float)y))
        return bad_value(s, k, x, isnan(y) ? "this formula is not a number" : "this formula is infinite",
                         "a formula that is finite over the whole range");
      if (noise > 0) y += noise * normal(seed, TRAIN_NOISE, element);
      if (!reader->dataset->classification && !gt_data_target_fits(reader, y, why))
        return bad_value(s, k, x, why, NULL);
      targets[i * s->outputs + k] = (float)y;
    }
  }
  return true;
}

/* A formula whose values are class numbers. */
static bool to_labels(gt_data_reader *reader, gt_split *split) {
  const float *values = split->targets.data;
  gt_tensor labels = {.element = GT_ELEMENT_I32, .rank = 1, .dim = {split->samples}};
  if (!gt_tensor_alloc(&labels, "labels", reader->error)) return false;
  int32_t *to = labels.data;
  for (int64_t i = 0; i < split->samples; i++) {
    if (!(values[i] >= 0 && values[i] < GT_DATA_MAX_CLASSES) || values[i] != floorf(values[i])) {
      gt_diagnostic *d = gt_error_at(reader->diagnostics, gt_data_position(reader, "formula"),
                                     "the value %g is not a class", (double)values[i]);
      d->expected = "a formula of whole numbers from 0, without noise";
      gt_tensor_finish(&labels);
      return false;
    }
    to[i] = (int32_t)values[i];
  }
  gt_tensor_finish(&split->targets);
  split->targets = labels;
  return true;
}

/* Random numbers are counted in 32 bits. */
static bool few_enough(const sampler *s) {
  const options *o = s->options;
  const int64_t each = s->inputs > s->outputs ? s->inputs : s->outputs;
  if (o->samples * each <= UINT32_MAX && o->test_samples * each <= UINT32_MAX) return true;
  gt_error_at(s->reader->diagnostics, gt_data_position(s->reader, "samples"), "too many samples")->expected =
      "samples times inputs below 2^32";
  return false;
}

static bool open_function(gt_data_reader *reader, const void *given) {
  const options *o = given;
  gt_dataset *dataset = reader->dataset;
  sampler *s = GT_NEW(reader->arena, sampler);
  s->reader = reader;
  s->options = o;
  s->outputs = o->formula.count;
  dataset->classification = reader->task == GT_TASK_CLASSIFICATION;
  if (s->outputs < 1 || s->outputs > (dataset->classification ? 1 : MOST_OUTPUTS)) {
    gt_error_at(reader->diagnostics, gt_data_position(reader, "formula"), "wrong number of formulas")
        ->expected = dataset->classification ? "one formula of the class" : "1 to 256 formulas";
    return false;
  }
  if (!parse_formulas(s) || !read_range(s) || !few_enough(s)) return false;
  reader->train_name = reader->test_name = "formula";
  if (!sample(s, o->samples, TRAIN_POINTS, o->noise, &dataset->train)) return false;
  if (o->test_samples && !sample(s, o->test_samples, TEST_POINTS, 0, &dataset->test)) return false;
  if (!dataset->classification) return true;
  return to_labels(reader, &dataset->train) && (!o->test_samples || to_labels(reader, &dataset->test));
}

static bool probe(const gt_data_probe *p) { return p->spec && gt_spec_find(p->spec, "formula"); }

const gt_data_format gt_data_function = {
    .name = "function",
    .schema = &schema,
    .options_size = sizeof(options),
    .probe = probe,
    .open = open_function,
};
GT_REGISTER(data, function)
