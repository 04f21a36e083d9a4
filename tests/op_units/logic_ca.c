/* The automaton's gradient if states are rounded, sampled or clamped (op/logic/logic_ca.h): straight-through,
 * at the modified states. Boards are single cells of one channel, whose step is s -> u1 s + u3 s^2, so that
 * values and gradients are known in closed form. */
#include "op/logic/logic_ca.h"
#include "backend/backend.h"
#include "op/autodiff.h"
#include "op/core.h"
#include "plan/plan.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { BOARDS = 5, MAX_STEPS = 40, FEW_STEPS = 3, STATES = (MAX_STEPS + 1) * BOARDS, MAX_VARIABLES = 16 };
/* The variables, in the order in which build declares them. */
enum { STATE, COEFFICIENTS, WIRING, INVERSE, CLOCK, TABLE, ALL_STATES, D_STATE, D_COEFFICIENTS };
#define U1 0.4
#define U3 0.7

static const float initial[BOARDS] = {0.1f, 0.35f, 0.6f, 0.8f, 0.95f};

typedef struct result {
  float states[STATES], d_state[BOARDS], d_coefficients[8];
} result;

/* Perception's gate passes the cell through; the update's gate reads the cell and the perceived value. */
static gt_graph *build(gt_arena *arena, const gt_logic_ca_attribute *a) {
  gt_graph *g = gt_graph_create(arena);
  const gt_shape board = {.rank = 4, .dim = {BOARDS, 1, 1, 1}};
  const int64_t words = gt_logic_ca_inverse_words(a, 1);
  const gt_id x = gt_variable_read(g, gt_graph_variable(g, "state", board, GT_F32, false));
  const gt_id c = gt_variable_read(g, gt_graph_variable(g, "c", gt_shape_2(2, 4), GT_F32, false));
  const gt_id w = gt_variable_read(g, gt_graph_variable(g, "wiring", gt_shape_2(2, 2), GT_I32, false));
  const gt_id i = gt_variable_read(g, gt_graph_variable(g, "inverse", gt_shape_1(words), GT_I32, false));
  const uint32_t clock = gt_graph_variable(g, "clock", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  const uint32_t table = gt_graph_variable(g, "table", gt_shape_2(1, 1), GT_F32, false);
  const gt_id states =
      gt_logic_ca(g, x, c, w, i, gt_logic_ca_clocked(a) ? gt_clock(g, clock, table) : GT_NONE, a);
  const gt_id wrt[2] = {x, c}, last = gt_view(g, states, a->steps * BOARDS, board);
  gt_id gradient[2];
  gt_error error = {0};
  assert_true(gt_autodiff(g, last, wrt, 2, gradient, &error));
  gt_assign(g, gt_graph_variable(g, "states", gt_node_at(g, states)->shape, GT_F32, false), 0, states);
  gt_assign(g, gt_graph_variable(g, "d_state", board, GT_F32, false), 0, gradient[0]);
  gt_assign(g, gt_graph_variable(g, "d_c", gt_shape_2(2, 4), GT_F32, false), 0, gradient[1]);
  return g;
}

static void fill(const gt_logic_ca_attribute *a, float u1, float u3, gt_backend *backend,
                 gt_buffer *const *buffer) {
  static const int32_t wiring[4] = {4, 0, 4, 1};
  const float coefficients[8] = {0, 1, 0, 0, 0, u1, 0, u3};
  static const uint32_t clock[GT_STATE_WORDS] = {5, 77, 3, 0};
  memcpy(backend->api->buffer_map(backend, buffer[STATE]), initial, sizeof initial);
  memcpy(backend->api->buffer_map(backend, buffer[COEFFICIENTS]), coefficients, sizeof coefficients);
  memcpy(backend->api->buffer_map(backend, buffer[WIRING]), wiring, sizeof wiring);
  memcpy(backend->api->buffer_map(backend, buffer[CLOCK]), clock, sizeof clock);
  gt_logic_ca_inverse(a, 1, wiring, backend->api->buffer_map(backend, buffer[INVERSE]));
}

static gt_logic_ca_attribute automaton(uint32_t steps, float rounding, float sampling) {
  return (gt_logic_ca_attribute){.steps = steps,
                                 .kernels = 1,
                                 .fire_rate = 1,
                                 .rounding = rounding,
                                 .sampling = sampling,
                                 .perceptions = 1,
                                 .updates = 1,
                                 .width = {1, 1}};
}

static result run(gt_logic_ca_attribute a, float u1, float u3) {
  const gt_plan_options options = {
      .target = {.subgroup = 1, .max_workgroup = 1, .units = 1, .max_grid = UINT32_MAX}};
  gt_error error = {0};
  gt_arena arena;
  gt_arena_init(&arena);
  gt_backend *backend = gt_cpu_open(1, &error);
  const gt_graph *g = build(&arena, &a);
  const gt_plan *plan = gt_plan_create(&arena, g, &options, &error);
  if (!plan) fail_msg("%s", error.message);
  const gt_backend_api *api = backend->api;
  gt_buffer *buffer[MAX_VARIABLES];
  for (uint32_t v = 0; v < g->variables; v++)
    buffer[v] = api->buffer_create(backend, plan->variable_bytes[v], GT_BUFFER_DEVICE, &error);
  fill(&a, u1, u3, backend, buffer);
  gt_executable *exe = api->compile(backend, plan, buffer, &error);
  assert_non_null(exe);
  uint64_t ticket;
  assert_true(api->run(backend, exe, 1, &ticket, &error));
  result r = {{0}};
  memcpy(r.states, api->buffer_map(backend, buffer[ALL_STATES]), (a.steps + 1) * sizeof initial);
  memcpy(r.d_state, api->buffer_map(backend, buffer[D_STATE]), sizeof r.d_state);
  memcpy(r.d_coefficients, api->buffer_map(backend, buffer[D_COEFFICIENTS]), sizeof r.d_coefficients);
  api->executable_destroy(backend, exe);
  for (uint32_t v = 0; v < g->variables; v++) api->buffer_destroy(backend, buffer[v]);
  gt_backend_close(backend);
  gt_arena_finish(&arena);
  return r;
}

static bool near(double a, double b) { return fabs(a - b) < 1e-5 * (1 + fabs(b)); }

/* The gradient as if each step had returned its modified state, and the modification were the identity. */
static void check_gradient(const result *r, uint32_t steps, double u1, double u3) {
  double d_u1 = 0, d_u3 = 0;
  for (int b = 0; b < BOARDS; b++) {
    double d = 1;
    for (uint32_t t = steps; t-- > 0;) {
      const double s = r->states[t * BOARDS + (uint32_t)b];
      d_u1 += d * s;
      d_u3 += d * s * s;
      d *= u1 + 2 * u3 * s;
    }
    assert_true(near(r->d_state[b], d));
  }
  assert_true(near(r->d_coefficients[5], d_u1));
  assert_true(near(r->d_coefficients[7], d_u3));
}

/* The states after all steps but the last are rounded. */
static void rounded(void **unused) {
  (void)unused;
  static const float rounding[] = {0, 0.25f, 1};
  for (size_t k = 0; k < sizeof rounding / sizeof *rounding; k++)
    for (uint32_t steps = 1; steps <= FEW_STEPS; steps++) {
      const result r = run(automaton(steps, rounding[k], 0), U1, U3);
      for (uint32_t i = BOARDS; i < (steps + 1) * BOARDS; i++) {
        const double s = r.states[i - BOARDS], next = U1 * s + U3 * s * s;
        const double bit = next > 0.5, modified = next + rounding[k] * (bit - next);
        assert_true(near(r.states[i], i / BOARDS == steps ? next : modified));
      }
      check_gradient(&r, steps, U1, U3);
    }
}

static void sampled(void **unused) {
  (void)unused;
  const result r = run(automaton(FEW_STEPS, 0, 1), U1, U3);
  int ones = 0;
  for (int i = BOARDS; i < FEW_STEPS * BOARDS; i++) {
    assert_true(r.states[i] == 0 || r.states[i] == 1);
    ones += r.states[i] == 1;
  }
  assert_true(ones > 0 && ones < (FEW_STEPS - 1) * BOARDS);
  check_gradient(&r, FEW_STEPS, U1, U3);
}

/* The logistic map, in which a state above 1 diverges unless states are clamped. */
static void bounded(void **unused) {
  (void)unused;
  gt_logic_ca_attribute a = automaton(MAX_STEPS, 0, 0);
  assert_false(fabsf(run(a, 4.1f, -4.1f).states[MAX_STEPS * BOARDS]) < 2);
  a.bounded = true;
  const result r = run(a, 4.1f, -4.1f);
  for (int i = 0; i < MAX_STEPS * BOARDS; i++) assert_true(r.states[i] >= 0 && r.states[i] <= 1);
  a.steps = FEW_STEPS;
  const result few = run(a, 4.1f, -4.1f);
  check_gradient(&few, FEW_STEPS, 4.1f, -4.1f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rounded), cmocka_unit_test(sampled),
                                     cmocka_unit_test(bounded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
