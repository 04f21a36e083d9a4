/* Products on matrix units, emulated if the device has none, against a model of their rounding: float16
 * operands to 11 bits, or to 2^-37 times the largest magnitude in their row (or column) and scale block along
 * K (shaders/op/matmul/range.h), bfloat16 operands to 8 bits, operands of two float16 to 22 bits. The rest is
 * the rounding of float sums. The selftest covers shapes; this test covers values: of any magnitudes next to
 * each other, infinities and NaN. */
#include "op/matmul/matmul.h"
#include "base/philox.h"
#include "op/core.h"
#include "plan/plan.h"
#include "support/device.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { M = 70, N = 40, K = 300, DEPTH = 128, VARIABLES = 3, BFLOAT_DIGITS = 8 };

static gt_precision precision;
static bool may_sum_unrounded; /* a tile with values that are not finite may keep its operands unrounded */
static float a[M][K], b[K][N], c[M][N];

static double uniform(uint32_t purpose, uint32_t i) { return gt_random_uniform(11, purpose, 0, i); }

static void draw(void) {
  for (uint32_t i = 0; i < M * K; i++) a[i / K][i % K] = (float)(2 * uniform(1, i) - 1);
  for (uint32_t i = 0; i < K * N; i++) b[i / N][i % N] = (float)(2 * uniform(2, i) - 1);
}

/* A pin (support/pin.h): the kernels of this precision, packed or not. */
static void pin_plan(const gt_plan *plan) {
  const bool is_bfloat = precision == GT_PRECISION_HALF && device->target.matrix.bfloat.m;
  const gt_step *first = &plan->step[0];
  if (device->target.matrix.packed) {
    assert_non_null(strstr(first->kernel->name, is_bfloat ? "product_pack_bfloat" : "product_pack"));
    assert_non_null(strstr(first[1].kernel->name, is_bfloat ? "product_packed_bfloat" : "product_packed"));
  } else {
    assert_string_equal(first->kernel->name, is_bfloat ? first->kernel->name : "product_range");
    assert_non_null(
        strstr(first[!is_bfloat].kernel->name, is_bfloat ? "product_matrix_bfloat" : "product_matrix"));
  }
}

/* c = a b on the device, with this precision. */
static void multiply(void) {
  gt_arena arena;
  gt_arena_init(&arena);
  gt_graph *g = gt_graph_create(&arena);
  gt_graph_set_precision(g, precision);
  const gt_id left = gt_variable_read(g, gt_graph_variable(g, "a", gt_shape_2(M, K), GT_F32, false));
  const gt_id right = gt_variable_read(g, gt_graph_variable(g, "b", gt_shape_2(K, N), GT_F32, false));
  gt_assign(g, gt_graph_variable(g, "c", gt_shape_2(M, N), GT_F32, false), 0,
            gt_matmul(g, left, right, false, false));
  const gt_plan *plan = device_plan(&arena, g, (gt_plan_options){0});
  pin_plan(plan);
  memset(c, 0xff, sizeof c); /* elements that are not written stay NaN */
  device_run(plan, g, 1, (float *[]){a[0], b[0], c[0]});
  gt_arena_finish(&arena);
}

/* x rounded to this many significant bits. Hardware bfloat16 rounds ties away from zero. */
static double to_digits(double x, int digits) {
  int exponent;
  const double whole = ldexp(frexp(x, &exponent), digits);
  const bool away = digits == BFLOAT_DIGITS && !device->target.matrix.emulated;
  return isfinite(x) ? ldexp(away ? round(whole) : rint(whole), exponent - digits) : x;
}

/* The largest absolute value of a row of a, or a column of b, within the scale block along K. */
static double largest(bool of_a, uint32_t i, uint32_t k) {
  double most = 0;
  for (uint32_t q = k / DEPTH * DEPTH; q < K && q < k / DEPTH * DEPTH + DEPTH; q++)
    most = fmax(most, fabs(of_a ? a[i][q] : b[q][i]));
  return most;
}

static void check(const char *what) {
  const bool is_half = precision == GT_PRECISION_HALF,
             is_scaled = !is_half || !device->target.matrix.bfloat.m;
  const int digits = !is_half ? 24 : is_scaled ? 11 : BFLOAT_DIGITS;
  multiply();
  for (uint32_t i = 0; i < M; i++)
    for (uint32_t j = 0; j < N; j++) {
      double want = 0, bound = 0x1p-126;
      for (uint32_t k = 0; k < K; k++) {
        const double x = to_digits(a[i][k], digits), y = to_digits(b[k][j], digits);
        want += x * y;
        bound += 64 * 0x1p-24 * fabs(x * y);
        if (may_sum_unrounded) bound += 0x1p-10 * fabs(x * y);
        if (!is_half) bound += 0x1p-22 * fabs(x * y);
        if (is_scaled) bound += 0x1p-37 * (fabs(x) * largest(false, j, k) + fabs(y) * largest(true, i, k));
      }
      if (isnan(want) ? !isnan(c[i][j]) : isinf(want) ? c[i][j] != want : !(fabs(c[i][j] - want) <= bound))
        fail_msg("%s: [%u, %u] is %.9g, should be %.9g within %.3g", what, i, j, c[i][j], want, bound);
    }
}

static void test_sizes(void **state) {
  (void)state;
  draw();
  check("uniform");
  for (uint32_t i = 0; i < M * K; i++) a[i / K][i % K] *= (float)pow(10, 12 * uniform(3, i) - 6);
  for (uint32_t i = 0; i < K * N; i++) b[i / N][i % N] *= (float)pow(10, 12 * uniform(4, i) - 6);
  check("1e-6 to 1e6");
  draw();
  for (uint32_t i = 0; i < M * K; i++) a[i / K][i % K] *= (float)pow(10, i / K * (30.0 / M) - 15);
  for (uint32_t i = 0; i < K * N; i++) b[i / N][i % N] *= (float)pow(10, i % N * (30.0 / N) - 15);
  check("graded rows and columns");
  draw();
  for (uint32_t i = 0; i < M * K; i++) a[i / K][i % K] *= i % K < K / 2 ? 1e6f : 1e-6f;
  for (uint32_t i = 0; i < K * N; i++) b[i / N][i % N] *= i / N < K / 2 ? 1e-6f : 1e6f;
  check("halves of k against each other");
}

static void test_ends_of_the_range(void **state) {
  (void)state;
  draw();
  for (uint32_t i = 0; i < M * K; i++) a[i / K][i % K] *= i / K % 2 ? 1e38f : 1e-30f;
  for (uint32_t i = 0; i < K * N; i++) b[i / N][i % N] *= 1e-5f;
  check("large and small rows");
  memset(a[3], 0, sizeof a[3]);
  for (uint32_t k = 0; k < K; k++) b[k][5] = 0;
  check("a row and a column of zeros");
}

/* A row of a or a column of b with an infinity or NaN has one in all of its sums, and no other row or column
 * has. */
static void test_not_finite(void **state) {
  (void)state;
  draw();
  a[2][7] = INFINITY;
  a[4][290] = -INFINITY;
  a[6][100] = NAN;
  b[150][9] = INFINITY;
  b[151][11] = -NAN;
  memcpy(&a[8][1], &(uint32_t){0x7fffffff}, 4);  /* a NaN that would become -0 if it were rounded up */
  memcpy(&b[3][13], &(uint32_t){0x7f800001}, 4); /* a NaN whose only set bit of the mantissa is cut off */
  a[66][40] = INFINITY;
  a[66][41] = -INFINITY;
  may_sum_unrounded = precision == GT_PRECISION_HALF && !device->target.matrix.bfloat.m;
  check("infinities and NaN");
  may_sum_unrounded = false;
}

static int group(const char *name) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_ends_of_the_range),
                                     cmocka_unit_test(test_not_finite)};
  return cmocka_run_group_tests_name(name, tests, open_device, close_device);
}

int main(void) {
  static const device_mode modes[] = {
      {"float16", "matrix,float16", GT_PRECISION_HALF, true},
      {"two float16", "matrix,float16", GT_PRECISION_AUTO, true},
      {"bfloat16", "matrix", GT_PRECISION_HALF, true},
      {"float16, packed", "matrix,packed,float16", GT_PRECISION_HALF, true},
      {"two float16, packed", "matrix,packed,float16", GT_PRECISION_AUTO, true},
      {"bfloat16, packed", "matrix,packed", GT_PRECISION_HALF, true}};
  return device_in_modes(modes, sizeof modes / sizeof *modes, &precision, group);
}
