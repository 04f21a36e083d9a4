/* `train: {sampler: balanced}`: training samples are drawn so that each class is equally likely, as PyTorch's
 * WeightedRandomSampler does with weights 1 / count of the class. Ignores classes without samples. This file
 * checks the config and sorts the samples by class; src/op/batch.h draws them. */
#ifndef GT_TRAIN_SAMPLER_H
#define GT_TRAIN_SAMPLER_H
#include "train/config/config.h"

bool gt_sampler_is_balanced(const gt_train_config *train);
static inline bool gt_sampler_balances(const gt_config *config) {
  return gt_sampler_is_balanced(&config->train);
}
/* Reports settings that exclude a balanced sampler: targets that are not one class per sample, weights of
 * classes or samples, and an optimizer that reads all samples in each step. */
void gt_config_check_sampler(const gt_config *config, gt_diagnostics *diagnostics);
/* The samples sorted by class, as gt_batch_balanced reads them, in the arena. *classes: the number of classes
 * with samples. NULL if an outline has no target values; *classes is then 2. */
const int32_t *gt_sampler_members(const gt_config *config, gt_arena *arena, uint32_t *classes);
#endif
