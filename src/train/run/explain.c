/* Finds the origin of a loss or gradient that is not finite. The training step does not update the parameters
 * if they would become bad, so it can be run again, unfused and with every value kept; the first value that
 * is not finite is reported. Also checks weights before they are written. */
#include "base/memory.h"
#include "graph/op.h"
#include "train/run/run.h"
#include <math.h>
#include <stdlib.h>

/* True if the node has float values of its own. */
static bool is_searched(const gt_node *node) {
  const gt_op_kind kind = node->op->kind;
  return node->dtype == GT_F32 &&
         (kind == GT_OP_KERNEL || kind == GT_OP_ELEMENTWISE || kind == GT_OP_RESULT) &&
         gt_shape_count(node->shape) > 0 && !gt_is_constant(node) && !node->op->bookkeeping;
}

static const char *last_good(const gt_run *run, char text[128]) {
  if (run->saved_step >= 0)
    snprintf(text, 128, "the last good checkpoint is from step %lld", (long long)run->saved_step);
  else
    snprintf(text, 128, "there is no earlier checkpoint");
  return text;
}

static const char advice[] = "A lower learning rate, clip_norm or normalised data may help.";

bool gt_run_check_weights(gt_run *run, const gt_state_dict *weights, gt_error *error) {
  char good[128];
  const gt_slot *bad = gt_state_dict_find_not_finite(weights);
  if (!bad) return true;
  return gt_fail(error, GT_ERR_DATA, "%s '%s' is not finite after step %lld (epoch %lld); %s in %s. %s",
                 bad->role == GT_STATE ? "state" : "parameter", bad->name, (long long)run->state.step,
                 (long long)gt_run_epoch(run, run->state.step), last_good(run, good), run->directory, advice);
}

typedef struct bad_value {
  const gt_node *node; /* the first node with a value that is not finite; NULL: not found */
  float value;
} bad_value;

/* Searches the kept values in the order of computation. */
static bool search(gt_run *run, const gt_stage *stage, const gt_id *keep, int count, bad_value *found,
                   gt_error *error) {
  const gt_backend *backend = run->session.backend;
  for (int k = 0; k < count && !found->node; k++) {
    const gt_node *node = gt_node_at(stage->graph, keep[k]);
    const int64_t values = gt_shape_count(node->shape);
    float *copy = gt_alloc((size_t)values * sizeof *copy);
    gt_access access = stage->plan->kept[k];
    access.bytes = (uint64_t)values * sizeof *copy;
    const bool ok = backend->api->inspect(run->session.backend, stage->executable, &access, copy, error);
    const int64_t index = ok ? gt_stored_find_not_finite(&(gt_stored){"", GT_F32, node->shape, copy}) : -1;
    if (index >= 0)
      *found = (bad_value){gt_node_at(stage->graph, gt_producer(stage->graph, keep[k])), copy[index]};
    free(copy);
    if (!ok) return false;
  }
  return true;
}

/* The nodes of a stage whose values are searched. */
static gt_id *list_values(gt_arena *arena, const gt_graph *graph, int *count) {
  gt_id *keep = gt_arena_alloc_n(arena, graph->count, sizeof *keep);
  *count = 0;
  for (gt_id id = 0; id < graph->count; id++)
    if (is_searched(gt_node_at(graph, id))) keep[(*count)++] = id;
  return keep;
}

static bool run_stage(gt_run *run, const gt_net *net, int number, const gt_id *keep, int count,
                      bad_value *found, gt_error *error) {
  gt_backend *backend = run->session.backend;
  const gt_stage *stage = &net->stage[number];
  uint64_t ticket;
  for (uint32_t t = 0; t < stage->times && !found->node; t++)
    if (!gt_net_run_stage(net, backend, number, 1, &ticket, error) ||
        !backend->api->wait(backend, ticket, error) || !search(run, stage, keep, count, found, error))
      return false;
  return true;
}

static bool run_again(gt_run *run, bad_value *found, gt_error *error) {
  gt_session *session = &run->session;
  gt_net_options options = {.target = session->backend->target,
                            .windows = session->windows,
                            .unfused = true,
                            .draw = &run->state.draw,
                            .first_step = run->state.first_step,
                            .first_epoch = run->state.first_epoch};
  gt_net *net = gt_net_training(&session->arena, run->config, &options, error);
  gt_id *keep[GT_MAX_STAGES];
  int count[GT_MAX_STAGES];
  for (int i = 0; net && i < net->stages; i++) {
    options.keep = keep[i] = list_values(&session->arena, net->stage[i].graph, &count[i]);
    options.keep_count = count[i];
    if (!gt_net_plan(&net->stage[i], &session->arena, &options, error)) return false;
  }
  if (!net || !gt_session_compile(session, net, error) ||
      !gt_session_set_clock(session, net, run->bad_step, error))
    return false;
  for (int i = 0; i < net->stages && !found->node; i++)
    if (!run_stage(run, net, i, keep[i], count[i], found, error)) return false;
  return true;
}

bool gt_run_explain(gt_run *run, gt_error *error) {
  gt_error problem = {0};
  bad_value found = {0};
  char where[512] = "its origin could not be found", good[128];
  gt_state_dict weights = {0};
  const gt_slot *bad = gt_state_dict_download(&weights, run->net->model->store, &run->session.buffers,
                                              GT_WEIGHT_ROLES, &problem)
                           ? gt_state_dict_find_not_finite(&weights)
                           : NULL;
  gt_state_dict_finish(&weights);
  if (bad)
    snprintf(where, sizeof where, "parameter '%s' is not finite", bad->name);
  else if (run_again(run, &found, &problem) && found.node)
    snprintf(where, sizeof where, "first seen in layer '%s', op '%s' (%s)", found.node->scope,
             found.node->op->name,
             isnan(found.value) ? "NaN"
             : found.value > 0  ? "+infinity"
                                : "-infinity");
  else if (problem.status)
    snprintf(where, sizeof where, "its origin could not be found (%.300s)", problem.message);
  return gt_fail(error, GT_ERR_DATA, "the %s of step %lld (epoch %lld) is not finite: %s; %s in %s. %s",
                 run->bad_gradient ? "gradient" : "loss", (long long)run->bad_step + 1,
                 (long long)gt_run_epoch(run, run->bad_step + 1), where, last_good(run, good), run->directory,
                 advice);
}
