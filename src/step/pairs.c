#include "step/arrange.h"
#include "lib/opcodes.h"
#include "step/math.h"
#include <assert.h>

/* value_NAME(a, b, c): the result of each instruction that is one simple expression. */
#define VALUE_SIMPLE(NAME, value)                         \
  GT_MATH float value_##NAME(float a, float b, float c) { \
    (void)a, (void)b, (void)c;                            \
    return value;                                         \
  }
#define VALUE_FUNCTION(...)
#define VALUE_GUARDED(...)
#define VALUE(opcode, NAME, name, inputs, slope, formula, loop, float_value, ...) \
  VALUE_##loop(NAME, float_value)
GT_INSTRUCTIONS(VALUE)

/* The instructions that can be first in a pair; those that can be second, with two operands or with one. */
#define FIRSTS(X)            X(ADD) X(SUB) X(MUL) X(DIV) X(SQRT)
#define BINARY_SECONDS(X, F) X(F, ADD) X(F, SUB) X(F, MUL) X(F, DIV)
#define UNARY_SECONDS(X, F)  X(F, RELU)

#define PAIR(first, second) ((first) << 8 | (second))
#define EACH(value)                                    \
  do {                                                 \
    GT_VECTOR_LOOP                                     \
    for (uint32_t i = 0; i < n; i++) out[i] = (value); \
    return;                                            \
  } while (0)
/* The first result is the left, or the right, operand of the second instruction. */
#define ON_THE_LEFT(F, S)        \
  case PAIR(GT_I_##F, GT_I_##S): \
    EACH(value_##S(value_##F(a[i], b[i], 0), c[i], 0));
#define ON_THE_RIGHT(F, S)       \
  case PAIR(GT_I_##F, GT_I_##S): \
    EACH(value_##S(c[i], value_##F(a[i], b[i], 0), 0));
#define LEFT_CASES(F)  BINARY_SECONDS(ON_THE_LEFT, F) UNARY_SECONDS(ON_THE_LEFT, F)
#define RIGHT_CASES(F) BINARY_SECONDS(ON_THE_RIGHT, F)

GT_CLONES static void on_the_left(uint32_t pair, const float *a, const float *b, const float *c, float *out,
                                  uint32_t n) {
  switch (pair) {
    FIRSTS(LEFT_CASES)
  default: assert(!"a pair without a loop");
  }
}

GT_CLONES static void on_the_right(uint32_t pair, const float *a, const float *b, const float *c, float *out,
                                   uint32_t n) {
  switch (pair) {
    FIRSTS(RIGHT_CASES)
  default: assert(!"a pair without a loop");
  }
}

bool gt_pair_exists(uint32_t first, uint32_t second) {
#define IS_FIRST(F)     [GT_I_##F] = true,
#define IS_SECOND(F, S) [GT_I_##S] = true,
  /* ADD: IS_SECOND ignores its first argument. */
  static const bool is_first[256] = {FIRSTS(IS_FIRST)};
  static const bool is_second[256] = {BINARY_SECONDS(IS_SECOND, ADD) UNARY_SECONDS(IS_SECOND, ADD)};
  return is_first[first & 255] && is_second[second & 255];
}

void gt_pair(uint32_t first, uint32_t second, bool right, const float *a, const float *b, const float *c,
             float *out, uint32_t n) {
  (right ? on_the_right : on_the_left)(PAIR(first, second), a, b, c, out, n);
}
