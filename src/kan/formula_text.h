/* Writes a symbolic network as a formula: as plain text, in LaTeX, or in gtrain's formula syntax
 * (base/formula.h) with the variables x0, x1, …, for `data: {formula: …}` and the layer `expression`. */
#ifndef GT_KAN_FORMULA_TEXT_H
#define GT_KAN_FORMULA_TEXT_H
#include "base/formula.h"
#include "kan/symbolic.h"
#include <stdio.h>

typedef enum gt_formula_style {
  GT_FORMULA_PLAIN,     /* six digits; gt_formula_parse reads it, given the names of inputs */
  GT_FORMULA_LATEX,     /* six digits */
  GT_FORMULA_EXPRESSION /* all digits, and x0, x1, … instead of the names of inputs */
} gt_formula_style;

void gt_symbolic_write(const gt_symbolic *symbolic, int output, gt_formula_style style, FILE *stream);
/* Returns the text that gt_symbolic_write writes, in the arena. */
char *gt_symbolic_text(const gt_symbolic *symbolic, int output, gt_formula_style style, gt_arena *arena);
/* Returns the names of columns in formulas, [count]: the name of the column, with _ for each character that a
 * variable cannot have. A number is appended if another column or a function has that name, or if expressions
 * use it for another input, such as x1 for input 0. */
const char *const *gt_formula_names(gt_arena *arena, const char *const *columns, int count);
/* Writes a number as 0.5, pi/2, 1/3 or, if it is no such simple number, with `digits` digits. */
void gt_number_text(double value, int digits, bool latex, char text[64]);

/* A symbolic network as the tree of a formula (base/formula.h), without factors of 1 and empty sums, and with
 * products in place of exp of logarithms. Within kan/ only. */
const gt_formula *gt_symbolic_tree(const gt_symbolic *symbolic, int output, gt_arena *arena);
#endif
