/* gt_tuned: the fastest candidate that tuning measured for each problem (gt_choice.key). If that candidate
 * is offered, a plan uses it instead of the one with the lowest estimated cost; train/tune.h measures. A
 * zeroed one is empty. Owner: the code that sets entries; it calls finish. */
#ifndef GT_STEP_TUNED_H
#define GT_STEP_TUNED_H
#include "base/arena.h"

typedef struct gt_tuned {
  gt_arena arena;
  struct gt_tuned_way {
    const char *key, *way; /* way: as gt_candidate_text writes it */
  } * items;
  size_t count, capacity;
} gt_tuned;

const char *gt_tuned_find(const gt_tuned *tuned, const char *key); /* NULL: it is not known */
/* Copies the texts. way NULL: removes the entry. */
void gt_tuned_set(gt_tuned *tuned, const char *key, const char *way);
void gt_tuned_finish(gt_tuned *tuned);
#endif
