/* What the outputs of a model mean for a sample: a class, the words of boolean columns, or numbers. */
#ifndef GT_CLI_PREDICT_CLASS_H
#define GT_CLI_PREDICT_CLASS_H
#include "train/predict.h"

typedef struct gt_predicted_class { /* of a classifier for a sample */
  int64_t class;
  const char *name; /* NULL: the class has none */
  double probability;
} gt_predicted_class;

/* The outputs of a sample. */
const float *gt_output_row(const gt_tensor *outputs, int64_t sample);
/* True if output i of a target is the probability that a boolean column is true. */
bool gt_is_probability(const gt_model_file *file, int target, int64_t outputs, int64_t i);
/* The probability above which output i means class 1, or the true value. */
double gt_output_threshold(const gt_model_file *file, int64_t i);
/* The word of a boolean column that output i of a target means at this probability. */
const char *gt_output_word(const gt_model_file *file, int target, int64_t i, double probability);
/* True if the target has classes, or is one boolean column. */
bool gt_is_classifier(const gt_model_file *file, int target, int64_t outputs);
/* For a classifier: the most probable class; with two classes, the second if its probability is above the
 * threshold of the model. */
gt_predicted_class gt_predicted_class_of(const gt_model_file *file, int target, const float *row,
                                         int64_t outputs);
/* [classes] the names of the classes, else their numbers; in the arena. */
const char *const *gt_names_of_classes(const gt_data_target *target, gt_arena *arena);

/* Both write the column `id` first, if it has cells (predict_csv.c). One target: the class or the words of
 * boolean columns, then the probability of each class or the outputs; for a boolean column, NAME=WORD holds
 * the probability of the word. */
bool gt_predict_write_csv(const char *path, const gt_model_file *file, const gt_text_column *id,
                          const gt_tensor *outputs, gt_error *error);
/* Several targets: the class of each classifier under its target's name and the words of boolean columns,
 * then the values of all targets. */
bool gt_predict_write_targets_csv(const char *path, const gt_model_file *file, const gt_text_column *id,
                                  const gt_prediction *prediction, gt_error *error);
#endif
