/* Replays of a plan that overlap within one submission give the same result as replays one after another.
 * Tested on random steps, with the validation layers if installed. */
#include "support/random_step.h"
#include "support/steps.h"
#include "op/core.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 16, VARIABLES = 8, VALUES = 10, ROUNDS = 8 };

static gt_backend *device; /* NULL: no device */

typedef struct subject {
  gt_arena arena;
  gt_plan *plan;
  gt_buffer *buffer[VARIABLES];
  uint64_t values; /* number of elements of all variables */
  /* Contents of all variables: at the start, after single replays, after several replays per submission. */
  float *initial, *one_by_one, *together;
} subject;

/* The number of elements of a variable. */
static uint64_t count_values(const subject *s, uint32_t variable) {
  return (uint64_t)gt_shape_count(s->plan->graph->variable[variable].shape);
}

static void upload(const subject *s) {
  gt_error error = {0};
  const float *from = s->initial;
  for (uint32_t v = 0; v < s->plan->graph->variables; from += count_values(s, v++))
    assert_true(device->api->upload(device, s->buffer[v], 0, from, 4 * count_values(s, v), &error));
}

static void download(const subject *s, float *out) {
  gt_error error = {0};
  for (uint32_t v = 0; v < s->plan->graph->variables; out += count_values(s, v++))
    assert_true(device->api->download(device, s->buffer[v], 0, out, 4 * count_values(s, v), &error));
}

/* The words of the clock stay 0; all other values are random. */
static void fill(subject *s, uint32_t *random) {
  for (uint64_t i = GT_STATE_WORDS; i < s->values; i++)
    s->initial[i] = (float)random_step_roll(random, 1000) / 500 - 1;
}

static void create(subject *s, uint32_t *random) {
  gt_error error = {0};
  *s = (subject){0};
  gt_arena_init(&s->arena);
  gt_graph *g = gt_graph_create(&s->arena);
  random_step_draw(g, random, SIZE, VALUES);
  s->plan = gt_plan_create(&s->arena, g, &(gt_plan_options){.target = device->target}, &error);
  assert_string_equal(error.message, "");
  for (uint32_t v = 0; v < g->variables; v++) {
    s->buffer[v] = device->api->buffer_create(device, s->plan->variable_bytes[v], GT_BUFFER_DEVICE, &error);
    s->values += count_values(s, v);
  }
  s->initial = GT_NEW_N(&s->arena, float, s->values);
  s->one_by_one = GT_NEW_N(&s->arena, float, s->values);
  s->together = GT_NEW_N(&s->arena, float, s->values);
  fill(s, random);
}

static void finish(subject *s) {
  for (uint32_t v = 0; v < s->plan->graph->variables; v++) device->api->buffer_destroy(device, s->buffer[v]);
  gt_arena_finish(&s->arena);
}

static void run(gt_executable *executable, uint32_t times) {
  gt_error error = {0};
  uint64_t ticket;
  assert_true(device->api->run(device, executable, times, &ticket, &error));
}

/* Compares with single replays: two submissions of `times` replays each, and a sequence of `times` replays
 * that is run twice. */
static void compare(const subject *s, gt_executable *executable, uint32_t times) {
  gt_error error = {0};
  upload(s);
  for (uint32_t t = 0; t < 2 * times; t++) run(executable, 1);
  download(s, s->one_by_one);
  upload(s);
  run(executable, times);
  run(executable, times);
  download(s, s->together);
  assert_memory_equal(s->together, s->one_by_one, 4 * s->values);
  gt_executable *sequence = device->api->sequence(device, &executable, &times, 1, &error);
  assert_non_null(sequence);
  upload(s);
  run(sequence, 2);
  download(s, s->together);
  assert_memory_equal(s->together, s->one_by_one, 4 * s->values);
  device->api->executable_destroy(device, sequence);
}

static void random_steps(void **state) {
  (void)state;
  uint32_t random = 7;
  int overlapping = 0; /* number of plans whose replays overlap */
  if (!device) skip();
  for (int round = 0; round < ROUNDS; round++) {
    gt_error error = {0};
    subject s;
    create(&s, &random);
    overlapping += s.plan->ahead > 0;
    gt_executable *executable = device->api->compile(device, s.plan, s.buffer, &error);
    assert_string_equal(error.message, "");
    for (uint32_t times = 1; times < 5; times++) compare(&s, executable, times);
    /* More replays than fit into one command buffer, and not a multiple of that number. */
    if (round == 0) compare(&s, executable, 133);
    device->api->executable_destroy(device, executable);
    finish(&s);
  }
  assert_true(overlapping > ROUNDS / 2);
  assert_int_equal(gt_vulkan_validation_messages(), 0);
}

int main(void) {
  device = steps_open_vulkan();
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_steps)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gt_backend_close(device);
  return failed;
}
