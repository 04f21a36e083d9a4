/* Creates a plan: fusion, storage formats, placement, lowering, levels and memory, in this order. */
#include "base/memory.h"
#include "plan/internal.h"
#include <stdlib.h>
#include <string.h>

enum { VARIABLE_PADDING = 16 }; /* buffers of variables are multiples of this, in bytes */

/* The access of a finished plan for a use, when all offsets are known. */
static gt_access resolve(const gt_layout *l, const gt_use *use) {
  gt_access access = {.argument = use->argument,
                      .bytes = use->bytes,
                      .read = use->read,
                      .write = use->write,
                      .flag = use->flag};
  if (use->kind == GT_USE_CONSTANT) {
    access.buffer = GT_PLAN_CONSTANTS;
    access.offset = use->offset;
    return access;
  }
  gt_location at = gt_plan_locate(l, use);
  access.buffer = at.variable                       ? GT_PLAN_VARIABLE + at.id
                  : l->allocation[at.id].persistent ? GT_PLAN_PERSISTENT
                                                    : GT_PLAN_ARENA;
  access.offset = at.offset + (at.variable ? 0 : l->allocation[at.id].offset);
  access.stride = at.variable ? 0 : gt_plan_stride(&l->allocation[at.id]);
  return access;
}

static void finish_step(const gt_layout *l, const gt_draft *draft, gt_step *step) {
  *step = draft->step;
  step->accesses = (int)draft->count;
  step->access = GT_NEW_N(l->arena, gt_access, draft->count + 1);
  for (size_t u = 0; u < draft->count; u++) step->access[u] = resolve(l, &draft->items[u]);
  step->bytes = gt_draft_bytes(draft);
}

static gt_plan *finish_plan(gt_layout *l) {
  const gt_lowering *lowering = &l->lowering;
  gt_plan *plan = GT_NEW(l->arena, gt_plan);
  plan->graph = l->graph;
  gt_plan_memory(l, plan);
  plan->steps = (uint32_t)lowering->drafts.count;
  plan->step = GT_NEW_N(l->arena, gt_step, lowering->drafts.count + 1);
  for (uint32_t s = 0; s < plan->steps; s++) {
    finish_step(l, &lowering->drafts.items[s], &plan->step[s]);
    plan->step[s].barrier = s == 0 || plan->step[s].level != plan->step[s - 1].level;
    plan->flops += plan->step[s].flops;
    if (plan->step[s].level < l->ahead) plan->steps_ahead = s + 1;
  }
  plan->levels = l->levels;
  plan->ahead = l->ahead;
  plan->choices = (uint32_t)lowering->choices.count;
  plan->choice = GT_NEW_N(l->arena, gt_choice, plan->choices + 1);
  if (plan->choices)
    memcpy((void *)plan->choice, lowering->choices.items, plan->choices * sizeof *plan->choice);
  plan->constants =
      gt_arena_copy(l->arena, lowering->constants.items ? lowering->constants.items : (uint8_t *)"",
                    lowering->constants.count);
  plan->constant_bytes = lowering->constants.count;
  plan->variable_bytes = GT_NEW_N(l->arena, uint64_t, l->graph->variables + 1);
  for (uint32_t v = 0; v < l->graph->variables; v++) {
    const gt_variable *variable = &l->graph->variable[v];
    uint64_t bytes = (uint64_t)gt_shape_count(variable->shape) * gt_dtype_size(variable->dtype);
    plan->variable_bytes[v] = (bytes + VARIABLE_PADDING - 1) / VARIABLE_PADDING * VARIABLE_PADDING;
  }
  gt_access *kept = GT_NEW_N(l->arena, gt_access, (size_t)l->options->keep_count + 1);
  for (int k = 0; k < l->options->keep_count; k++) {
    gt_location at = gt_plan_locate_node(l, l->options->keep[k]);
    gt_use use = {.kind = GT_USE_NODE, .id = l->options->keep[k], .bytes = at.bytes, .read = true};
    kept[k] = resolve(l, &use);
  }
  plan->kept = kept;
  return plan;
}

gt_plan *gt_plan_create(gt_arena *arena, const gt_graph *graph, const gt_plan_options *options,
                        gt_error *error) {
  gt_layout l = {
      .arena = arena,
      .graph = graph,
      .options = options,
      .lowering = {.graph = graph, .target = &options->target, .tuned = options->tuned, .arena = arena}};
  gt_plan *plan = NULL;
  if (graph->error.status) {
    gt_fail(error, graph->error.status, "%s", graph->error.message);
    return NULL;
  }
  l.place = GT_NEW_N(arena, gt_place, graph->count + 1);
  if (!gt_graph_verify(graph, error) || !gt_fuse(arena, graph, options, &l.lowering, &l.fusion, error))
    return NULL;
  gt_plan_leave_forms(&l);
  if (gt_plan_place(&l, error) && gt_plan_lower(&l, error)) {
    gt_plan_level(&l);
    plan = finish_plan(&l);
    if (!gt_plan_verify(plan, error)) plan = NULL;
  }
  gt_lowering_finish(&l.lowering);
  free(l.copies.items);
  return plan;
}
