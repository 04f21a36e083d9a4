/* Predictions of a model file: the model's outputs for inputs that come without targets. Of a classifier
 * trained with cross-entropy these are probabilities (softmax is added), with binary cross-entropy on logits
 * likewise (sigmoid). */
#ifndef GT_TRAIN_PREDICT_H
#define GT_TRAIN_PREDICT_H
#include "train/model_file.h"

typedef struct gt_prediction {
  gt_tensor outputs; /* F32 [samples, …], finished by the caller */
} gt_prediction;

/* inputs: as gt_data_read_inputs gives them, one tensor for each input of the model. device: as in
 * gt_backend_open. memory_limit: of the device, in bytes; 0: none. */
bool gt_predict(gt_model_file *file, const gt_tensor *inputs, const char *device, uint64_t memory_limit,
                gt_prediction *out, gt_error *error);
#endif
