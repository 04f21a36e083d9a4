#include "model/forward.h"
#include "op/augment/augment.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/move.h"
#include "op/softmax.h"
#include <string.h>

typedef struct seen { /* the model as seen by its loss */
  gt_loss_model as;
  const gt_forward *forward;
  gt_arena *arena;
  gt_graph *graph;
  gt_diagnostics *diagnostics;
} seen;

/* Builds the same model again, with the same parameters. */
static gt_id output_at(const gt_loss_model *model, gt_id input) {
  const seen *s = (const seen *)(const void *)model;
  const gt_forward *f = s->forward;
  gt_model_input item = f->inputs.items[0];
  gt_model_mode mode = f->mode;
  item.node = input;
  mode.again = f->model;
  const gt_model *again = gt_model_build(s->arena, s->graph, f->root, f->optim, (gt_model_inputs){1, &item},
                                         f->clock, mode, s->diagnostics);
  return again ? again->output : GT_NONE;
}

static gt_position place_of(const gt_loss_model *model, const char *layer, gt_position otherwise) {
  const gt_model *m = ((const seen *)(const void *)model)->forward->model;
  for (int i = 0; i < m->layers; i++)
    if (!strcmp(m->layer[i].name, layer)) return m->layer[i].at;
  return otherwise;
}

/* A row of the scaling, for values [B, T]. */
static gt_id scaling_row(const gt_forward *forward, gt_graph *graph, int row) {
  const gt_id scaling = *forward->target_scaling;
  const int64_t count = gt_node_at(graph, scaling)->shape.dim[1];
  return gt_view(graph, scaling, row * count, gt_shape_1(count));
}

static gt_id scaled(const gt_forward *forward, gt_graph *graph, gt_id targets) {
  if (!forward->target_scaling) return targets;
  return gt_div(graph, gt_sub(graph, targets, scaling_row(forward, graph, 0)),
                scaling_row(forward, graph, 1));
}

/* The inverse, for outputs of any shape with T values per sample. */
static gt_id unscaled(const gt_forward *forward, gt_graph *graph, gt_id outputs) {
  if (!forward->target_scaling || outputs == GT_NONE || graph->error.status) return outputs;
  const gt_shape shape = gt_node_at(graph, outputs)->shape;
  const int64_t count = gt_node_at(graph, *forward->target_scaling)->shape.dim[1];
  const gt_id rows = gt_reshape(graph, outputs, gt_shape_2(shape.dim[0], count));
  return gt_reshape(
      graph,
      gt_add(graph, gt_mul(graph, rows, scaling_row(forward, graph, 1)), scaling_row(forward, graph, 0)),
      shape);
}

static bool build_loss(gt_forward *forward, gt_arena *arena, gt_graph *graph, gt_diagnostics *diagnostics) {
  const gt_model_layer *last = &forward->model->layer[forward->model->layers - 1];
  const seen about = {
      {forward->inputs.items[0].node, output_at, place_of}, forward, arena, graph, diagnostics};
  const gt_id *own = forward->sample_weight;
  const gt_id weight = own ? gt_mul(graph, forward->weight, *own) : forward->weight;
  const gt_loss_input input = {.prediction = forward->output,
                               .targets = scaled(forward, graph, forward->targets),
                               .mixture = forward->mixture,
                               .shift = forward->shift,
                               .weight = weight,
                               .weighted = own != NULL,
                               .classes = forward->classes,
                               .ignores = forward->ignores,
                               .advice = forward->advice,
                               .layer = last->name,
                               .applied = last->type->applies,
                               .at = last->at,
                               .model = forward->inputs.count == 1 ? &about.as : NULL};
  const char *outer = gt_graph_scope(graph, "loss");
  const bool ok = gt_loss_build(graph, forward->loss, &input, &forward->nodes, diagnostics);
  if (ok && forward->target_scaling) {
    forward->nodes.items.prediction = unscaled(forward, graph, forward->nodes.items.prediction);
    forward->nodes.items.targets = forward->targets;
  }
  const gt_id penalty = forward->model->penalty;
  if (ok && penalty != GT_NONE) {
    forward->nodes.penalty = penalty;
    forward->nodes.mean = gt_add(graph, forward->nodes.mean, penalty);
  }
  gt_graph_scope(graph, outer);
  return ok;
}

/* Losses and predictions need floats. */
static bool check_output(const gt_model *model, const gt_graph *graph, gt_diagnostics *diagnostics) {
  const gt_model_layer *last = &model->layer[model->layers - 1];
  if (gt_node_at(graph, model->output)->dtype != GT_I32) return true;
  gt_error_at(diagnostics, last->at, "the model's output, '%s', holds integers", last->name)->expected =
      "an embedding before it";
  return false;
}

/* The mean of the outputs for each sample and for its mirror image; outputs that are images are mirrored
 * back. */
static gt_id mean_of_both(gt_graph *graph, gt_id clock, gt_id output) {
  if (output == GT_NONE) return output;
  gt_shape half = gt_node_at(graph, output)->shape;
  half.dim[0] /= 2;
  const gt_id plain = gt_view(graph, output, 0, half);
  gt_id mirrored = gt_view(graph, output, gt_shape_count(half), half);
  if (half.rank == 3 || half.rank == 4) mirrored = gt_mirror(graph, clock, mirrored);
  return gt_mul(graph, gt_constant(graph, 0.5), gt_add(graph, plain, mirrored));
}

static bool build(gt_forward *forward, gt_arena *arena, gt_graph *graph, gt_diagnostics *diagnostics) {
  gt_model_mode mode = forward->mode;
  const gt_id twice[2] = {forward->weight, forward->weight};
  const gt_id weight =
      forward->mirrored && forward->padded ? gt_concatenate(graph, twice, 2, 0) : forward->weight;
  mode.weight = forward->padded ? &weight : NULL;
  forward->model = gt_model_build(arena, graph, forward->root, forward->optim, forward->inputs,
                                  forward->clock, mode, diagnostics);
  if (!forward->model || !check_output(forward->model, graph, diagnostics)) return false;
  const gt_loss_type *loss = forward->loss ? forward->loss->type : NULL;
  forward->output = forward->model->output;
  if (forward->mirrored) forward->output = mean_of_both(graph, forward->clock, forward->output);
  if (loss && forward->targets != GT_NONE) return build_loss(forward, arena, graph, diagnostics);
  if (loss && loss->applies)
    forward->output =
        loss->labels ? gt_softmax(graph, forward->output, -1) : gt_sigmoid(graph, forward->output);
  forward->output = unscaled(forward, graph, forward->output);
  return true;
}

bool gt_forward_build(gt_forward *forward, gt_arena *arena, gt_graph *graph, gt_diagnostics *diagnostics) {
  const gt_precision outer = gt_graph_precision(graph, forward->precision);
  const bool ok = build(forward, arena, graph, diagnostics);
  gt_graph_precision(graph, outer);
  return ok;
}
