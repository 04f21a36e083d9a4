/* Formulas (base/formula.h) as elementwise nodes, which the graph differentiates and fuses. */
#ifndef GT_OP_FORMULA_H
#define GT_OP_FORMULA_H
#include "base/formula.h"
#include "graph/graph.h"

bool gt_formula_is_constant(const gt_formula *formula);
/* variable[i]: the node for the i-th name that gt_formula_parse was given. */
gt_id gt_formula_emit(gt_graph *graph, const gt_formula *formula, const gt_id *variable);
#endif
