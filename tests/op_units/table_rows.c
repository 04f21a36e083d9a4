/* Products whose operand x consists of rows of a table, selected by an index. If all consumers of x are
 * products, these load the rows by index and x is never written to memory; the results are as exact as with
 * gathered rows. */
#include "base/philox.h"
#include "op/core.h"
#include "op/gather.h"
#include "plan/plan.h"
#include "shaders/op/matmul/factor.h"
#include "step/math.h"
#include "support/device.h"
#include "support/operand.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct net {     /* the products of support/operand.h */
  uint32_t lines, each;  /* size of the index: [lines, each] */
  uint32_t count, width; /* size of the table: `count` rows of `width` elements */
  uint32_t units;
  bool transposed;
  bool one_per_row;  /* a row of x is one row of the table, else `each` rows side by side (rows_of, in_of) */
  bool out_of_range; /* some indices are invalid */
  bool unaligned;    /* the table's address is not a multiple of 16 bytes, as a vec4 load needs */
} net;

enum { TABLE, INDEX, W, G, Y, D, VARIABLES };
static float *value[VARIABLES];
static gt_precision precision;

/* The size of x. */
static uint32_t rows_of(const net *t) { return t->one_per_row ? t->lines * t->each : t->lines; }
static uint32_t in_of(const net *t) { return t->one_per_row ? t->width : t->each * t->width; }

static gt_id variable(gt_graph *g, const char *name, int64_t rows, int64_t columns, gt_dtype dtype) {
  return gt_variable_read(g, gt_graph_variable(g, name, gt_shape_2(rows, columns), dtype, false));
}

static void build_graph(gt_graph *graph, const net *t) {
  const uint32_t in = in_of(t);
  const gt_id whole = variable(graph, "table", (int64_t)t->count * t->width + 1, 1, GT_F32),
              table = gt_view(graph, whole, t->unaligned, gt_shape_2(t->count, t->width)),
              index = variable(graph, "index", t->lines, t->each, GT_I32);
  const gt_id w = t->transposed ? variable(graph, "w", t->units, in, GT_F32)
                                : variable(graph, "w", in, t->units, GT_F32),
              g = variable(graph, "g", rows_of(t), t->units, GT_F32);
  const gt_id gathered = gt_gather(graph, table, index, -1);
  const gt_id x = gt_reshape(graph, gathered, gt_shape_2(rows_of(t), in));
  operand_assign(graph, x, w, g, t->transposed);
}

static void fill(const net *t, int v, uint64_t count) {
  static const int32_t invalid[] = {-1, INT32_MIN, INT32_MAX};
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t bits = gt_random_bits(5, (uint32_t)v, 0, (uint32_t)i);
    const double uniform = 2 * gt_random_uniform(5, (uint32_t)v, 1, (uint32_t)i) - 1;
    if (v != INDEX)
      value[v][i] = (float)ldexp(uniform, (int)(i * 7 % 23) - 11);
    else
      value[v][i] = gt_from_bits(t->out_of_range && bits % 16 == 1 ? (uint32_t)invalid[bits / 16 % 3]
                                                                   : bits / 64 % t->count);
  }
}

static double x_at(const void *net_, uint64_t i) {
  const net *t = net_;
  const int32_t row = (int32_t)gt_bits(value[INDEX][i / t->width]);
  if (row < 0 || row >= (int32_t)t->count) return NAN;
  return (double)value[TABLE][(uint64_t)row * t->width + i % t->width + t->unaligned];
}

/* operand_case.check */
static void check(double got, double expected, double magnitudes, double terms, const char *what,
                  uint64_t i) {
  const double rounding = precision == GT_PRECISION_HALF ? 0x1p-7 : 0x1p-23 * (2 + sqrt(terms));
  if (isnan(expected) ? isnan(got) : fabs(got - expected) <= rounding * magnitudes) return;
  fail_msg("%s: element %llu is %.9g, not %.9g", what, (unsigned long long)i, got, expected);
}

/* A pin (support/pin.h): asserts that either both products read the rows by index, or none does and a step
 * gathers them. True if they are read by index. */
static bool pin_rows(const gt_plan *plan) {
  uint32_t products = 0, gathers = 0;
  for (uint32_t s = 0; s < plan->steps; s++) {
    const gt_step *step = &plan->step[s];
    gathers += !strcmp(step->kernel->name, "gather");
    if (step->prepares || !step->flops) continue;
    products +=
        step->spec[GT_FACTOR_SPEC_A] == GT_FACTOR_ROWS || step->spec[GT_FACTOR_SPEC_B] == GT_FACTOR_ROWS;
  }
  assert_int_equal(products, gathers ? 0 : 2);
  return products;
}

static bool run(const net *t) {
  gt_arena arena;
  gt_arena_init(&arena);
  gt_graph *g = gt_graph_create(&arena);
  gt_graph_set_precision(g, precision);
  build_graph(g, t);
  const gt_plan *plan = device_plan(&arena, g, (gt_plan_options){0});
  for (uint32_t v = 0; v < g->variables; v++) {
    value[v] = calloc(1, plan->variable_bytes[v]);
    assert_non_null(value[v]);
    if (v < Y) fill(t, (int)v, (uint64_t)gt_shape_count(g->variable[v].shape));
  }
  device_run(plan, g, 1, value);
  const bool by_index = pin_rows(plan);
  operand_check(&(operand_case){rows_of(t), in_of(t), t->units, t->transposed, t, x_at, value[W], value[G],
                                value[Y], value[D], check});
  for (uint32_t v = 0; v < g->variables; v++) free(value[v]);
  gt_arena_finish(&arena);
  return by_index;
}

static void test_read_by_index(void **state) {
  (void)state;
  static const net nets[] = {{1, 1, 1, 4, 1, false, false, false},
                             {1, 3, 7, 4, 5, true, false, false},
                             {64, 2, 50, 32, 64, true, false, false}, /* whole tiles */
                             {70, 5, 11, 28, 37, true, false, false}, /* K tiles that end within a row */
                             {70, 5, 11, 28, 37, false, false, false},
                             {131, 1, 3, 40, 36, true, false, false},
                             {131, 1, 300, 40, 36, false, false, false},
                             {5, 11, 5, 12, 33, true, true, false},
                             {41, 7, 2, 20, 40, false, false, false},
                             {300, 9, 1000, 16, 10, true, false, false}, /* y has few columns */
                             {70, 4, 13, 36, 37, true, false, true},
                             {70, 4, 13, 36, 37, false, false, true},
                             {70, 3, 13, 8, 7, true, false, true},
                             {70, 4, 13, 36, 37, true, false, true, true},
                             {70, 4, 13, 36, 40, false, false, false, true}};
  for (uint32_t i = 0; i < sizeof nets / sizeof *nets; i++)
    if (precision == GT_PRECISION_AUTO || !is_left_out(i, 3)) assert_true(run(&nets[i]));
}

static void test_gathered(void **state) {
  (void)state;
  static const net nets[] = {{40, 4, 11, 7, 36, true, false, false}, /* width not a multiple of 4 */
                             {40, 3, 11, 1, 5, false, false, true}};
  for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) assert_false(run(&nets[i]));
}

static int group(const char *name) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_read_by_index), cmocka_unit_test(test_gathered)};
  return cmocka_run_group_tests_name(name, tests, open_device, close_device);
}

int main(void) {
  static const device_mode modes[] = {{"two float16", "matrix,float16", GT_PRECISION_AUTO},
                                      {"float16", "matrix,float16", GT_PRECISION_HALF},
                                      {"bfloat16", "matrix", GT_PRECISION_HALF},
                                      {"scalar", "matrix", GT_PRECISION_SCALAR}};
  return device_in_modes(modes, sizeof modes / sizeof *modes, &precision, group);
}
