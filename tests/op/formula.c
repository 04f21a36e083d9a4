/* Cases (op/case.h) of formulas as graph nodes, compared with gt_formula_evaluate. Their functions have no
 * instruction of their own: gt_formula_emit composes them. tangent.c tests second derivatives of formulas. */
#include "op/formula.h"
#include "op/case.h"
#include "op/move.h"

GT_REGISTER(opcase, formula)

static const char *const formula[] = {
    "tan(x) + gaussian(y)*arcsin(x)",
    "arccos(y)*log10(2 + x) + ln(2 + y)",
    "floor(5*x) - 2*sign(y) + |x|*floor(-3*y) + leaky_relu(x)",
};

static const gt_formula *formula_of(const gt_case_view *v, gt_arena *arena) {
  static const char *const names[] = {"x", "y"};
  return gt_formula_parse(arena, formula[v->c->p[0]], names, 2, NULL);
}

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_formula_emit(g, formula_of(v, g->arena), x);
}

static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t count = gt_shape_count(v->shape[0]);
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_formula *f = formula_of(v, &arena);
  for (int64_t i = 0; y && i < count; i++) y[i] = gt_formula_evaluate(f, (const double[]){x[0][i], x[1][i]});
  gt_arena_finish(&arena);
  return v->shape[0];
}

static const gt_case_rule rule = {.name = "formula",
                                  .build = build,
                                  .reference = reference,
                                  .wrt = 3,
                                  .low = -0.9,
                                  .high = 0.9,
                                  .tolerance = 2e-6,
                                  .reason = "quotients and logarithms of rounded numbers"};

static const gt_case cases[] = {{&rule, "70 70", {0}}, {&rule, "70 70", {1}}, {&rule, "70 70", {2}}};
GT_CASES(formula, cases);
