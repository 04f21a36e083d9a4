/* model.bin: a trained model that stands for itself: a safetensors container of the parameters by name and of
 * its constants (the wiring of gates), of the inputs' scaling, and in the metadata the resolved
 * config, what inputs it takes, what its outputs mean and how well it did. All that `eval` needs besides
 * data, and all that `predict` needs. */
#ifndef GT_TRAIN_MODEL_FILE_H
#define GT_TRAIN_MODEL_FILE_H
#include "train/config.h"
#include "train/metrics.h"
#include "train/safetensors.h"
#include "model/model.h"
#include "train/buffers.h"

#define GT_MODEL_FORMAT "gtrain-model-1"

typedef struct gt_model_results { /* what is noted beside the weights; splits without steps are left out */
  int64_t step, epoch;
  gt_sums validation, test;
  bool accuracy;
} gt_model_results;

bool gt_model_file_write(const char *path, const gt_config *config, const gt_model *model, const float *flat,
                         const gt_model_results *results, gt_error *error);

typedef struct gt_model_file {
  gt_container container;
  const char *path, *config; /* the resolved config's text */
  gt_data_signature signature;
  int classes;
  const char *const *class_names, *const *target_names; /* or NULL */
  int targets;                                          /* of target_names */
  bool text_labels;                                     /* as in gt_data_wanted */
  int64_t step; /* after which the weights were taken; -1: it does not tell */
  int64_t scale_count;
  const float *scaling; /* as in gt_dataset */
} gt_model_file;

bool gt_model_file_read(gt_model_file *file, const char *path, gt_error *error);
void gt_model_file_finish(gt_model_file *file);
/* What the model asks of data that it is to be evaluated on. */
gt_data_wanted gt_model_file_wanted(const gt_model_file *file);
/* Puts the parameters into flat[parameters->total] (gaps zero); GT_ERR_DATA if they are not those of this
 * model. */
bool gt_parameters_from_container(const gt_container *container, const char *path,
                                  const gt_parameters *parameters, float *flat, gt_error *error);
/* Are they all there, with the right shapes? For asking before memory is taken for a model that a file
 * describes. */
bool gt_parameters_match(const gt_container *container, const char *path, const gt_parameters *parameters,
                         gt_error *error);
/* The model's constants into their buffers: those of a file, if there is one, else the ones it was built
 * with. */
bool gt_constants_upload(gt_buffers *buffers, const gt_model *model, const gt_model_file *file,
                         gt_error *error);
/* Makes a file's constants the model's own, copied to the arena. */
bool gt_constants_take(gt_model *model, const gt_model_file *file, gt_arena *arena, gt_error *error);
uint64_t gt_constants_fingerprint(const gt_model *model); /* of those that files keep; never 0 */
/* The parameters as tensors by name, in file order; tensors has room for parameters->count. */
int gt_parameters_as_tensors(const gt_parameters *parameters, const float *flat, gt_stored *tensors);
#endif
