#include "train/net.h"
#include "base/count.h"
#include "base/log.h"
#include "model/forward.h"
#include "op/batch.h"
#include "op/confusion.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/move.h"
#include "op/reduce.h"
#include "train/augmented.h"
#include "train/confusion.h"
#include "train/init_from.h"
#include "train/line_search.h"
#include "train/sampler.h"
#include <string.h>

const gt_split *gt_dataset_split(const gt_dataset *dataset, const char *name) {
  const gt_split *split = !strcmp(name, "train")        ? &dataset->train
                          : !strcmp(name, "validation") ? &dataset->validation
                          : !strcmp(name, "test")       ? &dataset->test
                                                        : NULL;
  return split && split->samples ? split : NULL;
}

uint32_t *gt_windows_of(gt_windows *windows, const char *split) {
  return !strcmp(split, "train")        ? &windows->train
         : !strcmp(split, "validation") ? &windows->validation
                                        : &windows->test;
}

const char *gt_net_variable(const gt_net *net, gt_arena *arena, const char *name) {
  return gt_arena_printf(arena, "%s.%s", net->kind, name);
}

/* Each stage has its own clock: "gradient" counts batches, the others steps. */
static gt_id make_clock(gt_graph *graph, const char *state_name, const char *table_name, int rows,
                        int width) {
  const uint32_t state = gt_graph_variable(graph, state_name, gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  return gt_clock(graph, state, gt_graph_variable(graph, table_name, gt_shape_2(rows, width), GT_F32, false));
}

static gt_id main_clock(gt_net *net, gt_graph *graph, gt_arena *arena, int rows) {
  net->state = gt_net_variable(net, arena, "state");
  return make_clock(graph, net->state, gt_net_variable(net, arena, "table"), rows, net->table_width);
}

static const char *split_variable(const gt_net *net, gt_arena *arena, const char *name) {
  return gt_arena_printf(arena, "%s.%s.%s", net->order.window ? "window" : "data", net->split, name);
}

gt_samples gt_net_samples(const gt_net *net, const gt_dataset *dataset, gt_arena *arena) {
  return (gt_samples){.inputs = dataset->inputs,
                      .input = dataset->input,
                      .tensor = net->data->input,
                      .variable = split_variable(net, arena, "inputs"),
                      .starts = split_variable(net, arena, "starts"),
                      .window = net->order.window * net->batch};
}

/* A variable of a target: NAME, with that of one of several targets after it. */
static const char *of_target(const gt_net_target *target, gt_arena *arena, const char *name) {
  return target->name ? gt_arena_printf(arena, "%s.%s", name, target->name) : name;
}

const char *gt_net_target_variable(const gt_net *net, int target, gt_arena *arena) {
  return of_target(&net->target[target], arena, split_variable(net, arena, "targets"));
}

const char *gt_net_weights(const gt_net *net, gt_arena *arena) {
  return split_variable(net, arena, "weights");
}

static gt_batch_attribute order_of(const gt_net *net) {
  return (gt_batch_attribute){.batch = net->batch,
                              .samples = net->data->samples,
                              .sequential = !net->draws,
                              .steps = (uint32_t)(net->steps * net->parts),
                              .first_step = (uint32_t)(net->first_step * net->parts),
                              .first_epoch = (uint32_t)net->first_epoch,
                              .window = net->order.window,
                              .classes = net->classes};
}

/* Counts the confusion matrix. */
static void count_answers(gt_net *net, gt_net_target *target, gt_graph *graph, gt_arena *arena,
                          const gt_loss *loss) {
  const gt_loss_items *items = &target->loss.items;
  const int64_t classes = gt_node_at(graph, items->prediction)->shape.dim[1];
  if (!loss->type->labels || classes > GT_CONFUSION_MAX) return;
  target->counted = classes;
  target->confusion = of_target(target, arena, gt_net_variable(net, arena, "confusion"));
  const uint32_t counts =
      gt_graph_variable(graph, target->confusion, gt_shape_2(classes, classes), GT_I32, false);
  gt_confusion(graph, counts, items->answers, items->targets, items->weight);
}

/* False after reporting if a metric would need more predictions than the host keeps. */
static bool can_keep_scores(const gt_net *net, const gt_net_target *target, gt_config *config) {
  const double values = (double)net->data->samples * (double)target->items * (double)target->metrics.outputs;
  int m = 0;
  while (!target->metrics.type[m]->of_scores) m++;
  if (values <= GT_METRIC_MAX_SCORES) return true;
  gt_error_at(&config->diagnostics, config->root->at,
              "metric '%s' needs all predictions of the %s split: %.3g values, and at most %d can be kept",
              target->metrics.type[m]->name, net->split, values, GT_METRIC_MAX_SCORES)
      ->expected = "a smaller split, or another metric";
  return false;
}

/* The metrics of an evaluation. Those of logic gates are of the hard form. */
static bool open_metrics(gt_net *net, int index, gt_graph *graph, gt_arena *arena, gt_config *config,
                         const gt_net_options *options) {
  gt_net_target *target = &net->target[index];
  const gt_metric_list *list = config->metrics ? &config->metrics[index] : NULL;
  const bool wanted = list && list->count && (net->hard || !net->model->has_hard);
  gt_metric_set *set = &target->metrics;
  if (net->trains || (!wanted && !options->scores) || graph->error.status) return true;
  set->task = gt_metric_task_of(config->loss[index]);
  set->outputs = gt_node_at(graph, target->loss.items.prediction)->shape.dim[1];
  set->count = wanted ? list->count : 0;
  target->items = set->task == GT_METRIC_CLASSES ? gt_tensor_features(&net->data->target[index]) : 1;
  for (int m = 0; m < set->count; m++) {
    set->type[m] = list->type[m];
    set->counts |= list->type[m]->of_counts != NULL;
    set->scores |= list->type[m]->of_scores != NULL;
  }
  if (!set->scores && !options->scores) return true;
  if (set->scores && !can_keep_scores(net, target, config)) return false;
  const gt_shape shape = gt_node_at(graph, target->loss.items.prediction)->shape;
  target->scores = of_target(target, arena, gt_net_variable(net, arena, "scores"));
  gt_assign(graph, gt_graph_variable(graph, target->scores, shape, GT_F32, false), 0,
            target->loss.items.prediction);
  return true;
}

/* Evaluations answer with the threshold of the config; training steps answer with 1/2. */
static bool shifts(const gt_net *net, const gt_config *config) {
  return config->threshold.used && !net->draws && net->data->target[0].rank;
}

static gt_id read_shift(gt_graph *graph, const gt_config *config) {
  const gt_shape shape = gt_shape_1(config->dataset.target[0].classification ? 2 : 1);
  return gt_variable_read(graph, gt_graph_variable(graph, GT_SHIFT_VARIABLE, shape, GT_F32, false));
}

/* The values of a target for a batch, and what else its loss reads. Nodes are kept in `keep`. */
typedef struct drawn {
  gt_id scaling, shift;
} drawn;

static gt_forward_target draw_target(gt_net *net, int index, gt_graph *graph, gt_arena *arena,
                                     const gt_config *config, gt_id clock, drawn *keep) {
  const gt_tensor *tensor = &net->data->target[index];
  const gt_data_target *data = &config->dataset.target[index];
  const int64_t window = net->order.window * net->batch;
  gt_forward_target target = {.name = data->name,
                              .loss = config->loss[index],
                              .targets = GT_NONE,
                              .classes = data->classes,
                              .values = tensor->rank ? gt_tensor_features(tensor) : 0,
                              .ignores = data->ignores};
  if (tensor->rank)
    target.targets = gt_samples_draw(
        graph, gt_tensor_read(tensor, window, graph, gt_net_target_variable(net, index, arena)), clock,
        GT_NONE, net->order);
  if (data->scaling.count) {
    keep->scaling = gt_target_scaling_read(data, graph);
    target.scaling = &keep->scaling;
  }
  return target;
}

static void take_results(gt_net *net, const gt_forward *forward) {
  net->model = forward->model;
  net->objective = forward->objective;
  net->weight = forward->weight;
  for (int k = 0; k < net->targets; k++) {
    net->target[k].loss = forward->target[k].nodes;
    net->target[k].output = net->predicts ? forward->target[k].output : GT_NONE;
    net->target[k].weighs = !net->predicts && net->target[k].loss.divisor != net->target[k].loss.weight_sum;
    net->form.target[k].correct = !net->predicts && net->target[k].loss.correct_sum != GT_NONE;
  }
}

/* The inputs of a batch; augmented: as in training. */
static bool draw_inputs(gt_net *net, gt_graph *graph, gt_arena *arena, gt_config *config, gt_id clock,
                        gt_augmented *augmented, gt_forward *forward) {
  const gt_samples samples = gt_net_samples(net, &config->dataset, arena);
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

/* Batch, model and loss, for training and evaluation. */
static bool build_forward(gt_net *net, gt_graph *graph, gt_arena *arena, gt_config *config,
                          gt_model_mode mode, gt_id clock, const gt_net_options *options) {
  const char *former = gt_graph_scope(graph, "data");
  net->order = order_of(net);
  const gt_tensor *weights = &net->data->weights;
  const bool augments = mode.training && config->augment, shifted = net->shifted = shifts(net, config);
  gt_augmented augmented;
  gt_id sample_weight = GT_NONE;
  drawn keep[GT_DATA_MAX_TARGETS];
  gt_forward forward = {.root = config->root,
                        .optim = config->optim,
                        .clock = clock,
                        .padded = net->data->samples != net->steps * net->parts * net->batch,
                        .sample_weight = weights->rank ? &sample_weight : NULL,
                        .targets = net->targets,
                        .mirrored = !mode.training && config->flips,
                        .precision = config->products,
                        .mode = mode};
  if (!draw_inputs(net, graph, arena, config, clock, augments ? &augmented : NULL, &forward)) return false;
  for (int k = 0; k < net->targets; k++)
    forward.target[k] = draw_target(net, k, graph, arena, config, clock, &keep[k]);
  if (weights->rank)
    sample_weight = gt_samples_draw(
        graph, gt_tensor_read(weights, net->order.window * net->batch, graph, gt_net_weights(net, arena)),
        clock, GT_NONE, net->order);
  if (shifted) {
    keep[0].shift = read_shift(graph, config);
    forward.target[0].shift = &keep[0].shift;
  }
  forward.weight = gt_batch_weight(graph, clock, net->order);
  net->may_be_empty = weights->rank;
  for (int k = 0; k < net->targets; k++) {
    gt_forward_target *target = &forward.target[k];
    net->may_be_empty |= target->ignores;
    if (augments)
      gt_augmented_target(&augmented, graph, target);
    else if (net->data->target[k].rank > 2)
      target->targets = gt_input_piece(&config->dataset.input[0], graph, target->targets);
  }
  gt_graph_scope(graph, former);
  forward.mode.seed = net->draw;
  forward.mode.recompute = mode.training && config->train.recompute;
  forward.mode.given = config->init_from ? &config->init_from->transfer : NULL;
  const bool ok = gt_forward_build(&forward, arena, graph, &config->diagnostics);
  take_results(net, &forward);
  for (int k = 0; ok && !net->predicts && k < net->targets; k++) {
    if (!open_metrics(net, k, graph, arena, config, options)) return false;
    if (options->confusion || net->target[k].metrics.counts)
      count_answers(net, &net->target[k], graph, arena, config->loss[k]);
  }
  return ok;
}

typedef struct log_values { /* of the log row that the host reads; the last may be a vector */
  gt_id value[3 + 4 * GT_DATA_MAX_TARGETS + 1];
  int count;
} log_values;

static int add_value(log_values *log, gt_id value) {
  if (value == GT_NONE) return -1;
  log->value[log->count] = value;
  return log->count++;
}

static void add_rest(log_values *log, const gt_net_target *target, gt_log_target *to) {
  to->correct = add_value(log, target->loss.correct_sum);
  to->divisor = add_value(log, target->weighs ? target->loss.divisor : GT_NONE);
}

/* The sums of the metrics of all targets, as one vector; GT_NONE: there are none. first: its column. */
static gt_id add_metrics(gt_net *net, gt_graph *graph, int first) {
  gt_id part[GT_DATA_MAX_TARGETS];
  int parts = 0;
  for (int k = 0; k < net->targets; k++) {
    gt_net_target *target = &net->target[k];
    const gt_id sums =
        target->metrics.count ? gt_metrics_emit(&target->metrics, graph, &target->loss.items) : GT_NONE;
    if (sums == GT_NONE) continue;
    net->column.target[k].metrics = first;
    first += target->metrics.columns;
    part[parts++] = sums;
  }
  net->column.count = first;
  return parts > 1 ? gt_pack(graph, part, parts) : parts ? part[0] : GT_NONE;
}

/* The log row that the host reads, with the columns that exist. */
static void build_log(gt_net *net, gt_graph *graph, gt_arena *arena, gt_id clock) {
  const char *outer = gt_graph_scope(graph, "step");
  log_values log = {0};
  gt_log_columns *c = &net->column;
  *c = (gt_log_columns){.ok = -1, .lr = -1, .norm = -1};
  for (int k = 0; k < net->targets; k++) {
    gt_log_target *to = &c->target[k];
    to->metrics = -1;
    to->loss = add_value(&log, net->target[k].loss.loss_sum);
    to->weight = add_value(&log, net->target[k].loss.weight_sum);
    if (!k && net->trains) {
      c->ok = add_value(&log, net->training.ok);
      c->lr = add_value(&log, net->training.learning_rate);
      c->norm = add_value(&log, net->training.gradient_norm);
    }
    add_rest(&log, &net->target[k], to);
  }
  const gt_id sums = add_metrics(net, graph, log.count);
  add_value(&log, sums);
  const uint32_t variable = gt_graph_variable(graph, gt_net_variable(net, arena, "log"),
                                              gt_shape_2(net->log_rows, c->count), GT_F32, true);
  /* A row takes few values, and several targets have more. */
  if (net->targets > 1 && !graph->error.status) {
    log.value[0] = gt_pack(graph, log.value, log.count);
    log.count = 1;
  }
  gt_log_row(graph, variable, clock, log.value, log.count);
  gt_graph_scope(graph, outer);
}

gt_sums gt_net_sums_of(const gt_net *net, const float *row) {
  gt_sums sums = {.steps = 1};
  for (int k = 0; k < net->targets; k++) {
    const gt_log_target *c = &net->column.target[k];
    sums.target[k] = (gt_target_sums){.loss = row[c->loss],
                                      .weight = row[c->weight],
                                      .correct = c->correct >= 0 ? row[c->correct] : 0,
                                      .divisor = c->divisor >= 0 ? row[c->divisor] : 0};
  }
  return sums;
}

/* Outputs instead of a log, if there are no targets. */
static void build_outputs(const gt_net *net, gt_graph *graph, gt_arena *arena) {
  if (graph->error.status) return;
  for (int k = 0; k < net->targets; k++) {
    const gt_net_target *target = &net->target[k];
    const gt_shape shape = gt_node_at(graph, target->output)->shape;
    const uint32_t outputs =
        gt_graph_variable(graph, gt_net_output_variable(net, k, arena), shape, GT_F32, false);
    gt_assign(graph, outputs, 0, target->output);
  }
}

const char *gt_net_output_variable(const gt_net *net, int target, gt_arena *arena) {
  return of_target(&net->target[target], arena, gt_net_variable(net, arena, "outputs"));
}

bool gt_net_plan(gt_stage *stage, gt_arena *arena, const gt_net_options *options, gt_error *error) {
  const gt_plan_options wanted = {.target = options->target,
                                  .tuned = options->tuned,
                                  .no_fusion = options->unfused,
                                  .no_reuse = options->unfused,
                                  .keep = options->keep,
                                  .keep_count = options->keep_count};
  if (options->unplanned) return true;
  stage->plan = gt_plan_create(arena, stage->graph, &wanted, error);
  if (!stage->plan || !gt_plan_verify(stage->plan, error)) return false;
  if (gt_debug("graph")) gt_graph_print(stage->graph, stderr);
  if (gt_debug("plan")) gt_plan_print(stage->plan, stderr);
  return true;
}

gt_net_work gt_net_work_of(const gt_net *net) {
  gt_net_work work = {0};
  for (int i = 0; i < net->stages; i++) {
    const gt_stage *stage = &net->stage[i];
    work.flops += stage->times * stage->plan->flops;
    work.kernels += stage->times * stage->plan->steps;
    work.levels += stage->times * (stage->plan->levels - stage->plan->ahead);
    if (net->stages > 1) work.levels += stage->plan->ahead; /* in the first replay */
    for (uint32_t c = 0; c < stage->plan->choices; c++) work.tuned += stage->plan->choice[c].tuned;
  }
  return work;
}

/* Ends a stage's graph and plans it. */
static bool add_stage(gt_net *net, gt_graph *graph, uint32_t times, gt_arena *arena,
                      const gt_net_options *options, gt_error *error) {
  gt_stage *stage = &net->stage[net->stages++];
  *stage = (gt_stage){.graph = graph, .times = times};
  if (graph->error.status) {
    *error = graph->error;
    return false;
  }
  return gt_graph_verify(graph, error) && gt_net_plan(stage, arena, options, error);
}

static bool adopt(gt_stage *stage, const gt_stage *planned) {
  stage->plan = planned->plan;
  stage->executable = planned->executable;
  return gt_graph_equal(stage->graph, planned->graph);
}

bool gt_net_adopt(gt_net *net, const gt_net *planned) {
  bool same = net->stages == planned->stages;
  for (int i = 0; same && i < net->stages; i++) same = adopt(&net->stage[i], &planned->stage[i]);
  for (int i = 0; same && net->search && i < GT_LINE_SEARCH_STAGES; i++)
    same = adopt(&net->search->stage[i], &planned->search->stage[i]);
  net->feed = planned->feed;
  return same;
}

static gt_net *begin(gt_arena *arena, const gt_config *config, const gt_net_options *options,
                     const char *split, int64_t batch, int64_t parts) {
  gt_net *net = GT_NEW(arena, gt_net);
  net->split = split;
  net->draw = options->draw ? *options->draw : (uint64_t)config->seed;
  net->data = gt_dataset_split(&config->dataset, split);
  net->targets = config->dataset.targets;
  net->predicts = !net->data->target[0].rank;
  for (int k = 0; k < net->targets; k++) net->target[k].name = config->dataset.target[k].name;
  net->form = gt_config_result_form(config);
  const gt_batching batching = gt_batching_of(net->data->samples, batch, parts);
  net->batch = batching.batch;
  net->parts = batching.parts;
  net->steps = batching.steps;
  gt_windows windows = options->windows;
  net->order.window = *gt_windows_of(&windows, split);
  return net;
}

/* A step in one stage. */
static bool build_step(gt_net *net, gt_arena *arena, gt_config *config, const gt_net_options *options,
                       gt_error *error) {
  gt_graph *graph = gt_graph_create(arena);
  gt_graph_scope(graph, "step");
  const gt_id clock = main_clock(net, graph, arena, GT_TABLE_ROWS);
  const gt_model_mode mode = {.training = true};
  if (!build_forward(net, graph, arena, config, mode, clock, options)) return false;
  gt_store *store = net->model->store;
  const gt_id gradient = gt_training_gradient(graph, store, net->model->node, net->objective, GT_NONE, error);
  if (gradient == GT_NONE || !gt_training_update(&net->training, graph, config->optim, store, gradient,
                                                 GT_NONE, net->objective, clock, error))
    return false;
  gt_graph_scope(graph, "step");
  gt_training_average_states(&net->training, graph,
                             gt_model_move_states(net->model, graph, net->training.ok));
  build_log(net, graph, arena, clock);
  return add_stage(net, graph, 1, arena, options, error);
}

/* --- gradients of several batches --- */

uint32_t gt_net_gradient(const gt_net *net, gt_graph *graph) {
  const gt_shape shape = gt_shape_1(net->model->store->trainable);
  return gt_graph_variable(graph, GT_GRADIENT_VARIABLE, shape, GT_F32, false);
}

static int count_of_sums(const gt_net_target *target) { return target->weighs ? GT_SUMS : GT_SUM_DIVISOR; }

/* The first of the sums of a target; of the one after the last: their number. */
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

/* Items of a sample that count, in a net whose items all do. */
static double items_of(const gt_net *net, int target) {
  const gt_shape *shape = &net->item_shape[target];
  return (double)gt_shape_count(*shape) / (double)net->batch;
}

/* The summed losses of several targets, whose means have one divisor, the weight of the samples. */
static gt_id sum_of_losses(const gt_net *net, gt_graph *graph, gt_config *config) {
  gt_id sum = GT_NONE;
  for (int k = 0; k < net->targets; k++) {
    const double factor = config->loss[k]->weight / items_of(net, k);
    gt_id part = net->target[k].loss.loss_sum;
    if (factor < 1 || factor > 1) part = gt_mul(graph, part, gt_constant(graph, factor));
    sum = k ? gt_add(graph, sum, part) : part;
  }
  return sum;
}

/* The summed objective of a batch: losses, with the penalty for each. */
static gt_id objective_sum(const gt_net *net, gt_graph *graph, gt_config *config) {
  const gt_loss_nodes *nodes = &net->target[0].loss;
  const bool several = net->targets > 1, sums_batch = config->loss[0]->type->sums_batch;
  const gt_id losses = several ? sum_of_losses(net, graph, config) : nodes->loss_sum;
  if (net->model->penalty == GT_NONE) return losses;
  gt_id times =
      several ? gt_mul(graph, nodes->divisor, gt_constant(graph, 1 / items_of(net, 0))) : nodes->divisor;
  if (sums_batch)
    times = gt_mul(graph, net->data->weights.rank ? gt_sum(graph, net->weight, 0, false) : nodes->weight_sum,
                   gt_constant(graph, 1.0 / (double)gt_net_rows(net)));
  return gt_add(graph, losses, gt_mul(graph, net->model->penalty, times));
}

/* Adds the sums of one batch to those of the step so far; for a line search, the objective instead of the
 * loss. */
static void add_sums(const gt_net *net, gt_graph *graph, gt_config *config) {
  const uint32_t variable = gt_net_sums(net, graph);
  const int count = first_sum(net, net->targets);
  const gt_id none = gt_constant(graph, 0);
  const bool line_search = config->optim->type->line_search;
  gt_id part[GT_SUMS * GT_DATA_MAX_TARGETS];
  for (int k = 0; k < net->targets; k++) {
    const gt_loss_nodes *loss = &net->target[k].loss;
    gt_id *own = part + first_sum(net, k);
    own[GT_SUM_LOSS] = line_search ? objective_sum(net, graph, config) : loss->loss_sum;
    own[GT_SUM_WEIGHT] = loss->weight_sum;
    own[GT_SUM_CORRECT] = loss->correct_sum == GT_NONE ? none : loss->correct_sum;
    if (net->target[k].weighs) own[GT_SUM_DIVISOR] = loss->divisor;
  }
  for (int i = 0; i < count; i++) part[i] = gt_reshape(graph, gt_add(graph, part[i], none), gt_shape_1(1));
  gt_assign(graph, variable, 0,
            gt_add(graph, gt_variable_read(graph, variable), gt_pack(graph, part, count)));
}

/* The sum of a node over the targets. */
static gt_id over_targets(const gt_net *net, gt_graph *graph, size_t offset) {
  gt_id sum = GT_NONE;
  for (int k = 0; k < net->targets; k++) {
    const gt_id own = *(const gt_id *)(const void *)((const char *)&net->target[k].loss + offset);
    sum = k ? gt_add(graph, sum, own) : own;
  }
  return sum;
}

/* States advance only if the batch has samples and if its loss and all batches before it are finite. */
static void move_states(const gt_net *net, gt_graph *graph) {
  uint32_t variable;
  if (!net->model->moved) return;
  const gt_id loss = over_targets(net, graph, offsetof(gt_loss_nodes, loss_sum)),
              weight = over_targets(net, graph, offsetof(gt_loss_nodes, weight_sum));
  const gt_id sound =
      gt_mul(graph, gt_training_ok(net->model->store, graph, &variable), gt_is_finite(graph, loss));
  gt_model_move_states(net->model, graph,
                       gt_mul(graph, sound, gt_less(graph, gt_constant(graph, 0), weight)));
}

/* The contribution of a batch to the gradient of the step, up to a factor: it is divided by the weights of
 * all batches once they are known. Until then it is divided by the number of rows, so that sums of losses do
 * not overflow. */
static gt_id gradient_loss(const gt_net *net, gt_graph *graph, gt_config *config) {
  const gt_id sum = objective_sum(net, graph, config);
  if (config->loss[0]->type->sums_batch) return sum;
  return gt_mul(graph, sum, gt_constant(graph, 1.0 / (double)gt_net_rows(net)));
}

/* The mean losses of several targets can be accumulated only if they have one divisor: the weight of the
 * samples. False after reporting. */
static bool have_one_divisor(gt_net *net, gt_config *config) {
  for (int k = 0; k < net->targets && net->targets > 1; k++) {
    const char *why = net->target[k].weighs               ? "has class weights"
                      : config->dataset.target[k].ignores ? "has labels that do not count"
                      : config->loss[k]->type->sums_batch ? "has a loss that is a sum"
                                                          : NULL;
    if (!why) continue;
    const gt_spec *accumulate = gt_spec_find(gt_spec_find(config->root, "train"), "accumulate");
    gt_error_at(&config->diagnostics, accumulate ? accumulate->at : config->root->at,
                "the losses of several targets cannot be accumulated here: '%s' %s, so the means of the "
                "targets have different divisors",
                net->target[k].name, why)
        ->expected = "accumulate: 1, with a larger batch_size";
    return false;
  }
  return true;
}

static bool build_gradient(gt_net *net, gt_arena *arena, gt_config *config, const gt_net_options *options,
                           gt_error *error) {
  gt_graph *graph = gt_graph_create(arena);
  gt_graph_scope(graph, "step");
  const gt_id clock = make_clock(graph, "train.part", "train.part.table", 1, 1);
  const gt_model_mode mode = {.training = true};
  if (!build_forward(net, graph, arena, config, mode, clock, options) || !have_one_divisor(net, config))
    return false;
  for (int k = 0; k < net->targets; k++)
    net->item_shape[k] = gt_node_at(graph, net->target[k].loss.items.weight)->shape;
  const gt_store *store = net->model->store;
  const uint32_t variable = store->trainable ? gt_net_gradient(net, graph) : 0;
  const gt_id before = store->trainable ? gt_variable_read(graph, variable) : GT_NONE;
  const gt_id gradient =
      gt_training_gradient(graph, store, net->model->node, gradient_loss(net, graph, config), before, error);
  if (gradient == GT_NONE) return false;
  gt_graph_scope(graph, "step");
  gt_assign(graph, variable, 0, gradient);
  add_sums(net, graph, config);
  move_states(net, graph);
  return add_stage(net, graph, (uint32_t)net->parts, arena, options, error);
}

/* The sums of all batches as the nodes of the losses. */
static void take_sums(gt_net *net, gt_graph *graph, gt_id sums) {
  for (int k = 0; k < net->targets; k++) {
    gt_net_target *target = &net->target[k];
    const bool has_correct = target->loss.correct_sum != GT_NONE;
    const gt_id weight = read_sum(net, graph, sums, k, GT_SUM_WEIGHT);
    target->loss =
        (gt_loss_nodes){.loss_sum = read_sum(net, graph, sums, k, GT_SUM_LOSS),
                        .weight_sum = weight,
                        .divisor = target->weighs ? read_sum(net, graph, sums, k, GT_SUM_DIVISOR) : weight,
                        .correct_sum = has_correct ? read_sum(net, graph, sums, k, GT_SUM_CORRECT) : GT_NONE};
  }
}

static bool build_update(gt_net *net, gt_arena *arena, gt_config *config, const gt_net_options *options,
                         gt_error *error) {
  gt_graph *graph = gt_graph_create(arena);
  gt_graph_scope(graph, "step");
  const gt_id clock = main_clock(net, graph, arena, GT_TABLE_ROWS);
  const uint32_t gradient = gt_net_gradient(net, graph), totals = gt_net_sums(net, graph);
  take_sums(net, graph, gt_variable_read(graph, totals));
  gt_id divisor = net->target[0].loss.divisor;
  if (net->targets > 1) divisor = gt_mul(graph, divisor, gt_constant(graph, 1 / items_of(net, 0)));
  const gt_id scale = gt_net_gradient_scale(net, graph, config->loss[0], divisor);
  if (!gt_training_update(&net->training, graph, config->optim, net->model->store,
                          gt_variable_read(graph, gradient), scale,
                          over_targets(net, graph, offsetof(gt_loss_nodes, loss_sum)), clock, error))
    return false;
  gt_graph_scope(graph, "step");
  gt_training_average_states(&net->training, graph, GT_NONE);
  gt_net_clear_sums(net, graph);
  build_log(net, graph, arena, clock);
  return add_stage(net, graph, 1, arena, options, error);
}

/* Each step uses all training data, whatever the batch size. */
static bool build_line_search(gt_net *net, gt_arena *arena, gt_config *config, const gt_net_options *options,
                              gt_error *error) {
  if (net->targets > 1)
    return gt_fail(error, GT_ERR_CONFIG, "optimizer '%s' needs a single target, and this config has %d",
                   config->optim->type->name, net->targets);
  net->parts *= net->steps;
  net->steps = 1;
  if (!build_gradient(net, arena, config, options, error)) return false;
  if (net->model->moved)
    return gt_fail(
        error, GT_ERR_CONFIG,
        "optimizer '%s' evaluates the same weights repeatedly, but '%s' changes with each evaluation",
        config->optim->type->name, net->model->moved->name);
  net->column = (gt_log_columns){.ok = -1, .lr = -1, .norm = -1, .count = 3};
  net->column.target[0] = (gt_log_target){
      .weight = 1, .correct = net->form.target[0].correct ? 2 : -1, .divisor = -1, .metrics = -1};
  return gt_line_search_build(net, arena, config, options, error);
}

gt_net *gt_net_training(gt_arena *arena, gt_config *config, const gt_net_options *options, gt_error *error) {
  gt_net *net = begin(arena, config, options, "train", config->train.batch_size, config->train.accumulate);
  net->kind = "train";
  net->trains = net->draws = true;
  if (gt_sampler_balances(config)) net->members = gt_sampler_members(config, arena, &net->classes);
  net->first_step = options->first_step;
  net->first_epoch = options->first_epoch;
  net->log_rows = GT_LOG_ROWS;
  net->table_width = gt_optim_table_width(config->optim);
  if (config->optim->type->line_search)
    return build_line_search(net, arena, config, options, error) ? net : NULL;
  const bool ok = net->parts > 1 ? build_gradient(net, arena, config, options, error) &&
                                       build_update(net, arena, config, options, error)
                                 : build_step(net, arena, config, options, error);
  return ok ? net : NULL;
}

gt_net *gt_net_evaluation(gt_arena *arena, gt_config *config, const char *split,
                          const gt_net_options *options, gt_error *error) {
  gt_net *net = begin(arena, config, options, split, config->train.eval_batch_size, 1);
  gt_graph *graph = gt_graph_create(arena);
  net->kind = gt_arena_printf(arena, "eval.%s%s", split, options->hard ? ".hard" : "");
  net->hard = options->hard;
  net->log_rows = (uint32_t)net->steps; /* the rows of one evaluation are read together */
  net->table_width = 1;
  gt_graph_scope(graph, "step");
  const gt_id clock = main_clock(net, graph, arena, 1);
  const gt_model_mode mode = {.hard = options->hard, .averaged = options->averaged};
  if (!build_forward(net, graph, arena, config, mode, clock, options)) return NULL;
  if (net->predicts)
    build_outputs(net, graph, arena);
  else
    build_log(net, graph, arena, clock);
  return add_stage(net, graph, 1, arena, options, error) ? net : NULL;
}

gt_net *gt_net_sampling(gt_arena *arena, gt_config *config, int64_t samples, const gt_net_options *options,
                        gt_error *error) {
  gt_net *net = begin(arena, config, options, "train", samples, 1);
  gt_graph *graph = gt_graph_create(arena);
  net->kind = "sample";
  net->draws = true;
  net->table_width = 1;
  gt_graph_scope(graph, "step");
  const gt_id clock = main_clock(net, graph, arena, 1);
  if (!build_forward(net, graph, arena, config, (gt_model_mode){0}, clock, options)) return NULL;
  for (int i = 0; i < net->model->adaptations && !graph->error.status; i++) {
    const gt_id sample = net->model->adaptation[i].sample;
    const char *name = gt_arena_printf(arena, GT_SAMPLE_VARIABLE, i);
    const uint32_t variable = gt_graph_variable(graph, name, gt_node_at(graph, sample)->shape, GT_F32, false);
    gt_assign(graph, variable, 0, sample);
  }
  return add_stage(net, graph, 1, arena, options, error) ? net : NULL;
}
