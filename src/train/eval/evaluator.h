/* gt_evaluator: an evaluation of a split in a session, with the names of its results. */
#ifndef GT_TRAIN_EVALUATOR_H
#define GT_TRAIN_EVALUATOR_H
#include "train/config/class_table.h"
#include "train/config/results.h"
#include "train/net/session.h"

/* The values of each metric: one per output, or one per column of a series. */
typedef struct gt_evaluator_values {
  int count;
  gt_metric_output_group *group; /* [count]: the outputs of each value */
  bool shown;                    /* they are results, beside their mean */
} gt_evaluator_values;

typedef struct gt_evaluator_target {
  gt_evaluator_values columns; /* one value per column; without a series, per output */
  gt_evaluator_values steps;   /* for a series with several steps: one value per output; otherwise none */
} gt_evaluator_target;

typedef struct gt_evaluator {
  gt_net *net;
  gt_executable *executable;
  const float *log;          /* mapped log of sums; NULL if the net has outputs instead */
  struct gt_evaluator *hard; /* hard evaluation of the same split, if it differs; otherwise NULL */
  gt_evaluator_target target[GT_DATA_MAX_TARGETS];
} gt_evaluator;

/* Opens an evaluation with the current weights; roles in `averaged` (bits) use moving averages. */
bool gt_evaluator_open(gt_session *session, gt_evaluator *evaluator, int part, unsigned averaged,
                       gt_error *error);
/* Opens a session on a device, and in it only the hard form (gt_net.hard) of a trained model, for the test
 * split of the config, with at most memory_limit bytes (0: no limit). The caller loads the weights. */
bool gt_evaluator_open_model(gt_session *session, gt_evaluator *evaluator, gt_config *config,
                             const gt_model_file *file, const char *device, uint64_t memory_limit,
                             gt_error *error);
/* Evaluates the split once. Sums are added in double precision, in the order of batches. */
bool gt_evaluator_run(gt_session *session, gt_evaluator *evaluator, gt_results *result, gt_error *error);
/* Mean loss over every stride-th batch of the split, from the first on; of the hard form if there is one. */
bool gt_evaluator_sample(gt_session *session, const gt_evaluator *evaluator, int64_t stride, double *loss,
                         gt_error *error);
/* A variable that is downloaded after each batch: `values` numbers per sample; out: [samples, values]. */
typedef struct gt_collected {
  const char *variable;
  int64_t values;
  float *out;
} gt_collected;
/* Runs all batches of the split, after the clock was set to step 0, and downloads the items. */
bool gt_evaluator_collect(gt_session *session, const gt_evaluator *evaluator, const gt_collected *item,
                          int items, gt_error *error);
/* The confusion matrix of a target in the last evaluation, in the arena; for logic gates, of the hard form.
 * False without an error if nothing was counted: then matrix->counts.count is NULL. */
bool gt_evaluator_confusion(gt_session *session, const gt_evaluator *evaluator, int target, gt_arena *arena,
                            gt_confusion_matrix *matrix, gt_error *error);
#endif
