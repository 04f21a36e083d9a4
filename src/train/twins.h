/* Twins: what training keeps for each parameter beside its value (an optimizer's moments, the moving
 * average). On the device they lie flat, in the parameters' layout, which depends on the optimizer's groups;
 * in a checkpoint each is a tensor of its own, called by both: "optimizer.exp_avg/linear1.weight". So they
 * find their parameter again when groups have changed. Checkpoints of older versions hold them flat
 * ("state.optimizer.exp_avg"); where each then lies follows from the config in the checkpoint. */
#ifndef GT_TRAIN_TWINS_H
#define GT_TRAIN_TWINS_H
#include "optim/training.h"
#include "train/safetensors.h"

/* The twins of one variable, values[twin->count], as tensors that point there; names are in the arena.
 * tensors has room for parameters->count. Returns how many there are: one a trained parameter. */
int gt_twins_as_tensors(gt_arena *arena, const gt_parameters *parameters, const gt_training_variable *twin,
                        const float *values, gt_stored *tensors);
/* Fills values[twin->count] from a checkpoint, gaps zero. A parameter that has none there, for it was frozen,
 * begins as in a new run, from weights[parameters->total]. GT_ERR_DATA if there is none of them at all, or
 * one does not fit. */
bool gt_twins_from_container(const gt_container *checkpoint, const char *path,
                             const gt_parameters *parameters, const gt_training_variable *twin,
                             const float *weights, float *values, gt_error *error);
#endif
