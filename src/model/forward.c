#include "model/forward.h"
#include "op/augment/augment.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/move.h"
#include "op/softmax.h"
#include <string.h>

typedef struct loss_view { /* the model as a function, for its loss */
  gt_loss_model base;      /* the first member, so that a pointer to it can be cast */
  const gt_forward *forward;
  gt_arena *arena;
  gt_graph *graph;
  gt_diagnostics *diagnostics;
} loss_view;

/* gt_loss_model.at: builds the model again for another input, with the same parameters. */
static gt_id output_at(const gt_loss_model *model, gt_id input) {
  const loss_view *s = (const loss_view *)(const void *)model;
  const gt_forward *f = s->forward;
  gt_model_input item = f->inputs.items[0];
  gt_model_mode mode = f->mode;
  item.node = input;
  mode.shares = f->model;
  const gt_model *copy = gt_model_build(s->arena, s->graph, f->root, f->optim, (gt_model_inputs){1, &item},
                                        f->clock, mode, s->diagnostics);
  return copy ? copy->output : GT_NONE;
}

static gt_position find_position(const gt_loss_model *model, const char *layer, gt_position otherwise) {
  const gt_model_layer *found =
      gt_model_find_layer(((const loss_view *)(const void *)model)->forward->model, layer);
  return found ? found->at : otherwise;
}

/* Row 0 or 1 of the scaling, means or standard deviations, F32 [T]. */
static gt_id scaling_row(const gt_forward_target *target, gt_graph *graph, int row) {
  const int64_t count = gt_node_at(graph, *target->scaling)->shape.dim[1];
  return gt_view(graph, *target->scaling, row * count, gt_shape_1(count));
}

static gt_id scale_targets(const gt_forward_target *target, gt_graph *graph) {
  if (!target->scaling) return target->targets;
  return gt_div(graph, gt_sub(graph, target->targets, scaling_row(target, graph, 0)),
                scaling_row(target, graph, 1));
}

/* Undoes the scaling, for outputs of any shape with T values per sample. */
static gt_id unscale_outputs(const gt_forward_target *target, gt_graph *graph, gt_id outputs) {
  if (!target->scaling || outputs == GT_NONE || graph->error.status) return outputs;
  const gt_shape shape = gt_node_at(graph, outputs)->shape;
  const int64_t count = gt_node_at(graph, *target->scaling)->shape.dim[1];
  const gt_id rows = gt_reshape(graph, outputs, gt_shape_2(shape.dim[0], count));
  return gt_reshape(
      graph, gt_add(graph, gt_mul(graph, rows, scaling_row(target, graph, 1)), scaling_row(target, graph, 0)),
      shape);
}

/* The layer that predicts a target. NULL after reporting an error. */
static const gt_model_layer *find_head(const gt_forward *forward, const gt_forward_target *target,
                                       gt_diagnostics *diagnostics) {
  const gt_model *model = forward->model;
  const gt_model_layer *last = &model->layer[model->layers - 1];
  const gt_model_layer *head = target->name ? gt_model_find_layer(model, target->name) : last;
  if (head) return head;
  const gt_spec *layers = gt_spec_find(forward->root, "model");
  const int64_t values = target->classes ? target->classes : target->values;
  gt_diagnostic *d = gt_error_at(diagnostics, layers->at, "no layer predicts the target '%s'", target->name);
  d->expected = gt_arena_printf(
      diagnostics->arena, "a layer of that name, such as - linear: {units: %lld, name: %s, from: LAYER}",
      values ? (long long)values : 1LL, target->name);
  return NULL;
}

static bool build_loss(gt_forward *forward, gt_forward_target *target, const gt_model_layer *head,
                       gt_arena *arena, gt_graph *graph, gt_diagnostics *diagnostics) {
  const loss_view view = {{forward->inputs.items[0].node, forward->reviewed, output_at, find_position},
                          forward,
                          arena,
                          graph,
                          diagnostics};
  const gt_id *sample_weight = forward->sample_weight;
  const gt_id weight = sample_weight ? gt_mul(graph, forward->weight, *sample_weight) : forward->weight;
  const gt_loss_input input = {.prediction = target->output,
                               .targets = scale_targets(target, graph),
                               .mixture = target->mixture,
                               .shift = target->shift,
                               .weight = weight,
                               .weighted = sample_weight != NULL,
                               .classes = target->classes,
                               .ignores = target->ignores,
                               .advice = target->advice,
                               .expected = target->expected,
                               .layer = head->name,
                               .named = target->name != NULL,
                               .applied = head->type->applies,
                               .at = head->at,
                               .model = forward->inputs.count == 1 ? &view.base : NULL};
  const bool ok = gt_loss_build(graph, target->loss, &input, &target->nodes, diagnostics);
  if (ok && target->scaling) {
    target->nodes.items.prediction = unscale_outputs(target, graph, target->nodes.items.prediction);
    target->nodes.items.targets = target->targets;
  }
  return ok;
}

/* Adds the mean loss of a target, with its weight, to the objective. */
static void add_to_objective(gt_forward *forward, const gt_forward_target *target, gt_graph *graph) {
  gt_id part = target->nodes.mean;
  if (target->loss->weight < 1 || target->loss->weight > 1)
    part = gt_mul(graph, gt_constant(graph, target->loss->weight), part);
  forward->objective = forward->objective == GT_NONE ? part : gt_add(graph, forward->objective, part);
}

/* Losses and predictions need floats; integers are the output of a model without an embedding. */
static bool check_output(const gt_model_layer *head, const gt_graph *graph, bool named,
                         gt_diagnostics *diagnostics) {
  if (gt_node_at(graph, head->node)->dtype != GT_I32) return true;
  return gt_refuse(diagnostics, head->at, "an embedding before it", "%s '%s'%s holds integers",
                   named ? "layer" : "the model's output,", head->name, named ? "" : ",");
}

/* The mean of the outputs for each sample and for its mirror image. Outputs of rank 3 and 4 are images: those
 * of mirror images are mirrored back. */
static gt_id average_mirrored(gt_graph *graph, gt_id clock, gt_id output) {
  if (output == GT_NONE) return output;
  gt_shape half = gt_node_at(graph, output)->shape;
  half.dim[0] /= 2;
  const gt_id plain = gt_view(graph, output, 0, half);
  gt_id mirrored = gt_view(graph, output, gt_shape_count(half), half);
  if (half.rank == 3 || half.rank == 4) mirrored = gt_mirror(graph, clock, mirrored);
  return gt_mul(graph, gt_constant(graph, 0.5), gt_add(graph, plain, mirrored));
}

static bool build_target(gt_forward *forward, gt_forward_target *target, gt_arena *arena, gt_graph *graph,
                         gt_diagnostics *diagnostics) {
  const gt_model_layer *head = find_head(forward, target, diagnostics);
  if (!head || !check_output(head, graph, target->name != NULL, diagnostics)) return false;
  const gt_loss_type *loss = target->loss ? target->loss->type : NULL;
  target->output = target->name ? head->node : forward->model->output;
  if (forward->mirrored) target->output = average_mirrored(graph, forward->clock, target->output);
  if (loss && target->targets != GT_NONE) {
    const char *outer = gt_graph_set_scope(graph, "loss");
    const bool ok = build_loss(forward, target, head, arena, graph, diagnostics);
    if (ok) add_to_objective(forward, target, graph);
    gt_graph_set_scope(graph, outer);
    return ok;
  }
  if (loss && loss->applies)
    target->output = loss->labels ? gt_softmax(graph, target->output, -1) : gt_sigmoid(graph, target->output);
  target->output = unscale_outputs(target, graph, target->output);
  return true;
}

static bool build(gt_forward *forward, gt_arena *arena, gt_graph *graph, gt_diagnostics *diagnostics) {
  gt_model_mode mode = forward->mode;
  const gt_id twice[2] = {forward->weight, forward->weight};
  const gt_id weight =
      forward->mirrored && forward->padded ? gt_concatenate(graph, twice, 2, 0) : forward->weight;
  mode.weight = forward->padded ? &weight : NULL;
  mode.heads.count = 0;
  for (int k = 0; k < forward->targets; k++)
    if (forward->target[k].name) mode.heads.name[mode.heads.count++] = forward->target[k].name;
  forward->model = gt_model_build(arena, graph, forward->root, forward->optim, forward->inputs,
                                  forward->clock, mode, diagnostics);
  forward->objective = GT_NONE;
  if (!forward->model) return false;
  bool ok = true;
  for (int k = 0; k < forward->targets; k++)
    ok &= build_target(forward, &forward->target[k], arena, graph, diagnostics);
  if (ok && forward->objective != GT_NONE && forward->model->penalty != GT_NONE) {
    const char *outer = gt_graph_set_scope(graph, "loss");
    forward->objective = gt_add(graph, forward->objective, forward->model->penalty);
    gt_graph_set_scope(graph, outer);
  }
  return ok;
}

bool gt_forward_build(gt_forward *forward, gt_arena *arena, gt_graph *graph, gt_diagnostics *diagnostics) {
  const gt_precision outer = gt_graph_set_precision(graph, forward->precision);
  const bool ok = build(forward, arena, graph, diagnostics);
  gt_graph_set_precision(graph, outer);
  return ok;
}
