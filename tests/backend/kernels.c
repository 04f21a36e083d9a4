/* Compares single Vulkan kernels with plain C in double precision, with the validation layers if installed.
 * `gtrain selftest` runs every op through graph and plan; this test has the corner cases of the kernels
 * themselves. */
#include "support/steps.h"
#include "base/philox.h"
#include "lib/opcodes.h"
#include "shaders/op/elementwise.h"
#include "shaders/op/matmul/matmul.h"
#include "shaders/op/matmul/matmul_finish.h"
#include "shaders/op/reduce.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CODE(op, a, b, c) ((uint32_t)(op) | (uint32_t)(a) << 8 | (uint32_t)(b) << 16 | (uint32_t)(c) << 24)

static gt_backend *backend;

/* Uniform random numbers, on the heap. 77: any purpose. */
static float *random_numbers(uint32_t count, uint32_t seed, float low, float high) {
  float *x = malloc(4 * (count + 1));
  for (uint32_t i = 0; i < count; i++) x[i] = low + (high - low) * gt_random_uniform(seed, 77, 0, i);
  return x;
}

/* The error divided by the tolerance, absolute + relative * |want|. */
static double error_per_tolerance(double got, double want, double relative, double absolute) {
  if (isnan(want)) return isnan(got) ? 0 : 1e30;
  if (isinf(want) || isinf(got)) return got == want ? 0 : 1e30;
  if (got == want) return 0;
  double allowed = fabs(want) * relative + absolute;
  return fabs(got - want) / allowed;
}

static void check(const char *what, uint32_t i, double got, double want, double relative, double absolute) {
  if (error_per_tolerance(got, want, relative, absolute) <= 1) return;
  fail_msg("%s: element %u is %.9g, should be %.9g", what, i, got, want);
}

/* --- every instruction --- */

static double phi(double x) { return 0.5 * erfc(-x / sqrt(2)); }
static double f_add(double a, double b) { return a + b; }
static double f_sub(double a, double b) { return a - b; }
static double f_mul(double a, double b) { return a * b; }
static double f_div(double a, double b) { return a / b; }
static double f_mod(double a, double b) {
  double r = fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
static double f_less(double a, double b) { return a < b; }
static double f_equal(double a, double b) { return a == b; }
static double f_move(double a, double b) { return (void)b, a; }
static double f_neg(double a, double b) { return (void)b, -a; }
static double f_exp(double a, double b) { return (void)b, exp(a); }
static double f_log(double a, double b) { return (void)b, log(a); }
static double f_exp2(double a, double b) { return (void)b, exp2(a); }
static double f_log2(double a, double b) { return (void)b, log2(a); }
static double f_sin(double a, double b) { return (void)b, sin(a); }
static double f_cos(double a, double b) { return (void)b, cos(a); }
static double f_sqrt(double a, double b) { return (void)b, sqrt(a); }
static double f_reciprocal(double a, double b) { return (void)b, 1 / a; }
static double f_abs(double a, double b) { return (void)b, fabs(a); }
static double f_max(double a, double b) { return isnan(a) || a > b ? a : b; }
static double f_min(double a, double b) { return isnan(a) || a < b ? a : b; }
static double f_relu(double a, double b) { return (void)b, a <= 0 ? 0 : a; }
static double f_sigmoid(double a, double b) { return (void)b, 1 / (1 + exp(-a)); }
static double f_tanh(double a, double b) { return (void)b, tanh(a); }
static double f_erf(double a, double b) { return (void)b, erf(a); }
static double f_gelu(double a, double b) { return (void)b, a * phi(a); }
static double f_silu(double a, double b) { return (void)b, a / (1 + exp(-a)); }
static double f_softplus(double a, double b) { return (void)b, a > 40 ? a : log1p(exp(a)); }
static double f_leaky(double a, double b) { return a > 0 ? a : a * b; }
static double f_atan(double a, double b) { return (void)b, atan(a); }
static double f_finite(double a, double b) { return (void)b, isfinite(a) != 0; }
static double f_sign(double a, double b) { return (void)b, (a > 0) - (a < 0); }

static const struct instruction {
  uint32_t code;
  const char *name;
  double (*reference)(double, double);
  double low, high;          /* range of the first operand */
  double relative, absolute; /* tolerances */
} instructions[] = {
    {GT_I_MOVE, "move", f_move, -9, 9, 0, 0},
    {GT_I_ADD, "add", f_add, -9, 9, 1e-6, 1e-6},
    {GT_I_SUB, "sub", f_sub, -9, 9, 1e-6, 1e-6},
    {GT_I_MUL, "mul", f_mul, -9, 9, 1e-6, 0},
    {GT_I_DIV, "div", f_div, -9, 9, 1e-6, 0},
    {GT_I_MAX, "max", f_max, -9, 9, 0, 0},
    {GT_I_MIN, "min", f_min, -9, 9, 0, 0},
    {GT_I_MOD, "mod", f_mod, -9, 9, 1e-6, 2e-6},
    {GT_I_LESS, "less", f_less, -9, 9, 0, 0},
    {GT_I_EQUAL, "equal", f_equal, -9, 9, 0, 0},
    {GT_I_POW, "pow", pow, -9, 9, 3e-6, 0},
    {GT_I_NEG, "neg", f_neg, -9, 9, 0, 0},
    {GT_I_EXP, "exp", f_exp, -87, 88.7, 3e-7, 0},
    {GT_I_LOG, "log", f_log, 0, 1e6, 3e-7, 0},
    {GT_I_LOG, "log near 1", f_log, 0.5, 2, 3e-7, 0},
    {GT_I_EXP2, "exp2", f_exp2, -126, 127.9, 3e-7, 0},
    {GT_I_LOG2, "log2", f_log2, 0, 3, 3e-7, 0},
    {GT_I_SIN, "sin", f_sin, -20, 20, 2e-7, 2e-7},
    {GT_I_COS, "cos", f_cos, -20, 20, 2e-7, 2e-7},
    {GT_I_SIN, "sin of large", f_sin, -1e6, 1e6, 0, 3e-7},
    {GT_I_COS, "cos of huge", f_cos, -3e38, 3e38, 0, 3e-7},
    {GT_I_SQRT, "sqrt", f_sqrt, 0, 1e6, 3e-7, 0},
    {GT_I_RECIPROCAL, "reciprocal", f_reciprocal, -9, 9, 3e-7, 0},
    {GT_I_ABS, "abs", f_abs, -9, 9, 0, 0},
    {GT_I_RELU, "relu", f_relu, -9, 9, 0, 0},
    {GT_I_SIGMOID, "sigmoid", f_sigmoid, -85, 85, 5e-7, 0},
    {GT_I_TANH, "tanh", f_tanh, -12, 12, 3e-7, 0},
    {GT_I_TANH, "tanh near 0", f_tanh, -1e-3, 1e-3, 3e-7, 0},
    {GT_I_ERF, "erf", f_erf, -5, 5, 4e-7, 0},
    {GT_I_GELU, "gelu", f_gelu, -8, 8, 1e-6, 5e-8},
    {GT_I_SILU, "silu", f_silu, -80, 80, 5e-7, 0},
    {GT_I_SOFTPLUS, "softplus", f_softplus, -80, 80, 5e-7, 0},
    {GT_I_LEAKY_RELU, "leaky_relu", f_leaky, -9, 9, 3e-7, 0},
    {GT_I_ATAN, "atan", f_atan, -20, 20, 5e-7, 0},
    {GT_I_IS_FINITE, "is_finite", f_finite, -9, 9, 0, 0},
    {GT_I_SIGN, "sign", f_sign, -9, 9, 0, 0},
};

/* Tests one instruction on random operands, of which the first ones are replaced by `special`. */
static void try_instruction(const struct instruction *in, const float *special, uint32_t specials) {
  enum { N = 20003 };
  steps s;
  steps_init(&s, backend);
  float *a = random_numbers(N, 1, (float)in->low, (float)in->high), *b = random_numbers(N, 2, -5, 5),
        *y = malloc(4 * N);
  for (uint32_t i = 0; i < N; i += 3) b[i] = roundf(b[i]); /* integers, for pow and mod */
  for (uint32_t i = 5; i < N; i += 97) a[i] = b[i];        /* equal operands, for comparisons */
  for (uint32_t i = 0; i < specials; i++) a[i] = special[i];
  int va = steps_buffer(&s, a, N), vb = steps_buffer(&s, b, N), vy = steps_buffer(&s, NULL, N);
  struct gt_elementwise_args args = {.count = N, .row_length = 1};
  gt_step *step = steps_add(&s, "elementwise", &args, sizeof args, 64, 40);
  steps_bind(&s, offsetof(struct gt_elementwise_args, x), va, 0);
  steps_bind(&s, offsetof(struct gt_elementwise_args, x) + 8, vb, 0);
  steps_bind(&s, offsetof(struct gt_elementwise_args, y), vy, 0);
  step->spec[GT_SPEC_CODE_COUNT] = 1;
  step->spec[GT_SPEC_CODE] = CODE(in->code, 0, 1, 0);
  step->spec[GT_SPEC_INPUT_COUNT] = 2;
  step->spec[GT_SPEC_OUTPUT_COUNT] = 1;
  step->spec[GT_SPEC_OUTPUT] = GT_OPERAND_RESULT;
  steps_run(&s, 1);
  steps_read(&s, vy, y, N);
  double worst = 0;
  for (uint32_t i = 0; i < N; i++) {
    double want = in->reference(a[i], b[i]);
    if (fabs(want) < 1e-36) { /* near the denormals, which the device may flush to 0 */
      if (fabsf(y[i]) < 1e-36f) y[i] = 0;
      want = 0;
    }
    if (fabs(want) > 3.4028235e38) want = copysign(INFINITY, want); /* the largest float */
    check(in->name, i, y[i], want, in->relative, in->absolute);
    if (isfinite(want) && fabs(want) > 0) worst = fmax(worst, fabs(y[i] - want) / fabs(want));
  }
  if (getenv("VERBOSE")) printf("%-12s %.2g\n", in->name, worst); /* largest relative error */
  free(a), free(b), free(y);
  steps_finish(&s);
}

static void test_instructions(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
    try_instruction(&instructions[i], NULL, 0);
}

/* Instructions at NaN, infinities, 0 and values outside the range in the table, where the relative tolerance
 * is at least 1e-6. */
static void test_special_values(void **state) {
  (void)state;
  const float special[] = {NAN, -NAN, INFINITY, -INFINITY, 0, 1, -1, 3e38f, -3e38f, 100, -100, 1e-30f};
  const uint32_t codes[] = {GT_I_EXP,  GT_I_LOG,        GT_I_LOG2,       GT_I_EXP2, GT_I_TANH,
                            GT_I_ERF,  GT_I_SIGMOID,    GT_I_IS_FINITE,  GT_I_SIN,  GT_I_SOFTPLUS,
                            GT_I_RELU, GT_I_LEAKY_RELU, GT_I_ATAN,       GT_I_GELU, GT_I_SILU,
                            GT_I_SIGN, GT_I_NEG,        GT_I_RECIPROCAL, GT_I_SQRT, GT_I_LESS,
                            GT_I_MAX,  GT_I_MIN,        GT_I_ABS};
  for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
      if (instructions[i].code == codes[k] && !strchr(instructions[i].name, ' ')) { /* not in "log near 1" */
        struct instruction in = instructions[i];
        in.relative = fmax(in.relative, 1e-6);
        try_instruction(&in, special, sizeof special / sizeof *special);
      }
}

/* --- loads, random numbers, several outputs --- */

/* Five inputs, each with another kind of load. Inputs and outputs start at element `shift` of their buffers;
 * `row` is the row length, `local` the workgroup size. */
static void try_loads(uint32_t shift, uint32_t row, uint32_t local) {
  enum { ROWS = 37, SEED = 1234567 };
  uint32_t n = ROWS * row;
  steps s;
  steps_init(&s, backend);
  float *x[5], *y[3];
  int input[5], output[3]; /* buffers */
  for (int k = 0; k < 5; k++) {
    x[k] = random_numbers(n + 8, 10 + (uint32_t)k, -2, 2);
    input[k] = steps_buffer(&s, x[k], n + 8);
  }
  for (int k = 0; k < 3; k++) y[k] = malloc(4 * n), output[k] = steps_buffer(&s, NULL, n + 8);
  const uint32_t clock[4] = {9, SEED, 3, 0};           /* step, two words of the seed */
  uint32_t layout[9 + 64] = {2, ROWS, row};            /* rank, dim[8], stride[input][8] */
  layout[9 + 8 * 4] = 1, layout[9 + 8 * 4 + 1] = ROWS; /* input 4 is read transposed */
  int clock_buffer = steps_buffer(&s, clock, 4), layout_buffer = steps_buffer(&s, layout, 9 + 64);
  struct gt_elementwise_args args = {.count = n, .row_length = row};
  gt_step *step = steps_add(&s, "elementwise", &args, sizeof args, local, 3);
  for (int k = 0; k < 5; k++)
    steps_bind(&s, offsetof(struct gt_elementwise_args, x) + 8 * k, input[k], shift);
  for (int k = 0; k < 3; k++)
    steps_bind(&s, offsetof(struct gt_elementwise_args, y) + 8 * k, output[k], shift);
  steps_bind(&s, offsetof(struct gt_elementwise_args, clock), clock_buffer, 0);
  steps_bind(&s, offsetof(struct gt_elementwise_args, layout_), layout_buffer, 0);
  /* Operand 32: x0 + x1; 33: 32 + x2; 34: x3 * x4; 35: a random number with purpose 21; 36: where(1, 35, 34).
   * The outputs are 33, 34 and 36. */
  const uint32_t code[] = {CODE(GT_I_ADD, 0, 1, 0), CODE(GT_I_ADD, 32, 2, 0), CODE(GT_I_MUL, 3, 4, 0),
                           CODE(GT_I_RANDOM, 8, 0, 0), CODE(GT_I_WHERE, 9, 35, 34)};
  memcpy(&step->spec[GT_SPEC_CODE], code, sizeof code);
  step->spec[GT_SPEC_CODE_COUNT] = 5;
  step->spec[GT_SPEC_INPUT_COUNT] = 5;
  for (uint32_t k = 0; k < 5; k++) step->spec[GT_SPEC_LOAD + k] = k; /* GT_LOAD_SAME to GENERAL */
  step->spec[GT_SPEC_IMMEDIATE] = 21;
  step->spec[GT_SPEC_IMMEDIATE + 1] = 0x3f800000; /* 1.0f */
  step->spec[GT_SPEC_OUTPUT_COUNT] = 3;
  step->spec[GT_SPEC_OUTPUT] = 33, step->spec[GT_SPEC_OUTPUT + 1] = 34, step->spec[GT_SPEC_OUTPUT + 2] = 36;
  steps_run(&s, 1);
  float *whole = malloc(4 * (n + 8));
  for (int k = 0; k < 3; k++) {
    steps_read(&s, output[k], whole, n + 8);
    memcpy(y[k], whole + shift, 4 * n);
    for (uint32_t i = 0; i < 8; i++)
      assert_true(whole[i < shift ? i : n + i] == 0); /* nothing written outside */
  }
  for (uint32_t i = 0; i < n; i++) {
    const float *const *p = (const float *const *)x;
    check("same + scalar + row", i, y[0][i], p[0][shift + i] + p[1][shift] + p[2][shift + i % row], 1e-6,
          1e-6);
    check("column * general", i, y[1][i], p[3][shift + i / row] * p[4][shift + i / row + i % row * ROWS],
          1e-6, 0);
    check("random", i, y[2][i], gt_random_uniform(SEED | 3ull << 32, 21, 9, i), 0, 0);
  }
  for (int k = 0; k < 5; k++) free(x[k]);
  for (int k = 0; k < 3; k++) free(y[k]);
  free(whole);
  steps_finish(&s);
}

static void test_loads(void **state) {
  (void)state;
  try_loads(0, 8, 64);
  try_loads(1, 8, 32);
  try_loads(0, 7, 64);
  try_loads(3, 1, 1);
  try_loads(0, 3, 33);
  try_loads(4, 130, 256);
}

/* --- matmul --- */

/* Launch configuration: tile of a workgroup, tile of a thread, slice-K factor. */
typedef struct tile {
  uint32_t bm, bn, bk, tm, tn, slice_k;
} tile;

typedef struct product {
  uint32_t m, n, k, batch;
  bool trans_a, trans_b, shared_b; /* shared_b: all batch entries have the same B */
  uint32_t split, shift;           /* parts of split-K; offset of the operands in elements */
} product;

/* Epilogue: the first output is leaky_relu(leader + bias[column], 0.1) * same, the second the leader's value,
 * the product itself. */
static void set_epilogue(gt_step *step) {
  const uint32_t code[] = {CODE(GT_I_ADD, GT_OPERAND_LEADER, 0, 0), CODE(GT_I_LEAKY_RELU, 32, 8, 0),
                           CODE(GT_I_MUL, 33, 1, 0)};
  memcpy(&step->spec[GT_SPEC_CODE], code, sizeof code);
  const float slope = 0.1f;
  memcpy(&step->spec[GT_SPEC_IMMEDIATE], &slope, 4);
  step->spec[GT_SPEC_CODE_COUNT] = 3;
  step->spec[GT_SPEC_INPUT_COUNT] = 2;
  step->spec[GT_SPEC_LOAD] = GT_LOAD_ROW;
  step->spec[GT_SPEC_OUTPUT_COUNT] = 2;
  step->spec[GT_SPEC_OUTPUT] = 34;
  step->spec[GT_SPEC_OUTPUT + 1] = GT_OPERAND_LEADER;
}

/* Compares y and raw, the two outputs of the epilogue. */
static void check_product(const product *p, const float *a, const float *b, const float *bias,
                          const float *same, const float *y, const float *raw) {
  char what[160];
  snprintf(what, sizeof what, "matmul %ux%ux%u batch %u trans %d %d split %u shift %u", p->m, p->n, p->k,
           p->batch, p->trans_a, p->trans_b, p->split, p->shift);
  for (uint32_t i = 0; i < p->batch * p->m * p->n; i++) {
    uint32_t z = i / (p->m * p->n), r = i / p->n % p->m, c = i % p->n;
    const float *az = a + z * p->m * p->k, *bz = b + (p->shared_b ? 0 : z * p->k * p->n);
    double sum = 0, magnitude = 0; /* magnitude: the sum of the absolute terms */
    for (uint32_t j = 0; j < p->k; j++) {
      double term =
          (double)az[p->trans_a ? j * p->m + r : r * p->k + j] * bz[p->trans_b ? c * p->k + j : j * p->n + c];
      sum += term;
      magnitude += fabs(term);
    }
    double v = sum + bias[c];
    check(what, i, raw[i], sum, 0, 1e-6 * magnitude + 1e-7);
    check(what, i, y[i], (v > 0 ? v : 0.1 * v) * same[i], 0, 2e-6 * magnitude + 1e-6);
  }
}

static void set_product_spec(gt_step *step, const product *p, const tile *t) {
  step->spec[GT_MATMUL_SPEC_BM] = t->bm;
  step->spec[GT_MATMUL_SPEC_BN] = t->bn;
  step->spec[GT_MATMUL_SPEC_BK] = t->bk;
  step->spec[GT_MATMUL_SPEC_TM] = t->tm;
  step->spec[GT_MATMUL_SPEC_TN] = t->tn;
  step->spec[GT_MATMUL_SPEC_TRANS_A] = p->trans_a;
  step->spec[GT_MATMUL_SPEC_TRANS_B] = p->trans_b;
  step->spec[GT_MATMUL_SPEC_SPLIT] = p->split;
  step->spec[GT_MATMUL_SPEC_UNROLL] = 4;
  step->spec[GT_MATMUL_SPEC_RASTER] = 1 + p->m % 3;
  const bool is_whole = p->m % t->bm == 0 && p->n % t->bn == 0 &&
                        (p->k + p->split - 1) / p->split % t->bk == 0 && p->k % p->split == 0;
  const bool has_quads = p->n % 4 == 0 && (t->tn % 4 == 0 || p->split > 1);
  step->spec[GT_MATMUL_SPEC_EXTENTS] = (is_whole ? GT_MATMUL_WHOLE : 0) | (has_quads ? GT_MATMUL_QUADS : 0);
}

static void try_product(product p, tile t) {
  uint32_t count = p.batch * p.m * p.n, extra = p.shift;
  steps s;
  steps_init(&s, backend);
  float *a = random_numbers(p.batch * p.m * p.k + extra, 1, -1, 1),
        *b = random_numbers(p.batch * p.k * p.n + extra, 2, -1, 1);
  float *bias = random_numbers(p.n + extra, 3, -1, 1), *same = random_numbers(count + extra, 4, -1, 1);
  float *y = malloc(4 * count), *raw = malloc(4 * count);
  int va = steps_buffer(&s, a, p.batch * p.m * p.k + extra),
      vb = steps_buffer(&s, b, p.batch * p.k * p.n + extra);
  int vbias = steps_buffer(&s, bias, p.n + extra), vsame = steps_buffer(&s, same, count + extra);
  int vy = steps_buffer(&s, NULL, count), vraw = steps_buffer(&s, NULL, count);
  int vpartial = steps_buffer(&s, NULL, (uint64_t)count * p.split);
  struct gt_matmul_args args = {.m = p.m,
                                .n = p.n,
                                .k = p.k,
                                .batch = p.batch,
                                .stride_a = p.batch > 1 ? p.m * p.k : 0,
                                .stride_b = p.batch > 1 && !p.shared_b ? p.k * p.n : 0};
  uint32_t across = (p.n + t.bn - 1) / t.bn, down = (p.m + t.bm - 1) / t.bm;
  gt_step *step =
      steps_add(&s, "matmul", &args, sizeof args, t.bm / t.tm * (t.bn / t.tn) * t.slice_k, across * down);
  step->grid[1] = p.split;
  step->grid[2] = p.batch;
  set_product_spec(step, &p, &t);
  steps_bind(&s, offsetof(struct gt_matmul_args, a), va, extra);
  steps_bind(&s, offsetof(struct gt_matmul_args, b), vb, extra);
  /* Where the inputs and outputs of the epilogue are bound. */
  size_t x = offsetof(struct gt_matmul_args, x), out = offsetof(struct gt_matmul_args, y);
  if (p.split > 1) {
    steps_bind(&s, offsetof(struct gt_matmul_args, partial), vpartial, 0);
    struct gt_matmul_finish_args finish = {.count = count, .row_length = p.n, .split = p.split};
    step = steps_add(&s, "matmul_finish", &finish, sizeof finish, 64, 2);
    step->spec[GT_FINISH_SPEC_SETS] = p.split > 2 ? 4 : 1;
    steps_bind(&s, offsetof(struct gt_matmul_finish_args, partial), vpartial, 0);
    x = offsetof(struct gt_matmul_finish_args, x), out = offsetof(struct gt_matmul_finish_args, y);
  }
  set_epilogue(step);
  steps_bind(&s, x, vbias, extra);
  steps_bind(&s, x + 8, vsame, extra);
  steps_bind(&s, out, vy, 0);
  steps_bind(&s, out + 8, vraw, 0);
  steps_run(&s, 1);
  steps_read(&s, vy, y, count);
  steps_read(&s, vraw, raw, count);
  check_product(&p, a + extra, b + extra, bias + extra, same + extra, y, raw);
  free(a), free(b), free(bias), free(same), free(y), free(raw);
  steps_finish(&s);
}

/* `transposed`, here and below: bit 0 for A, bit 1 for B. */
static void test_matmul(void **state) {
  (void)state;
  const tile tiles[] = {{32, 32, 8, 4, 4, 1},  {128, 128, 8, 8, 8, 1}, {64, 64, 16, 8, 8, 1},
                        {16, 16, 16, 2, 2, 1}, {64, 16, 4, 4, 1, 1},   {16, 64, 8, 1, 4, 1},
                        {32, 64, 8, 2, 8, 1},  {8, 8, 12, 4, 4, 1}};
  for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
    for (int transposed = 0; transposed < 4; transposed++) {
      bool ta = transposed & 1, tb = transposed >> 1;
      try_product((product){65, 39, 50, 1, ta, tb, false, 1, 0}, tiles[i]);
      try_product((product){36, 68, 32, 1, ta, tb, false, 1, i & 1}, tiles[i]);
    }
}

static void test_matmul_slice_k(void **state) {
  (void)state;
  const tile tiles[] = {{32, 32, 32, 4, 4, 4}, {64, 32, 8, 8, 4, 2}, {32, 16, 32, 8, 8, 8}};
  for (uint32_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
    try_product((product){65, 39, 50, 1, i & 1, i >> 1, false, 1, 0}, tiles[i]);
    try_product((product){36, 68, 96, 1, i >> 1, i & 1, false, 3, 0}, tiles[i]);
  }
}

/* No tile crosses an edge of the matrices; bands of tiles (raster) do not divide the grid evenly. */
static void test_matmul_of_whole_tiles(void **state) {
  (void)state;
  const tile t = {16, 16, 8, 2, 2, 1};
  for (int transposed = 0; transposed < 4; transposed++)
    try_product((product){80, 48, 32, 1, transposed & 1, transposed >> 1, false, 1, 0}, t);
  try_product((product){32, 64, 64, 2, false, true, false, 4, 0}, t);
}

static void test_matmul_split_and_batch(void **state) {
  (void)state;
  const tile t = {32, 32, 8, 4, 4, 1};
  for (int transposed = 0; transposed < 4; transposed++) {
    bool ta = transposed & 1, tb = transposed >> 1;
    try_product((product){20, 33, 201, 1, ta, tb, false, 4, 0}, t);
    try_product((product){20, 36, 200, 3, ta, tb, true, 5, 0}, t);
    try_product((product){9, 12, 7, 5, ta, tb, false, 1, 0}, t);
  }
  try_product((product){1, 1, 1, 1, false, false, false, 1, 0}, t);
  try_product((product){3, 5, 6, 2, false, true, false, 7, 2}, t); /* the last part of K is empty */
}

/* --- reduce --- */

/* Reduces the squares of the values. per_lane: 1 if a lane reduces each output, 0 if a workgroup does. chunk:
 * elements per partial result. */
static void try_reduction(uint32_t kind, uint32_t per_lane, uint32_t outer, uint32_t reduced, uint32_t inner,
                          uint32_t chunk, uint32_t local) {
  uint32_t chunks = (reduced + chunk - 1) / chunk, n = outer * reduced * inner,
           outputs = outer * chunks * inner;
  steps s;
  steps_init(&s, backend);
  float *x = random_numbers(n, kind + 5, -1, 1), *y = malloc(4 * outputs);
  int vx = steps_buffer(&s, x, n), vy = steps_buffer(&s, NULL, outputs);
  struct gt_reduce_args args = {.outer = outer,
                                .reduced = reduced,
                                .inner = inner,
                                .chunk = chunk,
                                .chunks = chunks,
                                .row_length = 1,
                                .scale = 0.5f};
  gt_step *step = steps_add(&s, "reduce", &args, sizeof args, local, 3);
  steps_bind(&s, offsetof(struct gt_reduce_args, x), vx, 0);
  steps_bind(&s, offsetof(struct gt_reduce_args, y), vy, 0);
  step->spec[GT_REDUCE_SPEC_KIND] = kind;
  step->spec[GT_REDUCE_SPEC_PER_LANE] = per_lane;
  step->spec[GT_SPEC_CODE_COUNT] = 1;
  step->spec[GT_SPEC_CODE] = CODE(GT_I_MUL, 0, 0, 0);
  step->spec[GT_SPEC_INPUT_COUNT] = step->spec[GT_SPEC_OUTPUT_COUNT] = 1;
  step->spec[GT_SPEC_OUTPUT] = GT_OPERAND_RESULT;
  steps_run(&s, 1);
  steps_read(&s, vy, y, outputs);
  for (uint32_t i = 0; i < outputs; i++) {
    uint32_t e = i % inner, c = i / inner % chunks, o = i / inner / chunks;
    double want = kind == GT_REDUCE_SUM ? 0 : kind == GT_REDUCE_MAX ? -INFINITY : INFINITY;
    for (uint32_t r = c * chunk; r < c * chunk + chunk && r < reduced; r++) {
      double v = x[(o * reduced + r) * inner + e];
      want = kind == GT_REDUCE_SUM   ? want + v * v
             : kind == GT_REDUCE_MAX ? fmax(want, v * v)
                                     : fmin(want, v * v);
    }
    check("reduce", i, y[i], 0.5 * want, 2e-6, 1e-7);
  }
  free(x), free(y);
  steps_finish(&s);
}

static void test_reduce(void **state) {
  (void)state;
  for (uint32_t kind = GT_REDUCE_SUM; kind <= GT_REDUCE_MIN; kind++) {
    try_reduction(kind, 1, 3, 50, 7, 16, 64);
    try_reduction(kind, 1, 1, 1000, 1, 33, 8);
    try_reduction(kind, 0, 5, 1003, 1, 1003, 64);
    try_reduction(kind, 0, 7, 300, 1, 100, 33);
    try_reduction(kind, 0, 2, 3, 1, 3, 256);
    try_reduction(kind, 0, 2, 5, 1, 1, 1);
  }
}

static int close_backend(void **state) {
  (void)state;
  gt_backend_close(backend);
  return 0;
}

extern int gt_vulkan_validation_messages(void);

static void test_no_messages(void **state) {
  (void)state;
  assert_int_equal(gt_vulkan_validation_messages(), 0);
}

int main(void) {
  backend = steps_open_vulkan();
  if (!backend) return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_instructions),
      cmocka_unit_test(test_special_values),
      cmocka_unit_test(test_loads),
      cmocka_unit_test(test_matmul),
      cmocka_unit_test(test_matmul_slice_k),
      cmocka_unit_test(test_matmul_of_whole_tiles),
      cmocka_unit_test(test_matmul_split_and_batch),
      cmocka_unit_test(test_reduce),
      cmocka_unit_test(test_no_messages),
  };
  return cmocka_run_group_tests_name("vulkan kernels", tests, NULL, close_backend);
}
