/* What is wrong with the model and the loss of a config, found before anything is planned. */
#include "model/model.h"
#include "model/read.h"
#include "op/core.h"
#include "train/config.h"

/* A batch never has more samples than there are. */
static int64_t batch_of(const gt_config *config) {
  const int64_t samples = config->dataset.train.samples;
  return config->train.batch_size < samples ? config->train.batch_size : samples;
}

static gt_shape batch_shape(const gt_config *config, const gt_tensor *tensor) {
  gt_shape shape = {.rank = tensor->rank, .dim = {batch_of(config)}};
  for (int d = 1; d < tensor->rank; d++) shape.dim[d] = tensor->dim[d];
  return shape;
}

/* Is there what early stopping is to watch? */
static void check_metric(gt_config *config, bool accuracy, bool hard) {
  const char *watched = config->train.early_stopping.metric; /* NULL when it could not be read */
  if (!watched) return;
  const gt_spec *stopping = gt_spec_find(gt_spec_find(config->root, "train"), "early_stopping");
  const gt_spec *metric = gt_spec_find(stopping, "metric");
  const gt_position at = metric ? metric->at : config->root->at;
  if (gt_metric_is_accuracy(watched) && !accuracy)
    gt_error_at(&config->diagnostics, at, "the loss '%s' has no accuracy to watch", config->loss->type->name)
        ->suggestion = "loss";
  else if ((gt_metric_is_hard(watched) || gt_metric_is_soft(watched)) && !hard)
    gt_error_at(&config->diagnostics, at, "no layer of this model has a hard form: there is no '%s'", watched)
        ->suggestion = gt_metric_is_accuracy(watched) ? "accuracy" : "loss";
}

/* Who acts on evaluations never does if there are none during the run: no error, but hardly what was meant.
 */
static void check_watchers(gt_config *config) {
  const gt_dataset *data = &config->dataset;
  const gt_train_config *train = &config->train;
  const gt_early_stopping *stopping = &train->early_stopping;
  if (data->validation.samples || data->test.samples) return;
  const gt_spec *root = config->root, *node = gt_spec_find(root, "train");
  const gt_schedule_type *schedule = config->optim ? config->optim->schedule->type : NULL;
  const struct {
    bool waits;
    const gt_spec *at;
    const char *text;
  } watchers[] = {
      {stopping->patience || stopping->has_goal, gt_spec_find(node, "early_stopping"),
       "early stopping never happens"},
      {train->checkpoint.keep_best, gt_spec_find(gt_spec_find(node, "checkpoint"), "keep_best"),
       "keep_best keeps nothing"},
      {schedule && schedule->observe, gt_spec_find(root, "schedule"),
       "this schedule never changes the learning rate"},
  };
  for (size_t i = 0; i < sizeof watchers / sizeof *watchers; i++)
    if (watchers[i].waits)
      gt_warning_at(&config->diagnostics, watchers[i].at ? watchers[i].at->at : root->at,
                    "%s: there is neither validation nor test data to watch", watchers[i].text)
          ->expected = "data: {..., validation: 0.1}, say";
}

static gt_model *build_model(gt_config *config, gt_graph *graph, gt_arena *arena,
                             gt_diagnostics *diagnostics) {
  const gt_shape shape = batch_shape(config, &config->dataset.train.inputs);
  const gt_id input = gt_variable_read(graph, gt_graph_variable(graph, "input", shape, GT_F32, false));
  const gt_model_mode mode = {.seed = (uint64_t)config->seed};
  return gt_model_build(arena, graph, config->root, config->optim, input, GT_NONE, mode, diagnostics);
}

gt_model *gt_config_build_model(gt_config *config, gt_arena *arena, gt_diagnostics *diagnostics) {
  return build_model(config, gt_graph_create(arena), arena, diagnostics);
}

/* Builds model and loss once, for their errors alone. */
static void try_to_build(gt_config *config, gt_arena *arena) {
  gt_diagnostics *diagnostics = &config->diagnostics;
  gt_graph *graph = gt_graph_create(arena);
  const bool labels = config->dataset.classification;
  const gt_model *model = build_model(config, graph, arena, diagnostics);
  if (!model || !config->loss) return;
  const gt_model_layer *last = &model->layer[model->layers - 1];
  const gt_shape one = gt_shape_1(batch_of(config));
  const gt_loss_input wanted = {
      .prediction = model->output,
      .targets = gt_variable_read(
          graph, gt_graph_variable(graph, "targets", batch_shape(config, &config->dataset.train.targets),
                                   labels ? GT_I32 : GT_F32, false)),
      .weight = gt_variable_read(graph, gt_graph_variable(graph, "weight", one, GT_F32, false)),
      .classes = config->dataset.classes,
      .layer = last->name,
      .layer_type = last->type->name,
      .at = last->at,
  };
  gt_loss_nodes nodes;
  if (!gt_loss_build(graph, config->loss, &wanted, &nodes, diagnostics)) return;
  check_metric(config, nodes.correct_sum != GT_NONE, model->has_hard);
}

void gt_config_check_model(gt_config *config, gt_arena *arena) {
  gt_model_read read;
  if (config->has_dataset) {
    try_to_build(config, arena);
    check_watchers(config);
  } else {
    gt_model_read_spec(&read, arena, config->root,
                       &config->diagnostics); /* without shapes, its keys at least */
  }
}
