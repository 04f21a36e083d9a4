/* What a run tells people at each evaluation: one line, such as
 *   epoch  3/100  train loss 0.1234 accuracy 0.9612  validation loss 0.2345 accuracy 0.9401 *  65.9 k
 * samples/s
 */
#ifndef GT_TRAIN_EVALUATION_H
#define GT_TRAIN_EVALUATION_H
#include "train/metrics.h"

enum { GT_EVALUATION_LONGEST = 512 };
#define GT_BEST_MARK "*"

typedef struct gt_evaluation {
  int64_t phase, phases;         /* from 1; phases 0: the run has none */
  int64_t step, steps;           /* finished, and those of the whole run */
  int64_t epoch, epochs;         /* epochs 0: the run is counted in steps */
  gt_sums train, watched;        /* train: over the steps since the evaluation before */
  const char *split;             /* that is watched; NULL: none is */
  const gt_metric_kind *watches; /* by which the best is told */
  bool accuracy;                 /* the loss counts correct answers */
  bool best;                     /* so far */
  double rate;                   /* samples a second */
} gt_evaluation;

/* The line in at most `room` columns: where it does not fit, words are shortened (val, acc), then fields are
 * left out, the least important ones first. */
void gt_evaluation_text(char line[GT_EVALUATION_LONGEST], const gt_evaluation *evaluation, int room);
#endif
