#include "cli/predict_class.h"

static int64_t index_of_largest(const float *row, int64_t count) {
  int64_t best = 0;
  for (int64_t i = 1; i < count; i++)
    if (row[i] > row[best]) best = i;
  return best;
}

bool gt_is_probability(const gt_model_file *file, int target, int64_t outputs, int64_t i) {
  const gt_data_target *t = &file->signature.target[target];
  return file->bits[target] && t->words && outputs == t->column_count && *t->words[2 * i + 1];
}

double gt_output_threshold(const gt_model_file *file, int64_t i) {
  return file->thresholds ? file->threshold[file->thresholds > 1 ? i : 0] : 0.5;
}

const char *gt_output_word(const gt_model_file *file, int target, int64_t i, double probability) {
  return file->signature.target[target].words[2 * i + (probability > gt_output_threshold(file, i))];
}

static bool is_boolean(const gt_model_file *file, int target, int64_t outputs) {
  return outputs == 1 && gt_is_probability(file, target, outputs, 0);
}

bool gt_is_classifier(const gt_model_file *file, int target, int64_t outputs) {
  const int classes = file->signature.target[target].classes;
  return (classes > 1 && outputs == classes) || is_boolean(file, target, outputs);
}

gt_predicted_class gt_predicted_class_of(const gt_model_file *file, int target, const float *row,
                                         int64_t outputs) {
  const gt_data_target *t = &file->signature.target[target];
  const bool boolean = is_boolean(file, target, outputs);
  gt_predicted_class a = {.class = 0};
  if (boolean)
    a.class = (double)row[0] > gt_output_threshold(file, 0);
  else if (outputs == 2 && file->thresholds)
    a.class = ((double)row[t->positive] > gt_output_threshold(file, 0)) == t->positive;
  else
    a.class = index_of_largest(row, outputs);
  a.probability = !boolean ? (double)row[a.class] : a.class ? (double)row[0] : 1 - (double)row[0];
  return a;
}
