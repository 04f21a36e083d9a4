/* The library of functions for symbolic edges of a KAN, c f(a x + b) + d, one row each. It is used by layers
 * with symbolic edges (kan_symbolic.h) and by the symbolic fit (src/kan). A row says which of a and b are
 * free. If f(a x) equals c f(x) or f(x) + d for a > 0, a is not free (x^2, 1/x), or only its sign is (sqrt,
 * log); b of exp is not free either. */
#ifndef GT_LAYER_KAN_FUNCTION_H
#define GT_LAYER_KAN_FUNCTION_H
#include "graph/graph.h"

enum { GT_SYMBOL_A = 1, GT_SYMBOL_B = 2, GT_SYMBOL_SIGN = 4 /* a is 1 or -1 */ };

typedef enum gt_symbol_kind { /* the identity of f that lets c and d replace constants inside f */
                              GT_SYMBOL_LINE,     /* f(u) = u */
                              GT_SYMBOL_POWER,    /* f(k u) = k^power f(u) for k > 0 */
                              GT_SYMBOL_LOG,      /* f(k u) = f(u) + log k for k > 0 */
                              GT_SYMBOL_EXP,      /* f(u + k) = exp(k) f(u) */
                              GT_SYMBOL_PERIODIC, /* period 2 pi; f(u + pi) = -f(u) */
                              GT_SYMBOL_ODD,      /* f(-u) = -f(u) */
                              GT_SYMBOL_EVEN,     /* f(-u) = f(u) */
                              GT_SYMBOL_STEP      /* f(-u) = 1 - f(u) */
} gt_symbol_kind;

typedef struct gt_symbol {
  const char *name; /* as written in a config */
  unsigned free;    /* GT_SYMBOL_…: the constants inside f that a fit may choose */
  gt_symbol_kind kind;
  double power;      /* GT_SYMBOL_POWER: the exponent */
  double complexity; /* bits that f adds to the length of a formula */
  double low, high;  /* domain; outside it, the value at the nearest end is used */
  double (*value)(double u);
  double (*slope)(double u); /* f'(u) */
  /* Emits f(u) as nodes. Arguments are clamped to the domain and to the range of float32; the derivative of a
   * clamped argument is 0. */
  gt_id (*emit)(gt_graph *graph, gt_id u);
} gt_symbol;

int gt_symbol_count(void);
const gt_symbol *gt_symbol_at(int index);
const gt_symbol *gt_symbol_find(const char *name); /* NULL if there is none */
const char *gt_symbol_nearest(const char *name);   /* the most similar name, or NULL */
const char *gt_symbol_names(gt_arena *arena);      /* "x, x^2, …" */
double gt_symbol_value(const gt_symbol *symbol, double u);
double gt_symbol_slope(const gt_symbol *symbol, double u);
bool gt_symbol_defined(const gt_symbol *symbol, double u); /* true if u is in the domain */
/* True if gt_symbol_value is f(u), as in a formula, not the value at the end of the domain. */
bool gt_symbol_is_exact(const gt_symbol *symbol, double u);
#endif
