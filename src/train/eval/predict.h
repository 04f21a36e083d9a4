/* Predictions of a model file for inputs without targets. Classifiers return probabilities: softmax is
 * applied if the loss is cross-entropy, sigmoid if it is binary cross-entropy. */
#ifndef GT_TRAIN_PREDICT_H
#define GT_TRAIN_PREDICT_H
#include "train/eval/model_use.h"

typedef struct gt_prediction {
  int targets;
  gt_tensor outputs[GT_DATA_MAX_TARGETS]; /* of each target: F32 [samples, …] */
} gt_prediction;

void gt_prediction_finish(gt_prediction *prediction);
/* Predicts; the caller calls gt_prediction_finish. inputs: one tensor per input of the model, from
 * gt_data_read_inputs. device: as in gt_choose_backend, but auto means the CPU if it finishes before a GPU
 * would be open (gt_is_quick_on_cpu). memory_limit: bytes of device memory; 0: no limit. */
bool gt_predict(gt_model_file *file, const gt_split *inputs, const char *device, uint64_t memory_limit,
                gt_prediction *out, gt_error *error);
#endif
