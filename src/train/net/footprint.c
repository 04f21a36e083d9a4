#include "train/net/footprint.h"
#include "base/names.h"
#include "train/net/line_search.h"
#include <string.h>

typedef struct tally {
  gt_footprint *footprint;
  gt_names seen; /* names of the variables counted so far */
  gt_arena *arena;
  uint64_t shared; /* bytes of the largest plan arena so far; all plans share one */
} tally;

static void count_variables(tally *t, const gt_plan *plan) {
  const gt_graph *graph = plan->graph;
  for (uint32_t v = 0; v < graph->variables; v++) {
    const char *name = graph->variable[v].name;
    const int next = t->seen.count;
    if (gt_names_add(&t->seen, name, next) != next) continue;
    const bool data = !strncmp(name, "data.", sizeof "data." - 1);
    *(data ? &t->footprint->dataset : &t->footprint->state) += plan->variable_bytes[v];
  }
}

static void count_stage(tally *t, const gt_stage *stage, uint64_t *bytes) {
  const gt_plan *plan = stage->plan;
  count_variables(t, plan);
  *bytes += plan->persistent_bytes + plan->constant_bytes;
  if (plan->arena_bytes > t->shared) {
    *bytes += plan->arena_bytes - t->shared;
    t->shared = plan->arena_bytes;
  }
  if (bytes == &t->footprint->values) t->footprint->unaliased += plan->unaliased_bytes;
}

static void count_net(tally *t, const gt_net *net, uint64_t *bytes) {
  for (int i = 0; i < net->stages; i++) count_stage(t, &net->stage[i], bytes);
  for (int i = 0; net->search && i < GT_LINE_SEARCH_STAGES; i++)
    count_stage(t, &net->search->stage[i], bytes);
}

static bool count_evaluation(tally *t, gt_config *config, int part, gt_net_options options, gt_error *error) {
  const gt_net *net = gt_net_evaluation(t->arena, config, part, &options, error);
  if (!net) return false;
  count_net(t, net, &t->footprint->evaluation);
  if (options.hard || !net->model->has_hard) return true;
  options.hard = true;
  return count_evaluation(t, config, part, options, error);
}

bool gt_footprint_of(gt_footprint *footprint, gt_arena *arena, gt_config *config, const gt_net *net,
                     const gt_target *target, gt_error *error) {
  const gt_dataset *data = &config->dataset;
  const gt_net_options options = {.target = *target, .averaged = gt_optim_averages(config->optim)};
  *footprint = (gt_footprint){0};
  tally t = {.footprint = footprint, .seen = {.arena = arena}, .arena = arena};
  count_net(&t, net, &footprint->values);
  for (int part = GT_PART_VALIDATION; part < GT_PARTS; part++)
    if (gt_dataset_split(data, part) && !count_evaluation(&t, config, part, options, error)) return false;
  footprint->total = footprint->dataset + footprint->state + footprint->values + footprint->evaluation;
  return true;
}
