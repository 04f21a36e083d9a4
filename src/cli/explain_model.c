#include "cli/explain_model.h"
#include "base/formula.h"
#include "base/memory.h"
#include "kan/formula_text.h"
#include "model/model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 4000 };
static const double narrow_lead = 3; /* bits: odds of eight to one */

/* --- opening --- */

static bool read_weights(gt_explained *e, const gt_model *model, gt_error *error) {
  gt_state_dict dict;
  if (!gt_state_dict_read(&dict, model->store, &e->file.container, e->file.path, GT_WEIGHT_ROLES, error))
    return false;
  const bool ok = gt_kan_network_read(&e->network, model, &dict, e->file.path, error);
  gt_state_dict_finish(&dict);
  return ok;
}

static bool read_network(gt_explained *e, gt_error *error) {
  gt_diagnostics *diagnostics = &e->config.diagnostics;
  const gt_model *model = gt_config_build_model(&e->config, &e->arena, diagnostics);
  if (!model)
    return gt_fail(error, GT_ERR_DATA, "%s: its model cannot be built: %s", e->file.path,
                   diagnostics->count ? diagnostics->items[0].message : "unknown");
  return read_weights(e, model, error);
}

bool gt_explained_suits(const gt_model_file *file) {
  gt_explained e = {.file = *file};
  gt_error error = {0};
  gt_arena_init(&e.arena);
  const gt_model *model = gt_model_file_build(&e.config, &e.arena, file, &error);
  const bool ok = model && e.config.dataset.inputs == 1 && read_weights(&e, model, &error);
  gt_kan_network_finish(&e.network);
  gt_config_finish(&e.config);
  gt_arena_finish(&e.arena);
  return ok;
}

/* The network's outputs, [samples, outputs]. */
static double *outputs_of(const gt_explained *e, const gt_explained_split *split) {
  const int outputs = gt_kan_network_outputs(&e->network);
  double *y = gt_alloc((size_t)(split->samples * outputs) * sizeof *y);
  gt_kan_trace trace;
  gt_kan_trace_run(&trace, &e->network, split->scaled, split->samples);
  for (int64_t k = 0; k < split->samples; k++)
    for (int o = 0; o < outputs; o++)
      y[k * outputs + o] = trace.node[e->network.layers][o * split->samples + k];
  gt_kan_trace_finish(&trace);
  return y;
}

static bool read_split(gt_explained *e, const gt_split *from, gt_explained_split *to, gt_error *error) {
  const int inputs = gt_kan_network_inputs(&e->network), outputs = gt_kan_network_outputs(&e->network);
  const gt_dataset *data = &e->config.dataset;
  if (!from->samples) return true;
  if (data->inputs > 1)
    return gt_fail(error, GT_ERR_DATA, "%s has several inputs: only networks of one are explained",
                   e->file.path);
  to->scaled = gt_kan_samples(&data->input[0], &from->input[0], inputs, MOST_SAMPLES, &to->samples, error);
  to->x =
      to->scaled ? gt_kan_samples(NULL, &from->input[0], inputs, MOST_SAMPLES, &to->samples, error) : NULL;
  if (!to->x) return false;
  e->of_network = !gt_loss_fits_targets(e->config.loss) || gt_tensor_features(&from->targets) != outputs;
  to->y = e->of_network ? outputs_of(e, to)
                        : gt_kan_samples(NULL, &from->targets, outputs, MOST_SAMPLES, &to->samples, error);
  return to->y != NULL;
}

bool gt_explained_open(gt_explained *e, const gt_arguments *arguments, const char *path, gt_error *error) {
  int overrides;
  *e = (gt_explained){0};
  gt_arena_init(&e->arena);
  const char *const *set = gt_cli_overrides(arguments, &e->arena, &overrides);
  if (!gt_model_file_read(&e->file, gt_model_path(&e->arena, path, error), error) ||
      !gt_model_file_check(&e->file, error))
    return false;
  const gt_data_wanted wanted = gt_model_file_wanted(&e->file);
  if (!gt_config_parse(&e->config, &e->arena, e->file.path, e->file.config, &wanted, set, overrides, error) ||
      !read_network(e, error) || !read_split(e, &e->config.dataset.train, &e->train, error) ||
      !read_split(e, &e->config.dataset.test, &e->test, error))
    return false;
  gt_model_file_check_data(&e->file, &e->config, "train");
  gt_diagnostics_print(&e->config.diagnostics, stderr);
  gt_kan_trace_run(&e->trace, &e->network, e->train.scaled, e->train.samples);
  gt_kan_scores_find(&e->scores, &e->network, &e->trace);
  return true;
}

static void close_split(gt_explained_split *split) {
  free(split->x);
  free(split->scaled);
  free(split->y);
}

void gt_explained_close(gt_explained *e) {
  gt_symbolic_finish(&e->symbolic);
  gt_kan_scores_finish(&e->scores);
  gt_kan_trace_finish(&e->trace);
  close_split(&e->train);
  close_split(&e->test);
  gt_kan_network_finish(&e->network);
  gt_config_finish(&e->config);
  gt_model_file_finish(&e->file);
  gt_arena_finish(&e->arena);
  *e = (gt_explained){0};
}

/* --- the formula --- */

bool gt_explained_find(gt_explained *e, const bool *allowed, bool snaps, gt_error *error) {
  gt_symbolic_data data =
      gt_symbolic_data_of(e->train.x, e->train.y, e->train.samples, gt_kan_network_inputs(&e->network),
                          gt_kan_network_outputs(&e->network));
  const gt_symbolic_options options = {allowed, !snaps};
  data.names = e->config.dataset.input[0].columns;
  if (e->of_network) gt_symbolic_of_network(&data);
  if (!gt_symbolic_find(&e->symbolic, &e->network, e->train.scaled, &data, &options, &e->report, error))
    return false;
  e->has_formula = true;
  return true;
}

static double root_mean(double sum, int64_t count) { return count ? sqrt(sum / (double)count) : NAN; }

double gt_explained_network_error(const gt_explained *e, const gt_explained_split *split) {
  const int64_t values = split->samples * gt_kan_network_outputs(&e->network);
  double sum = 0, *y = outputs_of(e, split);
  for (int64_t k = 0; k < values; k++) sum += (y[k] - split->y[k]) * (y[k] - split->y[k]);
  free(y);
  return root_mean(sum, values);
}

/* The formula's outputs as its expressions are read back, [samples, outputs]. */
static double *formula_outputs(const gt_explained *e, const gt_explained_split *split) {
  const int inputs = gt_kan_network_inputs(&e->network), outputs = gt_kan_network_outputs(&e->network);
  double *y = gt_alloc((size_t)(split->samples * outputs) * sizeof *y + 1);
  gt_arena arena;
  gt_arena_init(&arena);
  const char **names = GT_NEW_N(&arena, const char *, inputs);
  for (int i = 0; i < inputs; i++) names[i] = gt_arena_printf(&arena, "x%d", i);
  for (int o = 0; o < outputs; o++) {
    const char *text = gt_symbolic_text(&e->symbolic, o, GT_FORMULA_EXPRESSION, &arena);
    const gt_formula *formula = gt_formula_parse(&arena, text, names, inputs, NULL);
    for (int64_t k = 0; k < split->samples; k++)
      y[k * outputs + o] = formula ? gt_formula_evaluate(formula, split->x + k * inputs) : NAN;
  }
  gt_arena_finish(&arena);
  return y;
}

double gt_explained_formula_error(const gt_explained *e, const gt_explained_split *split) {
  const int64_t values = split->samples * gt_kan_network_outputs(&e->network);
  double sum = 0, *y = formula_outputs(e, split);
  for (int64_t k = 0; k < values; k++) sum += (y[k] - split->y[k]) * (y[k] - split->y[k]);
  free(y);
  return root_mean(sum, values);
}

/* --- doubts --- */

/* True if the formula's squared errors are greater than the network's by three standard errors of their mean
 * difference: so much less do its functions say than splines do. */
static bool is_worse(const gt_explained *e, const gt_explained_split *split) {
  const int64_t values = split->samples * gt_kan_network_outputs(&e->network);
  double *told = formula_outputs(e, split), *own = outputs_of(e, split), sum = 0, squares = 0;
  for (int64_t k = 0; k < values; k++) {
    const double a = told[k] - split->y[k], b = own[k] - split->y[k], more = a * a - b * b;
    sum += more;
    squares += more * more;
  }
  free(told);
  free(own);
  const double n = (double)values, mean = sum / n, deviation = sqrt(fmax(squares / n - mean * mean, 0) / n);
  return values && !(mean <= 3 * deviation);
}

/* The sample whose inputs come nearest to those of sample k, in units of their deviations. */
static int64_t nearest(const gt_explained_split *split, int inputs, const double *deviation, int64_t k) {
  double least = INFINITY;
  int64_t found = k;
  for (int64_t j = 0; j < split->samples; j++) {
    double distance = 0;
    for (int i = 0; i < inputs && distance < least; i++) {
      const double d =
          deviation[i] > 0 ? (split->x[j * inputs + i] - split->x[k * inputs + i]) / deviation[i] : 0;
      distance += d * d;
    }
    if (j != k && distance < least) least = distance, found = j;
  }
  return found;
}

static void find_deviations(const gt_explained_split *split, int inputs, double *deviation) {
  const double n = (double)split->samples;
  for (int i = 0; i < inputs; i++) {
    double mean = 0, squares = 0;
    for (int64_t k = 0; k < split->samples; k++) mean += split->x[k * inputs + i] / n;
    for (int64_t k = 0; k < split->samples; k++)
      squares += (split->x[k * inputs + i] - mean) * (split->x[k * inputs + i] - mean);
    deviation[i] = sqrt(squares / n);
  }
}

/* True if what the formula leaves of a sample is like what it leaves of the nearest other, in more than four
 * standard errors of the correlation (Moran, "Notes on continuous stochastic phenomena", 1950): noise is
 * not. */
static bool leaves_a_pattern(const gt_explained *e, const gt_explained_split *split) {
  const int inputs = gt_kan_network_inputs(&e->network), outputs = gt_kan_network_outputs(&e->network);
  double *told = formula_outputs(e, split), *deviation = gt_alloc((size_t)inputs * sizeof *deviation);
  double own = 0, both = 0, y = 0;
  for (int64_t k = 0; k < split->samples * outputs; k++) {
    told[k] -= split->y[k];
    own += told[k] * told[k];
    y += split->y[k] * split->y[k];
  }
  find_deviations(split, inputs, deviation);
  for (int64_t k = 0; k < split->samples; k++) {
    const int64_t other = nearest(split, inputs, deviation, k);
    for (int o = 0; o < outputs; o++) both += told[k * outputs + o] * told[other * outputs + o];
  }
  free(told);
  free(deviation);
  return own > 1e-12 * y && both / own > 4 / sqrt((double)(split->samples * outputs));
}

/* The rival's text of the first output that it has otherwise. */
static const char *rival_text(const gt_explained *e, gt_arena *arena) {
  const char *text = "";
  for (int o = 0; o < gt_kan_network_outputs(&e->network); o++) {
    text = gt_symbolic_text(e->report.rival, o, GT_FORMULA_PLAIN, arena);
    if (strcmp(text, gt_symbolic_text(&e->symbolic, o, GT_FORMULA_PLAIN, arena))) break;
  }
  return text;
}

/* A formula of what a classifier gives is compared with nothing but that. */
const char *gt_explained_doubt(const gt_explained *e, int index, gt_arena *arena) {
  if (!e->of_network && is_worse(e, &e->test) && !index--)
    return gt_arena_printf(arena, "on samples held out it errs more than the network, by %.3g against %.3g",
                           gt_explained_formula_error(e, &e->test), gt_explained_network_error(e, &e->test));
  if (!e->of_network && leaves_a_pattern(e, &e->train) && !index--)
    return "what it leaves of the training samples is no noise: like samples are left alike";
  if (e->report.rival && e->report.lead < narrow_lead && !index--)
    return gt_arena_printf(arena, "the samples hardly tell it from %s, which is %.1f bits longer",
                           rival_text(e, arena), e->report.lead);
  return NULL;
}

static bool is_finite_on(const gt_explained *e, const gt_explained_split *split) {
  const int64_t values = split->samples * gt_kan_network_outputs(&e->network);
  double *y = formula_outputs(e, split);
  bool finite = true;
  for (int64_t k = 0; k < values && finite; k++) finite = isfinite(y[k]);
  free(y);
  return finite;
}

bool gt_explained_is_finite(const gt_explained *e) {
  return is_finite_on(e, &e->train) && is_finite_on(e, &e->test);
}
