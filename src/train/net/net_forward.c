/* The part that nets for training and for evaluation have in common: a batch of samples and targets, the
 * model, its losses, and the metrics and confusion matrix of evaluations. */
#include "train/net/net_parts.h"
#include "op/confusion.h"
#include "op/core.h"
#include "train/net/augmented.h"
#include "train/config/init_from.h"
#include <math.h>

gt_samples gt_net_samples(const gt_net *net, const gt_dataset *dataset) {
  return (gt_samples){dataset, net->data, net->part, net->order.window * net->batch};
}

/* NAME.TARGET if there are several targets, otherwise NAME. */
static const char *with_target_name(const gt_net_target *target, gt_arena *arena, const char *name) {
  return target->name ? gt_arena_printf(arena, "%s.%s", name, target->name) : name;
}

static gt_batch_attribute order_of(const gt_net *net) {
  return (gt_batch_attribute){.batch = net->batch,
                              .samples = net->data->samples,
                              .sequential = !net->shuffles,
                              .steps = (uint32_t)(net->steps * net->parts),
                              .first_step = (uint32_t)(net->first_step * net->parts),
                              .first_epoch = (uint32_t)net->first_epoch,
                              .window = net->order.window,
                              .classes = net->classes};
}

const char *gt_net_output_variable(const gt_net *net, int target, gt_arena *arena) {
  return with_target_name(&net->target[target], arena, gt_net_variable(net, arena, "outputs"));
}

/* A power of two with which the largest weight is below 2^31. */
static float confusion_scale(const gt_tensor *weights) {
  const float *weight = weights->data;
  float largest = 1;
  int exponent;
  for (int64_t i = 0; weight && i < weights->dim[0]; i++)
    if (!i || weight[i] > largest) largest = weight[i];
  frexpf(largest, &exponent);
  return ldexpf(1, exponent < -64 ? 95 : 31 - exponent);
}

/* Counts the confusion matrix; samples with weights are also summed by weight. */
static void count_predictions(gt_net *net, gt_net_target *target, gt_graph *graph, gt_arena *arena,
                              const gt_loss *loss) {
  const gt_loss_items *items = &target->loss.items;
  const int64_t classes = gt_node_at(graph, items->prediction)->shape.dim[1];
  if (!loss->type->labels || classes > GT_METRIC_MAX_CLASSES) return;
  target->counted = classes;
  target->confusion = with_target_name(target, arena, gt_net_variable(net, arena, "confusion"));
  const gt_tensor *weights = gt_split_weights(net->data);
  target->confusion_scale = weights->rank ? confusion_scale(weights) : 0;
  const gt_shape shape =
      gt_shape_of(weights->rank ? 3 : 2, (int64_t[]){classes, classes, GT_CONFUSION_WORDS});
  const uint32_t counts = gt_graph_variable(graph, target->confusion, shape, GT_I32, false);
  gt_confusion(graph, counts, items->shifted, items->targets, items->weight, target->confusion_scale);
}

/* False after reporting an error, if a metric needs more predictions than the host keeps. */
static bool can_keep_scores(const gt_net *net, const gt_net_target *target, gt_config *config) {
  const double values = (double)net->data->samples * (double)target->items * (double)target->metrics.outputs;
  int m = 0;
  while (!target->metrics.type[m]->of_scores) m++;
  if (gt_tensor_is_text(gt_split_target(net->data, 0)))
    return gt_refuse(&config->diagnostics, config->root->at, "another metric, such as perplexity",
                     "metric '%s' needs all predictions of the %s split, which are not kept for a text",
                     target->metrics.type[m]->name, gt_part_keys[net->part]);
  if (values <= GT_METRIC_MAX_SCORES) return true;
  return gt_refuse(
      &config->diagnostics, config->root->at, "a smaller split, or another metric",
      "metric '%s' needs all predictions of the %s split: %.3g values, and at most %d can be kept",
      target->metrics.type[m]->name, gt_part_keys[net->part], values, GT_METRIC_MAX_SCORES);
}

/* Sets up the metrics of an evaluation. For logic gates, only the hard form has metrics. */
static bool set_up_metrics(gt_net *net, int index, gt_graph *graph, gt_arena *arena, gt_config *config,
                           const gt_net_options *options) {
  gt_net_target *target = &net->target[index];
  const gt_metric_list *list = config->metrics ? &config->metrics[index] : NULL;
  const bool wanted = list && list->count && (net->hard || !net->model->has_hard);
  gt_metric_set *set = &target->metrics;
  if (net->trains || (!wanted && !options->scores) || graph->error.status) return true;
  set->task = gt_metric_task_of(config->loss[index]);
  set->outputs = gt_node_at(graph, target->loss.items.prediction)->shape.dim[1];
  set->positive = config->dataset.target[index].positive;
  set->count = wanted ? list->count : 0;
  target->items = set->task == GT_METRIC_CLASSES ? gt_tensor_features(gt_split_target(net->data, index)) : 1;
  for (int m = 0; m < set->count; m++) {
    set->type[m] = list->type[m];
    set->counts |= list->type[m]->of_counts != NULL;
    set->scores |= list->type[m]->of_scores != NULL;
  }
  if (!set->scores && !options->scores) return true;
  if (set->scores && !can_keep_scores(net, target, config)) return false;
  const gt_shape shape = gt_node_at(graph, target->loss.items.prediction)->shape;
  target->scores = with_target_name(target, arena, gt_net_variable(net, arena, "scores"));
  gt_assign(graph, gt_graph_variable(graph, target->scores, shape, GT_F32, false), 0,
            target->loss.items.prediction);
  return true;
}

/* Evaluations use the threshold of the config; training steps use 1/2. */
static bool uses_shift(const gt_net *net, const gt_config *config) {
  return config->threshold.used && !net->shuffles && gt_split_target(net->data, 0)->rank;
}

/* F32 [2] for two classes, which have one threshold; otherwise one value per label. */
static gt_id read_shift(gt_graph *graph, const gt_config *config) {
  const gt_shape shape = gt_shape_1(config->dataset.target[0].classification + config->threshold.count);
  return gt_variable_read(graph, gt_graph_variable(graph, GT_SHIFT_VARIABLE, shape, GT_F32, false));
}

/* Nodes to which gt_forward_target has pointers. */
typedef struct target_nodes {
  gt_id scaling, shift;
} target_nodes;

/* Reads a batch of a target, and its scaling. */
static gt_forward_target read_target(gt_net *net, int index, gt_graph *graph, gt_arena *arena,
                                     const gt_config *config, gt_id clock, target_nodes *nodes) {
  const gt_tensor *tensor = gt_split_target(net->data, index);
  const gt_data_target *data = &config->dataset.target[index];
  const gt_samples samples = gt_net_samples(net, &config->dataset);
  gt_forward_target target = {
      .name = data->name,
      .loss = config->loss[index],
      .targets = gt_samples_read(&samples, GT_SAMPLE_TARGET, index, arena, graph, clock, net->order),
      .classes = data->classes,
      .values = tensor->rank ? gt_tensor_features(tensor) : 0,
      .ignores = data->ignores};
  if (data->scaling.count) {
    nodes->scaling = gt_target_scaling_read(data, arena, graph);
    target.scaling = &nodes->scaling;
  }
  return target;
}

static void add_shift(gt_forward_target *target, gt_graph *graph, const gt_config *config,
                      target_nodes *nodes) {
  nodes->shift = read_shift(graph, config);
  target->shift = &nodes->shift;
}

static void store_results(gt_net *net, const gt_forward *forward) {
  net->model = forward->model;
  net->objective = forward->objective;
  net->weight = forward->weight;
  for (int k = 0; k < net->targets; k++) {
    net->target[k].loss = forward->target[k].nodes;
    net->target[k].output = net->predicts ? forward->target[k].output : GT_NONE;
    net->form.target[k].correct = !net->predicts && net->target[k].loss.sum[GT_SUM_CORRECT] != GT_NONE;
  }
}

/* Reads the inputs of a batch. augmented: NULL without augmentation. */
static bool read_inputs(gt_net *net, gt_graph *graph, gt_arena *arena, gt_config *config, gt_id clock,
                        gt_augmented *augmented, gt_forward *forward) {
  const gt_samples samples = gt_net_samples(net, &config->dataset);
  if (!augmented)
    forward->inputs = gt_samples_batch(&samples, arena, graph, clock, net->order);
  else if (!gt_augmented_inputs(augmented, config, &samples, arena, graph, clock, net->order,
                                &forward->inputs))
    return false;
  if (!forward->mirrored) return true;
  if (!gt_config_check_flip(config, &config->diagnostics)) return false;
  forward->inputs = gt_mirrored_inputs(forward->inputs, arena, graph, clock);
  return true;
}

bool gt_net_build_forward(gt_net *net, gt_graph *graph, gt_arena *arena, gt_config *config,
                          gt_model_mode mode, gt_id clock, const gt_net_options *options) {
  const char *outer = gt_graph_set_scope(graph, "data");
  net->order = order_of(net);
  const gt_tensor *weights = gt_split_weights(net->data);
  const bool augments = mode.training && config->augment, shifted = net->shifted = uses_shift(net, config);
  gt_augmented augmented;
  gt_id sample_weight = GT_NONE;
  target_nodes nodes[GT_DATA_MAX_TARGETS];
  gt_forward forward = {.root = config->root,
                        .optim = config->optim,
                        .clock = clock,
                        .padded = net->data->samples != net->steps * net->parts * net->batch,
                        .sample_weight = weights->rank ? &sample_weight : NULL,
                        .targets = net->targets,
                        .mirrored = !mode.training && config->flips,
                        .precision = config->products,
                        .mode = mode};
  if (!read_inputs(net, graph, arena, config, clock, augments ? &augmented : NULL, &forward)) return false;
  for (int k = 0; k < net->targets; k++)
    forward.target[k] = read_target(net, k, graph, arena, config, clock, &nodes[k]);
  const gt_samples samples = gt_net_samples(net, &config->dataset);
  sample_weight = gt_samples_read(&samples, GT_SAMPLE_WEIGHT, 0, arena, graph, clock, net->order);
  if (shifted) add_shift(&forward.target[0], graph, config, &nodes[0]);
  forward.weight = gt_batch_weight(graph, clock, net->order);
  net->may_be_empty = weights->rank;
  for (int k = 0; k < net->targets; k++) {
    gt_forward_target *target = &forward.target[k];
    net->may_be_empty |= target->ignores;
    if (augments)
      gt_augmented_target(&augmented, graph, target);
    else if (gt_split_target(net->data, k)->rank > 2)
      target->targets = gt_crop_batch(&config->dataset.input[0], graph, target->targets);
  }
  gt_graph_set_scope(graph, outer);
  forward.mode.seed = net->draw;
  forward.mode.recompute = mode.training && config->train.recompute;
  forward.mode.transfer = config->init_from ? &config->init_from->transfer : NULL;
  const bool ok = gt_forward_build(&forward, arena, graph, &config->diagnostics);
  store_results(net, &forward);
  if (ok && mode.training && !gt_optim_check_trained(config->optim, net->model->store, &config->diagnostics))
    return false;
  for (int k = 0; ok && !net->predicts && k < net->targets; k++) {
    if (!set_up_metrics(net, k, graph, arena, config, options)) return false;
    if (options->confusion || net->target[k].metrics.counts)
      count_predictions(net, &net->target[k], graph, arena, config->loss[k]);
  }
  return ok;
}
