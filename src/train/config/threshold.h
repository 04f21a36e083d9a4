/* `eval: {threshold: …}`: the probability above which a binary classifier predicts the positive class (true
 * for a boolean target; each of several boolean columns has its own threshold), instead of 1/2. It affects
 * accuracy, metrics of the confusion matrix, and the class that gtrain predict prints; not the loss, and not
 * metrics of scores.
 *
 * `auto` chooses the threshold when a run ends, for the weights of model.bin, so that a metric is largest on
 * the validation split; model.bin contains it. Until then a run uses 1/2. */
#ifndef GT_TRAIN_THRESHOLD_H
#define GT_TRAIN_THRESHOLD_H
#include "train/config/config.h"

struct gt_model_file;

typedef struct gt_threshold_config {
  const char *value, *metric;
} gt_threshold_config;
extern const gt_schema gt_threshold_schema;
extern const char *const gt_threshold_metrics[]; /* that `auto` can choose for; NULL-terminated */

/* Sets config->threshold from `eval.threshold`; reports a value that is not a threshold. */
void gt_config_read_threshold(gt_config *config, const gt_threshold_config *setting);
/* Sets the number of thresholds, and their values if the config has a number. Reports a model that is not a
 * binary classifier and, for a model that is not yet trained, a validation split that `auto` cannot use: it
 * does not exist, or has a single class in each column. */
void gt_config_check_threshold(gt_config *config, bool trained);
/* For `auto`: uses the thresholds in the file of a trained model. False after reporting that it has none. */
bool gt_config_load_threshold(gt_config *config, const struct gt_model_file *file);
/* " of 'NAME'": the positive class or, if there are several thresholds, the column. */
const char *gt_threshold_target_text(const gt_config *config, int target, gt_arena *arena);
/* The number that is added to the logit of the positive class, so that it is predicted if its probability is
 * above the threshold t: -log(t / (1 - t)), 0 for 1/2. */
float gt_threshold_shift(double threshold);
#endif
