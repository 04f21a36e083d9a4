/* Fusion, placement and memory reuse must not change results. Random graphs (support/random_graph.h) are run
 * with optimized plans, and with plain plans: each op has its own kernel, each value its own memory, and
 * states are updated only at the end of a step. All results must be equal.
 *
 * Fusions that exist only on devices are run on the Vulkan device, if there is one, for a few graphs. For
 * many more graphs the plan for a hypothetical device is checked without running it: everything that a step
 * reads has been written by an earlier one. */
#include "backend/backend.h"
#include "graph/op.h"
#include "op/core.h"
#include "support/fixture.h"
#include "support/random_graph.h"
#include "support/steps.h"
#include "shaders/op/matmul/factor.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GRAPHS = 500, STEPS = 3 };

static gt_backend *device; /* NULL: no device */

/* The numbers of ops of a random graph; see random_graph_draw. */
typedef struct graph_size {
  int fused_ops, ops;
} graph_size;
static const graph_size many_ops = {3, 11}, few_ops = {2, 0};

/* The values of variables, followed by kept values, after all steps. */
typedef struct result {
  const float *value; /* NULL: not compared */
  uint64_t count;
} result;
enum { RESULTS = RANDOM_GRAPH_INPUT + RANDOM_GRAPH_KEPT };

typedef struct trial {
  gt_arena arena;
  gt_backend *backend;
  random_graph random;
  const gt_plan *plan;
  gt_buffer *buffer[RANDOM_GRAPH_VARIABLES];
  gt_executable *executable;
} trial;

static uint64_t bytes_of(const trial *t, uint32_t variable) {
  const gt_variable *v = &t->random.graph->variable[variable];
  return (uint64_t)gt_shape_count(v->shape) * gt_dtype_size(v->dtype);
}

static const gt_plan *plan_trial(trial *t, uint32_t seed, gt_plan_options options) {
  gt_error error = {0};
  options.keep = t->random.kept;
  options.keep_count = t->random.kept_count;
  const gt_plan *plan = gt_plan_create(&t->arena, t->random.graph, &options, &error);
  if (!plan) fail_msg("graph %u: %s", seed, error.message);
  return plan;
}

static void init_trial(trial *t, gt_backend *backend, uint32_t seed, graph_size size, bool plain) {
  const gt_backend_api *api = backend->api;
  gt_error error = {0};
  *t = (trial){.backend = backend};
  gt_arena_init(&t->arena);
  t->random = random_graph_draw(&t->arena, seed, size.fused_ops, size.ops, !plain);
  t->plan = plan_trial(t, seed,
                       (gt_plan_options){.target = backend->target, .no_fusion = plain, .no_reuse = plain});
  for (uint32_t v = 0; v < RANDOM_GRAPH_VARIABLES; v++) {
    void *data = gt_arena_alloc(&t->arena, bytes_of(t, v));
    random_graph_fill(t->random.graph, v, seed, data);
    t->buffer[v] = api->buffer_create(backend, t->plan->variable_bytes[v], GT_BUFFER_DEVICE, &error);
    assert_non_null(t->buffer[v]);
    assert_true(api->upload(backend, t->buffer[v], 0, data, bytes_of(t, v), &error));
  }
  t->executable = api->compile(backend, t->plan, t->buffer, &error);
  if (!t->executable) fail_msg("graph %u: %s", seed, error.message);
}

static void finish(trial *t) {
  t->backend->api->executable_destroy(t->backend, t->executable);
  for (uint32_t v = 0; v < RANDOM_GRAPH_VARIABLES; v++)
    t->backend->api->buffer_destroy(t->backend, t->buffer[v]);
  gt_arena_finish(&t->arena);
}

static void run(trial *t, uint32_t times) {
  gt_error error = {0};
  uint64_t ticket;
  assert_true(t->backend->api->run(t->backend, t->executable, times, &ticket, &error));
  assert_true(t->backend->api->wait(t->backend, ticket, &error));
}

static void *download(gt_arena *arena, const trial *t, uint32_t variable) {
  gt_error error = {0};
  void *data = gt_arena_alloc(arena, bytes_of(t, variable));
  assert_true(
      t->backend->api->download(t->backend, t->buffer[variable], 0, data, bytes_of(t, variable), &error));
  return data;
}

/* Runs one step of a plain plan, which writes new states to copies; then copies them to the states. */
static void run_plain_step(trial *t) {
  gt_error error = {0};
  run(t, 1);
  for (uint32_t v = 0; v < RANDOM_GRAPH_STATES; v++)
    if (t->random.updated[v]) {
      const void *next = download(&t->arena, t, v + RANDOM_GRAPH_STATES);
      assert_true(t->backend->api->upload(t->backend, t->buffer[v], 0, next, bytes_of(t, v), &error));
    }
}

static void run_trial(gt_arena *arena, gt_backend *backend, uint32_t seed, graph_size size, bool plain,
                      result out[RESULTS]) {
  gt_error error = {0};
  trial t;
  init_trial(&t, backend, seed, size, plain);
  if (!plain) run(&t, STEPS);
  for (int s = 0; plain && s < STEPS; s++) run_plain_step(&t);
  for (int k = 0; k < t.random.kept_count; k++) {
    const gt_access *at = &t.plan->kept[k];
    float *kept = gt_arena_alloc(arena, at->bytes);
    assert_true(backend->api->inspect(backend, t.executable, at, kept, &error));
    out[RANDOM_GRAPH_INPUT + k] = (result){kept, at->bytes / sizeof *kept};
  }
  for (uint32_t v = 0; v < RANDOM_GRAPH_INPUT; v++)
    if (v < RANDOM_GRAPH_STATES || v >= RANDOM_GRAPH_OUTPUT)
      out[v] = (result){download(arena, &t, v), bytes_of(&t, v) / sizeof(float)};
  finish(&t);
}

/* Compares the optimized plan on the backend with the plain plan on the CPU. */
static void compare(gt_backend *backend, gt_backend *cpu, uint32_t seed, graph_size size) {
  gt_arena arena;
  result got[RESULTS] = {{NULL, 0}}, want[RESULTS] = {{NULL, 0}};
  gt_arena_init(&arena);
  run_trial(&arena, cpu, seed, size, true, want);
  run_trial(&arena, backend, seed, size, false, got);
  for (int r = 0; r < RESULTS; r++)
    for (uint64_t i = 0; i < want[r].count; i++)
      if (got[r].value[i] != want[r].value[i])
        fail_msg("graph %u, %d and %d ops: result %d [%u] is %g, not %g", seed, size.fused_ops, size.ops, r,
                 (unsigned)i, (double)got[r].value[i], (double)want[r].value[i]);
  gt_arena_finish(&arena);
}

static void plans_for_a_cpu(void **state) {
  fixture *f = *state;
  for (uint32_t seed = 1; seed <= GRAPHS; seed++) compare(f->backend, f->backend, seed, many_ops);
}

/* What a GEMM's kernel computes in addition to its result: nothing, sums or moments of its columns, a row
 * program, or a loss and its gradient. */
enum { NOTHING, COLUMNS, ROWS, LOSS, FUSED_KINDS };

/* The last of these kinds that occurs in the plan. */
static int fused_into_products(const gt_plan *plan) {
  int fused_kind = NOTHING;
  for (uint32_t s = 0; s < plan->steps; s++) {
    const gt_step *step = &plan->step[s];
    if (strcmp(step->kernel->name, "matmul") != 0 && strncmp(step->kernel->name, "product_", 8) != 0)
      continue;
    if (step->flops <= 0) continue;
    const uint32_t followed = step->spec[GT_FACTOR_SPEC_FOLLOWED];
    const int of_step = followed == GT_FOLLOWED_BY_ROWS           ? ROWS
                        : followed                                ? LOSS
                        : step->spec[GT_FACTOR_SPEC_COLUMNS] != 0 ? COLUMNS
                                                                  : NOTHING;
    if (of_step > fused_kind) fused_kind = of_step;
  }
  return fused_kind;
}

static int kind_on_device(uint32_t seed) {
  trial t = {0};
  gt_arena_init(&t.arena);
  t.random = random_graph_draw(&t.arena, seed, few_ops.fused_ops, few_ops.ops, true);
  const int fused_kind =
      fused_into_products(plan_trial(&t, seed, (gt_plan_options){.target = device->target}));
  gt_arena_finish(&t.arena);
  return fused_kind;
}

/* Runs only the first few graphs of each kind, because a software device needs a second to compile the
 * kernels of each graph. */
static void plans_for_the_device(void **state) {
  enum { PER_KIND = 5 };
  fixture *f = *state;
  int compared[FUSED_KINDS] = {0};
  if (!device) skip();
  for (uint32_t seed = 1; seed <= GRAPHS; seed++) {
    const int fused_kind = kind_on_device(seed);
    if (compared[fused_kind] == PER_KIND) continue;
    compare(device, f->backend, seed, few_ops);
    compared[fused_kind]++;
  }
  assert_int_equal(gt_vulkan_validation_messages(), 0);
}

/* --- plans for hypothetical devices --------------------------------------------------------------------- */

/* For each byte of the arena and of the variables, whether it has been written. */
typedef struct written {
  gt_arena arena;
  uint8_t *byte[GT_PLAN_VARIABLE + RANDOM_GRAPH_VARIABLES]; /* NULL: not checked */
} written;

static void init_written(written *w, const gt_plan *plan) {
  *w = (written){0};
  gt_arena_init(&w->arena);
  w->byte[GT_PLAN_ARENA] = gt_arena_alloc(&w->arena, plan->arena_bytes + 1);
  for (uint32_t v = 0; v < RANDOM_GRAPH_VARIABLES; v++)
    w->byte[GT_PLAN_VARIABLE + v] = gt_arena_alloc(&w->arena, plan->variable_bytes[v]);
}

static bool is_written(const written *w, uint32_t buffer, uint64_t offset, uint64_t bytes) {
  return !memchr(w->byte[buffer] + offset, 0, bytes);
}

static void check_reads(const gt_plan *plan, const gt_step *step, const written *w, uint32_t seed) {
  for (int i = 0; i < step->accesses; i++) {
    const gt_access *a = &step->access[i];
    if (a->read && a->buffer == GT_PLAN_ARENA && !is_written(w, a->buffer, a->offset, a->bytes))
      fail_msg("graph %u: %s of node %u at level %u of %u reads bytes that are not written", seed,
               step->kernel->name, step->node, step->level, plan->levels);
  }
}

static void mark_writes(const gt_step *step, written *w) {
  for (int i = 0; i < step->accesses; i++) {
    const gt_access *a = &step->access[i];
    if (a->write && w->byte[a->buffer]) memset(w->byte[a->buffer] + a->offset, 1, a->bytes);
  }
}

/* Asserts that assigned values and kept values have been written. */
static void check_results(const trial *t, const written *w, uint32_t seed) {
  const gt_graph *g = t->random.graph;
  for (uint32_t r = 0; r < g->roots; r++) {
    const gt_node *node = gt_node_at(g, g->root[r]);
    const gt_assign_attribute *a = node->attribute;
    if (node->op->kind == GT_OP_ASSIGN &&
        !is_written(w, GT_PLAN_VARIABLE + a->variable, 0, gt_node_bytes(g, g->root[r])))
      fail_msg("graph %u: not all of %s is written", seed, g->variable[a->variable].name);
  }
  for (int k = 0; k < t->random.kept_count; k++) {
    const gt_access *at = &t->plan->kept[k];
    if (at->buffer == GT_PLAN_ARENA && !is_written(w, at->buffer, at->offset, at->bytes))
      fail_msg("graph %u: not all of kept node %u is written", seed, t->random.kept[k]);
  }
}

/* Asserts that each step reads only bytes that an earlier level has written, and that all results are
 * written. The plan does not reuse memory: each byte of the arena belongs to one value. */
static void check_plan(gt_target target, uint32_t seed) {
  trial t = {0};
  written w;
  gt_arena_init(&t.arena);
  t.random = random_graph_draw(&t.arena, seed, many_ops.fused_ops, many_ops.ops, true);
  plan_trial(&t, seed, (gt_plan_options){.target = target}); /* plans are verified when they are created */
  t.plan = plan_trial(&t, seed, (gt_plan_options){.target = target, .no_reuse = true});
  init_written(&w, t.plan);
  for (uint32_t s = 0, end = 0; s < t.plan->steps; s = end) {
    for (; end < t.plan->steps && t.plan->step[end].level == t.plan->step[s].level; end++)
      check_reads(t.plan, &t.plan->step[end], &w, seed);
    for (uint32_t k = s; k < end; k++) mark_writes(&t.plan->step[k], &w);
  }
  check_results(&t, &w, seed);
  gt_arena_finish(&w.arena);
  gt_arena_finish(&t.arena);
}

static void plans_for_scalar_units(void **state) {
  (void)state;
  gt_target target = fixture_fast_gpu;
  target.matrix = (gt_matrix_units){0};
  for (uint32_t seed = 1; seed <= GRAPHS; seed++) {
    target.units = seed % 2 ? 16 : 132;
    check_plan(target, seed);
  }
}

/* Plans that always use matrix units, and pack operands in advance in every other plan. */
static void plans_for_matrix_units(void **state) {
  (void)state;
  gt_target target = fixture_fast_gpu;
  target.matrix.always = true;
  for (uint32_t seed = 1; seed <= GRAPHS; seed++) {
    target.matrix.packed = seed % 2;
    check_plan(target, seed);
  }
}

int main(void) {
  device = steps_open_vulkan();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plans_for_scalar_units), cmocka_unit_test(plans_for_matrix_units),
      cmocka_unit_test_setup_teardown(plans_for_a_cpu, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(plans_for_the_device, fixture_setup, fixture_teardown)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gt_backend_close(device);
  return failed;
}
