/* Reasons why a formula may differ from the one that generated the samples, for each output separately. */
#include "cli/explain_model.h"
#include "base/memory.h"
#include "base/text.h"
#include "kan/formula_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_SAMPLES = 10 /* held-out samples that a standard error needs */, MAX_NAMED = 6 /* outputs */ };
static const double narrow_lead = 3;  /* bits of description length: odds of eight to one */
static const double min_share = 0.99; /* of the variance of the network's outputs, to be explained */
static const double many_errors = 4;  /* standard errors: a correlation above them is not chance */

typedef struct context {
  const gt_explained *e;
  gt_arena arena;
  int inputs, outputs;
  double *formula[2], *network[2];    /* outputs on training and test samples, [samples, outputs] */
  const gt_explained_split *split[2]; /* train, test */
  int64_t *sample, samples;           /* indices of the distinct training samples, and their number */
  int64_t *nearest;                   /* [samples]: index in `sample` of the nearest other sample */
} context;

/* Returns why the formula of an output is doubtful, in the arena, or NULL. */
typedef const char *reason(context *j, int output);

static double residual_of(const context *j, int split, int64_t sample, int output) {
  const int64_t at = sample * j->outputs + output;
  return j->formula[split][at] - j->split[split]->y[at];
}

/* --- undefined values, and too few samples or functions --- */

static int64_t count_undefined(const context *j, int split, int output) {
  int64_t count = 0;
  for (int64_t k = 0; k < j->split[split]->samples; k++)
    count += !isfinite(j->formula[split][k * j->outputs + output]);
  return count;
}

static const char *is_undefined(context *j, int output) {
  static const char *const names[] = {"training", "test"};
  for (int s = 0; s < 2; s++) {
    const int64_t count = count_undefined(j, s, output);
    if (count)
      return gt_arena_printf(&j->arena, "it has no finite value at %lld of %lld %s samples", (long long)count,
                             (long long)j->split[s]->samples, names[s]);
  }
  return NULL;
}

static const gt_symbolic_verdict *verdict_of(const context *j, int output) {
  const gt_symbolic_report *report = &j->e->report;
  for (int v = 0; v < report->verdicts; v++)
    for (int o = 0; o < report->verdict[v].outputs; o++)
      if (report->verdict[v].output[o] == output) return &report->verdict[v];
  return NULL;
}

static const char *has_few_samples(context *j, int output) {
  const gt_symbolic_verdict *v = verdict_of(j, output);
  const int64_t samples = j->split[0]->samples;
  if (!v || samples * v->outputs > v->constants) return NULL;
  return gt_arena_printf(&j->arena, "too few training samples (%lld) for its constants (%d)",
                         (long long)samples, v->constants);
}

static const char *is_cut_short(context *j, int output) {
  const gt_symbolic_verdict *v = verdict_of(j, output);
  return v && v->cut_short
             ? "the network has too many edges to try all functions: prune it, or name a few with "
               "--functions"
             : NULL;
}

/* --- against the network --- */

static double root_mean_square(const context *j, const double *value, int output) {
  const gt_explained_split *test = j->split[1];
  double sum = 0;
  for (int64_t k = 0; k < test->samples; k++) {
    const double residual = value[k * j->outputs + output] - test->y[k * j->outputs + output];
    sum += residual * residual / (double)test->samples;
  }
  return sqrt(sum);
}

/* The formula is doubtful if its squared errors on held-out samples exceed those of the network by more than
 * three standard errors of the mean difference: the splines then fit better than the functions of the
 * formula. */
static const char *is_worse(context *j, int output) {
  const gt_explained_split *test = j->split[1];
  const double n = (double)test->samples;
  double sum = 0, squares = 0;
  if (j->e->fits_network || test->samples < MIN_SAMPLES || is_undefined(j, output)) return NULL;
  for (int64_t k = 0; k < test->samples; k++) {
    const int64_t at = k * j->outputs + output;
    const double a = j->formula[1][at] - test->y[at], b = j->network[1][at] - test->y[at],
                 excess = a * a - b * b;
    sum += excess;
    squares += excess * excess;
  }
  const double mean = sum / n, deviation = sqrt(fmax(squares / n - mean * mean, 0) / (n - 1));
  if (mean <= 3 * deviation) return NULL;
  return gt_arena_printf(
      &j->arena, "on held-out samples its error is larger than the network's, %.3g against %.3g",
      root_mean_square(j, j->formula[1], output), root_mean_square(j, j->network[1], output));
}

/* If the formula is fitted to the network's outputs, it must explain most of their variance. */
static const char *explains_little(context *j, int output) {
  static const char *const names[] = {"training", "test"};
  const gt_explained_split *train = j->split[0];
  double mean = 0, variance = 0;
  if (!j->e->fits_network || is_undefined(j, output)) return NULL;
  for (int64_t k = 0; k < train->samples; k++)
    mean += train->y[k * j->outputs + output] / (double)train->samples;
  for (int64_t k = 0; k < train->samples; k++) {
    const double difference = train->y[k * j->outputs + output] - mean;
    variance += difference * difference / (double)train->samples;
  }
  for (int s = 0; s < 2; s++) {
    double error = 0;
    for (int64_t k = 0; k < j->split[s]->samples; k++)
      error += residual_of(j, s, k, output) * residual_of(j, s, k, output) / (double)j->split[s]->samples;
    if (error > (1 - min_share) * variance)
      return gt_arena_printf(&j->arena,
                             "it explains only %.3g %% of the variance of the network's output on %s samples",
                             100 * fmax(0, 1 - error / variance), names[s]);
  }
  return NULL;
}

/* --- patterns --- */

static bool is_copy(const context *j, int64_t a, int64_t b) {
  const gt_explained_split *s = j->split[0];
  return !memcmp(s->x + a * j->inputs, s->x + b * j->inputs, (size_t)j->inputs * sizeof *s->x) &&
         !memcmp(s->y + a * j->outputs, s->y + b * j->outputs, (size_t)j->outputs * sizeof *s->y);
}

/* Lists the training samples without duplicates in j->sample, and returns their number. */
static int64_t list_samples(const context *j) {
  int64_t count = 0;
  for (int64_t k = 0; k < j->split[0]->samples; k++) {
    bool copied = false;
    for (int64_t i = 0; i < count && !copied; i++) copied = is_copy(j, j->sample[i], k);
    if (!copied) j->sample[count++] = k;
  }
  return count;
}

/* Returns the sample whose inputs are nearest to those of sample k, in units of their standard deviations. If
 * several are equally near, it is the next one in the list. */
static int64_t find_nearest(const context *j, const double *deviation, int64_t k) {
  const double *x = j->split[0]->x;
  const int64_t *list = j->sample, count = j->samples;
  double min_distance = INFINITY;
  int64_t found = k;
  for (int64_t i = 1; i < count; i++) {
    const int64_t other = (k + i) % count;
    double distance = 0;
    for (int n = 0; n < j->inputs && distance < min_distance; n++) {
      const double difference = x[list[other] * j->inputs + n] - x[list[k] * j->inputs + n],
                   d = deviation[n] > 0 ? difference / deviation[n] : 0;
      distance += d * d;
    }
    if (distance < min_distance) min_distance = distance, found = other;
  }
  return found;
}

static void find_deviations(const context *j, double *deviation) {
  const gt_explained_split *s = j->split[0];
  for (int i = 0; i < j->inputs; i++) {
    double mean = 0, squares = 0;
    for (int64_t k = 0; k < s->samples; k++) mean += s->x[k * j->inputs + i] / (double)s->samples;
    for (int64_t k = 0; k < s->samples; k++)
      squares += (s->x[k * j->inputs + i] - mean) * (s->x[k * j->inputs + i] - mean);
    deviation[i] = sqrt(squares / (double)s->samples);
  }
}

static void find_neighbors(context *j) {
  const size_t capacity = (size_t)j->split[0]->samples + 1;
  double *deviation = GT_NEW_N(&j->arena, double, j->inputs + 1);
  j->sample = gt_arena_alloc_n(&j->arena, capacity, sizeof *j->sample);
  j->nearest = gt_arena_alloc_n(&j->arena, capacity, sizeof *j->nearest);
  find_deviations(j, deviation);
  j->samples = list_samples(j);
  for (int64_t k = 0; k < j->samples; k++) j->nearest[k] = find_nearest(j, deviation, k);
}

/* The residuals are not noise if they correlate with those of the nearest other samples by more than four
 * standard errors of the correlation (Moran, "Notes on continuous stochastic phenomena", 1950). */
static const char *has_residual_pattern(context *j, int output) {
  double squares = 0, products = 0, y = 0;
  if (j->e->fits_network || is_undefined(j, output)) return NULL;
  for (int64_t k = 0; k < j->samples; k++) {
    const double residual = residual_of(j, 0, j->sample[k], output),
                 target = j->split[0]->y[j->sample[k] * j->outputs + output];
    squares += residual * residual;
    products += residual * residual_of(j, 0, j->sample[j->nearest[k]], output);
    y += target * target;
  }
  /* Relative errors below 1e-6 may be rounding errors. */
  if (squares <= 1e-12 * y || products <= many_errors / sqrt((double)j->samples) * squares) return NULL;
  return "its residuals show structure: nearby samples have similar residuals";
}

/* --- another formula of similar length --- */

static const char *has_rival(context *j, int output) {
  const gt_symbolic_verdict *v = verdict_of(j, output);
  if (!v || !v->rival || v->lead >= narrow_lead) return NULL;
  const char *text = gt_symbolic_text(v->rival, output, GT_FORMULA_PLAIN, &j->arena);
  if (!strcmp(text, gt_symbolic_text(&j->e->symbolic, output, GT_FORMULA_PLAIN, &j->arena))) return NULL;
  return gt_arena_printf(&j->arena, "%s fits the samples about as well and is only %.1f bits longer", text,
                         v->lead);
}

/* --- all reasons --- */

static context open_context(const gt_explained *e) {
  context j = {.e = e,
               .inputs = gt_kan_network_inputs(&e->network),
               .outputs = gt_kan_network_outputs(&e->network),
               .split = {&e->train, &e->test}};
  gt_arena_init(&j.arena);
  for (int s = 0; s < 2; s++) {
    j.formula[s] = gt_explained_formula_outputs(e, j.split[s]);
    j.network[s] = gt_explained_network_outputs(e, j.split[s]);
  }
  find_neighbors(&j);
  return j;
}

static void close_context(context *j) {
  for (int s = 0; s < 2; s++) {
    free(j->formula[s]);
    free(j->network[s]);
  }
  gt_arena_finish(&j->arena);
}

/* Adds one warning for all outputs that are doubtful for this reason, with the text of the first one and the
 * names of the others. */
static void add_doubt(context *j, gt_diagnostics *diagnostics, reason *why) {
  const char *text = NULL;
  gt_list others = gt_list_open(&j->arena, MAX_NAMED - 1);
  int first = 0;
  for (int o = 0; o < j->outputs; o++) {
    const char *doubt = why(j, o);
    if (!doubt) continue;
    if (text)
      gt_list_add(&others, "y%d", o);
    else
      text = doubt, first = o;
  }
  if (!text) return;
  const char *which =
      j->outputs > 1 ? gt_arena_printf(&j->arena, "the formula of y%d", first) : "this formula";
  gt_finding_at(diagnostics, GT_FINDING_doubtful_formula, (gt_position){.file = j->e->file.path},
                "%s is doubtful: %s%s%s", which, text, others.count ? "; also doubtful: " : "",
                gt_list_more(&others));
}

void gt_explained_doubts(gt_explained *e) {
  static reason *const reasons[] = {is_undefined,    is_cut_short,         has_few_samples, is_worse,
                                    explains_little, has_residual_pattern, has_rival};
  context j = open_context(e);
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    add_doubt(&j, &e->config.diagnostics, reasons[i]);
  close_context(&j);
}
