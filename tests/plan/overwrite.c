/* Every read of a variable returns its value from before the step. Random graphs that overwrite the variables
 * that they read, in place, with copies, through packs and views, give the same results as graphs that assign
 * to other variables. */
#include "backend/backend.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/gather.h"
#include "op/matmul/matmul.h"
#include "op/reduce.h"
#include "plan/plan.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { GRAPHS = 3000, VARIABLES = 4, WIDTH = 32, PART = 8, VALUES = 64 };

static uint32_t dice;
static uint32_t roll(uint32_t sides) {
  dice = dice * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)(dice >> 4) * sides >> 28);
}

static gt_shape shape_of(const gt_graph *g, gt_id x) { return gt_node_at(g, x)->shape; }

/* Packs the two halves of x, in their order or swapped. */
static gt_id halves_packed(gt_graph *g, gt_id x, int64_t count) {
  const int64_t half = count / 2, first = roll(2) ? 0 : half;
  const gt_id parts[2] = {gt_view(g, x, first, gt_shape_1(half)),
                          gt_view(g, x, half - first, gt_shape_1(half))};
  return half ? gt_pack(g, parts, 2) : x;
}

static uint32_t index_variable(gt_graph *g) {
  return gt_graph_variable(g, "numbers", gt_shape_1(PART), GT_I32, false);
}

/* The only row of a table, gathered several times, times a column: the GEMM reads the table in place. */
static gt_id gathered(gt_graph *g, gt_id x, gt_id y) {
  const gt_id table = gt_reshape(g, x, gt_shape_2(1, WIDTH)), column = gt_reshape(g, y, gt_shape_2(WIDTH, 1));
  const gt_id rows = gt_gather(g, table, gt_variable_read(g, index_variable(g)), -1);
  return gt_sin(g, gt_view(g, gt_matmul(g, rows, column, false, false), 0, gt_shape_1(PART)));
}

static gt_id random_value(gt_graph *g, const gt_id *value, int values) {
  const gt_id x = value[roll((uint32_t)values)], y = value[roll((uint32_t)values)];
  const int64_t count = gt_shape_count(shape_of(g, x)), length = count < PART ? count : PART;
  switch (roll(10)) {
  case 0: return gt_sin(g, x);
  case 1: return gt_add(g, x, gt_shape_equal(shape_of(g, x), shape_of(g, y)) ? y : gt_sum(g, y, 0, false));
  case 2:
  case 3: return gt_view(g, x, roll((uint32_t)(count - length + 1)), gt_shape_1(length));
  case 4: return gt_sum(g, x, 0, true);
  case 5: return gt_all_finite(g, x, gt_sum(g, y, 0, false));
  case 6: return halves_packed(g, x, count);
  case 7:
  case 8: return count != WIDTH || gt_shape_count(shape_of(g, y)) != WIDTH ? x : gathered(g, x, y);
  default: return count + gt_shape_count(shape_of(g, y)) > WIDTH ? x : gt_pack(g, (gt_id[]){x, y}, 2);
  }
}

/* The first VARIABLES variables are inputs. Results are assigned to them, or to the others. */
static void build(gt_graph *g, bool to_others) {
  gt_id value[VALUES];
  bool assigned[VARIABLES][WIDTH] = {{false}};
  char name[8];
  int values = 0;
  for (uint32_t v = 0; v < 2 * VARIABLES; v++) {
    snprintf(name, sizeof name, "v%u", v);
    const uint32_t variable = gt_graph_variable(g, name, gt_shape_1(WIDTH), GT_F32, false);
    if (v < VARIABLES) value[values++] = gt_variable_read(g, variable);
  }
  index_variable(g);
  for (uint32_t n = roll(12); n; n--) {
    const gt_id x = random_value(g, value, values);
    value[values++] = shape_of(g, x).rank ? x : gt_view(g, x, 0, gt_shape_1(1));
  }
  for (uint32_t n = 1 + roll(6); n; n--) {
    const gt_id x = value[roll((uint32_t)values)];
    const int64_t count = gt_shape_count(shape_of(g, x));
    const uint32_t v = roll(VARIABLES);
    const int64_t at = roll((uint32_t)(WIDTH - count + 1));
    bool is_free = true;
    for (int64_t i = at; i < at + count; i++) is_free &= !assigned[v][i];
    if (!is_free) continue;
    memset(&assigned[v][at], true, (size_t)count);
    gt_assign(g, v + (to_others ? VARIABLES : 0), at, x);
  }
}

static void run(gt_backend *backend, bool to_others, bool no_fusion, float out[VARIABLES][WIDTH]) {
  const gt_backend_api *api = backend->api;
  const gt_plan_options options = {.no_fusion = no_fusion,
                                   .target = {.subgroup = 1, .max_workgroup = 1, .units = 1}};
  gt_arena arena;
  gt_error error = {0};
  gt_buffer *buffer[2 * VARIABLES + 1];
  uint64_t ticket;
  gt_arena_init(&arena);
  gt_graph *graph = gt_graph_create(&arena);
  build(graph, to_others);
  const gt_plan *plan = gt_plan_create(&arena, graph, &options, &error);
  if (!plan) fail_msg("%s", error.message);
  for (uint32_t v = 0; v < 2 * VARIABLES; v++) {
    buffer[v] = api->buffer_create(backend, plan->variable_bytes[v], GT_BUFFER_DEVICE, &error);
    float *map = api->buffer_map(backend, buffer[v]);
    for (uint32_t i = 0; i < WIDTH; i++) map[i] = sinf((float)(100 * (v % VARIABLES) + i));
  }
  const uint32_t last = 2 * VARIABLES;
  buffer[last] = api->buffer_create(backend, plan->variable_bytes[last], GT_BUFFER_DEVICE, &error);
  memset(api->buffer_map(backend, buffer[last]), 0, PART * sizeof(int32_t));
  gt_executable *executable = api->compile(backend, plan, buffer, &error);
  assert_non_null(executable);
  assert_true(api->run(backend, executable, 1, &ticket, &error) && api->wait(backend, ticket, &error));
  for (uint32_t v = 0; v < VARIABLES; v++)
    memcpy(out[v], api->buffer_map(backend, buffer[v + (to_others ? VARIABLES : 0)]), sizeof out[v]);
  api->executable_destroy(backend, executable);
  for (uint32_t v = 0; v <= last; v++) api->buffer_destroy(backend, buffer[v]);
  gt_arena_finish(&arena);
}

static void old_contents_are_read(void **state) {
  (void)state;
  gt_error error = {0};
  gt_backend *backend = gt_cpu_open(1, &error);
  assert_non_null(backend);
  for (uint32_t n = 1; n <= GRAPHS; n++) {
    float got[VARIABLES][WIDTH], want[VARIABLES][WIDTH];
    const bool no_fusion = n % 4 == 0;
    dice = 7919 * n;
    run(backend, true, no_fusion, want);
    dice = 7919 * n;
    run(backend, false, no_fusion, got);
    for (int v = 0; v < VARIABLES; v++)
      for (int i = 0; i < WIDTH; i++)
        if (!(fabsf(got[v][i] - want[v][i]) <= 1e-4f * (1 + fabsf(want[v][i]))))
          fail_msg("graph %u: v%d[%d] is %g, not %g", n, v, i, (double)got[v][i], (double)want[v][i]);
  }
  gt_backend_close(backend);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(old_contents_are_read)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
