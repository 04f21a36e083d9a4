/* The best formulas that a search has found; the final choice is made after rounding their constants. Within
 * kan/ only. Owner: the search. */
#ifndef GT_KAN_SYMBOLIC_POOL_H
#define GT_KAN_SYMBOLIC_POOL_H
#include "kan/symbolic.h"

enum { GT_POOL_MAX = 12 };

typedef struct gt_symbolic_pool {
  gt_symbolic held[GT_POOL_MAX]; /* best first, each in its own arena */
  double cost[GT_POOL_MAX];      /* gt_symbolic_criterion */
  int count;
} gt_symbolic_pool;

/* Keeps a copy if it is among the best; of formulas with the same functions, only the best. */
void gt_symbolic_pool_add(gt_symbolic_pool *pool, const gt_symbolic *symbolic, double cost);
/* Sets *out to the shortest formula of the pool, in normal form and, unless as_fitted, with rounded
 * constants; *verdict gets the second-best one. */
void gt_symbolic_pool_choose(gt_symbolic_pool *pool, gt_symbolic *out, const gt_symbolic_data *data,
                             bool as_fitted, gt_symbolic_verdict *verdict);
void gt_symbolic_pool_finish(gt_symbolic_pool *pool);
#endif
