/* model.bin: a complete trained model. A safetensors container with the parameters by name, the constants
 * (such as the wiring of gates) and the scaling of the inputs. The metadata contains the resolved config, the
 * signature of inputs and outputs, results, and fingerprints of the training and evaluation samples if these
 * come from files. `gtrain predict` needs nothing else; `gtrain eval` also needs the samples to evaluate. */
#ifndef GT_TRAIN_MODEL_FILE_H
#define GT_TRAIN_MODEL_FILE_H
#include "data/data.h"
#include "store/state_dict.h"
#include <jansson.h>

#define GT_MODEL_FORMAT "gtrain-model-4" /* files of the formats 1 to 3 are refused */

typedef struct gt_model_record { /* what a model file says of its model */
  const gt_dataset *data;        /* inputs, targets, and which splits come from files */
  const char *config;            /* the resolved config's text */
  const double *threshold;       /* [thresholds]; NULL: none was chosen */
  int thresholds;
  const char *results;              /* JSON */
  gt_data_fingerprint fingerprints; /* of the splits; 0: unknown */
} gt_model_record;

/* weights: a state dict of GT_WEIGHT_ROLES. */
bool gt_model_file_write(const char *path, const gt_model_record *record, const gt_state_dict *weights,
                         gt_error *error);
/* Thresholds as JSON: a number, or an array if there are several. */
json_t *gt_threshold_json(const double *threshold, int count);

typedef struct gt_model_file {
  gt_container container;
  const char *path, *config; /* the resolved config's text */
  gt_data_signature signature;
  const double *threshold;        /* [thresholds] (eval/threshold.h); NULL: none was chosen */
  int thresholds;                 /* 1, or one per label */
  bool bits[GT_DATA_MAX_TARGETS]; /* outputs are probabilities of boolean targets (gt_model_file_check) */
  gt_data_fingerprint data;       /* 0: unknown; `meaning` is never set */
  int64_t step;                   /* step of the weights; -1: unknown */
} gt_model_file;

/* The model file at a path: model.bin in a run directory, otherwise the path itself. NULL (GT_ERR_IO) for a
 * folder without model.bin; if it is a run that has not finished, the error contains the command that
 * continues it. In the arena. */
const char *gt_model_path(gt_arena *arena, const char *path, gt_error *error);
/* Reads a model file. path: from gt_model_path; NULL after its error, then returns false. */
bool gt_model_file_read(gt_model_file *file, const char *path, gt_error *error);
/* The same, and also reads a safetensors file of another program: then `container` is `foreign`, has only
 * tensors that are converted (gt_container_convert), and nothing else is known about the model. */
bool gt_model_file_read_any(gt_model_file *file, const char *path, gt_error *error);
void gt_model_file_finish(gt_model_file *file);
/* gt_data_requirements.untrusted for the paths in the model's config: NULL (trusted) if the file lies in a
 * run directory of the user whose config has the same `data:` section, otherwise the path of the file. A run
 * directory that the user received and unpacked counts as the user's own, like a config that the user
 * received. */
const char *gt_model_file_untrusted(const gt_model_file *file);
/* True for the text of a resolved config. */
bool gt_config_is_resolved(const char *text);
#endif
