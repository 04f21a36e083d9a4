/* Formulas: parsed and evaluated; an error has a position in the text and a reason. */
#include "fuzz.h"
#include "base/formula.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"x", "x0", "y", "long_name"};
  static const double values[] = {0.5, -3, 1e300, 0};
  gt_arena arena;
  gt_formula_error error = {0};
  char *text = fuzz_text(data, size);
  gt_arena_init(&arena);
  const gt_formula *formula = gt_formula_parse(&arena, text, names, 4, &error);
  if (formula)
    gt_formula_evaluate(formula, values);
  else
    fuzz_expect(*error.message && error.column >= 0 && (size_t)error.column <= strlen(text),
                "column %d: '%s'", error.column, error.message);
  gt_arena_finish(&arena);
  free(text);
  return 0;
}
