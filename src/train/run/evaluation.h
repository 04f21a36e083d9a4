/* The line that a run prints at each evaluation, such as
 *    epoch  3/100  train loss 0.1234 accuracy 0.9612  validation loss 0.2345 *  65.9 k samples/s
 * The asterisk marks the best evaluation so far. */
#ifndef GT_TRAIN_EVALUATION_H
#define GT_TRAIN_EVALUATION_H
#include "train/config/results.h"

enum { GT_EVALUATION_LONGEST = 512 };
#define GT_BEST_MARK "*"

typedef struct gt_evaluation {
  int64_t phase, phases;     /* phase: from 1; phases 0: the run has no phases */
  int64_t step, steps;       /* finished steps, steps of the whole run */
  int64_t epoch, epochs;     /* epochs 0: the run is counted in steps */
  gt_results train, watched; /* train: over the steps since the last evaluation */
  const char *split;         /* the watched split; NULL: none */
  gt_result_id watches;      /* the result that decides which evaluation is best */
  bool best;                 /* this evaluation is the best so far */
  double rate;               /* samples per second */
} gt_evaluation;

/* Writes the line in at most `room` columns: if it is longer, shortens words (val, acc), then omits fields,
 * the least important first. */
void gt_evaluation_text(char line[GT_EVALUATION_LONGEST], const gt_evaluation *evaluation, int room);
#endif
