/* All plans of a backend share one arena. It has the size that the largest plan needs; each plan computes the
 * right values after any other plan has run; and the persistent memory of a plan is not shared. Runs on the
 * CPU and on Vulkan, with the validation layers if installed. */
#include "op/core.h"
#include "op/elementwise.h"
#include "op/reduce.h"
#include "support/steps.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>

extern int gt_vulkan_validation_messages(void);

static gt_backend *device; /* NULL: no device */

/* sum = sum(pack(2 x, 3 x)), where the pack has gaps of zeros; x * x is kept for inspection. */
typedef struct subject {
  gt_arena arena;
  gt_backend *backend;
  int64_t count;
  gt_plan *plan;
  gt_buffer *buffer[2]; /* x, all ones, and the sum */
  gt_executable *executable;
} subject;

static void compile(subject *s, gt_backend *backend, int64_t count) {
  gt_error error = {0};
  *s = (subject){.backend = backend, .count = count};
  gt_arena_init(&s->arena);
  gt_graph *g = gt_graph_create(&s->arena);
  const uint32_t vx = gt_graph_variable(g, "x", gt_shape_1(count), GT_F32, false);
  const uint32_t sum = gt_graph_variable(g, "sum", gt_shape_1(1), GT_F32, false);
  const gt_id x = gt_variable_read(g, vx);
  const gt_id part[2] = {gt_add(g, x, x), gt_mul(g, x, gt_constant(g, 3))};
  const gt_id pack = gt_pack_at(g, part, (int64_t[]){0, count + 7}, 2, 2 * count + 20);
  gt_assign(g, sum, 0, gt_sum(g, pack, 1, false));
  const gt_id square = gt_mul(g, x, x);
  s->plan = gt_plan_create(
      &s->arena, g, &(gt_plan_options){.target = backend->target, .keep = &square, .keep_count = 1}, &error);
  assert_string_equal(error.message, "");
  for (int v = 0; v < 2; v++)
    s->buffer[v] = backend->api->buffer_create(backend, s->plan->variable_bytes[v], GT_BUFFER_DEVICE, &error);
  float *ones = malloc((size_t)count * sizeof *ones);
  for (int64_t i = 0; i < count; i++) ones[i] = 1;
  assert_true(backend->api->upload(backend, s->buffer[0], 0, ones, (uint64_t)count * sizeof *ones, &error));
  free(ones);
  s->executable = backend->api->compile(backend, s->plan, s->buffer, &error);
  assert_string_equal(error.message, "");
}

static void finish(subject *s) {
  s->backend->api->executable_destroy(s->backend, s->executable);
  for (int v = 0; v < 2; v++) s->backend->api->buffer_destroy(s->backend, s->buffer[v]);
  gt_arena_finish(&s->arena);
}

static bool inspect_square(const subject *s, float *square, gt_error *error) {
  return s->backend->api->inspect(s->backend, s->executable, &s->plan->kept[0], square, error);
}

/* Runs the plan; then the sum is 5 per element, and the kept square can be inspected. */
static void run(const subject *s, uint32_t times) {
  gt_error error = {0};
  uint64_t ticket;
  float sum, *square = malloc(s->plan->kept[0].bytes);
  assert_true(s->backend->api->run(s->backend, s->executable, times, &ticket, &error));
  assert_true(s->backend->api->download(s->backend, s->buffer[1], 0, &sum, sizeof sum, &error));
  assert_true(sum == 5 * (float)s->count);
  assert_true(inspect_square(s, square, &error));
  for (int64_t i = 0; i < s->count; i++) assert_true(square[i] == 1);
  free(square);
}

static void plans_share_one_arena(gt_backend *backend) {
  enum { SMALL = 1000, LARGE = 60000, SLACK = 4096 }; /* SLACK: the device may round sizes up */
  const uint64_t before = backend->memory_used;
  subject small, large, third;
  compile(&small, backend, SMALL);
  /* The square is in the arena; the pack is persistent, because its gaps must stay zero. */
  assert_true(small.plan->arena_bytes >= SMALL * 4 && small.plan->persistent_bytes >= 2 * SMALL * 4);
  run(&small, 3);
  const uint64_t used_by_small = backend->memory_used;
  compile(&large, backend, LARGE);
  const uint64_t large_bytes = large.plan->persistent_bytes + large.plan->constant_bytes +
                               large.plan->variable_bytes[0] + large.plan->variable_bytes[1],
                 arena_growth = large.plan->arena_bytes - small.plan->arena_bytes;
  assert_in_range(backend->memory_used - used_by_small, large_bytes + arena_growth - SLACK,
                  large_bytes + arena_growth + SLACK);
  /* Compiling the large plan may replace the arena buffer. The small plan must then use the new address, and
   * the gaps of its pack must stay zero. */
  for (int round = 0; round < 3; round++) {
    run(&small, 70); /* more replays than one command buffer holds */
    run(&large, 2);
  }
  gt_error error = {0};
  float *square = malloc(small.plan->kept[0].bytes);
  assert_false(inspect_square(&small, square, &error)); /* overwritten by the other plan */
  assert_int_equal(error.status, GT_ERR_INTERNAL);
  free(square);
  finish(&large);
  run(&small, 1);
  compile(&third, backend, SMALL / 2); /* reuses the existing arena */
  run(&third, 1);
  run(&small, 1);
  finish(&third);
  finish(&small);
  assert_int_equal(backend->memory_used, before);
}

/* A sequence still runs correctly after a larger plan has replaced the arena. */
static void sequence_after_growth(gt_backend *backend) {
  gt_error error = {0};
  uint64_t ticket;
  subject s, larger;
  compile(&s, backend, 500);
  gt_executable *twice = backend->api->sequence(backend, &s.executable, (uint32_t[]){2}, 1, &error);
  assert_non_null(twice);
  assert_true(backend->api->run(backend, twice, 3, &ticket, &error));
  compile(&larger, backend, 70000);
  run(&larger, 1);
  const float zero = 0;
  float sum;
  assert_true(backend->api->upload(backend, s.buffer[1], 0, &zero, sizeof zero, &error));
  assert_true(backend->api->run(backend, twice, 3, &ticket, &error));
  assert_true(backend->api->download(backend, s.buffer[1], 0, &sum, sizeof sum, &error));
  assert_true(sum == 2500);
  run(&s, 1);
  backend->api->executable_destroy(backend, twice);
  finish(&larger);
  finish(&s);
}

static void test_cpu(void **state) {
  (void)state;
  gt_error error = {0};
  gt_backend *cpu = gt_cpu_open(2, &error);
  assert_non_null(cpu);
  plans_share_one_arena(cpu);
  sequence_after_growth(cpu);
  gt_backend_close(cpu);
}

static void test_vulkan(void **state) {
  (void)state;
  if (!device) skip();
  plans_share_one_arena(device);
  sequence_after_growth(device);
  assert_int_equal(gt_vulkan_validation_messages(), 0);
}

int main(void) {
  device = steps_open_vulkan();
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cpu), cmocka_unit_test(test_vulkan)};
  const int failed = cmocka_run_group_tests_name("one arena", tests, NULL, NULL);
  gt_backend_close(device);
  return failed;
}
