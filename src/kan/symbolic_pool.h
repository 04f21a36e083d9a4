/* gt_symbolic_pool: the best formulas that a search has found. The final choice is made after their constants
 * have been rounded. Within kan/ only. Owner: the search. */
#ifndef GT_KAN_SYMBOLIC_POOL_H
#define GT_KAN_SYMBOLIC_POOL_H
#include "kan/symbolic.h"

enum { GT_POOL_MAX = 12 };

typedef struct gt_symbolic_pool {
  gt_symbolic formula[GT_POOL_MAX]; /* best first; each owns its arena */
  double cost[GT_POOL_MAX];         /* gt_symbolic_criterion of each */
  int count;
} gt_symbolic_pool;

/* Copies the formula into the pool if its cost is among the GT_POOL_MAX smallest. Of formulas with the same
 * functions on the same edges, the pool keeps the one with the smallest cost. */
void gt_symbolic_pool_add(gt_symbolic_pool *pool, const gt_symbolic *symbolic, double cost);
/* Chooses the shortest formula of a pool that is not empty, in normal form and, unless as_fitted, with
 * rounded constants. Copies it into out->arena, which must be initialized, and overwrites *out, except for
 * the arena. Sets the numbers of its constants and of rounded ones in *verdict, and copies `rival`, the
 * shortest formula with other values, into the same arena. Fits and rounds the formulas of the pool in
 * place. */
void gt_symbolic_pool_choose(gt_symbolic_pool *pool, gt_symbolic *out, const gt_symbolic_data *data,
                             bool as_fitted, gt_symbolic_verdict *verdict);
void gt_symbolic_pool_finish(gt_symbolic_pool *pool);
#endif
