/* What the outputs of a model mean for a sample: a class, the words of boolean columns, or numbers. */
#ifndef GT_CLI_PREDICT_CLASS_H
#define GT_CLI_PREDICT_CLASS_H
#include "train/eval/predict.h"

typedef struct gt_predicted_class { /* a classifier's result for one sample */
  int64_t class;
  double probability;
} gt_predicted_class;

/* True if output i of a target is the probability that a boolean column is true. outputs: their number. */
bool gt_is_probability(const gt_model_file *file, int target, int64_t outputs, int64_t i);
/* The probability above which output i means the positive class, or the true value. */
double gt_output_threshold(const gt_model_file *file, int64_t i);
/* The word of a boolean column that output i of a target means at this probability. */
const char *gt_output_word(const gt_model_file *file, int target, int64_t i, double probability);
/* True if the target has classes, or is one boolean column. */
bool gt_is_classifier(const gt_model_file *file, int target, int64_t outputs);
/* For a classifier: the most probable class; with two classes, the positive one if its probability is above
 * the threshold of the model. */
gt_predicted_class gt_predicted_class_of(const gt_model_file *file, int target, const float *row,
                                         int64_t outputs);
#endif
