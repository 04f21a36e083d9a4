#include "train/net/footprint.h"
#include "train/net/line_search.h"
#include <string.h>

/* The class of a variable by its name: "data.train.…" belongs to a split. */
static uint64_t *class_of(gt_memory_count *count, const gt_variable *variable) {
  const char *name = variable->name;
  if (variable->host_visible) return &count->mapped;
  if (strncmp(name, "data.", sizeof "data." - 1)) return &count->state;
  name += sizeof "data." - 1;
  for (int part = 0; part < GT_PARTS; part++) {
    const size_t length = strlen(gt_part_keys[part]);
    if (!strncmp(name, gt_part_keys[part], length) && name[length] == '.') return &count->samples;
  }
  return &count->data;
}

static void count_stage(gt_memory_count *count, const gt_stage *stage) {
  const gt_plan *plan = stage->plan;
  for (uint32_t v = 0; v < plan->graph->variables; v++) {
    const gt_variable *variable = &plan->graph->variable[v];
    const int next = count->seen.count;
    if (gt_names_add(&count->seen, variable->name, next) == next)
      *class_of(count, variable) += plan->variable_bytes[v];
  }
  count->plans += plan->persistent_bytes + plan->constant_bytes;
  count->unaliased += plan->unaliased_bytes;
  if (plan->arena_bytes > count->shared) count->shared = plan->arena_bytes;
}

void gt_memory_count_net(gt_memory_count *count, const gt_net *net) {
  for (int i = 0; i < net->stages; i++) count_stage(count, &net->stage[i]);
  for (int i = 0; net->search && i < GT_LINE_SEARCH_STAGES; i++) count_stage(count, &net->search->stage[i]);
}

const gt_net *gt_memory_count_evaluation(gt_memory_count *count, gt_config *config, int part,
                                         gt_net_options options, gt_error *error) {
  const gt_net *net = gt_net_evaluation(count->seen.arena, config, part, &options, error);
  if (net) gt_memory_count_net(count, net);
  if (!net || options.hard || !net->model->has_hard) return net;
  options.hard = true;
  return gt_memory_count_evaluation(count, config, part, options, error);
}

bool gt_footprint_of(gt_footprint *footprint, gt_arena *arena, gt_config *config, const gt_net *net,
                     const gt_target *target, gt_error *error) {
  const gt_net_options options = {.target = *target, .averaged = gt_optim_averages(config->optim)};
  gt_memory_count count = {.seen = {.arena = arena}};
  gt_memory_count_net(&count, net);
  *footprint = (gt_footprint){.values = count.plans + count.shared, .unaliased = count.unaliased};
  for (int part = GT_PART_VALIDATION; part < GT_PARTS; part++)
    if (gt_dataset_split(&config->dataset, part) &&
        !gt_memory_count_evaluation(&count, config, part, options, error))
      return false;
  footprint->dataset = count.samples + count.data;
  footprint->state = count.state + count.mapped;
  footprint->evaluation = count.plans + count.shared - footprint->values;
  footprint->total = footprint->dataset + footprint->state + footprint->values + footprint->evaluation;
  return true;
}
