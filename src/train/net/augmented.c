#include "train/net/augmented.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/move.h"
#include <string.h>

bool gt_augmented_inputs(gt_augmented *augmented, gt_config *config, const gt_samples *samples,
                         gt_arena *arena, gt_graph *graph, gt_id clock, gt_batch_attribute batch,
                         gt_model_inputs *inputs) {
  if (!gt_config_augment(config, &augmented->plan, &config->diagnostics)) return false;
  *inputs = gt_samples_augmented(samples, arena, graph, clock, batch, &augmented->plan, &augmented->draws);
  return true;
}

/* Row i of the result is row i - 1 of x; row 0 is the last row. */
static gt_id previous_rows(gt_graph *graph, gt_id x) {
  const gt_shape shape = gt_node_at(graph, x)->shape;
  int64_t start[GT_MAX_RANK] = {shape.dim[0] - 1}, stop[GT_MAX_RANK];
  if (shape.dim[0] == 1) return x;
  memcpy(stop, shape.dim, sizeof stop);
  const gt_id last = gt_shrink(graph, x, start, stop);
  start[0] = 0;
  stop[0] = shape.dim[0] - 1;
  const gt_id part[2] = {last, gt_shrink(graph, x, start, stop)};
  return gt_concatenate(graph, part, 2, 0);
}

/* A sample is mixed with the previous one of its batch. */
static void mix_target(gt_augmented *augmented, gt_graph *graph, gt_forward_target *target) {
  const gt_id targets = target->targets, previous = previous_rows(graph, targets),
              share = gt_augment_share(graph, augmented->draws);
  if (previous == GT_NONE || share == GT_NONE) return; /* graph->error is set */
  if (gt_node_at(graph, targets)->dtype == GT_I32) {
    augmented->mixture = (gt_loss_mixture){previous, share};
    target->mixture = &augmented->mixture;
    return;
  }
  gt_shape shape = gt_node_at(graph, targets)->shape;
  for (int d = 1; d < shape.rank; d++) shape.dim[d] = 1;
  const gt_id weight = gt_reshape(graph, share, shape), rest = gt_sub(graph, gt_constant(graph, 1), weight);
  target->targets = gt_add(graph, gt_mul(graph, weight, targets), gt_mul(graph, rest, previous));
}

void gt_augmented_target(gt_augmented *augmented, gt_graph *graph, gt_forward_target *target) {
  const gt_augment_look *look = &augmented->plan.look;
  const gt_augment_rule *rule = &augmented->plan.rule;
  if (target->targets == GT_NONE) return;
  if (gt_node_at(graph, target->targets)->shape.rank > 2) {
    gt_augment_look geometry;
    memset(&geometry, 0, sizeof geometry); /* attributes are compared as bytes */
    geometry.height = look->height;
    geometry.width = look->width;
    geometry.border = look->border;
    geometry.nearest = look->nearest;
    geometry.mixes = look->mixes;
    target->targets = gt_augment(graph, gt_center_crop(graph, target->targets, rule->height, rule->width),
                                 augmented->draws, GT_NONE, &geometry);
  } else if (look->mixes) {
    mix_target(augmented, graph, target);
  }
}

gt_model_inputs gt_mirrored_inputs(gt_model_inputs inputs, gt_arena *arena, gt_graph *graph, gt_id clock) {
  gt_model_input *item = GT_NEW(arena, gt_model_input);
  const gt_id plain = inputs.items[0].node, both[2] = {plain, gt_mirror(graph, clock, plain)};
  *item = inputs.items[0];
  item->node = gt_concatenate(graph, both, 2, 0);
  return (gt_model_inputs){1, item};
}
