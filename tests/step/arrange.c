/* Programs are rearranged before they are evaluated for a long range of elements (step/arrange.h), but not
 * for a short one: both must give the same bits. Tested with random programs, which contain selections by a
 * scalar, outputs that overwrite inputs, and outputs that other instructions read. */
#include "step/arrange.h"
#include "base/philox.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { COUNT = 1500, SHORT = 100, INPUTS = 5, SCALARS = 2, OUTPUTS = 3, PROGRAMS = 20000 };

static const uint32_t opcodes[] = {GT_I_ADD,  GT_I_SUB,  GT_I_MUL, GT_I_DIV, GT_I_SQRT,  GT_I_RELU, GT_I_MAX,
                                   GT_I_TANH, GT_I_MOVE, GT_I_ADD, GT_I_MUL, GT_I_WHERE, GT_I_WHERE};
enum { OPCODES = sizeof opcodes / sizeof *opcodes };

static float input[INPUTS][COUNT + 1], leader[COUNT];
static uint32_t roll_count;

static uint32_t roll(uint32_t sides) { return gt_random_bits(5, 1, 0, roll_count++) % sides; }

static void draw_inputs(float x[INPUTS][COUNT + 1]) {
  for (uint32_t k = 0; k < INPUTS; k++)
    for (uint32_t i = 0; i <= COUNT; i++)
      x[k][i] =
          i % 97 == k ? (float[]){0, -0.0f, INFINITY, NAN}[i % 4] : 4 * gt_random_uniform(9, k, 0, i) - 1;
  for (uint32_t k = 0; k < SCALARS; k++) x[k][0] = roll(2) ? 1.5f : 0;
}

/* A random operand: an input, an immediate, the leader, or one of `results` earlier results, most likely one
 * of the last three. */
static uint32_t operand(uint32_t results) {
  const uint32_t kind = roll(8);
  if (kind < 2 || (kind > 3 && !results)) return roll(INPUTS);
  if (kind == 2) return GT_OPERAND_IMMEDIATE + roll(2);
  if (kind == 3) return GT_OPERAND_LEADER;
  const uint32_t back = roll(results < 3 || roll(4) == 0 ? results : 3);
  return GT_OPERAND_RESULT + results - 1 - back;
}

static gt_program draw_program(void) {
  gt_program p = {
      .inputs = INPUTS, .immediates = 2, .immediate = {0.5f, -2}, .load = {GT_LOAD_SCALAR, GT_LOAD_SCALAR}};
  p.instructions = 1 + roll(16);
  p.outputs = 1 + roll(OUTPUTS);
  for (uint32_t r = 0; r < p.instructions; r++) {
    const uint32_t opcode = opcodes[roll(OPCODES)];
    const bool unary =
        opcode == GT_I_SQRT || opcode == GT_I_RELU || opcode == GT_I_TANH || opcode == GT_I_MOVE;
    const uint32_t a = opcode == GT_I_WHERE && roll(4) ? roll(SCALARS) : operand(r);
    p.code[r] = GT_CODE(opcode, a, unary ? 0 : operand(r), opcode == GT_I_WHERE ? operand(r) : 0);
  }
  for (uint32_t k = 0; k < p.outputs; k++) p.output[k] = GT_OPERAND_RESULT + roll(p.instructions);
  return p;
}

/* Evaluates the program for all elements, `range` at a time. Output k overwrites input overwritten[k]; 0: it
 * has memory of its own. */
static void evaluate(const gt_program *p, const uint32_t *overwritten, uint32_t range,
                     float x[INPUTS][COUNT + 1], float y[OUTPUTS][COUNT + 1]) {
  gt_program_context context = {.program = p, .row_length = 1};
  for (uint32_t k = 0; k < INPUTS; k++) context.x[k] = x[k];
  for (uint32_t done = 0; done < COUNT; done += range) {
    float *out[OUTPUTS];
    for (uint32_t k = 0; k < OUTPUTS; k++) out[k] = (overwritten[k] ? x[overwritten[k]] : y[k]) + done;
    gt_program_evaluate(&context, done, range, leader + done, out);
  }
  for (uint32_t k = 0; k < p->outputs; k++)
    if (overwritten[k]) memcpy(y[k], x[overwritten[k]], sizeof y[k]);
}

static bool same_bits(float a, float b) { return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)); }

static void test_programs(void **state) {
  (void)state;
  static float x[2][INPUTS][COUNT + 1], y[2][OUTPUTS][COUNT + 1];
  uint32_t folded = 0, paired = 0;
  for (uint32_t i = 0; i < COUNT; i++) leader[i] = gt_random_uniform(3, 3, 0, i) - 0.5f;
  for (uint32_t n = 0; n < PROGRAMS; n++) {
    if (n % 100 == 0) draw_inputs(input);
    const gt_program p = draw_program();
    const bool no_writes[GT_PROGRAM_CODE] = {false};
    gt_program_context context = {.program = &p};
    gt_program shorter; /* not evaluated here: gt_program_evaluate folds the program, too */
    gt_program_pairs pairs;
    for (uint32_t k = 0; k < INPUTS; k++) context.x[k] = input[k];
    folded += gt_program_fold_selects(&context, &shorter);
    gt_program_find_pairs(&p, no_writes, &pairs);
    for (uint32_t r = 0; r < p.instructions; r++) paired += pairs.gone[r];
    /* Each output overwrites a different input or none. */
    const uint32_t overwritten[OUTPUTS] = {roll(2) ? SCALARS : 0, roll(2) ? SCALARS + 1 : 0,
                                           roll(2) ? SCALARS + 2 : 0};
    for (int variant = 0; variant < 2; variant++) {
      memcpy(x[variant], input, sizeof input);
      evaluate(&p, overwritten, variant ? SHORT : COUNT, x[variant], y[variant]);
    }
    for (uint32_t k = 0; k < p.outputs; k++)
      for (uint32_t i = 0; i < COUNT; i++)
        if (!same_bits(y[0][k][i], y[1][k][i]))
          fail_msg("program %u, output %u, element %u: %.9g, in short ranges %.9g", n, k, i, y[0][k][i],
                   y[1][k][i]);
  }
  assert_true(folded > PROGRAMS / 4 && paired > PROGRAMS / 2);
}

/* Two instructions are not paired if that would delay the first until one of its inputs has been
 * overwritten. */
static void test_pair_keeps_order(void **state) {
  (void)state;
  const gt_program p = {.instructions = 3,
                        .inputs = 2,
                        .outputs = 2,
                        .code = {GT_CODE(GT_I_MUL, 0, 1, 0), GT_CODE(GT_I_TANH, 1, 0, 0),
                                 GT_CODE(GT_I_ADD, GT_OPERAND_RESULT, 1, 0)},
                        .output = {GT_OPERAND_RESULT + 1, GT_OPERAND_RESULT + 2}};
  const bool writes[GT_PROGRAM_CODE] = {[1] = true}, no_writes[GT_PROGRAM_CODE] = {false};
  gt_program_pairs pairs;
  gt_program_find_pairs(&p, no_writes, &pairs);
  assert_true(pairs.gone[0] && pairs.with[2] == 1);
  gt_program_find_pairs(&p, writes, &pairs);
  assert_true(!pairs.gone[0] && !pairs.with[2]);
}

/* Selections by a scalar are removed, and so are the instructions for the value that is not selected. */
static void test_fold_selects(void **state) {
  (void)state;
  const gt_program p = {.instructions = 4,
                        .inputs = 3,
                        .outputs = 1,
                        .code = {GT_CODE(GT_I_TANH, 1, 0, 0), GT_CODE(GT_I_SQRT, 2, 0, 0),
                                 GT_CODE(GT_I_WHERE, 0, GT_OPERAND_RESULT, GT_OPERAND_RESULT + 1),
                                 GT_CODE(GT_I_MUL, GT_OPERAND_RESULT + 2, 1, 0)},
                        .load = {GT_LOAD_SCALAR},
                        .output = {GT_OPERAND_RESULT + 3}};
  const float zero = 0, one = 1;
  gt_program folded;
  gt_program_context context = {.program = &p, .x = {&zero, &one, &one}};
  assert_true(gt_program_fold_selects(&context, &folded));
  assert_int_equal(folded.instructions, 2);
  assert_int_equal(folded.code[0], GT_CODE(GT_I_SQRT, 2, 0, 0));
  assert_int_equal(folded.code[1], GT_CODE(GT_I_MUL, GT_OPERAND_RESULT, 1, 0));
  assert_int_equal(folded.output[0], GT_OPERAND_RESULT + 1);
  gt_program not_folded = p; /* because an output would become an input */
  not_folded.code[2] = GT_CODE(GT_I_WHERE, 0, GT_OPERAND_RESULT, 1);
  not_folded.output[0] = GT_OPERAND_RESULT + 2;
  context.program = &not_folded;
  assert_false(gt_program_fold_selects(&context, &folded));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs), cmocka_unit_test(test_pair_keeps_order),
                                     cmocka_unit_test(test_fold_selects)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
