/* Formulas such as "exp(sin(pi*x0) + x1^2)", parsed into a tree: the data room evaluates it in double, the
 * `expression` layer emits it as graph nodes. Grammar: + - * / % ^ (right-associative, binds tighter than
 * unary -), comparisons < >, parentheses, |x|, numbers, pi, e, function calls, names. Functions: the
 * instructions marked CALLED in shaders/lib/opcodes.h, and tan, asin, acos, log10, floor, gaussian
 * (exp(-x^2)) and leaky_relu; ln, arcsin, arccos, arctan and sgn are synonyms. */
#ifndef GT_BASE_FORMULA_H
#define GT_BASE_FORMULA_H
#include "base/arena.h"
#include <stdbool.h>

typedef enum gt_formula_kind { GT_FORMULA_NUMBER, GT_FORMULA_VARIABLE, GT_FORMULA_CALL } gt_formula_kind;

typedef struct gt_formula {
  gt_formula_kind kind;
  double number;
  int variable;     /* index into the names given to gt_formula_parse */
  const char *call; /* canonical op name: "add", "mul", "exp", … ('+' parses to a call of "add", and so on) */
  const struct gt_formula *argument[2];
  int arguments; /* 1 or 2 */
} gt_formula;

typedef struct gt_formula_error {
  int column; /* 0-based offset in the text */
  char message[256];
  const char *suggestion; /* nearest known name or NULL */
} gt_formula_error;

/* Variables are looked up in names[0 … count). NULL on error (depth limit 64, length limit 4096). */
const gt_formula *gt_formula_parse(gt_arena *arena, const char *text, const char *const *names, int count,
                                   gt_formula_error *error);
/* The equivalent of another language's function: its name in formulas, or a formula of x ("1/tan(x)" for
 * cot). "": the function is known but has no equivalent, so a similar name must not be suggested. NULL: the
 * name is unknown. */
const char *gt_formula_meaning(const char *name);
double gt_formula_evaluate(const gt_formula *formula, const double *variables);
#endif
