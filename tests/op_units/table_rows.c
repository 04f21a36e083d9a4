/* Products of a table's rows, by index: the rows are not gathered if all consumers are products that load
 * them by index, and the result is as exact as with gathered rows. */
#include "base/philox.h"
#include "op/core.h"
#include "op/gather.h"
#include "plan/plan.h"
#include "shaders/op/matmul/factor.h"
#include "step/math.h"
#include "support/device.h"
#include "support/factor.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct net { /* x w or x wT, and gT x or xT g; x: in each line `each` rows of the table */
  uint32_t lines, each, count, width, units;
  bool turned;  /* wT and gT, as in a linear layer */
  bool apart;   /* each row is multiplied by itself */
  bool outside; /* some indices are out of range */
  bool askew;   /* the table starts at an address that is not aligned to vec4 */
} net;

enum { TABLE, INDEX, W, G, Y, D, VARIABLES };
static float *value[VARIABLES];
static gt_precision precision;

static uint32_t in_of(const net *t) { return t->apart ? t->width : t->each * t->width; }
static uint32_t lines_of(const net *t) { return t->apart ? t->lines * t->each : t->lines; }

static gt_id variable(gt_graph *g, const char *name, int64_t rows, int64_t columns, gt_dtype dtype) {
  return gt_variable_read(g, gt_graph_variable(g, name, gt_shape_2(rows, columns), dtype, false));
}

static void draw(gt_graph *graph, const net *t) {
  const uint32_t in = in_of(t);
  const gt_id whole = variable(graph, "table", (int64_t)t->count * t->width + 1, 1, GT_F32),
              table = gt_view(graph, whole, t->askew, gt_shape_2(t->count, t->width)),
              index = variable(graph, "index", t->lines, t->each, GT_I32);
  const gt_id w = t->turned ? variable(graph, "w", t->units, in, GT_F32)
                            : variable(graph, "w", in, t->units, GT_F32),
              g = variable(graph, "g", lines_of(t), t->units, GT_F32);
  const gt_id gathered = gt_gather(graph, table, index, -1);
  const gt_id x = gt_reshape(graph, gathered, gt_shape_2(lines_of(t), in));
  factor_assign(graph, x, w, g, t->turned);
}

static void fill(const net *t, int v, uint64_t count) {
  static const int32_t far[] = {-1, INT32_MIN, INT32_MAX};
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t bits = gt_random_bits(5, (uint32_t)v, 0, (uint32_t)i);
    const double uniform = 2 * gt_random_uniform(5, (uint32_t)v, 1, (uint32_t)i) - 1;
    if (v != INDEX)
      value[v][i] = (float)ldexp(uniform, (int)(i * 7 % 23) - 11);
    else
      value[v][i] =
          gt_from_bits(t->outside && bits % 16 == 1 ? (uint32_t)far[bits / 16 % 3] : bits / 64 % t->count);
  }
}

static double x_at(const void *net_, uint64_t i) {
  const net *t = net_;
  const int32_t row = (int32_t)gt_bits(value[INDEX][i / t->width]);
  if (row < 0 || row >= (int32_t)t->count) return NAN;
  return (double)value[TABLE][(uint64_t)row * t->width + i % t->width + t->askew];
}

/* Sums of this many terms, and of their magnitudes. */
static void check(double got, double sum, double all, double terms, const char *what, uint64_t i) {
  const double rounding = precision == GT_PRECISION_HALF ? 0x1p-7 : 0x1p-23 * (2 + sqrt(terms));
  if (isnan(sum) ? isnan(got) : fabs(got - sum) <= rounding * all) return;
  fail_msg("%s: element %llu is %.9g, not %.9g", what, (unsigned long long)i, got, sum);
}

/* True if rows are read by index: nothing gathers them. */
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
  gt_graph_precision(g, precision);
  draw(g, t);
  const gt_plan *plan = device_plan(&arena, g, (gt_plan_options){0});
  for (uint32_t v = 0; v < g->variables; v++) {
    value[v] = calloc(1, plan->variable_bytes[v]);
    assert_non_null(value[v]);
    if (v < Y) fill(t, (int)v, (uint64_t)gt_shape_count(g->variable[v].shape));
  }
  device_run(plan, g, 1, value);
  const bool taken = pin_rows(plan);
  factor_check(&(factor_case){lines_of(t), in_of(t), t->units, t->turned, t, x_at, value[W], value[G],
                              value[Y], value[D], check});
  for (uint32_t v = 0; v < g->variables; v++) free(value[v]);
  gt_arena_finish(&arena);
  return taken;
}

static void test_taken(void **state) {
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
                             {300, 9, 1000, 16, 10, true, false, false}, /* few columns */
                             {70, 4, 13, 36, 37, true, false, true},
                             {70, 4, 13, 36, 37, false, false, true},
                             {70, 3, 13, 8, 7, true, false, true},
                             {70, 4, 13, 36, 37, true, false, true, true},
                             {70, 4, 13, 36, 40, false, false, false, true}};
  for (uint32_t i = 0; i < sizeof nets / sizeof *nets; i++)
    if (precision == GT_PRECISION_AUTO || !left_out(i, 3)) assert_true(run(&nets[i]));
}

static void test_gathered(void **state) {
  (void)state;
  static const net nets[] = {{40, 4, 11, 7, 36, true, false, false}, /* rows are not a multiple of 4 */
                             {40, 3, 11, 1, 5, false, false, true}};
  for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) assert_false(run(&nets[i]));
}

static int group(const char *name) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_taken), cmocka_unit_test(test_gathered)};
  return cmocka_run_group_tests_name(name, tests, open_device, close_device);
}

int main(void) {
  static const device_form form[] = {{"two float16", "matrix,float16", GT_PRECISION_AUTO},
                                     {"float16", "matrix,float16", GT_PRECISION_HALF},
                                     {"bfloat16", "matrix", GT_PRECISION_HALF},
                                     {"scalar", "matrix", GT_PRECISION_SCALAR}};
  return device_in_forms(form, sizeof form / sizeof *form, &precision, group);
}
