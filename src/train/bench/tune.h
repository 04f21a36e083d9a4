/* gt_tune: measures which candidates are fastest on a device for the kernels of a config's training step
 * (gt_choice). Choices are tuned one after the other, those with the highest estimated cost first. For each
 * choice it tries promising candidates: the best estimate of each family, then others of the best family
 * (gt_candidate.family). It times the whole step with a candidate, alternating with the current step, so that
 * side effects (packed operands, launches, overlap) are included and drift of the machine cancels. A
 * candidate is accepted if the step is faster in all turns but one and by more than half a percent, twice in
 * a row. At the end the tuned step is compared with the original one: if it is not faster in most turns and
 * in the median, its candidates are dropped. */
#ifndef GT_TRAIN_TUNE_H
#define GT_TRAIN_TUNE_H
#include "train/net/session.h"

typedef struct gt_tune_choice { /* a choice that was tuned */
  const char *key, *was, *now;  /* was, now: texts of the previous and the chosen candidate */
  double gain;                  /* reduction of the step's time: 0.03 is 3 %; 0: unchanged */
  uint32_t tried, offered;      /* number of other candidates that were tried, and that the op offers */
} gt_tune_choice;

typedef struct gt_tune_options {
  uint32_t max_candidates; /* limit of families to try per choice, and of candidates of the best family */
  double seconds;          /* starts no trial after this time; 0: no limit */
  void (*note)(void *context, const gt_tune_choice *choice); /* called after each choice; NULL: not called */
  void *context;
} gt_tune_options;

typedef struct gt_tune_result {
  uint32_t choices, tuned, changed; /* number of choices; of those that were tuned, and that changed */
  uint32_t tries, failed;           /* number of trials; of those that the device could not run */
  double before, ratio; /* microseconds per step before tuning; time after tuning / before; both medians */
} gt_tune_result;

/* Replaces the entries for this config in session->tuned by the candidates that are faster than the estimated
 * best. A signal (train/run/signals.h) ends tuning early; the result is then what was found so far. */
bool gt_tune(gt_session *session, const gt_tune_options *options, gt_tune_result *result, gt_error *error);
/* Removes the entries for this config's choices from session->tuned. *count: their number. */
bool gt_tune_remove(gt_session *session, uint32_t *count, gt_error *error);
#endif
