/* gt_samples: tensors of samples as variables of a graph, uploaded once and read in batches: the inputs of a
 * split, or samples without targets for predictions. */
#ifndef GT_TRAIN_SAMPLES_H
#define GT_TRAIN_SAMPLES_H
#include "augment/augment.h"
#include "data/data.h"
#include "model/model.h"
#include "op/batch.h"
#include "store/buffers.h"

typedef struct gt_samples {
  const gt_dataset *data; /* describes inputs and targets */
  const gt_split *split;
  int part;     /* in the names of the variables */
  int64_t ring; /* samples in the ring through which they are streamed (feed.h); 0: all are resident */
} gt_samples;

/* A batch of each input, normalized, as the network reads it; in the arena. The scaling is in the variables
 * data.scaling.NAME. */
gt_model_inputs gt_samples_batch(const gt_samples *samples, gt_arena *arena, gt_graph *graph, gt_id clock,
                                 gt_batch_attribute attribute);
/* The same for a single input, augmented. draws: the augmentation parameters (op/augment/augment.h). */
gt_model_inputs gt_samples_augmented(const gt_samples *samples, gt_arena *arena, gt_graph *graph, gt_id clock,
                                     gt_batch_attribute attribute, const gt_augment_plan *plan, gt_id *draws);
/* A batch of a tensor of the split as it is stored; the target of a text is read from input 0, one position
 * later. GT_NONE: the split has no such tensor. */
gt_id gt_samples_read(const gt_samples *samples, gt_sample_role role, int of, gt_arena *arena,
                      gt_graph *graph, gt_id clock, gt_batch_attribute attribute);
/* Uploads what graphs read of the samples, except streamed ones, and the scaling of inputs and targets. */
bool gt_samples_upload(const gt_samples *samples, gt_buffers *buffers, gt_error *error);
/* The name of the variable of a tensor, in the arena. */
const char *gt_samples_variable(const gt_samples *samples, gt_sample_role role, int of, gt_arena *arena);

/* For the balanced order of gt_batch_balanced (train/config/sampler.h). */
#define GT_MEMBERS_VARIABLE "train.members"
/* Uploads GT_MEMBERS_VARIABLE; does nothing if members is NULL. */
bool gt_members_upload(const int32_t *members, const gt_batch_attribute *order, gt_buffers *buffers,
                       gt_error *error);

/* Crops a batch of an input, or of target images, to the size that the network reads. */
gt_id gt_crop_batch(const gt_input *input, gt_graph *graph, gt_id batch);
/* Reads the scaling of a target, F32 [2, count], from its variable. */
gt_id gt_target_scaling_read(const gt_data_target *target, gt_arena *arena, gt_graph *graph);
bool gt_tensor_upload(const gt_tensor *tensor, const char *variable, gt_buffers *buffers, gt_error *error);
#endif
