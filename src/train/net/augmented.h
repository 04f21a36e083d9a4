/* A batch of training samples after augmentation, with its targets. */
#ifndef GT_TRAIN_AUGMENTED_H
#define GT_TRAIN_AUGMENTED_H
#include "model/forward.h"
#include "train/config/config.h"
#include "train/net/samples.h"

typedef struct gt_augmented {
  gt_augment_plan plan;
  gt_id draws; /* the random augmentation parameters of each sample, op/augment/augment.h */
  gt_loss_mixture mixture;
} gt_augmented;

/* The augmented inputs of a batch. False after reporting an error. */
bool gt_augmented_inputs(gt_augmented *augmented, gt_config *config, const gt_samples *samples,
                         gt_arena *arena, gt_graph *graph, gt_id clock, gt_batch_attribute batch,
                         gt_model_inputs *inputs);
/* Transforms image targets like their inputs, and mixes the targets of mixed samples. Class labels are not
 * mixed: the loss gets both labels and the weight of the first. `augmented` must outlive the forward pass. */
void gt_augmented_target(gt_augmented *augmented, gt_graph *graph, gt_forward_target *target);
/* The samples of the single input, followed by their mirror images (gt_forward.mirrored). */
gt_model_inputs gt_mirrored_inputs(gt_model_inputs inputs, gt_arena *arena, gt_graph *graph, gt_id clock);
#endif
