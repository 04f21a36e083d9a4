/* The steps of a replay that overlap the end of the previous replay. */
#include "op/batch.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/op.h"
#include "op/reduce.h"
#include "op/softmax.h"
#include "plan/plan.h"
#include "support/fixture.h"
#include "support/pin.h"
#include "support/random_step.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const gt_target device = {.device = true,
                                 .subgroup = 32,
                                 .max_workgroup = 1024,
                                 .shared_bytes = 49152,
                                 .units = 16,
                                 .max_grid = 65535};

static gt_plan *planned_for_device(fixture *f) {
  return fixture_plan(f, &(gt_plan_options){.target = device});
}

typedef struct training {
  gt_id clock, x;
} training;

enum {
  LATE_READ = 1,        /* the last step, the log, reads a value of the batch */
  COMPUTED_WEIGHTS = 2, /* the weights are a softmax of the variable */
  MORE_SOFTMAXES = 4    /* a softmax is applied to the batch, and two more to it at the end */
};

/* Adds a training step: weights that are updated with a product of the batch and the network's output. */
static training add_training(fixture *f, int64_t rows, int64_t width, int flags) {
  gt_graph *g = f->graph;
  training t;
  const uint32_t state = gt_graph_variable(g, "state", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  const uint32_t table = gt_graph_variable(g, "table", gt_shape_2(1, 1), GT_F32, false);
  const gt_id data = fixture_variable(f, "data", gt_shape_2(2 * rows, width));
  const uint32_t w = gt_graph_variable(g, "w", gt_shape_2(width, width), GT_F32, false);
  const uint32_t log = gt_graph_variable(g, "log", gt_shape_2(4, 2), GT_F32, false);
  t.clock = gt_clock(g, state, table);
  t.x = gt_batch(g, data, t.clock, GT_NONE, (gt_batch_attribute){.batch = rows, .samples = 2 * rows});
  if (flags & MORE_SOFTMAXES) t.x = gt_softmax(g, t.x, 1);
  const gt_id old_weights = gt_variable_read(g, w);
  const gt_id weights = flags & COMPUTED_WEIGHTS ? gt_softmax(g, old_weights, 1) : old_weights;
  const gt_id output = gt_matmul(g, t.x, weights, false, false);
  const gt_id gradient = gt_matmul(g, t.x, output, true, false);
  const gt_id size = gt_sum(g, gt_mul(g, gradient, gradient), 0, false);
  const gt_id rate = gt_div(g, gt_clock_scalar(g, t.clock, 0), size);
  gt_assign(g, w, 0, gt_sub(g, old_weights, gt_mul(g, gradient, rate)));
  const gt_id scalar[2] = {size, flags & LATE_READ ? gt_view(g, t.x, 0, gt_shape_of(0, NULL)) : size};
  gt_log_row(g, log, t.clock, scalar, 2);
  if (flags & MORE_SOFTMAXES) {
    const uint32_t end = gt_graph_variable(g, "end", gt_shape_2(rows, width), GT_F32, false);
    gt_assign(g, end, 0, gt_softmax(g, gt_softmax(g, gt_mul(g, t.x, size), 1), 1));
  }
  return t;
}

/* The access with which a step writes to the arena. */
static gt_access *arena_write_of(const gt_step *step) {
  for (int i = 0; i < step->accesses; i++)
    if (step->access[i].write && step->access[i].buffer == GT_PLAN_ARENA) return &step->access[i];
  fail_msg("%s writes nothing in the arena", step->kernel->name);
  return NULL;
}

/* The clock and the batch overlap. The last level still reads the clock, so it has two buffers; the batch has
 * one. */
static void clock_and_batch_run_ahead(void **state) {
  fixture *f = *state;
  add_training(f, 64, 32, 0);
  const gt_plan *plan = planned_for_device(f);
  const gt_plan *plain = fixture_plan(f, &(gt_plan_options){.target = device, .no_overlap = true});
  assert_int_equal(plan->ahead, 2);
  assert_int_equal(plan->steps_ahead, 2);
  assert_string_equal(plan->step[0].kernel->name, "clock");
  assert_string_equal(plan->step[1].kernel->name, "batch");
  assert_true(arena_write_of(&plan->step[0])->stride >= 20);
  assert_int_equal(arena_write_of(&plan->step[1])->stride, 0);
  assert_int_equal(plain->ahead, 0);
  assert_int_equal(plain->steps_ahead, 0);
  assert_int_equal(arena_write_of(&plain->step[0])->stride, 0);
  assert_int_equal(plan->levels, plain->levels);
}

/* An op that reads only the batch is fused into its kernel and overlaps with it. An op that reads another
 * value is not fused, because the batch would have to wait for that value. */
static void only_ops_on_the_batch_alone_are_fused(void **state) {
  fixture *f = *state;
  for (int others = 0; others < 2; others++) {
    f->graph = gt_graph_create(&f->arena);
    gt_graph *g = f->graph;
    const uint32_t clock_state = gt_graph_variable(g, "state", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
    const uint32_t table = gt_graph_variable(g, "table", gt_shape_2(1, 1), GT_F32, false);
    const gt_id data = fixture_variable(f, "data", gt_shape_2(128, 32));
    const uint32_t w = gt_graph_variable(g, "w", gt_shape_2(32, 32), GT_F32, false);
    const gt_id clock = gt_clock(g, clock_state, table), old_weights = gt_variable_read(g, w);
    const gt_id x = gt_batch(g, data, clock, GT_NONE, (gt_batch_attribute){.batch = 64, .samples = 128});
    const gt_id output = gt_silu(g, others ? gt_mul(g, x, gt_view(g, old_weights, 0, gt_shape_1(32))) : x);
    gt_assign(
        g, w, 0,
        gt_softmax(g, gt_matmul(g, output, gt_matmul(g, x, old_weights, false, false), true, false), 1));
    const gt_plan *plan = planned_for_device(f);
    const gt_step *batch = fixture_step(plan, "batch");
    assert_int_equal(plan->ahead, 2);
    assert_int_equal(batch->level, 1);
    assert_int_equal(batch->spec[GT_SPEC_OUTPUT_COUNT], others ? 1 : 2);
  }
}

/* The weights are computed from a variable that the previous replay updates, so the batch does not run ahead:
 * it runs with the weights, after the clock. */
static void late_weights_delay_the_batch(void **state) {
  fixture *f = *state;
  add_training(f, 64, 32, COMPUTED_WEIGHTS);
  const gt_plan *plan = planned_for_device(f);
  const gt_plan *plain = fixture_plan(f, &(gt_plan_options){.target = device, .no_overlap = true});
  assert_int_equal(plan->ahead, 1);
  assert_int_equal(plan->levels, plain->levels);
  assert_int_equal(fixture_step(plan, "softmax")->level, 1);
  assert_int_equal(fixture_step(plan, "batch")->level, 1);
}

/* The second buffer of the clock's value is not shared, and all its consumers use the same stride. */
static void the_second_buffer_is_not_shared(void **state) {
  fixture *f = *state;
  add_training(f, 64, 32, 0);
  const gt_plan *plan = planned_for_device(f);
  const gt_access *now = arena_write_of(fixture_step(plan, "clock"));
  for (uint32_t s = 0; s < plan->steps; s++)
    for (int i = 0; i < plan->step[s].accesses; i++) {
      const gt_access *x = &plan->step[s].access[i];
      if (x->buffer != GT_PLAN_ARENA) continue;
      const bool within = x->offset >= now->offset && x->offset < now->offset + 2 * now->stride;
      assert_int_equal(x->stride, within ? now->stride : 0);
      assert_true(!within || x->offset + x->bytes <= now->offset + now->stride);
    }
  assert_true(now->offset + now->stride + now->bytes <= plan->arena_bytes);
}

/* A small batch that is read at the end also has two buffers. A large one does not overlap. */
static void late_reads_need_a_second_buffer(void **state) {
  fixture *f = *state;
  add_training(f, 64, 32, LATE_READ);
  const gt_plan *small = planned_for_device(f);
  assert_int_equal(small->ahead, 2);
  assert_true(arena_write_of(fixture_step(small, "batch"))->stride >= 64 * 32 * 4);
  f->graph = gt_graph_create(&f->arena);
  add_training(f, 8192, 64, LATE_READ);
  const gt_plan *large = planned_for_device(f);
  assert_int_equal(large->ahead, 1);
  assert_true(fixture_step(large, "batch")->level >= 1);
  assert_int_equal(arena_write_of(fixture_step(large, "batch"))->stride, 0);
}

/* The first softmax could overlap, too, but then a third matrix would be live at the end. */
static void overlap_is_limited_by_memory(void **state) {
  fixture *f = *state;
  add_training(f, 64, 32, MORE_SOFTMAXES);
  assert_int_equal(planned_for_device(f)->ahead, 3);
  f->graph = gt_graph_create(&f->arena);
  add_training(f, 8192, 64, MORE_SOFTMAXES);
  const gt_plan *large = planned_for_device(f);
  const gt_plan *plain = fixture_plan(f, &(gt_plan_options){.target = device, .no_overlap = true});
  assert_int_equal(large->ahead, 2);
  assert_string_equal(large->step[1].kernel->name, "batch");
  assert_true(large->arena_bytes < plain->arena_bytes + (1 << 20));
}

/* Values that are inspected do not overlap, nor do plans for a CPU or without memory reuse. */
static void no_overlap_if_values_are_inspected(void **state) {
  fixture *f = *state;
  const training t = add_training(f, 64, 32, 0);
  const gt_target cpu = {.subgroup = 1, .max_workgroup = 1, .units = 1, .max_grid = UINT32_MAX};
  assert_int_equal(fixture_plan(f, &(gt_plan_options){.target = cpu})->ahead, 0);
  assert_int_equal(fixture_plan(f, &(gt_plan_options){.target = device, .no_reuse = true})->ahead, 0);
  assert_int_equal(
      fixture_plan(f, &(gt_plan_options){.target = device, .keep = &t.x, .keep_count = 1})->ahead, 1);
  assert_int_equal(
      fixture_plan(f, &(gt_plan_options){.target = device, .keep = &t.clock, .keep_count = 1})->ahead, 0);
}

/* If nothing depends on the replay before, at most half of the levels overlap. */
static void at_most_half_of_the_levels_overlap(void **state) {
  fixture *f = *state;
  gt_id x = fixture_variable(f, "x", gt_shape_2(32, 32));
  const uint32_t y = gt_graph_variable(f->graph, "y", gt_shape_2(32, 32), GT_F32, false);
  for (int i = 0; i < 7; i++) x = gt_softmax(f->graph, x, 1);
  gt_assign(f->graph, y, 0, x);
  const gt_plan *plan = planned_for_device(f);
  assert_int_equal(plan->levels, 7);
  assert_int_equal(plan->ahead, 3);
}

/* A step that reads a variable waits for the step that writes it. */
static void written_variables_prevent_overlap(void **state) {
  fixture *f = *state;
  const gt_id v = fixture_variable(f, "v", gt_shape_2(32, 32));
  gt_id x = v;
  for (int i = 0; i < 6; i++) x = gt_softmax(f->graph, x, 1);
  gt_assign(f->graph, 0, 0, x);
  assert_int_equal(planned_for_device(f)->ahead, 0);
}

static bool is_verified(const gt_plan *plan) {
  gt_error error = {0};
  return gt_plan_verify(plan, &error);
}

static void verify_catches_overwritten_values(void **state) {
  fixture *f = *state;
  add_training(f, 64, 32, 0);
  gt_plan *plan = planned_for_device(f);
  gt_access *now = arena_write_of(fixture_step(plan, "clock")), *log = fixture_step(plan, "log_row")->access;
  const gt_access batch = *arena_write_of(fixture_step(plan, "batch"));
  const uint64_t stride = now->stride;
  assert_true(is_verified(plan));
  now->stride = 0; /* the clock's new value overwrites the old one while it is still read, in odd replays */
  assert_false(is_verified(plan));
  now->stride = plan->arena_bytes;
  assert_false(is_verified(plan));
  now->stride = stride;
  const uint64_t offset = log[0].offset;
  log[0].offset = batch.offset; /* the log reads the batch, which the next batch has overwritten */
  log[0].stride = 0;
  assert_false(is_verified(plan));
  log[0].offset = offset;
  log[0].stride = stride;
  assert_true(is_verified(plan));
  plan->ahead = plan->levels / 2 + 1;
  assert_false(is_verified(plan));
}

/* Many random steps overlap. Their plans are verified when they are created. */
static void random_steps_overlap(void **state) {
  fixture *f = *state;
  uint32_t random = 1, ahead = 0, largest = 0;
  for (int round = 0; round < 400; round++) {
    gt_arena_finish(&f->arena);
    gt_arena_init(&f->arena);
    f->graph = gt_graph_create(&f->arena);
    /* Values of size 768 are too large for two buffers. */
    random_step_draw(f->graph, &random, round % 2 ? 32 : 768, RANDOM_STEP_VALUES);
    const gt_plan *plan = planned_for_device(f);
    ahead += plan->ahead > 0;
    if (plan->ahead > largest) largest = plan->ahead;
  }
  assert_true(ahead > 250); /* the exact number depends on the levels into which GEMMs are split */
  assert_true(largest > 3);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
#define PIN(name)  pin_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      PIN(clock_and_batch_run_ahead),
      PIN(only_ops_on_the_batch_alone_are_fused),
      PIN(late_weights_delay_the_batch),
      TEST(the_second_buffer_is_not_shared),
      PIN(late_reads_need_a_second_buffer),
      PIN(overlap_is_limited_by_memory),
      TEST(no_overlap_if_values_are_inspected),
      TEST(at_most_half_of_the_levels_overlap),
      TEST(written_variables_prevent_overlap),
      TEST(verify_catches_overwritten_values),
      TEST(random_steps_overlap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
