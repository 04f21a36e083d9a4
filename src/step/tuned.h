/* gt_tuned: the candidate that tuning (train/bench/tune.h) measured as the fastest for each problem
 * (gt_choice.key). If an op offers this candidate, a plan uses it instead of the one with the lowest
 * estimated cost. A zeroed struct is empty. Owner: the code that sets entries; it calls gt_tuned_finish. */
#ifndef GT_STEP_TUNED_H
#define GT_STEP_TUNED_H
#include "base/arena.h"

typedef struct gt_tuned {
  gt_arena arena;
  struct gt_tuned_entry {
    const char *key, *candidate; /* candidate: its text, as gt_candidate_text writes it */
  } * items;
  size_t count, capacity;
} gt_tuned;

/* The text of the candidate for this key; NULL: there is no entry. */
const char *gt_tuned_find(const gt_tuned *tuned, const char *key);
/* Copies the texts. candidate NULL: removes the entry. */
void gt_tuned_set(gt_tuned *tuned, const char *key, const char *candidate);
void gt_tuned_finish(gt_tuned *tuned);
#endif
