#include "train/net/net_parts.h"
#include "base/log.h"
#include "op/core.h"
#include "train/net/line_search.h"
#include "train/config/sampler.h"
#include <string.h>

const char *gt_net_variable(const gt_net *net, gt_arena *arena, const char *name) {
  return gt_arena_printf(arena, "%s.%s", net->kind, name);
}

gt_id gt_net_clock(gt_graph *graph, const char *state_name, const char *table_name, int rows, int width) {
  const uint32_t state = gt_graph_variable(graph, state_name, gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  return gt_clock(graph, state, gt_graph_variable(graph, table_name, gt_shape_2(rows, width), GT_F32, false));
}

gt_id gt_net_main_clock(gt_net *net, gt_graph *graph, gt_arena *arena, int rows) {
  net->state = gt_net_variable(net, arena, "state");
  return gt_net_clock(graph, net->state, gt_net_variable(net, arena, "table"), rows, net->table_width);
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
  if (!stage->plan) return false;
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
    /* In each step, the first replay of a stage follows another stage and overlaps nothing. */
    if (net->stages > 1) work.levels += stage->plan->ahead;
    for (uint32_t c = 0; c < stage->plan->choices; c++) work.tuned += stage->plan->choice[c].tuned;
  }
  return work;
}

bool gt_net_add_stage(gt_net *net, gt_graph *graph, uint32_t times, gt_arena *arena,
                      const gt_net_options *options, gt_error *error) {
  gt_stage *stage = &net->stage[net->stages++];
  *stage = (gt_stage){.graph = graph, .times = times};
  if (graph->error.status) {
    *error = graph->error;
    return false;
  }
  return gt_graph_verify(graph, error) && gt_net_plan(stage, arena, options, error);
}

static bool adopt_stage(gt_stage *stage, const gt_stage *planned) {
  stage->plan = planned->plan;
  stage->executable = planned->executable;
  return gt_graph_equal(stage->graph, planned->graph);
}

bool gt_net_adopt(gt_net *net, const gt_net *planned) {
  bool same = net->stages == planned->stages;
  for (int i = 0; same && i < net->stages; i++) same = adopt_stage(&net->stage[i], &planned->stage[i]);
  for (int i = 0; same && net->search && i < GT_LINE_SEARCH_STAGES; i++)
    same = adopt_stage(&net->search->stage[i], &planned->search->stage[i]);
  net->feed = planned->feed;
  return same;
}

static gt_net *create_net(gt_arena *arena, const gt_config *config, const gt_net_options *options, int part,
                          const gt_split *data, int64_t batch, int64_t parts) {
  gt_net *net = GT_NEW(arena, gt_net);
  net->part = part;
  net->draw = options->draw ? *options->draw : (uint64_t)config->seed;
  net->data = data;
  net->targets = config->dataset.targets;
  net->predicts = !gt_split_target(net->data, 0)->rank;
  net->form.data = &config->dataset;
  for (int k = 0; k < net->targets; k++) {
    net->target[k].name = config->dataset.target[k].name;
    net->form.target[k].factor = config->loss[k]->weight;
  }
  const gt_batching batching = gt_batching_of(net->data->samples, batch, parts);
  net->batch = batching.batch;
  net->parts = batching.parts;
  net->steps = batching.steps;
  net->order.window = options->windows.of[part];
  return net;
}

/* Builds a training step in one stage. */
static bool build_step(gt_net *net, gt_arena *arena, gt_config *config, const gt_net_options *options,
                       gt_error *error) {
  gt_graph *graph = gt_graph_create(arena);
  gt_graph_set_scope(graph, "step");
  const gt_id clock = gt_net_main_clock(net, graph, arena, GT_TABLE_ROWS);
  const gt_model_mode mode = {.training = true};
  if (!gt_net_build_forward(net, graph, arena, config, mode, clock, options)) return false;
  gt_store *store = net->model->store;
  const gt_id gradient = gt_training_gradient(graph, store, net->model->node, net->objective, GT_NONE, error);
  if (gradient == GT_NONE || !gt_training_update(&net->training, graph, config->optim, store, gradient,
                                                 GT_NONE, net->objective, clock, error))
    return false;
  gt_graph_set_scope(graph, "step");
  gt_training_average_states(&net->training, graph,
                             gt_model_update_states(net->model, graph, net->training.ok));
  gt_net_build_log(net, graph, arena, clock);
  return gt_net_add_stage(net, graph, 1, arena, options, error);
}

/* Builds a step with a line search. It uses all training data, whatever the batch size. */
static bool build_line_search(gt_net *net, gt_arena *arena, gt_config *config, const gt_net_options *options,
                              gt_error *error) {
  if (net->targets > 1)
    return gt_fail(error, GT_ERR_CONFIG, "optimizer '%s' needs a single target, and this config has %d",
                   config->optim->type->name, net->targets);
  net->parts *= net->steps;
  net->steps = 1;
  if (!gt_net_build_gradient(net, arena, config, options, error)) return false;
  if (net->model->updated)
    return gt_fail(
        error, GT_ERR_CONFIG,
        "optimizer '%s' evaluates the loss several times in a step, but each evaluation changes '%s'",
        config->optim->type->name, net->model->updated->name);
  return gt_line_search_build(net, arena, config, options, error);
}

gt_net *gt_net_training(gt_arena *arena, gt_config *config, const gt_net_options *options, gt_error *error) {
  gt_net *net = create_net(arena, config, options, GT_PART_TRAIN, &config->dataset.split[GT_PART_TRAIN],
                           config->train.batch_size, config->train.accumulate);
  net->kind = "train";
  net->trains = net->shuffles = true;
  if (gt_sampler_balances(config)) net->members = gt_sampler_members(config, arena, &net->classes);
  net->first_step = options->first_step;
  net->first_epoch = options->first_epoch;
  net->log_rows = GT_LOG_ROWS;
  net->table_width = gt_optim_table_width(config->optim);
  if (config->optim->type->line_search)
    return build_line_search(net, arena, config, options, error) ? net : NULL;
  const bool ok = net->parts > 1 ? gt_net_build_gradient(net, arena, config, options, error) &&
                                       gt_net_build_update(net, arena, config, options, error)
                                 : build_step(net, arena, config, options, error);
  return ok ? net : NULL;
}

gt_net *gt_net_evaluation(gt_arena *arena, gt_config *config, int part, const gt_net_options *options,
                          gt_error *error) {
  const gt_split data_of_split =
      gt_split_without_overlap(gt_dataset_split(&config->dataset, part), config->train.eval_samples);
  gt_net *net =
      create_net(arena, config, options, part, gt_arena_copy(arena, &data_of_split, sizeof data_of_split),
                 config->train.eval_batch_size, 1);
  gt_graph *graph = gt_graph_create(arena);
  net->kind = gt_arena_printf(arena, "eval.%s%s", gt_part_keys[part], options->hard ? ".hard" : "");
  net->hard = options->hard;
  net->log_rows = (uint32_t)net->steps; /* the host reads the rows of an evaluation at its end */
  net->table_width = 1;
  gt_graph_set_scope(graph, "step");
  const gt_id clock = gt_net_main_clock(net, graph, arena, 1);
  const gt_model_mode mode = {.hard = options->hard, .averaged = options->averaged};
  if (!gt_net_build_forward(net, graph, arena, config, mode, clock, options)) return NULL;
  if (net->predicts)
    gt_net_build_outputs(net, graph, arena);
  else
    gt_net_build_log(net, graph, arena, clock);
  return gt_net_add_stage(net, graph, 1, arena, options, error) ? net : NULL;
}

gt_net *gt_net_adaptation(gt_arena *arena, gt_config *config, int64_t samples, const gt_net_options *options,
                          gt_error *error) {
  gt_net *net =
      create_net(arena, config, options, GT_PART_TRAIN, &config->dataset.split[GT_PART_TRAIN], samples, 1);
  gt_graph *graph = gt_graph_create(arena);
  net->kind = "sample";
  net->shuffles = true;
  net->table_width = 1;
  gt_graph_set_scope(graph, "step");
  const gt_id clock = gt_net_main_clock(net, graph, arena, 1);
  if (!gt_net_build_forward(net, graph, arena, config, (gt_model_mode){0}, clock, options)) return NULL;
  for (int i = 0; i < net->model->adaptations && !graph->error.status; i++) {
    const gt_id sample = net->model->adaptation[i].sample;
    const char *name = gt_arena_printf(arena, GT_SAMPLE_VARIABLE, i);
    const uint32_t variable = gt_graph_variable(graph, name, gt_node_at(graph, sample)->shape, GT_F32, false);
    gt_assign(graph, variable, 0, sample);
  }
  return gt_net_add_stage(net, graph, 1, arena, options, error) ? net : NULL;
}
