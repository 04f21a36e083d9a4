/* Reviews a config: builds its model to collect the findings of the layers (layer/review.h), and finds
 * settings that have no effect in a run of its length. */
#ifndef GT_TRAIN_REVIEW_H
#define GT_TRAIN_REVIEW_H
#include "layer/review.h"
#include "train/config/config.h"

/* Builds the model of a config or phase to collect the findings of its layers. phase: as in gt_review. */
void gt_config_review_model(gt_config *config, int phase, gt_arena *arena, gt_diagnostics *diagnostics);
/* The facts that this build passes to the layers; in the arena. */
gt_review *gt_config_review(const gt_config *config, int phase, gt_arena *arena);
/* The position in the config of the key that defines a split, or of the
 * `data:` map. */
gt_position gt_config_place_of_split(const gt_config *config, int part);
/* Adds findings for counts of steps and epochs that the run never reaches (review_lengths.c). */
void gt_config_review_lengths(gt_config *config, gt_arena *arena);
/* Adds findings for settings that need evaluations although there are none, or that decide by the test data
 * (review_watchers.c). */
void gt_config_review_watchers(gt_config *config, gt_arena *arena);
/* Adds findings for inputs and targets that are not scaled and differ much from mean 0 and deviation 1
 * (review_scale.c). */
void gt_config_review_scale(gt_config *config, gt_arena *arena);
/* Records the range of the training samples and what baselines need of their targets, for the signature of
 * the model file. */
void gt_config_record_training(gt_config *config, gt_arena *arena);
/* Adds findings for a test split from its own files whose values are outside the range of the training
 * samples. */
void gt_config_review_test(gt_config *config, gt_arena *arena);
/* Adds findings for inputs with values outside the range of a model's training samples. samples: a tensor for
 * each input; at: the position for the findings. */
void gt_review_ranges(const gt_data_signature *trained_on, const gt_split *samples, gt_position at,
                      gt_arena *arena, gt_diagnostics *diagnostics);
#endif
