#include "cli/explain_model.h"
#include "base/formula.h"
#include "base/memory.h"
#include "kan/formula_text.h"
#include "model/model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SAMPLES = 4000 /* of a split; more would make fits slow */ };

/* --- opening --- */

static bool read_weights(gt_explained *e, const gt_model *model, gt_error *error) {
  gt_state_dict dict;
  if (e->file.signature.targets > 1)
    return gt_fail(error, GT_ERR_DATA, "%s: formulas need a model with a single target, and this one has %d",
                   e->file.path, e->file.signature.targets);
  if (!gt_state_dict_read(&dict, model->store, &e->file.container, e->file.path, GT_WEIGHT_ROLES, error))
    return false;
  const bool ok = gt_kan_network_read(&e->network, model, &dict, e->file.path, error);
  gt_state_dict_finish(&dict);
  if (ok) gt_kan_network_unscale(&e->network, &e->file.signature.target[0].scaling);
  return ok;
}

static bool read_network(gt_explained *e, gt_error *error) {
  gt_diagnostics *diagnostics = &e->config.diagnostics;
  const gt_model *model = gt_config_build_model(&e->config, &e->arena, diagnostics);
  if (!model)
    return gt_fail(error, GT_ERR_DATA, "%s: its model cannot be built: %s", e->file.path,
                   diagnostics->count ? diagnostics->items[0].message : "unknown");
  if (read_weights(e, model, error)) return true;
  for (int k = 0; k < e->file.signature.inputs; k++)
    if (e->file.signature.input[k].columns) return false;
  const gt_error reason = *error;
  *error = (gt_error){0};
  return gt_fail(
      error, reason.status,
      "%s; explain writes the formula of a KAN or ranks the columns of a table, and this model is no "
      "KAN and reads no table",
      reason.message);
}

bool gt_explained_can_open(const gt_model_file *file) {
  gt_explained e = {.file = *file};
  gt_error error = {0};
  const gt_model *model = gt_model_file_build(&e.config, &e.arena, file, &error);
  const bool ok = model && e.config.dataset.inputs == 1 && read_weights(&e, model, &error);
  gt_kan_network_finish(&e.network);
  gt_config_finish(&e.config);
  gt_arena_finish(&e.arena);
  return ok;
}

double *gt_explained_network_outputs(const gt_explained *e, const gt_explained_split *split) {
  const int outputs = gt_kan_network_outputs(&e->network);
  double *y = gt_alloc((size_t)(split->samples * outputs) * sizeof *y + 1);
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
    return gt_fail(error, GT_ERR_DATA, "%s has several inputs, but explain needs a network with one input",
                   e->file.path);
  to->scaled = gt_kan_samples(&data->input[0], true, gt_split_input(from, 0), inputs, MAX_SAMPLES,
                              &to->samples, error);
  to->x = to->scaled ? gt_kan_samples(&data->input[0], false, gt_split_input(from, 0), inputs, MAX_SAMPLES,
                                      &to->samples, error)
                     : NULL;
  if (!to->x) return false;
  e->fits_network = !gt_loss_regresses_targets(e->config.loss[0]) ||
                    gt_tensor_features(gt_split_target(from, 0)) != outputs;
  to->y = e->fits_network ? gt_explained_network_outputs(e, to)
                          : gt_kan_samples(NULL, false, gt_split_target(from, 0), outputs, MAX_SAMPLES,
                                           &to->samples, error);
  return to->y != NULL;
}

bool gt_explained_open(gt_explained *e, const gt_arguments *arguments, const char *path, gt_error *error) {
  *e = (gt_explained){0};
  if (!gt_cli_open_model(arguments, &e->arena, path, false, &e->file, &e->config, error) ||
      !read_network(e, error) || !read_split(e, &e->config.dataset.split[GT_PART_TRAIN], &e->train, error) ||
      !read_split(e, &e->config.dataset.split[GT_PART_TEST], &e->test, error))
    return false;
  gt_model_file_check_data(&e->file, &e->config, GT_PART_TRAIN);
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

gt_symbolic_data gt_explained_data(const gt_explained *e) {
  gt_symbolic_data data =
      gt_symbolic_data_of(e->train.x, e->train.y, e->train.samples, gt_kan_network_inputs(&e->network),
                          gt_kan_network_outputs(&e->network));
  data.names = gt_input_feature_names(&e->config.dataset.input[0]);
  if (e->fits_network) gt_symbolic_set_fits_network(&data);
  return data;
}

/* Makes the formula that replaces the first one that of the model. The replaced one is then its rival, unless
 * groups of outputs were searched separately: each group has a rival of its own. */
static void replace_formula(gt_explained *e) {
  const gt_symbolic_front *front = &e->front;
  int i = 0;
  while (!front->point[i].chosen) i++;
  gt_arena arena = e->symbolic.arena;
  gt_symbolic formula = gt_symbolic_copy(&arena, &front->point[i].formula);
  formula.arena = arena;
  e->symbolic = formula;
  for (int v = 0; v < e->report.verdicts; v++) {
    gt_symbolic_verdict *verdict = &e->report.verdict[v];
    const bool alone = e->report.verdicts == 1;
    verdict->rival = alone ? front->replaced : NULL;
    verdict->lead = front->lead;
    verdict->rounded = v ? 0 : front->rounded;
    if (alone) verdict->constants = front->constants;
  }
}

bool gt_explained_find(gt_explained *e, const gt_symbolic_options *options, gt_error *error) {
  const gt_symbolic_data data = gt_explained_data(e);
  if (!gt_symbolic_find(&e->symbolic, &e->network, e->train.scaled, &data, options, &e->report, error))
    return false;
  e->front = gt_symbolic_front_find(&e->symbolic, &data, options, &e->arena);
  if (e->front.replaced) replace_formula(e);
  e->has_formula = true;
  return true;
}

/* The root mean square error of these outputs, which are freed. */
static double error_of(const gt_explained *e, const gt_explained_split *split, double *y) {
  const int64_t values = split->samples * gt_kan_network_outputs(&e->network);
  double sum = 0;
  for (int64_t k = 0; k < values; k++) sum += (y[k] - split->y[k]) * (y[k] - split->y[k]);
  free(y);
  return values ? sqrt(sum / (double)values) : NAN;
}

double gt_explained_network_error(const gt_explained *e, const gt_explained_split *split) {
  return error_of(e, split, gt_explained_network_outputs(e, split));
}

double *gt_explained_formula_outputs(const gt_explained *e, const gt_explained_split *split) {
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
  return error_of(e, split, gt_explained_formula_outputs(e, split));
}
