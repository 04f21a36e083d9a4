/* A symbolic network as a formula: for people, in LaTeX, or as gtrain's own formulas are written
 * (base/formula.h), of x0, x1, …, which `data: {formula: …}` and the layer `expression` take. */
#ifndef GT_KAN_FORMULA_TEXT_H
#define GT_KAN_FORMULA_TEXT_H
#include "kan/symbolic.h"
#include <stdio.h>

typedef enum gt_formula_style {
  GT_FORMULA_PLAIN,     /* six digits; gt_formula_parse knows it, given the names of inputs */
  GT_FORMULA_LATEX,     /* six digits */
  GT_FORMULA_EXPRESSION /* all digits, and x0, x1, … whatever the names of inputs */
} gt_formula_style;

void gt_symbolic_write(const gt_symbolic *symbolic, int output, gt_formula_style style, FILE *stream);
/* The same, in the arena. */
char *gt_symbolic_text(const gt_symbolic *symbolic, int output, gt_formula_style style, gt_arena *arena);
/* What columns are called in formulas, [count]: by their names, with _ for what no name of a variable has,
 * and numbered where that is the name of another or of a function, or x1 where it is not input 1. */
const char *const *gt_formula_names(gt_arena *arena, const char *const *columns, int count);
/* What a number is written as: 0.5, pi/2, 1/3; else so many digits. */
void gt_number_text(double value, int digits, bool latex, char text[64]);
#endif
