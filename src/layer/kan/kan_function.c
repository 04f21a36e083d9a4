#include "layer/kan/kan_function.h"
#include "base/formula.h"
#include "base/text.h"
#include "op/elementwise.h"
#include <math.h>
#include <string.h>

/* --- on the host, in double --- */

/* value and derivative at u */
#define SYMBOL(name, value, slope)                         \
  static double name##_value(double u) { return (value); } \
  static double name##_slope(double u) { return (void)u, (slope); }
SYMBOL(line, u, 1)
SYMBOL(square, (u * u), 2 * u)
SYMBOL(cube, (u * u * u), 3 * u * u)
SYMBOL(fourth, (u * u * u * u), 4 * u * u * u)
SYMBOL(fifth, (u * u * u * u * u), 5 * u * u * u * u)
SYMBOL(inverse, 1 / u, -1 / (u * u))
SYMBOL(inverse_square, 1 / (u * u), -2 / (u * u * u))
SYMBOL(root, sqrt(u), 0.5 / sqrt(u))
SYMBOL(inverse_root, 1 / sqrt(u), -0.5 / (u * sqrt(u)))
SYMBOL(exponential, exp(u), exp(u))
SYMBOL(logarithm, log(u), 1 / u)
SYMBOL(absolute, fabs(u), u < 0 ? -1 : 1)
SYMBOL(sine, sin(u), cos(u))
SYMBOL(cosine, cos(u), -sin(u))
SYMBOL(tangent, tan(u), 1 + tan(u) * tan(u))
SYMBOL(hyperbolic, tanh(u), 1 - tanh(u) * tanh(u))
SYMBOL(logistic, 1 / (1 + exp(-u)), 1 / (2 + exp(u) + exp(-u)))
SYMBOL(gaussian, exp(-u *u), -2 * u * exp(-u * u))
SYMBOL(arcsine, asin(u), 1 / sqrt(1 - u * u))
SYMBOL(arctangent, atan(u), 1 / (1 + u * u))

/* --- in a graph, in float32 --- */

#define NEAR_ZERO 1e-9 /* smallest distance from poles, smallest argument of logarithms */
static const double near_one = 1 - 0x1p-24, /* for arcsine: the last float before 1 */
    near_pole = 1.5707,                     /* for tangent */
    max_exponent = 80; /* exp(80) = 5.5e34: products with factors up to 6000 still fit float32 */

static gt_id number(gt_graph *g, double value) { return gt_constant(g, value); }
static gt_id at_least(gt_graph *g, gt_id u, double low) { return gt_max(g, u, number(g, low)); }
static gt_id clamp(gt_graph *g, gt_id u, double most) {
  return gt_min(g, at_least(g, u, -most), number(g, most));
}

/* Moves u out of the interval around 0 in which 1/u and its derivatives are too large for float32. */
static gt_id avoid_zero(gt_graph *g, gt_id u) {
  const gt_id zero = number(g, 0), least = number(g, NEAR_ZERO);
  const gt_id side = gt_where(g, gt_less(g, u, zero), number(g, -NEAR_ZERO), least);
  return gt_where(g, gt_less(g, gt_abs(g, u), least), side, u);
}

static gt_id emit_square(gt_graph *g, gt_id u) { return gt_mul(g, u, u); }

static gt_id emit_line(gt_graph *g, gt_id u) {
  (void)g;
  return u;
}
static gt_id emit_cube(gt_graph *g, gt_id u) { return gt_mul(g, emit_square(g, u), u); }
static gt_id emit_fourth(gt_graph *g, gt_id u) { return emit_square(g, emit_square(g, u)); }
static gt_id emit_fifth(gt_graph *g, gt_id u) { return gt_mul(g, emit_fourth(g, u), u); }
static gt_id emit_inverse(gt_graph *g, gt_id u) { return gt_reciprocal(g, avoid_zero(g, u)); }
static gt_id emit_inverse_square(gt_graph *g, gt_id u) { return emit_square(g, emit_inverse(g, u)); }
static gt_id emit_root(gt_graph *g, gt_id u) { return gt_sqrt(g, at_least(g, u, NEAR_ZERO * NEAR_ZERO)); }
static gt_id emit_inverse_root(gt_graph *g, gt_id u) {
  return gt_reciprocal(g, gt_sqrt(g, at_least(g, u, NEAR_ZERO)));
}
static gt_id emit_exponential(gt_graph *g, gt_id u) { return gt_exp(g, clamp(g, u, max_exponent)); }
static gt_id emit_logarithm(gt_graph *g, gt_id u) { return gt_log(g, at_least(g, u, NEAR_ZERO)); }
static gt_id emit_tangent(gt_graph *g, gt_id u) {
  const gt_id v = clamp(g, u, near_pole);
  return gt_div(g, gt_sin(g, v), gt_cos(g, v));
}
static gt_id emit_gaussian(gt_graph *g, gt_id u) { return gt_exp(g, gt_neg(g, emit_square(g, u))); }
static gt_id emit_arcsine(gt_graph *g, gt_id u) {
  const gt_id v = clamp(g, u, near_one), one = number(g, 1);
  const gt_id one_minus_square = gt_mul(g, gt_sub(g, one, v), gt_add(g, one, v));
  return gt_atan(g, gt_div(g, v, gt_sqrt(g, one_minus_square)));
}

/* --- the library --- */

#define A            GT_SYMBOL_A
#define B            GT_SYMBOL_B
#define SIGN         GT_SYMBOL_SIGN
#define VALUES(name) name##_value, name##_slope

/* Columns: name, free, kind, power, complexity, low, high, value and slope, emit. cos and sigmoid differ from
 * sin and tanh only by constants; sin and tanh have the lower complexity and come first. */
static const gt_symbol symbols[] = {
    {"x", 0, GT_SYMBOL_LINE, 1, 1, -INFINITY, INFINITY, VALUES(line), emit_line},
    {"x^2", B, GT_SYMBOL_POWER, 2, 2, -INFINITY, INFINITY, VALUES(square), emit_square},
    {"x^3", B, GT_SYMBOL_POWER, 3, 3, -INFINITY, INFINITY, VALUES(cube), emit_cube},
    {"x^4", B, GT_SYMBOL_POWER, 4, 3.5, -INFINITY, INFINITY, VALUES(fourth), emit_fourth},
    {"x^5", B, GT_SYMBOL_POWER, 5, 4, -INFINITY, INFINITY, VALUES(fifth), emit_fifth},
    {"1/x", B, GT_SYMBOL_POWER, -1, 2, -INFINITY, INFINITY, VALUES(inverse), emit_inverse},
    {"1/x^2", B, GT_SYMBOL_POWER, -2, 3, -INFINITY, INFINITY, VALUES(inverse_square), emit_inverse_square},
    {"sqrt", SIGN | B, GT_SYMBOL_POWER, 0.5, 2, 1e-18, INFINITY, VALUES(root), emit_root},
    {"1/sqrt", SIGN | B, GT_SYMBOL_POWER, -0.5, 3, NEAR_ZERO, INFINITY, VALUES(inverse_root),
     emit_inverse_root},
    {"exp", A, GT_SYMBOL_EXP, 0, 2, -700, 700, VALUES(exponential), emit_exponential},
    {"log", SIGN | B, GT_SYMBOL_LOG, 0, 2, NEAR_ZERO, INFINITY, VALUES(logarithm), emit_logarithm},
    {"abs", B, GT_SYMBOL_POWER, 1, 3, -INFINITY, INFINITY, VALUES(absolute), gt_abs},
    {"sin", A | B, GT_SYMBOL_PERIODIC, 0, 2, -INFINITY, INFINITY, VALUES(sine), gt_sin},
    {"cos", A | B, GT_SYMBOL_PERIODIC, 0, 2.5, -INFINITY, INFINITY, VALUES(cosine), gt_cos},
    {"tan", A | B, GT_SYMBOL_ODD, 0, 3, -1.5707, 1.5707, VALUES(tangent), emit_tangent},
    {"tanh", A | B, GT_SYMBOL_ODD, 0, 3, -INFINITY, INFINITY, VALUES(hyperbolic), gt_tanh},
    {"sigmoid", A | B, GT_SYMBOL_STEP, 0, 3.5, -700, 700, VALUES(logistic), gt_sigmoid},
    {"gaussian", A | B, GT_SYMBOL_EVEN, 0, 3, -INFINITY, INFINITY, VALUES(gaussian), emit_gaussian},
    {"arcsin", A | B, GT_SYMBOL_ODD, 0, 4, -1 + NEAR_ZERO, 1 - NEAR_ZERO, VALUES(arcsine), emit_arcsine},
    {"arctan", A | B, GT_SYMBOL_ODD, 0, 4, -INFINITY, INFINITY, VALUES(arctangent), gt_atan},
};
enum { SYMBOLS = sizeof symbols / sizeof *symbols };

int gt_symbol_count(void) { return SYMBOLS; }
const gt_symbol *gt_symbol_at(int index) { return &symbols[index]; }

const gt_symbol *gt_symbol_find(const char *name) {
  for (int i = 0; i < SYMBOLS; i++)
    if (!strcmp(symbols[i].name, name)) return &symbols[i];
  return NULL;
}

/* Also accepts the other names that formulas have for these functions (base/formula.h). */
const char *gt_symbol_nearest(const char *name) {
  const char *names[SYMBOLS], *meaning = gt_formula_meaning(name);
  for (int i = 0; meaning && i < SYMBOLS; i++) {
    const char *symbol_meaning = gt_formula_meaning(symbols[i].name);
    if (!strcmp(meaning, symbol_meaning ? symbol_meaning : symbols[i].name)) return symbols[i].name;
  }
  if (meaning) return NULL;
  for (int i = 0; i < SYMBOLS; i++) names[i] = symbols[i].name;
  return gt_nearest(name, names, SYMBOLS);
}

const char *gt_symbol_names(gt_arena *arena) {
  const char *text = symbols[0].name;
  for (int i = 1; i < SYMBOLS; i++) text = gt_arena_printf(arena, "%s, %s", text, symbols[i].name);
  return text;
}

bool gt_symbol_defined(const gt_symbol *s, double u) { return u >= s->low && u <= s->high; }

static double clamp_to_domain(const gt_symbol *s, double u) {
  return u < s->low ? s->low : u > s->high ? s->high : u;
}

double gt_symbol_value(const gt_symbol *s, double u) {
  u = clamp_to_domain(s, u);
  if (s->kind == GT_SYMBOL_POWER && s->power < 0 && fabs(u) < NEAR_ZERO) u = u < 0 ? -NEAR_ZERO : NEAR_ZERO;
  return s->value(u);
}

bool gt_symbol_is_exact(const gt_symbol *s, double u) {
  const bool near_pole_of_power = s->kind == GT_SYMBOL_POWER && s->power < 0 && fabs(u) < NEAR_ZERO;
  if (gt_symbol_defined(s, u) && !near_pole_of_power) return true;
  const double value = s->value(u);
  return fabs(value - gt_symbol_value(s, u)) <= 1e-6 * (1 + fabs(value)) && isfinite(value);
}

double gt_symbol_slope(const gt_symbol *s, double u) {
  if (s->kind == GT_SYMBOL_POWER && s->power < 0 && fabs(u) < NEAR_ZERO) return 0;
  return gt_symbol_defined(s, u) ? s->slope(u) : 0;
}
