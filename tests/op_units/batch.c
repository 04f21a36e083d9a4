/* Batch ops with a fused elementwise epilogue: the batch kernel applies it to the samples that it gathers.
 * Each variable has its own buffer, so addresses are aligned, as in training, and rows whose length is a
 * multiple of 4 are copied as vec4; the cases of tests/op/batch.c use unaligned addresses. */
#include "op/batch.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "plan/plan.h"
#include "support/device.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { SAMPLES = 37, ROWS = 10, MAX_ELEMENTS = 4096 };
enum { STATE, TABLE, DATA, SCALING, BATCH, FUSED_RESULT, VARIABLES };

typedef struct problem {
  int64_t features, channels; /* channels: size of the last axis of a sample; features: elements per sample */
  gt_dtype dtype;
  bool scaled, draws; /* draws: the epilogue multiplies by random numbers, else by the batch itself */
} problem;

static float value[VARIABLES][MAX_ELEMENTS];

static gt_shape shape_of(const problem *p, int64_t rows) {
  return (gt_shape){.rank = 3, .dim = {rows, p->features / p->channels, p->channels}};
}

static gt_graph *build_graph(gt_arena *arena, const problem *p) {
  gt_graph *g = gt_graph_create(arena);
  const uint32_t state = gt_graph_variable(g, "state", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  const uint32_t table = gt_graph_variable(g, "table", gt_shape_2(1, 1), GT_F32, false);
  const uint32_t data = gt_graph_variable(g, "data", shape_of(p, SAMPLES), p->dtype, false);
  const uint32_t scaling = gt_graph_variable(g, "scaling", gt_shape_2(3, p->channels), GT_F32, false);
  const uint32_t batch = gt_graph_variable(g, "batch", shape_of(p, ROWS), GT_F32, false);
  const uint32_t fused_result = gt_graph_variable(g, "fused_result", shape_of(p, ROWS), GT_F32, false);
  const gt_id clock = gt_clock(g, state, table);
  const gt_id x =
      gt_batch(g, gt_variable_read(g, data), clock, p->scaled ? gt_variable_read(g, scaling) : GT_NONE,
               (gt_batch_attribute){.batch = ROWS, .samples = SAMPLES});
  const gt_id factor = p->draws ? gt_random(g, shape_of(p, ROWS), clock) : x;
  gt_assign(g, batch, 0, x);
  gt_assign(g, fused_result, 0, gt_add(g, gt_mul(g, x, factor), x));
  return g;
}

static void fill(const problem *p) {
  static const uint32_t state[GT_STATE_WORDS] = {2, 77, 3, 0};
  memset(value, 0xff, sizeof value); /* elements that are not written stay NaN */
  memcpy(value[STATE], state, sizeof state);
  for (int64_t i = 0; i < SAMPLES * p->features; i++) {
    const uint8_t byte = (uint8_t)(i * 37 % 251);
    if (p->dtype == GT_U8)
      memcpy((uint8_t *)value[DATA] + i, &byte, 1);
    else
      value[DATA][i] = 0.25f * byte - 20;
  }
  for (int64_t c = 0; c < p->channels; c++) {
    value[SCALING][c] = (float)c;
    value[SCALING][p->channels + c] = 0.5f;
    value[SCALING][2 * p->channels + c] = 3;
  }
}

static void run(const problem *p, bool fused) {
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_graph *g = build_graph(&arena, p);
  const gt_plan *plan = device_plan(&arena, g, (gt_plan_options){.no_fusion = !fused});
  if (fused) assert_int_equal(plan->steps, 2); /* the clock and the batch */
  fill(p);
  device_run(plan, g, 1, (float *[]){value[0], value[1], value[2], value[3], value[4], value[5]});
  gt_arena_finish(&arena);
}

/* Expected element i of the batch of the third step, whose number (2) is in the clock state. */
static float expected(const problem *p, int64_t i) {
  const gt_batch_attribute a = {.batch = ROWS, .samples = SAMPLES};
  uint32_t sample;
  gt_batch_samples(&a, NULL, 77 | UINT64_C(3) << 32, 2, (uint32_t)(i / p->features), 1, &sample);
  const int64_t at = (sample == GT_NONE ? 0 : sample) * p->features + i % p->features, c = i % p->channels;
  const float x = p->dtype == GT_U8 ? ((const uint8_t *)value[DATA])[at] : value[DATA][at];
  return p->scaled ? (x - (float)c) * 0.5f + 3 : x;
}

static void check(problem p) {
  static float unfused[MAX_ELEMENTS];
  const int64_t count = ROWS * p.features;
  assert_true(SAMPLES * p.features <= MAX_ELEMENTS);
  run(&p, false);
  memcpy(unfused, value[FUSED_RESULT], sizeof unfused);
  run(&p, true);
  for (int64_t i = 0; i < count; i++) {
    const float x = expected(&p, i);
    assert_true(value[BATCH][i] == x);
    /* A device may contract x * factor + x to one fma if both are in one kernel. */
    assert_true(fabsf(value[FUSED_RESULT][i] - unfused[i]) <=
                (device->target.brief ? 0 : 0x1p-22f * (x * x + fabsf(x))));
    if (!p.draws) assert_true(fabsf(unfused[i] - (x * x + x)) <= 1e-5f * fabsf(x * x + x));
  }
  assert_true(isnan(value[FUSED_RESULT][count]));
}

static void check_all(int64_t features, int64_t channels) {
  for (int variant = 0; variant < 8; variant++)
    check((problem){features, channels, variant & 1 ? GT_U8 : GT_F32, variant & 2, variant & 4});
}

static void multiples_of_four(void **state) {
  (void)state;
  check_all(8, 8);
  check_all(36, 12);
  check_all(36, 3);
}

static void not_multiples_of_four(void **state) {
  (void)state;
  check_all(1, 1);
  check_all(7, 7);
  check_all(21, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(multiples_of_four),
                                     cmocka_unit_test(not_multiples_of_four)};
  if (!has_device()) return 77;
  return cmocka_run_group_tests(tests, open_device, close_device);
}
