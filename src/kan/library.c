#include "kan/library.h"
#include <math.h>
#include <string.h>

/* value and slope of u */
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

#define NEAR_ZERO    1e-9 /* of poles and logarithms */
#define A            GT_SYMBOL_A
#define B            GT_SYMBOL_B
#define SIGN         GT_SYMBOL_SIGN
#define VALUES(name) name##_value, name##_slope

/* cos and sigmoid are sin and tanh in other words: these come first, as they are simpler here. */
static const gt_symbol symbols[] = {
    {"x", 0, GT_SYMBOL_LINE, 1, 1, -INFINITY, INFINITY, VALUES(line)},
    {"x^2", B, GT_SYMBOL_POWER, 2, 2, -INFINITY, INFINITY, VALUES(square)},
    {"x^3", B, GT_SYMBOL_POWER, 3, 3, -INFINITY, INFINITY, VALUES(cube)},
    {"x^4", B, GT_SYMBOL_POWER, 4, 3.5, -INFINITY, INFINITY, VALUES(fourth)},
    {"x^5", B, GT_SYMBOL_POWER, 5, 4, -INFINITY, INFINITY, VALUES(fifth)},
    {"1/x", B, GT_SYMBOL_POWER, -1, 2, -INFINITY, INFINITY, VALUES(inverse)},
    {"1/x^2", B, GT_SYMBOL_POWER, -2, 3, -INFINITY, INFINITY, VALUES(inverse_square)},
    {"sqrt", SIGN | B, GT_SYMBOL_POWER, 0.5, 2, 1e-18, INFINITY, VALUES(root)},
    {"1/sqrt", SIGN | B, GT_SYMBOL_POWER, -0.5, 3, NEAR_ZERO, INFINITY, VALUES(inverse_root)},
    {"exp", A, GT_SYMBOL_EXP, 0, 2, -700, 700, VALUES(exponential)},
    {"log", SIGN | B, GT_SYMBOL_LOG, 0, 2, NEAR_ZERO, INFINITY, VALUES(logarithm)},
    {"abs", B, GT_SYMBOL_POWER, 1, 3, -INFINITY, INFINITY, VALUES(absolute)},
    {"sin", A | B, GT_SYMBOL_PERIODIC, 0, 2, -INFINITY, INFINITY, VALUES(sine)},
    {"cos", A | B, GT_SYMBOL_PERIODIC, 0, 2.5, -INFINITY, INFINITY, VALUES(cosine)},
    {"tan", A | B, GT_SYMBOL_ODD, 0, 3, -1.5707, 1.5707, VALUES(tangent)},
    {"tanh", A | B, GT_SYMBOL_ODD, 0, 3, -INFINITY, INFINITY, VALUES(hyperbolic)},
    {"sigmoid", A | B, GT_SYMBOL_STEP, 0, 3.5, -700, 700, VALUES(logistic)},
    {"gaussian", A | B, GT_SYMBOL_EVEN, 0, 3, -INFINITY, INFINITY, VALUES(gaussian)},
    {"arcsin", A | B, GT_SYMBOL_ODD, 0, 4, -1 + NEAR_ZERO, 1 - NEAR_ZERO, VALUES(arcsine)},
    {"arctan", A | B, GT_SYMBOL_ODD, 0, 4, -INFINITY, INFINITY, VALUES(arctangent)},
};
enum { SYMBOLS = sizeof symbols / sizeof *symbols };

int gt_symbol_count(void) { return SYMBOLS; }
const gt_symbol *gt_symbol_at(int index) { return &symbols[index]; }

const gt_symbol *gt_symbol_find(const char *name) {
  for (int i = 0; i < SYMBOLS; i++)
    if (!strcmp(symbols[i].name, name)) return &symbols[i];
  return NULL;
}

bool gt_symbol_defined(const gt_symbol *s, double u) { return u >= s->low && u <= s->high; }

static double within(const gt_symbol *s, double u) { return u < s->low ? s->low : u > s->high ? s->high : u; }

double gt_symbol_value(const gt_symbol *s, double u) {
  u = within(s, u);
  if (s->kind == GT_SYMBOL_POWER && s->power < 0 && fabs(u) < NEAR_ZERO) u = u < 0 ? -NEAR_ZERO : NEAR_ZERO;
  return s->value(u);
}

double gt_symbol_slope(const gt_symbol *s, double u) {
  if (s->kind == GT_SYMBOL_POWER && s->power < 0 && fabs(u) < NEAR_ZERO) return 0;
  return gt_symbol_defined(s, u) ? s->slope(u) : 0;
}
