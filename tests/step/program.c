/* Programs on the CPU: every instruction is compared with its definition in double precision; also every mode
 * of loading an input, blocks of odd lengths, outputs in place of inputs, and the conversion to and from
 * specialization constants. */
#include "step/program.h"
#include "base/philox.h"
#include "step/math.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

enum { COUNT = 1500 };

#define OPCODE(opcode, ...) opcode,
static const uint32_t opcodes[] = {GT_INSTRUCTIONS(OPCODE)};
enum { OPCODES = sizeof opcodes / sizeof *opcodes };

static const float edges[] = {0.0f,       -0.0f,      1.0f,     -1.0f,    0.5f,      -0.5f,      2.0f,
                              -2.0f,      3.0f,       -3.0f,    2.5f,     -7.25f,    10.0f,      -10.0f,
                              88.7f,      -88.7f,     103.9f,   -104.0f,  128.0f,    -149.5f,    1e4f,
                              -1e4f,      1e5f,       -3e38f,   INFINITY, -INFINITY, NAN,        1e-45f,
                              -1e-45f,    0x1p-126f,  1e-20f,   -1e-20f,  0x1p24f,   16777215,   -16777215,
                              0x1.fp127f, 0.99999f,   1.00001f, 1.4142f,  0.7071f,   1.5707963f, 3.141593f,
                              -4.712389f, 6.2831855f, 0.625f,   0.4142f,  13.0f,     -13.0f};
enum { EDGES = sizeof edges / sizeof *edges };

/* Distance in units of the last place of `want`; denormals share the smallest unit. */
static double ulps(float got, double want) {
  int exponent;
  if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0.0 : INFINITY;
  if (isinf((float)want) || isinf(got)) return got == (float)want ? 0.0 : INFINITY;
  frexp(want, &exponent);
  return fabs(got - want) / fmax(ldexp(1.0, exponent - 24), 0x1p-149);
}

/* More units in the last place for results near 0: in silu and gelu, the error of a denormal factor is
 * multiplied by a. */
static double additional_ulps(uint32_t opcode, double a) {
  return opcode == GT_I_SILU || opcode == GT_I_GELU ? fabs(a) : 1.0;
}

static void check_block(uint32_t opcode, const float *a, const float *b, const float *c, uint32_t n) {
  const gt_program program = {.instructions = 1,
                              .inputs = 3,
                              .outputs = 1,
                              .code = {GT_CODE(opcode, 0, 1, 2)},
                              .output = {GT_OPERAND_RESULT}};
  const gt_program_context context = {.program = &program, .x = {a, b, c}, .row_length = 1};
  float y[COUNT + 1], *out = y;
  y[n] = 12345.0f;
  gt_program_evaluate(&context, 0, n, NULL, &out);
  assert_true(y[n] == 12345.0f);
  for (uint32_t i = 0; i < n; i++) {
    const double want = gt_instruction_reference(opcode, a[i], b[i], c[i]);
    const double limit =
        (opcode == GT_I_GELU ? 8.0 : 4.0) + (fabs(want) < 0x1p-100 ? additional_ulps(opcode, a[i]) : 0.0);
    if (ulps(y[i], want) <= limit) continue;
    fail_msg("instruction %u of %.9g, %.9g, %.9g gives %.9g, not %.9g", opcode, a[i], b[i], c[i], y[i], want);
  }
}

static void instructions_at_edges(void **state) {
  (void)state;
  float a[EDGES], b[EDGES];
  for (int o = 0; o < OPCODES; o++)
    for (uint32_t shift = 0; shift < EDGES; shift++) {
      for (uint32_t i = 0; i < EDGES; i++) {
        a[i] = edges[i];
        b[i] = edges[(i + shift) % EDGES];
      }
      check_block(opcodes[o], a, b, edges, EDGES);
    }
}

static void instructions_at_random(void **state) {
  (void)state;
  static const uint32_t lengths[] = {1, 2, 15, 17, 255, 256, 257, 511, 1001, COUNT};
  float a[COUNT], b[COUNT], c[COUNT];
  for (int o = 0; o < OPCODES; o++)
    for (uint32_t opcode = opcodes[o], round = 0; round < 40; round++) {
      const uint32_t n = lengths[round % 10];
      const float range = round < 20 ? 4.0f : 120.0f;
      for (uint32_t i = 0; i < n; i++) {
        a[i] = (gt_random_uniform(1, opcode, round, i) * 2.0f - 1.0f) * range;
        b[i] = (gt_random_uniform(2, opcode, round, i) * 2.0f - 1.0f) * range;
        if (round & 1) b[i] = (float)(int)b[i]; /* integer exponents and divisors */
        c[i] = a[i] + b[i];
      }
      check_block(opcode, a, b, c, n);
    }
}

/* --- loads ---------------------------------------------------------------------------------------------- */

static const uint32_t layout[1 + 8 + 8 * GT_PROGRAM_INPUTS] = {
    3,  7, 5, 40, 0, 0, 0, 0, 0, /* rank, 8 dimensions */
    0,  0, 0, 0,  0, 0, 0, 0,    /* input 0 .. 3 have no strides */
    0,  0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0,  0, 0, 0,  0, 0, 0, 0, 5, 1, 0, 0, 0, 0, 0, 0, /* input 4: [7, 5, 1] */
    40, 0, 1, 0,  0, 0, 0, 0,                         /* input 5: [7, 1, 40] */
    0,  1, 5, 0,  0, 0, 0, 0,                         /* input 6: [40, 5], transposed */
};

static double load_reference(const float *x, uint32_t mode, int input, uint32_t row, uint32_t i) {
  const uint32_t at[3] = {i / 200, i / 40 % 5, i % 40};
  uint32_t offset = 0;
  switch (mode) {
  case GT_LOAD_SAME: return x[i];
  case GT_LOAD_SCALAR: return x[0];
  case GT_LOAD_ROW: return x[i % row];
  case GT_LOAD_COLUMN: return x[i / row];
  default:
    for (int d = 0; d < 3; d++) offset += at[d] * layout[9 + 8 * input + d];
    return x[offset];
  }
}

/* Sums seven inputs, each loaded differently. They are integers, whose sums are exact. step: distance of the
 * elements that are computed. */
static void check_loads(uint32_t row, uint32_t first, uint32_t n, uint32_t step) {
  static float x[7][COUNT];
  gt_program program = {.instructions = 6, .inputs = 7, .outputs = 1, .output = {GT_OPERAND_RESULT + 5}};
  gt_program_context context = {.program = &program, .layout = layout, .row_length = row};
  float y[COUNT], *out = y;
  for (uint32_t k = 0; k < 7; k++) {
    for (uint32_t i = 0; i < COUNT; i++) x[k][i] = (float)(gt_random_bits(k, 5, 5, i) >> 16);
    context.x[k] = x[k];
    program.load[k] = k < 4 ? k : GT_LOAD_GENERAL;
  }
  program.code[0] = GT_CODE(GT_I_ADD, 0, 1, 0);
  for (uint32_t k = 2; k < 7; k++) program.code[k - 1] = GT_CODE(GT_I_ADD, GT_OPERAND_RESULT + k - 2, k, 0);
  if (step == 1)
    gt_program_evaluate(&context, first, n, NULL, &out);
  else
    gt_program_gather(&context, first, step, n, y);
  for (uint32_t i = 0; i < n; i++) {
    double want = 0.0;
    for (int k = 0; k < 7; k++) want += load_reference(x[k], program.load[k], k, row, first + i * step);
    assert_true(y[i] == want);
  }
}

static void loads(void **state) {
  (void)state;
  static const uint32_t rows[] = {1, 2, 3, 7, 64, 100, 255, 256, 257, 700, 1400};
  static const uint32_t ranges[][2] = {{0, 1400}, {0, 1},     {1, 255}, {5, 256},
                                       {3, 257},  {511, 889}, {1399, 1}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
      check_loads(rows[r], ranges[k][0], ranges[k][1], 1);
    check_loads(rows[r], 3, 199, 7);
    check_loads(rows[r], 0, 2, 700);
    check_loads(rows[r], 1, 300, 4);
  }
}

/* --- outputs -------------------------------------------------------------------------------------------- */

/* r0 = x + leader, r1 = x * r0, r2 = r1 - leader; r0 is written in place of x, r2 in place of the leader. r0
 * must not overwrite x before r1 is computed. */
static void outputs_in_place(void **state) {
  (void)state;
  const gt_program program = {.instructions = 3,
                              .inputs = 1,
                              .outputs = 2,
                              .code = {GT_CODE(GT_I_ADD, 0, GT_OPERAND_LEADER, 0),
                                       GT_CODE(GT_I_MUL, 0, GT_OPERAND_RESULT, 0),
                                       GT_CODE(GT_I_SUB, GT_OPERAND_RESULT + 1, GT_OPERAND_LEADER, 0)},
                              .output = {GT_OPERAND_RESULT, GT_OPERAND_RESULT + 2}};
  float x[COUNT], leader[COUNT];
  for (uint32_t i = 0; i < COUNT; i++) {
    x[i] = (float)i;
    leader[i] = (float)(i % 7);
  }
  const gt_program_context context = {.program = &program, .x = {x}, .row_length = 1};
  float *out[] = {x + 10, leader + 10};
  gt_program_evaluate(&context, 10, 1003, leader + 10, out);
  for (uint32_t i = 0; i < COUNT; i++) {
    const bool inside = i >= 10 && i < 1013;
    const float l = (float)(i % 7), sum = (float)i + l;
    assert_true(x[i] == (inside ? sum : (float)i));
    assert_true(leader[i] == (inside ? (float)i * sum - l : l));
  }
}

/* Outputs that no instruction computes, an immediate and an input; and one result that is two outputs. */
static void plain_outputs(void **state) {
  (void)state;
  const gt_program program = {.immediates = 1,
                              .inputs = 2,
                              .outputs = 4,
                              .instructions = 1,
                              .code = {GT_CODE(GT_I_NEG, 0, 0, 0)},
                              .load = {GT_LOAD_SAME, GT_LOAD_SCALAR},
                              .immediate = {2.5f},
                              .output = {GT_OPERAND_IMMEDIATE, GT_OPERAND_RESULT, 1, GT_OPERAND_RESULT}};
  float x[COUNT], y[4][COUNT], *out[4] = {y[0], y[1], y[2], y[3]};
  const float scalar = 7.0f;
  for (uint32_t i = 0; i < COUNT; i++) x[i] = (float)i;
  const gt_program_context context = {.program = &program, .x = {x, &scalar}, .row_length = 1};
  gt_program_evaluate(&context, 0, COUNT, NULL, out);
  for (uint32_t i = 0; i < COUNT; i++) {
    assert_true(y[0][i] == 2.5f && y[2][i] == 7.0f);
    assert_true(y[1][i] == -(float)i && y[3][i] == -(float)i);
  }
}

static void random_is_philox(void **state) {
  (void)state;
  gt_program program = {.instructions = 1,
                        .immediates = 1,
                        .outputs = 1,
                        .code = {GT_CODE(GT_I_RANDOM, GT_OPERAND_IMMEDIATE, 0, 0)},
                        .immediate = {gt_from_bits(19)},
                        .output = {GT_OPERAND_RESULT}};
  const uint32_t clock[4] = {6, 0x89abcdef, 0x1234567, 0};
  const uint64_t seed = 0x123456789abcdefull;
  const gt_program_context context = {.program = &program, .clock = clock, .row_length = 1};
  float y[COUNT], *out = y;
  for (uint32_t first = 0; first < 9; first++) {
    gt_program_evaluate(&context, first, 1003, NULL, &out);
    for (uint32_t i = 0; i < 1003; i++) assert_true(y[i] == gt_random_uniform(seed, 19, 6, first + i));
    gt_program_gather(&context, first, 5, 300, y);
    for (uint32_t i = 0; i < 300; i++) assert_true(y[i] == gt_random_uniform(seed, 19, 6, first + 5 * i));
  }
}

static void constants_round_trip(void **state) {
  (void)state;
  const gt_program program = {.instructions = 2,
                              .immediates = 2,
                              .inputs = 2,
                              .outputs = 2,
                              .code = {GT_CODE(GT_I_WHERE, 0, GT_OPERAND_IMMEDIATE + 1, 1),
                                       GT_CODE(GT_I_MUL, GT_OPERAND_RESULT, GT_OPERAND_IMMEDIATE, 0)},
                              .immediate = {0.1f, -3.0f},
                              .load = {GT_LOAD_SAME, GT_LOAD_COLUMN},
                              .output = {GT_OPERAND_RESULT + 1, GT_OPERAND_RESULT}};
  gt_program read_back;
  uint32_t spec[GT_SPEC_COUNT] = {[GT_SPEC_LOCAL_X] = 77};
  gt_program_to_spec(&program, spec);
  assert_int_equal(spec[GT_SPEC_LOCAL_X], 77);
  gt_program_from_spec(spec, &read_back);
  assert_memory_equal(&program, &read_back, sizeof program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(instructions_at_edges),
      cmocka_unit_test(instructions_at_random),
      cmocka_unit_test(loads),
      cmocka_unit_test(outputs_in_place),
      cmocka_unit_test(plain_outputs),
      cmocka_unit_test(random_is_philox),
      cmocka_unit_test(constants_round_trip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
