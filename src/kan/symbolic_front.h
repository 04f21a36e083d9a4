/* Formulas from simple to exact: the Pareto front of complexity and error (as in Schmidt and Lipson,
 * "Distilling free-form natural laws from experimental data", 2009). The search starts from the formula that
 * gt_symbolic_find chose. For each formula of the front, it removes an edge, or gives an edge another
 * function that fits its values, and fits all constants; the result is added to the front with and without
 * rounded constants, and with and without additive constants. If formulas are found that are as simple and as
 * exact as the chosen one, and better in one of the two, the shortest description among them replaces it.
 * Owner: the caller's arena. */
#ifndef GT_KAN_SYMBOLIC_FRONT_H
#define GT_KAN_SYMBOLIC_FRONT_H
#include "kan/symbolic.h"

typedef struct gt_symbolic_point {
  gt_symbolic formula; /* in normal form; in the arena */
  int complexity;      /* gt_symbolic_nodes */
  double sum;          /* of squared residuals */
  bool chosen;         /* the formula that the front starts from, or the one that replaces it */
} gt_symbolic_point;

typedef struct gt_symbolic_front {
  gt_symbolic_point *point; /* [count], by ascending complexity; each sum but that of the chosen formula is at
                             * least 2 % less than all before it; none dominates the chosen formula */
  int count;
  const gt_symbolic *replaced; /* the formula that the front starts from, if another replaces it; else NULL */
  double lead;                 /* bits by which the description of the replaced formula is longer */
  int constants, rounded;      /* of the formula that replaces it, as in gt_symbolic_verdict */
} gt_symbolic_front;

/* The number of numbers, variables and operations in the printed formulas of all outputs. */
int gt_symbolic_nodes(const gt_symbolic *symbolic);
/* One chosen formula is always part of the front. When options->effort is spent, the search ends with what it
 * has found so far. */
gt_symbolic_front gt_symbolic_front_find(const gt_symbolic *chosen, const gt_symbolic_data *data,
                                         const gt_symbolic_options *options, gt_arena *arena);
#endif
