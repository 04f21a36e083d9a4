/* gt_tune: finds by timing which candidates are best on a device for the kernels of a config's training step
 * (gt_choice). Choices are tuned one after the other, those with the highest estimated cost first. For each,
 * promising candidates are tried: the best estimate of each family, then others of the best family
 * (gt_candidate.kin). A candidate is tried in the whole step, alternating with the current step, so that side
 * effects (packed operands, launches, overlap) are included and drift of the machine cancels. It is accepted
 * if the step is faster in all turns but one and by more than half a percent, twice in a row. At the end the
 * tuned step is compared with the original one in the same way. */
#ifndef GT_TRAIN_TUNE_H
#define GT_TRAIN_TUNE_H
#include "train/session.h"

typedef struct gt_tune_choice { /* a choice that was tuned */
  const char *key, *was, *now;  /* was, now: candidates */
  double gain;                  /* of the whole step: 0.03 is 3 % less time; 0: unchanged */
  uint32_t tried, offered;      /* in addition to the current one */
} gt_tune_choice;

typedef struct gt_tune_options {
  uint32_t ways;  /* limit of families to try per choice, and of candidates of the best family */
  double seconds; /* starts no trial after this time; 0: no limit */
  void (*note)(void *context, const gt_tune_choice *choice); /* after each choice */
  void *context;
} gt_tune_options;

typedef struct gt_tune_result {
  uint32_t choices, tuned, changed, tries, failed; /* failed: trials that the device refused */
  double before,
      ratio; /* microseconds per step at first; time per step after tuning divided by `before`; medians */
} gt_tune_result;

/* Stores in session->tuned the candidates that are better than the estimated best, and removes its earlier
 * entries for this config. A signal (train/signals.h) ends it early with what was found so far. */
bool gt_tune(gt_session *session, const gt_tune_options *options, gt_tune_result *result, gt_error *error);
/* Removes the entries of this config's choices from session->tuned: *count of them. */
bool gt_tune_forget(gt_session *session, uint32_t *count, gt_error *error);
#endif
