/* Products with candidates of every family (gt_candidate.family), on matrix units and on scalar ones, not
 * only with the one that has the best estimate: tiles of all sizes, partial tiles, with and without split-K;
 * with floats, and with rows of a table loaded by index. A software device takes seconds to compile each, so
 * it tests only some, among them more of the kernels for few columns. */
#include "base/philox.h"
#include "op/core.h"
#include "op/gather.h"
#include "op/matmul/matmul.h"
#include "plan/plan.h"
#include "step/math.h"
#include "support/choice.h"
#include "support/device.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { M = 140, N = 132, K = 300, COUNT = 21, WIDTH = 4, LARGE = 132, FAMILIES_ON_SOFTWARE = 5 };

static gt_precision precision;
static float a[M * K], b[K * N], c[M * N];
static float table[COUNT * WIDTH], index_of[M * K / WIDTH]; /* index_of: the table's rows in an operand */
static double want[M * N], magnitude[M * N]; /* the result; sums of the absolute values of its terms */

typedef struct layout {
  bool a, b;                             /* transposed */
  uint32_t n;                            /* columns of the result */
  enum { NEITHER, ROWS_A, ROWS_B } rows; /* which operand consists of a table's rows */
} layout;

static gt_id read(gt_graph *g, const char *name, gt_shape shape, gt_dtype dtype) {
  return gt_variable_read(g, gt_graph_variable(g, name, shape, dtype, false));
}

static gt_id operand(gt_graph *g, const char *name, gt_shape shape, bool of_rows) {
  if (!of_rows) return read(g, name, shape, GT_F32);
  const gt_id rows = read(g, "table", gt_shape_2(COUNT, WIDTH), GT_F32);
  const gt_id indices = read(g, "indices", gt_shape_2(shape.dim[0], shape.dim[1] / WIDTH), GT_I32);
  return gt_reshape(g, gt_gather(g, rows, indices, -1), shape);
}

static const gt_plan *plan_of(gt_arena *arena, gt_graph **graph, layout t, const gt_tuned *tuned) {
  gt_graph *g = *graph = gt_graph_create(arena);
  gt_graph_set_precision(g, precision);
  const gt_shape of_a = t.a ? gt_shape_2(K, M) : gt_shape_2(M, K),
                 of_b = t.b ? gt_shape_2(t.n, K) : gt_shape_2(K, t.n);
  const gt_id left = operand(g, "a", of_a, t.rows == ROWS_A), right = operand(g, "b", of_b, t.rows == ROWS_B);
  gt_assign(g, gt_graph_variable(g, "c", gt_shape_2(M, t.n), GT_F32, false), 0,
            gt_matmul(g, left, right, t.a, t.b));
  /* A further kernel is so expensive for a large device that rows are always loaded by index. */
  return device_plan(arena, g, (gt_plan_options){.tuned = tuned, .target = {.units = t.rows ? LARGE : 0}});
}

static void draw_operand(float *x, uint32_t count, uint32_t stream, bool of_rows) {
  for (uint32_t i = 0; i < count; i++)
    x[i] = of_rows ? table[gt_bits(index_of[i / WIDTH]) * WIDTH + i % WIDTH]
                   : (float)(2 * gt_random_uniform(5, stream, 0, i) - 1);
}

static void draw(layout t) {
  memset(want, 0, sizeof want);
  memset(magnitude, 0, sizeof magnitude);
  for (uint32_t i = 0; i < COUNT * WIDTH; i++) table[i] = (float)(2 * gt_random_uniform(5, 3, 0, i) - 1);
  for (uint32_t i = 0; i < M * K / WIDTH; i++) index_of[i] = gt_from_bits(gt_random_bits(5, 4, 0, i) % COUNT);
  draw_operand(a, M * K, 1, t.rows == ROWS_A);
  draw_operand(b, K * t.n, 2, t.rows == ROWS_B);
  for (uint32_t i = 0; i < M; i++)
    for (uint32_t k = 0; k < K; k++)
      for (uint32_t j = 0; j < t.n; j++) {
        const double x = a[t.a ? k * M + i : i * K + k], y = b[t.b ? j * K + k : k * t.n + j];
        want[i * t.n + j] += x * y;
        magnitude[i * t.n + j] += fabs(x * y);
      }
}

/* Forces a candidate for the problem `key` and compares the result. */
static void try_candidate(layout t, const char *key, const char *candidate) {
  const double rounding = precision == GT_PRECISION_HALF ? 0x1p-7 : 0x1p-19;
  gt_arena arena;
  gt_graph *g;
  gt_tuned tuned = {0};
  gt_arena_init(&arena);
  gt_tuned_set(&tuned, key, candidate);
  const gt_plan *plan = plan_of(&arena, &g, t, &tuned);
  const gt_choice *choice = choice_of(plan, 0);
  assert_true(choice && choice->tuned);
  memset(c, 0xff, sizeof c); /* elements that are not written stay NaN */
  device_run(plan, g, 1,
             t.rows == ROWS_A   ? (float *[]){table, index_of, b, c}
             : t.rows == ROWS_B ? (float *[]){a, table, index_of, c}
                                : (float *[]){a, b, c});
  for (uint32_t i = 0; i < M * t.n; i++)
    if (!(fabs(c[i] - want[i]) <= rounding * magnitude[i]))
      fail_msg("%s: [%u, %u] is %.9g, should be %.9g", candidate, i / t.n, i % t.n, c[i], want[i]);
  gt_tuned_finish(&tuned);
  gt_arena_finish(&arena);
}

/* Tests the first candidate of each family, and its last, which has the most split-K parts. A software device
 * tests only the last, of one family in FAMILIES_ON_SOFTWARE, which differ between layouts. */
static void test_candidates(void **state) {
  static const layout layouts[] = {
      {false, false, N},        {false, true, N},         {true, false, N},         {true, true, N},
      {false, false, 10},       {false, true, 3},         {true, false, 10},        {false, true, N, ROWS_A},
      {true, false, N, ROWS_A}, {true, false, N, ROWS_B}, {false, true, 10, ROWS_A}};
  (void)state;
  for (uint32_t f = 0; f < sizeof layouts / sizeof *layouts; f++) {
    gt_arena arena;
    gt_graph *g;
    gt_arena_init(&arena);
    draw(layouts[f]);
    const gt_choice *choice = choice_of(plan_of(&arena, &g, layouts[f], NULL), 0);
    assert_non_null(choice);
    assert_true(!layouts[f].rows == !strstr(choice->key, "table rows"));
    uint32_t families = 0;
    for (uint32_t i = 0; i < choice->candidates; i++) {
      const bool first = !i || choice->candidate[i].family != choice->candidate[i - 1].family;
      const bool last =
          i + 1 == choice->candidates || choice->candidate[i].family != choice->candidate[i + 1].family;
      char candidate[GT_CANDIDATE_TEXT];
      families += first;
      choice->text(&choice->candidate[i], candidate, sizeof candidate);
      const bool rare = !last || families % FAMILIES_ON_SOFTWARE != f % FAMILIES_ON_SOFTWARE;
      const bool few_columns = strstr(candidate, ", few") && families % 3 == 0;
      if (!(first || last) || (device->target.brief && rare && !few_columns)) continue;
      try_candidate(layouts[f], choice->key, candidate);
    }
    assert_true(families > 1);
    gt_arena_finish(&arena);
  }
}

static int group(const char *name) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_candidates)};
  return cmocka_run_group_tests_name(name, tests, open_device, close_device);
}

int main(void) {
  static const device_mode modes[] = {{"two float16", "matrix,float16", GT_PRECISION_AUTO},
                                      {"bfloat16", "matrix", GT_PRECISION_HALF},
                                      {"scalar", "", GT_PRECISION_SCALAR}};
  return device_in_modes(modes, sizeof modes / sizeof *modes, &precision, group);
}
