#include "model/forward.h"
#include "op/elementwise.h"
#include "op/softmax.h"

static bool build_loss(gt_forward *forward, gt_graph *graph, gt_diagnostics *diagnostics) {
  const gt_model_layer *last = &forward->model->layer[forward->model->layers - 1];
  const gt_loss_input input = {.prediction = forward->model->output,
                               .targets = forward->targets,
                               .weight = forward->weight,
                               .classes = forward->classes,
                               .layer = last->name,
                               .applied = last->type->applies,
                               .at = last->at};
  const char *outer = gt_graph_scope(graph, "loss");
  const bool ok = gt_loss_build(graph, forward->loss, &input, &forward->nodes, diagnostics);
  const gt_id penalty = forward->model->penalty;
  if (ok && penalty != GT_NONE) {
    forward->nodes.penalty = penalty;
    forward->nodes.mean = gt_add(graph, forward->nodes.mean, penalty);
  }
  gt_graph_scope(graph, outer);
  return ok;
}

/* No loss takes integers, and no prediction is one. */
static bool check_output(const gt_model *model, const gt_graph *graph, gt_diagnostics *diagnostics) {
  const gt_model_layer *last = &model->layer[model->layers - 1];
  if (gt_node_at(graph, model->output)->dtype != GT_I32) return true;
  gt_error_at(diagnostics, last->at, "the model's output, '%s', holds integers", last->name)->expected =
      "an embedding before it";
  return false;
}

static bool build(gt_forward *forward, gt_arena *arena, gt_graph *graph, gt_diagnostics *diagnostics) {
  gt_model_mode mode = forward->mode;
  mode.weight = forward->padded ? &forward->weight : NULL;
  forward->model = gt_model_build(arena, graph, forward->root, forward->optim, forward->inputs,
                                  forward->clock, mode, diagnostics);
  if (!forward->model || !check_output(forward->model, graph, diagnostics)) return false;
  const gt_loss_type *loss = forward->loss ? forward->loss->type : NULL;
  forward->output = forward->model->output;
  if (loss && forward->targets != GT_NONE) return build_loss(forward, graph, diagnostics);
  if (loss && loss->applies)
    forward->output =
        loss->labels ? gt_softmax(graph, forward->output, -1) : gt_sigmoid(graph, forward->output);
  return true;
}

bool gt_forward_build(gt_forward *forward, gt_arena *arena, gt_graph *graph, gt_diagnostics *diagnostics) {
  const gt_precision outer = gt_graph_precision(graph, forward->precision);
  const bool ok = build(forward, arena, graph, diagnostics);
  gt_graph_precision(graph, outer);
  return ok;
}
