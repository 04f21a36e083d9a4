#include "train/net.h"
#include "base/log.h"
#include "op/batch.h"
#include "op/core.h"
#include "train/init_from.h"
#include <string.h>

const gt_split *gt_dataset_split(const gt_dataset *dataset, const char *name) {
  const gt_split *split = !strcmp(name, "train")        ? &dataset->train
                          : !strcmp(name, "validation") ? &dataset->validation
                          : !strcmp(name, "test")       ? &dataset->test
                                                        : NULL;
  return split && split->samples ? split : NULL;
}

gt_shape gt_tensor_shape(const gt_tensor *tensor) {
  gt_shape shape = {.rank = tensor->rank};
  for (int d = 0; d < tensor->rank; d++) shape.dim[d] = tensor->dim[d];
  return shape;
}

gt_dtype gt_tensor_dtype(const gt_tensor *tensor) {
  return tensor->element == GT_ELEMENT_U8 ? GT_U8 : tensor->element == GT_ELEMENT_I32 ? GT_I32 : GT_F32;
}

const char *gt_net_variable(const gt_net *net, gt_arena *arena, const char *name) {
  return gt_arena_printf(arena, "%s.%s", net->kind, name);
}

static gt_id read_variable(gt_graph *graph, const char *name, gt_shape shape, gt_dtype dtype) {
  return gt_variable_read(graph, gt_graph_variable(graph, name, shape, dtype, false));
}

bool gt_net_inputs_are_bits(const gt_dataset *dataset, const gt_tensor *inputs) {
  return !dataset->scale_count && gt_tensor_is_bits(inputs);
}

gt_id gt_net_inputs(gt_graph *graph, const gt_dataset *dataset, const gt_tensor *inputs, const char *variable,
                    gt_id clock, gt_batch_attribute attribute) {
  gt_id scaling = GT_NONE;
  if (dataset->scale_count)
    scaling = read_variable(graph, "data.scaling", gt_shape_2(3, dataset->scale_count), GT_F32);
  const gt_id data = read_variable(graph, variable, gt_tensor_shape(inputs), gt_tensor_dtype(inputs));
  return gt_batch(graph, data, clock, scaling, attribute);
}

static gt_id make_clock(gt_net *net, gt_arena *arena, int table_rows) {
  gt_graph *graph = net->graph;
  net->state = gt_net_variable(net, arena, "state");
  const uint32_t state = gt_graph_variable(graph, net->state, gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  const uint32_t table = gt_graph_variable(graph, gt_net_variable(net, arena, "table"),
                                           gt_shape_2(table_rows, net->table_width), GT_F32, false);
  return gt_clock(graph, state, table);
}

/* Batch, model and loss: what training and evaluation have in common. */
static bool build_forward(gt_net *net, gt_arena *arena, gt_config *config, gt_model_mode mode, gt_id clock) {
  gt_graph *graph = net->graph;
  const char *former = gt_graph_scope(graph, "data");
  const gt_batch_attribute batch = {net->batch, net->data->samples, !net->trains};
  const char *inputs_name = gt_arena_printf(arena, "data.%s.inputs", net->split);
  const char *targets_name = gt_arena_printf(arena, "data.%s.targets", net->split);
  const gt_tensor *targets = &net->data->targets;
  const gt_id input = gt_net_inputs(graph, &config->dataset, &net->data->inputs, inputs_name, clock, batch);
  const gt_id wanted = read_variable(graph, targets_name, gt_tensor_shape(targets), gt_tensor_dtype(targets));
  gt_loss_input loss = {.targets = gt_batch(graph, wanted, clock, GT_NONE, batch),
                        .weight = gt_batch_weight(graph, clock, batch),
                        .classes = config->dataset.classes};
  gt_graph_scope(graph, former);
  if (net->data->samples % net->batch) mode.weight = &loss.weight;
  mode.given = config->init_from ? &config->init_from->transfer : NULL;
  mode.bits = mode.hard && gt_net_inputs_are_bits(&config->dataset, &net->data->inputs);
  net->model =
      gt_model_build(arena, graph, config->root, config->optim, input, clock, mode, &config->diagnostics);
  if (!net->model) return false;
  const gt_model_layer *last = &net->model->layer[net->model->layers - 1];
  loss.prediction = net->model->output;
  loss.layer = last->name;
  loss.layer_type = last->type->name;
  loss.at = last->at;
  gt_graph_scope(graph, "loss");
  const bool ok = gt_loss_build(graph, config->loss, &loss, &net->loss, &config->diagnostics);
  gt_graph_scope(graph, former);
  return ok;
}

/* The row that the host reads: only what there is. */
static void build_log(gt_net *net, gt_arena *arena, gt_id clock) {
  gt_id scalar[8];
  gt_log_columns *c = &net->column;
  *c = (gt_log_columns){.loss = 0, .weight = 1, .ok = -1, .lr = -1, .norm = -1, .correct = -1, .count = 2};
  scalar[0] = net->loss.loss_sum;
  scalar[1] = net->loss.weight_sum;
  if (net->trains) {
    c->ok = c->count++;
    scalar[c->ok] = net->training.ok;
    c->lr = c->count++;
    scalar[c->lr] = net->training.learning_rate;
    if (net->training.gradient_norm != GT_NONE) scalar[c->norm = c->count++] = net->training.gradient_norm;
  }
  if (net->loss.correct_sum != GT_NONE) scalar[c->correct = c->count++] = net->loss.correct_sum;
  const uint32_t log = gt_graph_variable(net->graph, gt_net_variable(net, arena, "log"),
                                         gt_shape_2(net->log_rows, c->count), GT_F32, true);
  gt_log_row(net->graph, log, clock, scalar, c->count);
}

bool gt_net_plan(gt_net *net, gt_arena *arena, const gt_net_options *options, gt_error *error) {
  const gt_plan_options wanted = {.target = options->target,
                                  .no_fusion = options->unfused,
                                  .no_reuse = options->unfused,
                                  .keep = options->keep,
                                  .keep_count = options->keep_count};
  net->plan = gt_plan_create(arena, net->graph, &wanted, error);
  if (!net->plan || !gt_plan_verify(net->plan, error)) return false;
  if (gt_debug("graph")) gt_graph_print(net->graph, stderr);
  if (gt_debug("plan")) gt_plan_print(net->plan, stderr);
  return true;
}

static bool finish(gt_net *net, gt_arena *arena, const gt_net_options *options, gt_error *error) {
  if (net->graph->error.status) {
    *error = net->graph->error;
    return false;
  }
  return gt_graph_verify(net->graph, error) && gt_net_plan(net, arena, options, error);
}

bool gt_net_redraw(gt_net *net, gt_arena *arena, gt_config *config, uint64_t seed, gt_error *error) {
  gt_net other = *net;
  other.graph = gt_graph_create(arena);
  const gt_id clock = make_clock(&other, arena, GT_TABLE_ROWS);
  if (!build_forward(&other, arena, config, (gt_model_mode){.training = true, .seed = seed}, clock)) {
    *error = other.graph->error;
    return false;
  }
  const gt_store *store = net->model->store;
  for (int i = 0; i < store->slots; i++) {
    gt_slot *slot = store->slot[i];
    if (!gt_slot_plays(slot, GT_MODEL_ROLES | GT_TABLE_ROLES)) continue;
    const gt_slot *drawn = gt_store_find(other.model->store, slot->name);
    if (!drawn || !gt_shape_equal(slot->shape, drawn->shape))
      return gt_fail(error, GT_ERR_INTERNAL, "seed %llu draws a wiring of another shape ('%s')",
                     (unsigned long long)seed, slot->name);
    slot->table = drawn->table;
    slot->fill = drawn->fill;
  }
  return true;
}

static gt_net *begin(gt_arena *arena, const gt_config *config, const char *split, int64_t batch) {
  gt_net *net = GT_NEW(arena, gt_net);
  net->graph = gt_graph_create(arena);
  net->split = split;
  net->data = gt_dataset_split(&config->dataset, split);
  net->batch = batch < net->data->samples ? batch : net->data->samples;
  net->steps = (net->data->samples + net->batch - 1) / net->batch;
  return net;
}

gt_net *gt_net_training(gt_arena *arena, gt_config *config, const gt_net_options *options, gt_error *error) {
  gt_net *net = begin(arena, config, "train", config->train.batch_size);
  gt_graph *graph = net->graph;
  net->kind = "train";
  net->trains = true;
  net->log_rows = GT_LOG_ROWS;
  net->table_width = gt_optim_table_width(config->optim);
  gt_graph_scope(graph, "step");
  const gt_id clock = make_clock(net, arena, GT_TABLE_ROWS);
  const gt_model_mode mode = {.training = true, .seed = (uint64_t)config->seed};
  if (!build_forward(net, arena, config, mode, clock)) return NULL;
  gt_graph_scope(graph, "optimizer");
  if (!gt_training_build(&net->training, graph, config->optim, net->model->store, net->model->node,
                         net->loss.mean, clock, error))
    return NULL;
  gt_graph_scope(graph, "step");
  gt_model_move_states(net->model, graph, net->training.ok);
  build_log(net, arena, clock);
  return finish(net, arena, options, error) ? net : NULL;
}

gt_net *gt_net_evaluation(gt_arena *arena, gt_config *config, const char *split,
                          const gt_net_options *options, gt_error *error) {
  gt_net *net = begin(arena, config, split, config->train.eval_batch_size);
  net->kind = gt_arena_printf(arena, "eval.%s%s", split, options->hard ? ".hard" : "");
  net->hard = options->hard;
  net->log_rows = (uint32_t)net->steps; /* the rows of one evaluation are read together */
  net->table_width = 1;
  gt_graph_scope(net->graph, "step");
  const gt_id clock = make_clock(net, arena, 1);
  const gt_model_mode mode = {
      .hard = options->hard, .averaged = options->averaged, .seed = (uint64_t)config->seed};
  if (!build_forward(net, arena, config, mode, clock)) return NULL;
  gt_graph_scope(net->graph, "step");
  build_log(net, arena, clock);
  return finish(net, arena, options, error) ? net : NULL;
}
