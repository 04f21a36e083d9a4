/* The scaling of inputs and targets as tensors of a model file (docs/model-format.md). */
#ifndef GT_TRAIN_MODEL_SCALING_H
#define GT_TRAIN_MODEL_SCALING_H
#include "data/data.h"
#include "store/safetensors.h"

/* Writes up to 3 tensors of an input, or 2 of a target, and returns their number. Names are in the arena. */
int gt_scaling_tensors(const gt_input *input, gt_arena *arena, gt_stored *tensors);
int gt_target_scaling_tensors(const gt_data_target *target, gt_arena *arena, gt_stored *tensors);
/* Sets the scaling, in the arena of the file, if the file has one. False if its tensors have wrong shapes. */
bool gt_scaling_from_tensors(gt_container *container, gt_input *input);
bool gt_target_scaling_from_tensors(gt_container *container, gt_data_target *target);
#endif
