/* Fusion, placement, levels and memory for graphs whose best plan is known; values are checked on the CPU
 * backend. */
#include "plan/plan.h"
#include "support/fixture.h"
#include "support/pin.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/logic/logic_ca.h"
#include "op/matmul/matmul.h"
#include "op/reduce.h"
#include "op/softmax.h"
#include "support/three.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const gt_target cpu_target = {.subgroup = 1, .max_workgroup = 1, .units = 1, .max_grid = UINT32_MAX};

static gt_id variable(fixture *f, const char *name, int rank, const int64_t *dim) {
  return fixture_variable(f, name, gt_shape_of(rank, dim));
}

static gt_plan *planned(fixture *f, bool no_fusion) {
  return fixture_plan(f, &(gt_plan_options){.target = cpu_target, .no_fusion = no_fusion});
}

static float ramp(uint32_t v, int64_t i) { return (float)((int)((i * 7 + v * 3) % 11) - 5) / 4; }

static void linear_relu_is_one_step(void **state) {
  fixture *f = *state;
  gt_id x = variable(f, "x", 2, (int64_t[]){5, 7}), w = variable(f, "w", 2, (int64_t[]){3, 7});
  gt_id b = variable(f, "b", 1, (int64_t[]){3});
  uint32_t y = gt_graph_variable(f->graph, "y", gt_shape_2(5, 3), GT_F32, false);
  gt_assign(f->graph, y, 0, gt_relu(f->graph, gt_add(f->graph, gt_matmul(f->graph, x, w, false, true), b)));
  gt_plan *fused = planned(f, false), *plain = planned(f, true);
  assert_int_equal(fused->steps, 1);
  assert_int_equal(fused->arena_bytes, 0); /* the result is written directly to the variable */
  assert_true(plain->steps > 1);
  float a[15], c[15];
  fixture_run(f, fused, ramp, 1, y, a);
  fixture_run(f, plain, ramp, 1, y, c);
  for (int i = 0; i < 15; i++) assert_true(fabsf(a[i] - c[i]) < 1e-5f);
}

static void squared_error_is_read_by_the_reduction(void **state) {
  fixture *f = *state;
  gt_id x = variable(f, "x", 2, (int64_t[]){4, 6}), t = variable(f, "t", 2, (int64_t[]){4, 6});
  gt_id d = gt_sub(f->graph, x, t);
  uint32_t y = gt_graph_variable(f->graph, "y", gt_shape_1(1), GT_F32, false);
  gt_assign(f->graph, y, 0, gt_mean(f->graph, gt_mul(f->graph, d, d), 0, false));
  gt_plan *plan = planned(f, false);
  assert_int_equal(plan->steps, 1);
  float got, expected = 0;
  fixture_run(f, plan, ramp, 1, y, &got);
  for (int i = 0; i < 24; i++) expected += (ramp(0, i) - ramp(1, i)) * (ramp(0, i) - ramp(1, i)) / 24;
  assert_true(fabsf(got - expected) < 1e-5f);
}

/* A pre-activation that is also needed is a second output of the GEMM's kernel. */
static void epilogue_writes_two_outputs(void **state) {
  fixture *f = *state;
  gt_id x = variable(f, "x", 2, (int64_t[]){4, 6}), w = variable(f, "w", 2, (int64_t[]){8, 6});
  uint32_t y = gt_graph_variable(f->graph, "y", gt_shape_2(4, 8), GT_F32, false);
  uint32_t z = gt_graph_variable(f->graph, "z", gt_shape_2(4, 8), GT_F32, false);
  gt_id product = gt_matmul(f->graph, x, w, false, true);
  gt_assign(f->graph, y, 0, gt_silu(f->graph, product));
  gt_assign(f->graph, z, 0, product);
  assert_int_equal(planned(f, false)->steps, 1);
}

/* Assigns to "y" a pack of two parts of "v", negated: the part at `first`, then that at `second`. Returns the
 * pack, not negated. */
static gt_id negate_parts(fixture *f, int64_t first, int64_t second) {
  gt_graph *g = f->graph;
  const gt_id v = variable(f, "v", 1, (int64_t[]){12});
  const gt_id parts[2] = {gt_view(g, v, first, gt_shape_1(4)), gt_view(g, v, second, gt_shape_1(4))};
  const gt_id packed = gt_pack(g, parts, 2);
  gt_assign(g, gt_graph_variable(g, "y", gt_shape_1(8), GT_F32, false), 0, gt_neg(g, packed));
  return packed;
}

/* Parts of a variable that are stored in the order of the pack are read in place; others are copied. */
static void adjacent_parts_are_read_in_place(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id together = negate_parts(f, 2, 6);
  gt_assign(g, 0, 2, gt_neg(g, gt_sum(g, together, 1, true))); /* overwrites them, after all readers */
  float got[8];
  assert_int_equal(planned(f, false)->steps, 3); /* two negations and a sum, no copy */
  fixture_run(f, planned(f, false), ramp, 1, 1, got);
  for (int i = 0; i < 8; i++) assert_true(got[i] == -ramp(0, i + 2));
}

static void other_parts_are_copied(void **state) {
  fixture *f = *state;
  negate_parts(f, 6, 2);
  float got[8];
  assert_int_equal(planned(f, false)->steps, 3);
  fixture_run(f, planned(f, false), ramp, 1, 1, got);
  for (int i = 0; i < 8; i++) assert_true(got[i] == -ramp(0, i < 4 ? i + 6 : i - 2));
}

static void updates_in_place_read_the_old_contents(void **state) {
  fixture *f = *state;
  gt_id v = variable(f, "v", 1, (int64_t[]){9});
  uint32_t sum = gt_graph_variable(f->graph, "sum", gt_shape_1(1), GT_F32, false);
  gt_assign(f->graph, 0, 0, gt_add(f->graph, v, gt_constant(f->graph, 1)));
  gt_assign(f->graph, sum, 0, gt_sum(f->graph, v, 0, false)); /* declared later, but reads the old v */
  gt_plan *plan = planned(f, false);
  assert_int_equal(plan->steps, 2);
  float got;
  fixture_run(f, plan, ramp, 1, sum, &got);
  float expected = 0;
  for (int i = 0; i < 9; i++) expected += ramp(0, i);
  assert_true(fabsf(got - expected) < 1e-6f);
}

/* b' = a + 1 and a' = b + 1: neither may overwrite what the other still reads. */
static void crossed_updates_are_copied(void **state) {
  fixture *f = *state;
  gt_id a = variable(f, "a", 1, (int64_t[]){4}), b = variable(f, "b", 1, (int64_t[]){4});
  gt_assign(f->graph, 1, 0, gt_sin(f->graph, gt_sum(f->graph, a, 0, true)));
  (void)b;
  gt_graph *g = f->graph;
  gt_id one = gt_constant(g, 1), new_b = gt_add(g, gt_view(g, a, 0, gt_shape_1(3)), one);
  gt_id new_a = gt_add(g, gt_view(g, b, 1, gt_shape_1(3)), one);
  gt_assign(g, 1, 1, new_b);
  gt_assign(g, 0, 0, new_a);
  float got[4];
  for (int no_fusion = 0; no_fusion < 2; no_fusion++) {
    fixture_run(f, planned(f, no_fusion), ramp, 1, 0, got);
    for (int i = 0; i < 3; i++) assert_true(fabsf(got[i] - (ramp(1, i + 1) + 1)) < 1e-6f);
    assert_true(fabsf(got[3] - ramp(0, 3)) < 1e-6f);
    fixture_run(f, planned(f, no_fusion), ramp, 1, 1, got);
    for (int i = 0; i < 3; i++) assert_true(fabsf(got[i + 1] - (ramp(0, i) + 1)) < 1e-6f);
  }
}

/* The old value of one variable is assigned to another, although it is overwritten in the same step. The
 * assignments are in either order. */
static void old_contents_are_saved_first(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const int64_t four = 4;
  const gt_id a = variable(f, "a", 1, &four), b = variable(f, "b", 1, &four), c = variable(f, "c", 1, &four),
              d = variable(f, "d", 1, &four);
  gt_assign(g, 0, 0, gt_add(g, b, b));
  gt_assign(g, 1, 0, a);
  gt_assign(g, 3, 0, c);
  gt_assign(g, 2, 0, gt_add(g, d, d));
  for (int no_fusion = 0; no_fusion < 2; no_fusion++)
    for (uint32_t v = 0; v < 4; v++) {
      const uint32_t from = v ^ 1;
      const float times = v == 0 || v == 2 ? 2 : 1;
      float got[4];
      fixture_run(f, planned(f, no_fusion), ramp, 1, v, got);
      for (int i = 0; i < 4; i++) assert_true(got[i] == times * ramp(from, i));
    }
}

/* A pack that is assigned to a variable may consist of parts of it. */
static void a_variable_is_packed_from_itself(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id v = variable(f, "v", 1, (int64_t[]){8});
  const gt_id part[2] = {gt_view(g, v, 4, gt_shape_1(4)), gt_view(g, v, 0, gt_shape_1(4))};
  float got[8];
  gt_assign(g, 0, 0, gt_pack(g, part, 2));
  fixture_run(f, planned(f, false), ramp, 1, 0, got);
  for (int i = 0; i < 8; i++) assert_true(got[i] == ramp(0, (i + 4) % 8));
}

/* Values are written directly into their pack, as gradients are; the gap between them stays zero in every
 * run. */
static void packs_are_written_in_place(void **state) {
  fixture *f = *state;
  gt_id x = variable(f, "x", 1, (int64_t[]){3});
  uint32_t y = gt_graph_variable(f->graph, "y", gt_shape_1(8), GT_F32, false);
  gt_id part[2] = {gt_exp(f->graph, x), gt_sin(f->graph, gt_sum(f->graph, x, 0, true))};
  gt_id pack = gt_pack_at(f->graph, part, (int64_t[]){0, 4}, 2, 8);
  gt_assign(f->graph, y, 0, gt_mul(f->graph, pack, gt_constant(f->graph, 2)));
  float got[8];
  fixture_run(f, planned(f, false), ramp, 3, y, got);
  float sum = ramp(0, 0) + ramp(0, 1) + ramp(0, 2);
  for (int i = 0; i < 3; i++) assert_true(fabsf(got[i] - 2 * expf(ramp(0, i))) < 1e-5f);
  assert_true(fabsf(got[4] - 2 * sinf(sum)) < 1e-5f);
  assert_true(got[3] == 0 && got[5] == 0 && got[6] == 0 && got[7] == 0);
}

static void memory_is_reused_across_levels(void **state) {
  fixture *f = *state;
  gt_id x = variable(f, "x", 2, (int64_t[]){64, 64});
  uint32_t y = gt_graph_variable(f->graph, "y", gt_shape_2(64, 64), GT_F32, false);
  for (int i = 0; i < 6; i++) x = gt_matmul(f->graph, x, x, false, false);
  gt_assign(f->graph, y, 0, x);
  gt_plan *plan = planned(f, false);
  assert_int_equal(plan->levels, 6);
  assert_int_equal(plan->arena_bytes, 2 * 64 * 64 * 4);
  assert_int_equal(plan->unaliased_bytes, 5 * 64 * 64 * 4);
}

static void verify_catches_an_overlap(void **state) {
  fixture *f = *state;
  gt_id x = variable(f, "x", 2, (int64_t[]){8, 8});
  uint32_t y = gt_graph_variable(f->graph, "y", gt_shape_2(8, 8), GT_F32, false);
  uint32_t z = gt_graph_variable(f->graph, "z", gt_shape_2(8, 8), GT_F32, false);
  gt_assign(f->graph, y, 0, gt_matmul(f->graph, x, x, false, false));
  gt_assign(f->graph, z, 0, gt_matmul(f->graph, x, x, true, false));
  gt_plan *plan = planned(f, false);
  gt_error error = {0};
  assert_true(gt_plan_verify(plan, &error));
  for (int i = 0; i < plan->step[1].accesses; i++)
    if (plan->step[1].access[i].write) plan->step[1].access[i].buffer = GT_PLAN_VARIABLE + y;
  for (int i = 0; i < plan->step[0].accesses; i++)
    if (plan->step[0].access[i].write) plan->step[0].access[i].buffer = GT_PLAN_VARIABLE + y;
  assert_false(gt_plan_verify(plan, &error));
  assert_int_equal(error.status, GT_ERR_INTERNAL);
}

/* Results that are assigned, packed or unused: each has its own memory, and none needs a copy. */
static void results_are_written_to_their_destination(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id x = variable(f, "x", 1, (int64_t[]){100}), node = three(g, x), more = three(g, node);
  const uint32_t y = gt_graph_variable(g, "y", gt_shape_2(1, 100), GT_F32, false);
  const uint32_t z = gt_graph_variable(g, "z", gt_shape_1(200), GT_F32, false);
  gt_assign(g, y, 0, gt_result(g, node, 1));
  gt_assign(g, z, 0, gt_pack(g, (const gt_id[]){gt_result(g, more, 1), more}, 2));
  for (int no_fusion = 0; no_fusion < 2; no_fusion++) {
    const gt_plan *plan = planned(f, no_fusion);
    float got[200];
    assert_int_equal(plan->steps, 2);
    assert_int_equal(plan->unaliased_bytes, 3 * 512); /* the square, and the unused results */
    assert_int_equal(plan->arena_bytes, 2 * 512);
    fixture_run(f, plan, ramp, 1, y, got);
    for (int i = 0; i < 100; i++) assert_true(got[i] == 3 * ramp(0, i));
    fixture_run(f, plan, ramp, 1, z, got);
    for (int i = 0; i < 100; i++) {
      const float square = ramp(0, i) * ramp(0, i);
      assert_true(got[i] == 3 * square && got[100 + i] == square * square);
    }
  }
}

/* A result does not overwrite an input that its kernel may still read, nor is it fused into a program that
 * reads that input. */
static void results_do_not_overwrite_operands(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id x = variable(f, "x", 1, (int64_t[]){9}), node = three(g, x), triple = gt_result(g, node, 1);
  const uint32_t y = gt_graph_variable(g, "y", gt_shape_2(1, 9), GT_F32, false);
  float got[9];
  gt_assign(g, y, 0, gt_add(g, gt_mul(g, triple, gt_constant(g, 2)), gt_reshape(g, node, gt_shape_2(1, 9))));
  gt_assign(g, 0, 0, gt_reshape(g, triple, gt_shape_1(9)));
  for (int no_fusion = 0; no_fusion < 2; no_fusion++) {
    const gt_plan *plan = planned(f, no_fusion);
    if (!no_fusion) assert_int_equal(plan->steps, 3); /* the kernel, the program, and a copy */
    fixture_run(f, plan, ramp, 2, y, got);
    for (int i = 0; i < 9; i++) assert_true(fabsf(got[i] - 9 * ramp(0, i) * (2 + ramp(0, i))) < 1e-4f);
    fixture_run(f, plan, ramp, 2, 0, got);
    for (int i = 0; i < 9; i++) assert_true(got[i] == 9 * ramp(0, i));
  }
}

/* An epilogue may overwrite an input that it reads element by element. A second result may not, because the
 * kernel may write it at any time. */
static void results_do_not_overwrite_epilogue_inputs(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id x = variable(f, "x", 1, (int64_t[]){9}), v = variable(f, "v", 1, (int64_t[]){9}),
              node = three_fusable(g, x), sum = gt_add(g, node, v);
  const uint32_t y = gt_graph_variable(g, "y", gt_shape_1(9), GT_F32, false);
  gt_assign(g, 1, 0, sum);
  assert_int_equal(planned(f, false)->steps, 1);
  g->roots = 0;
  gt_assign(g, y, 0, sum);
  gt_assign(g, 1, 0, gt_reshape(g, gt_result(g, node, 1), gt_shape_1(9)));
  assert_int_equal(planned(f, false)->steps, 2); /* with a copy */
}

static void a_kept_result_is_found(void **state) {
  fixture *f = *state;
  const gt_id x = variable(f, "x", 1, (int64_t[]){70}), node = three(f->graph, x);
  const gt_id keep[] = {gt_result(f->graph, node, 2), node};
  const gt_plan_options options = {.target = cpu_target, .keep = keep, .keep_count = 2};
  const gt_plan *plan = fixture_plan(f, &options);
  assert_int_equal(plan->steps, 1);
  assert_int_equal(plan->kept[0].bytes, 280);
  assert_true(plan->kept[0].offset != plan->kept[1].offset);
  for (int k = 0; k < 2; k++) {
    bool written = false;
    for (int i = 0; i < plan->step[0].accesses; i++) {
      const gt_access *access = &plan->step[0].access[i];
      written |=
          access->write && access->buffer == plan->kept[k].buffer && access->offset == plan->kept[k].offset;
    }
    assert_true(written);
  }
}

/* Kernels without a grid loop get all of their workgroups, in rows that do not exceed the device's limit. */
static void workgroups_stay_within_the_limit(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_logic_ca_attribute a = {
      .steps = 1, .kernels = 1, .fire_rate = 1, .perceptions = 1, .updates = 1, .width = {1, 1}};
  const gt_id wiring = gt_variable_read(g, gt_graph_variable(g, "wiring", gt_shape_2(2, 2), GT_I32, false));
  const gt_id x = variable(f, "x", 4, (const int64_t[]){1, 31, 11, 1}),
              c = variable(f, "c", 2, (const int64_t[]){2, 4}),
              y = gt_logic_ca(g, x, c, wiring, GT_NONE, GT_NONE, &a);
  fixture_keep(f, "y", y);
  const gt_plan_options options = {
      .target = {.device = true, .subgroup = 32, .max_workgroup = 256, .units = 1000, .max_grid = 7}};
  const gt_plan *plan = fixture_plan(f, &options);
  uint32_t automata = 0;
  for (size_t i = 0; i < plan->steps; i++) {
    const gt_step *step = &plan->step[i];
    assert_in_range(step->grid[0], 1, 7);
    if (strncmp(step->kernel->name, "logic_ca", 8)) continue;
    automata++;
    assert_int_equal(step->grid[0], 7); /* one workgroup per cell: 49 rows for 341 of them */
    assert_int_equal(step->grid[1], 49);
  }
  assert_int_equal(automata, 1);
}

/* Vulkan guarantees workgroups of 128: no kernel needs more, and a large product still has all of its
 * tiles. */
static void workgroups_fit_small_devices(void **state) {
  fixture *f = *state;
  const gt_id a = variable(f, "a", 2, (int64_t[]){3000, 40}), b = variable(f, "b", 2, (int64_t[]){40, 1500}),
              y = gt_softmax(f->graph, gt_matmul(f->graph, a, b, false, false), -1);
  fixture_keep(f, "y", y);
  const gt_target small = {
      .device = true, .subgroup = 4, .max_workgroup = 128, .shared_bytes = 16384, .units = 1, .max_grid = 7};
  const gt_plan_options options = {.target = small};
  const gt_plan *plan = fixture_plan(f, &options);
  assert_int_equal(plan->steps, 2);
  for (size_t i = 0; i < plan->steps; i++) {
    assert_in_range(plan->step[i].spec[GT_SPEC_LOCAL_X], 1, 128);
    assert_in_range(plan->step[i].grid[0], 1, 7);
  }
  assert_true(plan->step[0].grid[0] * plan->step[0].grid[1] >= 94 * 47); /* tiles of 32 by 32 */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(linear_relu_is_one_step, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(squared_error_is_read_by_the_reduction, fixture_setup,
                                      fixture_teardown),
      pin_test_setup_teardown(epilogue_writes_two_outputs, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(adjacent_parts_are_read_in_place, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(other_parts_are_copied, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(updates_in_place_read_the_old_contents, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(crossed_updates_are_copied, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(old_contents_are_saved_first, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(a_variable_is_packed_from_itself, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(packs_are_written_in_place, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(memory_is_reused_across_levels, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(verify_catches_an_overlap, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(results_are_written_to_their_destination, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(results_do_not_overwrite_operands, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(results_do_not_overwrite_epilogue_inputs, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(a_kept_result_is_found, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(workgroups_stay_within_the_limit, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(workgroups_fit_small_devices, fixture_setup, fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
