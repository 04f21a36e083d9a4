/* A symbolic network as the tree of a formula (base/formula.h), without factors of 1 and empty sums, and with
 * products in place of exp of logarithms. Within kan/ only. */
#ifndef GT_KAN_FORMULA_TREE_H
#define GT_KAN_FORMULA_TREE_H
#include "base/formula.h"
#include "kan/symbolic.h"

const gt_formula *gt_symbolic_tree(const gt_symbolic *symbolic, int output, gt_arena *arena);
#endif
