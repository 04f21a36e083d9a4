/* gt_tuned: which way is best, as somebody has found by timing them, by what was asked (gt_choice.key). Where
 * that way is offered, a plan takes it in place of the one that is reckoned to cost least; how it was found
 * is train/tune.h's affair. A zeroed one is empty. Owner: whoever sets ways, who finishes it. */
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
/* The texts are copied. way NULL: forgets it. */
void gt_tuned_set(gt_tuned *tuned, const char *key, const char *way);
void gt_tuned_finish(gt_tuned *tuned);
#endif
