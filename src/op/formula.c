#include "op/formula.h"
#include "op/elementwise.h"
#include <string.h>

bool gt_formula_is_constant(const gt_formula *f) {
  if (f->kind != GT_FORMULA_CALL) return f->kind == GT_FORMULA_NUMBER;
  return gt_formula_is_constant(f->argument[0]) &&
         (f->arguments < 2 || gt_formula_is_constant(f->argument[1]));
}

/* --- functions without an instruction of their own ------------------------------------------------------ */

static gt_id emit_leaky_relu(gt_graph *g, gt_id a) { return gt_leaky_relu(g, a, 0.01); }
static gt_id emit_tan(gt_graph *g, gt_id a) { return gt_div(g, gt_sin(g, a), gt_cos(g, a)); }

static gt_id emit_asin(gt_graph *g, gt_id a) { /* atan(a / sqrt((1 - a)(1 + a))) */
  const gt_id one = gt_constant(g, 1);
  return gt_atan(g, gt_div(g, a, gt_sqrt(g, gt_mul(g, gt_sub(g, one, a), gt_add(g, one, a)))));
}

static gt_id emit_acos(gt_graph *g, gt_id a) {
  return gt_sub(g, gt_constant(g, 1.57079632679489661923), emit_asin(g, a));
}

static gt_id emit_log10(gt_graph *g, gt_id a) {
  return gt_mul(g, gt_log2(g, a), gt_constant(g, 0.30102999566398119521));
}

static gt_id emit_floor(gt_graph *g, gt_id a) { return gt_sub(g, a, gt_mod(g, a, gt_constant(g, 1))); }
static gt_id emit_gaussian(gt_graph *g, gt_id a) { return gt_exp(g, gt_neg(g, gt_mul(g, a, a))); }

static const struct {
  const char *name;
  gt_id (*emit)(gt_graph *graph, gt_id a);
} composed[] = {
    {"leaky_relu", emit_leaky_relu}, {"tan", emit_tan},     {"asin", emit_asin},        {"acos", emit_acos},
    {"log10", emit_log10},           {"floor", emit_floor}, {"gaussian", emit_gaussian}};

gt_id gt_formula_emit(gt_graph *graph, const gt_formula *f, const gt_id *variable) {
  if (gt_formula_is_constant(f)) return gt_constant(graph, gt_formula_evaluate(f, NULL));
  if (f->kind == GT_FORMULA_VARIABLE) return variable[f->variable];
  const gt_id a = gt_formula_emit(graph, f->argument[0], variable);
  for (size_t i = 0; i < sizeof composed / sizeof *composed; i++)
    if (!strcmp(f->call, composed[i].name)) return composed[i].emit(graph, a);
  if (f->arguments == 1) return gt_apply(graph, f->call, 1, a);
  /* A square is by far the most common power, and a product is exact and cheap, also in the gradient. */
  if (!strcmp(f->call, "pow") && gt_formula_is_constant(f->argument[1]) &&
      gt_formula_evaluate(f->argument[1], NULL) == 2)
    return gt_mul(graph, a, a);
  return gt_apply(graph, f->call, 2, a, gt_formula_emit(graph, f->argument[1], variable));
}
