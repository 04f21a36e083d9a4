/* gt_tune: finds by timing which ways of a config's training step are best on a device, where its kernels
 * have several (gt_choice). One choice after another, those that are reckoned to cost most first: ways that
 * may pay, of each kin the one that is reckoned best, then others of the best kin (gt_candidate.kin), are
 * tried in the whole step, which takes turns with the step as it stands, so that what a way saves or costs
 * elsewhere (packed factors, launches, what runs beside it) counts, and what the machine does meanwhile does
 * not. A way is taken if the step is faster with it in all turns but one and by more than half a percent,
 * twice. In the end the tuned step is held to the one that it began as, in the same manner. */
#ifndef GT_TRAIN_TUNE_H
#define GT_TRAIN_TUNE_H
#include "train/session.h"

typedef struct gt_tune_choice { /* one that has been gone through */
  const char *key, *was, *now;  /* was, now: ways */
  double gain;                  /* of the whole step, 0.03 is 3 % less time; 0: it stays */
  uint32_t tried, offered;      /* besides the one that it was */
} gt_tune_choice;

typedef struct gt_tune_options {
  uint32_t ways;  /* tries so many kin of a choice at most, and so many of the best of them */
  double seconds; /* begins no try after so many; 0: no limit */
  void (*note)(void *context, const gt_tune_choice *choice); /* after each choice */
  void *context;
} gt_tune_options;

typedef struct gt_tune_result {
  uint32_t choices, gone_through, changed, tries, failed; /* failed: tries that the device refused */
  double before, ratio; /* microseconds of a step as it began; what of that it takes now; medians of turns */
} gt_tune_result;

/* Sets in session->tuned the ways that are better than what is reckoned best, and forgets what it held of
 * this config's choices. A signal (train/signals.h) ends it early, with what has been found. */
bool gt_tune(gt_session *session, const gt_tune_options *options, gt_tune_result *result, gt_error *error);
/* Forgets what session->tuned holds of this config's choices: *count of them. */
bool gt_tune_forget(gt_session *session, uint32_t *count, gt_error *error);
#endif
