/* What the outputs of a model mean for a sample: a class, the words of boolean columns, or numbers. */
#ifndef GT_CLI_PREDICT_CLASS_H
#define GT_CLI_PREDICT_CLASS_H
#include "train/eval/predict.h"

typedef struct gt_predicted_class { /* a classifier's result for one sample */
  int64_t class;
  const char *name; /* NULL: the class has none */
  double probability;
} gt_predicted_class;

/* Outputs of a sample: a row of the tensor [samples, …]. */
const float *gt_output_row(const gt_tensor *outputs, int64_t sample);
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
/* The names of the classes [classes] or, without names, their numbers as text. In the arena. */
const char *const *gt_names_of_classes(const gt_data_target *target, gt_arena *arena);

/* Writes the predictions of a single target as CSV (predict_csv.c): the column `id`, if it has cells; the
 * class or the words of boolean columns; then the probability of each class, or the outputs. For a boolean
 * column, the probability of WORD is in column NAME=WORD. */
bool gt_predict_write_csv(const char *path, const gt_model_file *file, const gt_text_column *id,
                          const gt_tensor *outputs, gt_error *error);
/* The same for several targets: `id`; the class of each classifier in a column with its target's name and the
 * words of boolean columns; then the values of all targets. */
bool gt_predict_write_targets_csv(const char *path, const gt_model_file *file, const gt_text_column *id,
                                  const gt_prediction *prediction, gt_error *error);
#endif
