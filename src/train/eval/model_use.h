/* Model files (train/file/model_file.h) with the config, graph, data and results that belong to them. */
#ifndef GT_TRAIN_MODEL_USE_H
#define GT_TRAIN_MODEL_USE_H
#include "train/config/config.h"
#include "train/config/results.h"
#include "train/file/model_file.h"

typedef struct gt_model_results { /* results in the metadata; a split whose result has items 0 is omitted */
  int64_t step, epoch;
  gt_results validation, test;
  gt_data_fingerprint data; /* fingerprints of the splits; 0: unknown */
} gt_model_results;

/* Writes a model file. weights: a state dict of GT_WEIGHT_ROLES. */
bool gt_model_write(const char *path, const gt_config *config, const gt_state_dict *weights,
                    const gt_model_results *results, gt_error *error);
/* Adds a finding if this split has other samples than in the model's run: the files have changed, or there
 * are other files with the same names. Ignores files that --set names. */
void gt_model_file_check_data(const gt_model_file *file, gt_config *config, int part);
/* Reads the file's config, with the inputs from its signature and without samples. False: GT_ERR_DATA. */
bool gt_model_file_config(gt_config *config, gt_arena *arena, const gt_model_file *file, gt_error *error);
/* The same, and builds the model for one sample, in the arena. NULL: GT_ERR_DATA. */
const struct gt_model *gt_model_file_build(gt_config *config, gt_arena *arena, const gt_model_file *file,
                                           gt_error *error);
/* False (GT_ERR_DATA) if the graph of config and signature has other tensors than the file. Call it before
 * samples of the signature's shape are read, because the file may contain any shape. */
bool gt_model_file_check(gt_model_file *file, gt_error *error);
/* What the model requires of evaluation data. */
gt_data_requirements gt_model_file_requirements(const gt_model_file *file);
#endif
