/* model.bin: a trained model that stands for itself: a safetensors container of the parameters by name and of
 * its constants (the wiring of gates), of the inputs' scaling, and in the metadata the resolved
 * config, what inputs it takes, what its outputs mean, how well it did, and fingerprints of the samples that
 * it was trained and judged with, if they came from files. All that `eval` needs besides
 * data, and all that `predict` needs. */
#ifndef GT_TRAIN_MODEL_FILE_H
#define GT_TRAIN_MODEL_FILE_H
#include "train/config.h"
#include "train/metrics.h"
#include "store/state_dict.h"

#define GT_MODEL_FORMAT "gtrain-model-1"

typedef struct gt_model_results { /* what is noted beside the weights; splits without steps are left out */
  int64_t step, epoch;
  gt_sums validation, test;
  bool accuracy;
  gt_data_fingerprint data; /* of the splits; 0: not told */
} gt_model_results;

/* weights: an image of the roles of weights. */
bool gt_model_file_write(const char *path, const gt_config *config, const gt_state_dict *weights,
                         const gt_model_results *results, gt_error *error);

typedef struct gt_model_file {
  gt_container container;
  const char *path, *config; /* the resolved config's text */
  gt_data_signature signature;
  int classes;
  const char *const *class_names, *const *target_names; /* or NULL */
  int targets;                                          /* of target_names */
  bool text_labels;                                     /* as in gt_data_wanted */
  gt_data_fingerprint data;                             /* 0: it does not tell; meaning is never told */
  int64_t step; /* after which the weights were taken; -1: it does not tell */
} gt_model_file;

/* The model file that a path leads to: of a run directory its model.bin, else the path itself. NULL
 * (GT_ERR_IO) of a folder without one; of a run that has not finished the error names the command that goes
 * on with it. In the arena. */
const char *gt_model_path(gt_arena *arena, const char *path, gt_error *error);
/* path: as gt_model_path returns it, or NULL after its error. */
bool gt_model_file_read(gt_model_file *file, const char *path, gt_error *error);
void gt_model_file_finish(gt_model_file *file);
/* Whom the paths in the model's config come from, as gt_data_wanted has it: NULL, nobody to be wary of, if
 * the file lies in a run directory of the user's own, whose config names the same data; else the file itself.
 * A run directory that somebody sent counts as the user's own once it is unpacked, as a config does that is
 * sent. */
const char *gt_model_file_stranger(const gt_model_file *file);
/* A finding if the config, read from the model, led to other samples of this split than the run had: its
 * files have changed, or others of these names were found. Who names files by --set means other samples. */
void gt_model_file_check_data(const gt_model_file *file, gt_config *config, const char *split);
/* The file's config, with the inputs of its signature and no samples. False: GT_ERR_DATA. */
bool gt_model_file_config(gt_config *config, gt_arena *arena, const gt_model_file *file, gt_error *error);
/* The same with the shapes of one sample, and its model, in the arena. NULL: GT_ERR_DATA. */
const struct gt_model *gt_model_file_build(gt_config *config, gt_arena *arena, const gt_model_file *file,
                                           gt_error *error);
/* False (GT_ERR_DATA) if the graph of config and signature has other tensors than the file. For asking before
 * samples of the signature's shape are read: a foreign file may claim any. */
bool gt_model_file_check(const gt_model_file *file, gt_error *error);
/* What the model asks of data that it is to be evaluated on. */
gt_data_wanted gt_model_file_wanted(const gt_model_file *file);
#endif
