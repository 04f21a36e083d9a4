/* The library of functions that edges are read as: c f(a x + b) + d. A row says which of a and b are free:
 * where f(a x) is another c f(x) or f(x) + d, a is not (x^2, 1/x, log), but for its sign; nor b of exp. */
#ifndef GT_KAN_LIBRARY_H
#define GT_KAN_LIBRARY_H
#include <stdbool.h>

enum { GT_SYMBOL_A = 1, GT_SYMBOL_B = 2, GT_SYMBOL_SIGN = 4 /* a is 1 or -1 */ };

typedef enum gt_symbol_kind { /* where its arguments are looked for, and how its scale can be moved */
                              GT_SYMBOL_LINE,
                              GT_SYMBOL_POWER,    /* f(k u) = k^power f(u) for k > 0 */
                              GT_SYMBOL_LOG,      /* f(k u) = f(u) + log k for k > 0 */
                              GT_SYMBOL_EXP,      /* f(u + k) = exp(k) f(u) */
                              GT_SYMBOL_PERIODIC, /* of 2 pi; f(u + pi) = -f(u) */
                              GT_SYMBOL_ODD,      /* f(-u) = -f(u) */
                              GT_SYMBOL_EVEN,
                              GT_SYMBOL_STEP /* f(-u) = 1 - f(u) */
} gt_symbol_kind;

typedef struct gt_symbol {
  const char *name;
  unsigned free;
  gt_symbol_kind kind;
  double power;
  double complexity;
  double low, high; /* arguments it is defined for; beyond, the value at these ends is taken */
  double (*value)(double u);
  double (*slope)(double u);
} gt_symbol;

int gt_symbol_count(void);
const gt_symbol *gt_symbol_at(int index);
const gt_symbol *gt_symbol_find(const char *name); /* NULL if there is none */
double gt_symbol_value(const gt_symbol *symbol, double u);
double gt_symbol_slope(const gt_symbol *symbol, double u);
bool gt_symbol_defined(const gt_symbol *symbol, double u);
#endif
