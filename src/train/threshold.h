/* `eval: {threshold: …}`: the probability above which a binary classifier predicts class 1 (or the true value
 * of a boolean target; each of several targets has its own), instead of 1/2. It applies to accuracy, metrics
 * of the confusion matrix, and the class that `predict` prints; not to the loss, and not to metrics of
 * scores.
 *
 * `auto` chooses it when a run ends, for the weights of model.bin, on the validation split, so that a metric
 * is largest; model.bin keeps it. Until then a run uses 1/2. */
#ifndef GT_TRAIN_THRESHOLD_H
#define GT_TRAIN_THRESHOLD_H
#include "train/session.h"
#include <jansson.h>

typedef struct gt_threshold_config {
  const char *value, *metric;
} gt_threshold_config;
extern const gt_schema gt_threshold_schema;

/* Sets config->threshold from `eval.threshold`; reports a value that is not a threshold. */
void gt_config_read_threshold(gt_config *config, const gt_threshold_config *given);
/* Sets the number of thresholds, and the value in the config. Reports a model that is not a binary classifier
 * and, for a model that is not trained yet, a validation split that `auto` cannot use: there is none, or its
 * samples are of one class in all targets. */
void gt_config_check_threshold(gt_config *config, bool trained);
/* For a trained model: sets what was chosen when it was trained. False after reporting if there is nothing.
 */
bool gt_config_take_threshold(gt_config *config, const gt_model_file *file);
/* " of 'NAME'", if there are several targets. */
const char *gt_threshold_of(const gt_config *config, int target, gt_arena *arena);
/* A number, or an array if there are several. */
json_t *gt_threshold_json(const double *threshold, int count);

/* The number to add to the logit of class 1, so that class 1 is predicted exactly if its probability is above
 * the threshold: -log(t / (1 - t)), 0 for 1/2. */
float gt_threshold_shift(double threshold);

/* A prediction for an item that counts. */
typedef struct gt_scored {
  double probability, weight;
  bool label;
} gt_scored;
typedef struct gt_chosen_threshold {
  double value, best, half; /* best: of the metric; half: of the metric with 1/2 */
} gt_chosen_threshold;
/* Sorts the items and chooses, between two neighboring probabilities, a threshold with few digits; among
 * equally good ones, the nearest to 1/2. False if a probability is not finite. */
bool gt_threshold_search(gt_scored *item, int64_t items, const gt_metric_type *metric,
                         gt_chosen_threshold *out);
/* Chooses the thresholds with the weights on the device, logs them, and applies them to the evaluations of
 * the session. */
bool gt_threshold_choose(gt_session *session, unsigned averaged, gt_error *error);
/* Evaluations of the session use config->threshold from now on. */
bool gt_threshold_apply(gt_session *session, gt_error *error);
#endif
