/* Predictions of a model file for inputs without targets. Classifiers trained with cross-entropy return
 * probabilities (softmax is added), and so do those with binary cross-entropy (sigmoid is added). */
#ifndef GT_TRAIN_PREDICT_H
#define GT_TRAIN_PREDICT_H
#include "train/model_file.h"

typedef struct gt_prediction {
  int targets;
  gt_tensor outputs[GT_DATA_MAX_TARGETS]; /* by target: F32 [samples, …], finished by the caller */
} gt_prediction;

void gt_prediction_finish(gt_prediction *prediction);
/* inputs: one tensor per input of the model, from gt_data_read_inputs. device: as in gt_backend_open, but
 * auto is the CPU if it is done before a GPU would be open (gt_is_quick_on_cpu). memory_limit: bytes of
 * device memory; 0: no limit. */
bool gt_predict(gt_model_file *file, const gt_tensor *inputs, const char *device, uint64_t memory_limit,
                gt_prediction *out, gt_error *error);
#endif
