/* Checkpoints of older versions, made to look like those of today. What training keeps for each parameter
 * beside its value (an optimizer's moments, the moving average) they hold flat, in the layout of the
 * parameters
 * ("state.optimizer.exp_avg"); where each then lies follows from the config in the checkpoint. */
#ifndef GT_TRAIN_FORMER_H
#define GT_TRAIN_FORMER_H
#include "store/safetensors.h"

/* Adds the twins ("optimizer.exp_avg/linear1.weight") that a checkpoint holds flat as tensors of their own,
 * which point into it; one of today stays as it is. GT_ERR_DATA if they do not fit its parameters. */
bool gt_former_twins(gt_container *checkpoint, const char *path, gt_error *error);
#endif
