/* Steps of several batches: the stage "gradient" adds the gradient and the sums of one batch to those of the
 * step, the stage "update" uses the totals. */
#include "train/net/net_parts.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/move.h"
#include "op/reduce.h"

uint32_t gt_net_gradient(const gt_net *net, gt_graph *graph) {
  const gt_shape shape = gt_shape_1(net->model->store->trainable);
  return gt_graph_variable(graph, GT_GRADIENT_VARIABLE, shape, GT_F32, false);
}

/* The number of sums of a target, with or without a divisor. If no predictions are correct or not, that sum
 * is 0. */
static int count_of_sums(const gt_net_target *target) {
  return target->loss.sum[GT_SUM_DIVISOR] == GT_NONE ? GT_SUM_DIVISOR : GT_SUMS;
}

/* The index of the first sum of a target; for target = number of targets, the number of sums. */
static int first_sum(const gt_net *net, int target) {
  int first = 0;
  for (int k = 0; k < target; k++) first += count_of_sums(&net->target[k]);
  return first;
}

uint32_t gt_net_sums(const gt_net *net, gt_graph *graph) {
  return gt_graph_variable(graph, GT_SUMS_VARIABLE, gt_shape_1(first_sum(net, net->targets)), GT_F32, false);
}

static gt_id read_sum(const gt_net *net, gt_graph *graph, gt_id sums, int target, int which) {
  return gt_view(graph, sums, first_sum(net, target) + which, gt_shape_of(0, NULL));
}

gt_id gt_net_sum(const gt_net *net, gt_graph *graph, int target, int which) {
  return read_sum(net, graph, gt_variable_read(graph, gt_net_sums(net, graph)), target, which);
}

gt_id gt_net_gradient_scale(const gt_net *net, gt_graph *graph, const gt_loss *loss, gt_id divisor) {
  if (loss->type->sums_batch) return GT_NONE;
  if (net->may_be_empty) divisor = gt_loss_divisor_or_one(graph, divisor);
  return gt_div(graph, gt_constant(graph, (double)gt_net_rows(net)), divisor);
}

static void clear(gt_graph *graph, uint32_t variable) {
  gt_assign(graph, variable, 0, gt_expand(graph, gt_constant(graph, 0), graph->variable[variable].shape));
}

void gt_net_clear_sums(const gt_net *net, gt_graph *graph) {
  clear(graph, gt_net_gradient(net, graph));
  clear(graph, gt_net_sums(net, graph));
}

/* The number of items per sample; only for nets in which all items have weight 1. */
static double items_per_sample(const gt_net *net, int target) {
  const gt_shape *shape = &net->item_shape[target];
  return (double)gt_shape_count(*shape) / (double)net->batch;
}

/* The sum of the losses of several targets, each divided by its items per sample, so that the means have the
 * same divisor: the weight of the samples. */
static gt_id sum_of_losses(const gt_net *net, gt_graph *graph, gt_config *config) {
  gt_id sum = GT_NONE;
  for (int k = 0; k < net->targets; k++) {
    const double factor = config->loss[k]->weight / items_per_sample(net, k);
    gt_id term = net->target[k].loss.sum[GT_SUM_LOSS];
    if (factor < 1 || factor > 1) term = gt_mul(graph, term, gt_constant(graph, factor));
    sum = k ? gt_add(graph, sum, term) : term;
  }
  return sum;
}

/* The sum of a batch's losses, plus the penalty times what the batch adds to the divisor. */
static gt_id objective_sum(const gt_net *net, gt_graph *graph, gt_config *config) {
  const gt_loss_nodes *nodes = &net->target[0].loss;
  const bool several = net->targets > 1, sums_batch = config->loss[0]->type->sums_batch;
  const gt_id losses = several ? sum_of_losses(net, graph, config) : nodes->sum[GT_SUM_LOSS];
  if (net->model->penalty == GT_NONE) return losses;
  gt_id penalty_weight = gt_loss_divisor(nodes);
  if (several)
    penalty_weight = gt_mul(graph, penalty_weight, gt_constant(graph, 1 / items_per_sample(net, 0)));
  if (sums_batch)
    penalty_weight = gt_mul(graph,
                            gt_split_weights(net->data)->rank ? gt_sum(graph, net->weight, 0, false)
                                                              : nodes->sum[GT_SUM_WEIGHT],
                            gt_constant(graph, 1.0 / (double)gt_net_rows(net)));
  return gt_add(graph, losses, gt_mul(graph, net->model->penalty, penalty_weight));
}

/* Adds the sums of one batch to those of the step; for a line search, the objective instead of the loss. */
static void add_sums(const gt_net *net, gt_graph *graph, gt_config *config) {
  const uint32_t variable = gt_net_sums(net, graph);
  const gt_id zero = gt_constant(graph, 0);
  gt_id value[GT_SUMS * GT_DATA_MAX_TARGETS];
  int count = 0;
  for (int k = 0; k < net->targets; k++)
    for (int s = 0; s < count_of_sums(&net->target[k]); s++) {
      const gt_id sum = net->target[k].loss.sum[s];
      value[count++] = sum == GT_NONE ? zero : sum;
    }
  if (config->optim->type->line_search) value[GT_SUM_LOSS] = objective_sum(net, graph, config);
  /* Adding 0 gives each value a node of its own, also if it is the node of another sum. */
  for (int i = 0; i < count; i++) value[i] = gt_reshape(graph, gt_add(graph, value[i], zero), gt_shape_1(1));
  gt_assign(graph, variable, 0,
            gt_add(graph, gt_variable_read(graph, variable), gt_pack(graph, value, count)));
}

static gt_id sum_over_targets(const gt_net *net, gt_graph *graph, gt_sum_kind kind) {
  gt_id sum = net->target[0].loss.sum[kind];
  for (int k = 1; k < net->targets; k++) sum = gt_add(graph, sum, net->target[k].loss.sum[kind]);
  return sum;
}

/* Updates the layers' states if the batch has samples, and if its loss and all earlier batches are finite. */
static void update_states(const gt_net *net, gt_graph *graph) {
  uint32_t variable;
  if (!net->model->updated) return;
  const gt_id loss = sum_over_targets(net, graph, GT_SUM_LOSS),
              weight = sum_over_targets(net, graph, GT_SUM_WEIGHT);
  const gt_id is_good =
      gt_mul(graph, gt_training_ok(net->model->store, graph, &variable), gt_is_finite(graph, loss));
  gt_model_update_states(net->model, graph,
                         gt_mul(graph, is_good, gt_less(graph, gt_constant(graph, 0), weight)));
}

/* The function whose gradient a batch adds to the gradient of the step, up to a factor: the stage "update"
 * divides by the weights of all batches. Dividing by the number of rows here avoids overflow. */
static gt_id gradient_loss(const gt_net *net, gt_graph *graph, gt_config *config) {
  const gt_id sum = objective_sum(net, graph, config);
  if (config->loss[0]->type->sums_batch) return sum;
  return gt_mul(graph, sum, gt_constant(graph, 1.0 / (double)gt_net_rows(net)));
}

/* The mean losses of several targets can be accumulated only if they have the same divisor, the weight of the
 * samples. False after reporting an error. */
static bool check_common_divisor(gt_net *net, gt_config *config) {
  for (int k = 0; k < net->targets && net->targets > 1; k++) {
    const char *why = count_of_sums(&net->target[k]) == GT_SUMS ? "has class weights"
                      : config->dataset.target[k].ignores       ? "has labels that do not count"
                      : config->loss[k]->type->sums_batch       ? "has a loss that is a sum"
                                                                : NULL;
    if (!why) continue;
    const gt_spec *accumulate = gt_spec_find(gt_spec_find(config->root, "train"), "accumulate");
    return gt_refuse(&config->diagnostics, accumulate ? accumulate->at : config->root->at,
                     "accumulate: 1, with a larger batch_size",
                     "the losses of several targets cannot be accumulated here: '%s' %s, so the means of the "
                     "targets have different divisors",
                     net->target[k].name, why);
  }
  return true;
}

bool gt_net_build_gradient(gt_net *net, gt_arena *arena, gt_config *config, const gt_net_options *options,
                           gt_error *error) {
  gt_graph *graph = gt_graph_create(arena);
  gt_graph_set_scope(graph, "step");
  const gt_id clock = gt_net_clock(graph, "train.part", "train.part.table", 1, 1);
  const gt_model_mode mode = {.training = true};
  if (!gt_net_build_forward(net, graph, arena, config, mode, clock, options) ||
      !check_common_divisor(net, config))
    return false;
  for (int k = 0; k < net->targets; k++)
    net->item_shape[k] = gt_node_at(graph, net->target[k].loss.items.weight)->shape;
  const gt_store *store = net->model->store;
  const uint32_t variable = store->trainable ? gt_net_gradient(net, graph) : 0;
  const gt_id sum_so_far = store->trainable ? gt_variable_read(graph, variable) : GT_NONE;
  const gt_id gradient = gt_training_gradient(graph, store, net->model->node,
                                              gradient_loss(net, graph, config), sum_so_far, error);
  if (gradient == GT_NONE) return false;
  gt_graph_set_scope(graph, "step");
  gt_assign(graph, variable, 0, gradient);
  add_sums(net, graph, config);
  update_states(net, graph);
  return gt_net_add_stage(net, graph, (uint32_t)net->parts, arena, options, error);
}

/* Replaces the nodes of the losses by the sums over all batches. */
static void read_sums(gt_net *net, gt_graph *graph, gt_id sums) {
  for (int k = 0; k < net->targets; k++) {
    gt_id *sum = net->target[k].loss.sum;
    for (int s = 0; s < GT_SUMS; s++)
      if (sum[s] != GT_NONE) sum[s] = read_sum(net, graph, sums, k, s);
  }
}

bool gt_net_build_update(gt_net *net, gt_arena *arena, gt_config *config, const gt_net_options *options,
                         gt_error *error) {
  gt_graph *graph = gt_graph_create(arena);
  gt_graph_set_scope(graph, "step");
  const gt_id clock = gt_net_main_clock(net, graph, arena, GT_TABLE_ROWS);
  const uint32_t gradient = gt_net_gradient(net, graph), totals = gt_net_sums(net, graph);
  read_sums(net, graph, gt_variable_read(graph, totals));
  gt_id divisor = gt_loss_divisor(&net->target[0].loss);
  if (net->targets > 1) divisor = gt_mul(graph, divisor, gt_constant(graph, 1 / items_per_sample(net, 0)));
  const gt_id scale = gt_net_gradient_scale(net, graph, config->loss[0], divisor);
  if (!gt_training_update(&net->training, graph, config->optim, net->model->store,
                          gt_variable_read(graph, gradient), scale, sum_over_targets(net, graph, GT_SUM_LOSS),
                          clock, error))
    return false;
  gt_graph_set_scope(graph, "step");
  gt_training_average_states(&net->training, graph, GT_NONE);
  gt_net_clear_sums(net, graph);
  gt_net_build_log(net, graph, arena, clock);
  return gt_net_add_stage(net, graph, 1, arena, options, error);
}
