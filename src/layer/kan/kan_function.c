#include "layer/kan/kan_function.h"
#include "base/formula.h"
#include "base/text.h"
#include "op/elementwise.h"
#include <string.h>

static const double near_zero = 1e-9, /* of poles and logarithms */
    near_one = 1 - 0x1p-24,           /* of the arcsine: the last float before 1 */
    near_pole = 1.5707,               /* of the tangent */
    most_exponent = 80;               /* whose exponential, and that times its slope, is a float */

static gt_id number(gt_graph *g, double value) { return gt_constant(g, value); }
static gt_id at_least(gt_graph *g, gt_id u, double low) { return gt_max(g, u, number(g, low)); }
static gt_id within(gt_graph *g, gt_id u, double most) {
  return gt_min(g, at_least(g, u, -most), number(g, most));
}

/* Not between the two numbers nearest to zero that have an inverse. */
static gt_id away(gt_graph *g, gt_id u) {
  const gt_id zero = number(g, 0), least = number(g, near_zero);
  const gt_id side = gt_where(g, gt_less(g, u, zero), number(g, -near_zero), least);
  return gt_where(g, gt_less(g, gt_abs(g, u), least), side, u);
}

static gt_id squared(gt_graph *g, gt_id u) { return gt_mul(g, u, u); }

static gt_id line(gt_graph *g, gt_id u) {
  (void)g;
  return u;
}
static gt_id cube(gt_graph *g, gt_id u) { return gt_mul(g, squared(g, u), u); }
static gt_id fourth(gt_graph *g, gt_id u) { return squared(g, squared(g, u)); }
static gt_id fifth(gt_graph *g, gt_id u) { return gt_mul(g, fourth(g, u), u); }
static gt_id inverse(gt_graph *g, gt_id u) { return gt_reciprocal(g, away(g, u)); }
static gt_id inverse_square(gt_graph *g, gt_id u) { return squared(g, inverse(g, u)); }
static gt_id root(gt_graph *g, gt_id u) { return gt_sqrt(g, at_least(g, u, near_zero * near_zero)); }
static gt_id inverse_root(gt_graph *g, gt_id u) {
  return gt_reciprocal(g, gt_sqrt(g, at_least(g, u, near_zero)));
}
static gt_id exponential(gt_graph *g, gt_id u) { return gt_exp(g, within(g, u, most_exponent)); }
static gt_id logarithm(gt_graph *g, gt_id u) { return gt_log(g, at_least(g, u, near_zero)); }
static gt_id tangent(gt_graph *g, gt_id u) {
  const gt_id v = within(g, u, near_pole);
  return gt_div(g, gt_sin(g, v), gt_cos(g, v));
}
static gt_id gaussian(gt_graph *g, gt_id u) { return gt_exp(g, gt_neg(g, squared(g, u))); }
static gt_id arcsine(gt_graph *g, gt_id u) {
  const gt_id v = within(g, u, near_one), one = number(g, 1);
  const gt_id rest = gt_mul(g, gt_sub(g, one, v), gt_add(g, one, v));
  return gt_atan(g, gt_div(g, v, gt_sqrt(g, rest)));
}

static const gt_kan_function functions[] = {
    {"x", line},
    {"x^2", squared},
    {"x^3", cube},
    {"x^4", fourth},
    {"x^5", fifth},
    {"1/x", inverse},
    {"1/x^2", inverse_square},
    {"sqrt", root},
    {"1/sqrt", inverse_root},
    {"exp", exponential},
    {"log", logarithm},
    {"abs", gt_abs},
    {"sin", gt_sin},
    {"cos", gt_cos},
    {"tan", tangent},
    {"tanh", gt_tanh},
    {"sigmoid", gt_sigmoid},
    {"gaussian", gaussian},
    {"arcsin", arcsine},
    {"arctan", gt_atan},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

int gt_kan_function_count(void) { return FUNCTIONS; }
const gt_kan_function *gt_kan_function_at(int index) { return &functions[index]; }

const gt_kan_function *gt_kan_function_find(const char *name) {
  for (int i = 0; i < FUNCTIONS; i++)
    if (!strcmp(functions[i].name, name)) return &functions[i];
  return NULL;
}

/* The same by another name, as formulas know it; of a slip of the keys the nearest. */
const char *gt_kan_function_nearest(const char *name) {
  const char *names[FUNCTIONS], *meaning = gt_formula_meaning(name);
  for (int i = 0; meaning && i < FUNCTIONS; i++) {
    const char *own = gt_formula_meaning(functions[i].name);
    if (!strcmp(meaning, own ? own : functions[i].name)) return functions[i].name;
  }
  if (meaning) return NULL;
  for (int i = 0; i < FUNCTIONS; i++) names[i] = functions[i].name;
  return gt_nearest(name, names, FUNCTIONS);
}

const char *gt_kan_function_names(gt_arena *arena) {
  const char *text = functions[0].name;
  for (int i = 1; i < FUNCTIONS; i++) text = gt_arena_printf(arena, "%s, %s", text, functions[i].name);
  return text;
}
