#include "op/formula.h"
#include "op/elementwise.h"
#include <string.h>

bool gt_formula_is_constant(const gt_formula *f) {
  if (f->kind != GT_FORMULA_CALL) return f->kind == GT_FORMULA_NUMBER;
  return gt_formula_is_constant(f->argument[0]) &&
         (f->arguments < 2 || gt_formula_is_constant(f->argument[1]));
}

gt_id gt_formula_emit(gt_graph *graph, const gt_formula *f, const gt_id *variable) {
  if (gt_formula_is_constant(f)) return gt_constant(graph, gt_formula_evaluate(f, NULL));
  if (f->kind == GT_FORMULA_VARIABLE) return variable[f->variable];
  const gt_id a = gt_formula_emit(graph, f->argument[0], variable);
  if (!strcmp(f->call, "leaky_relu")) return gt_leaky_relu(graph, a, 0.01);
  if (f->arguments == 1) return gt_apply(graph, f->call, 1, a);
  /* A square is by far the commonest power, and a product is exact and cheap, backwards too. */
  if (!strcmp(f->call, "pow") && gt_formula_is_constant(f->argument[1]) &&
      gt_formula_evaluate(f->argument[1], NULL) == 2)
    return gt_mul(graph, a, a);
  return gt_apply(graph, f->call, 2, a, gt_formula_emit(graph, f->argument[1], variable));
}
