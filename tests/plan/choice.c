/* Choices of a plan and their candidates, and tuning, which replaces an estimated choice. */
#include "op/core.h"
#include "op/matmul/matmul.h"
#include "plan/plan.h"
#include "support/choice.h"
#include "support/pin.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <string.h>

static const gt_target device = {.device = true,
                                 .subgroup = 32,
                                 .max_workgroup = 1024,
                                 .shared_bytes = 48 << 10,
                                 .units = 64,
                                 .max_grid = 65535};

static gt_id read_matrix(gt_graph *graph, const char *name, int64_t rows, int64_t columns) {
  const uint32_t v = gt_graph_variable(graph, name, gt_shape_2(rows, columns), GT_F32, false);
  return gt_variable_read(graph, v);
}

/* Two GEMMs of the same shape, and a third of another. */
static gt_plan *three_products(gt_arena *arena, const gt_tuned *tuned) {
  const gt_plan_options options = {.target = device, .tuned = tuned};
  gt_error error = {0};
  gt_graph *graph = gt_graph_create(arena);
  gt_id x = read_matrix(graph, "x", 256, 64);
  const gt_id square = read_matrix(graph, "square", 64, 64), last = read_matrix(graph, "last", 64, 10);
  for (int i = 0; i < 2; i++) x = gt_matmul(graph, x, square, false, false);
  const uint32_t y = gt_graph_variable(graph, "y", gt_shape_2(256, 10), GT_F32, false);
  gt_assign(graph, y, 0, gt_matmul(graph, x, last, false, false));
  gt_plan *plan = gt_plan_create(arena, graph, &options, &error);
  assert_non_null(plan);
  return plan;
}

static void test_equal_products_share_a_choice(void **state) {
  (void)state;
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_plan *plan = three_products(&arena, NULL);
  assert_int_equal(plan->choices, 2);
  assert_ptr_equal(choice_of(plan, 0), choice_of(plan, 1));
  assert_ptr_not_equal(choice_of(plan, 0), choice_of(plan, 2));
  assert_null(choice_of(plan, 3));
  assert_non_null(strstr(choice_of(plan, 0)->key, "256x64x64"));
  gt_arena_finish(&arena);
}

static void test_least_cost_is_chosen(void **state) {
  (void)state;
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_plan *plan = three_products(&arena, NULL);
  for (uint32_t c = 0; c < plan->choices; c++) {
    const gt_choice *choice = &plan->choice[c];
    assert_true(choice->candidates > 1);
    for (uint32_t i = 0; i < choice->candidates; i++) {
      const double cost = choice->candidate[i].cost, least = choice->candidate[choice->taken].cost;
      assert_true(i < choice->taken ? cost > least : cost >= least);
    }
  }
  gt_arena_finish(&arena);
}

static void text_of(const gt_choice *choice, uint32_t candidate, char text[GT_CANDIDATE_TEXT]) {
  choice->text(&choice->candidate[candidate], text, GT_CANDIDATE_TEXT);
}

static void test_equal_texts_mean_equal_candidates(void **state) {
  (void)state;
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_plan *plan = three_products(&arena, NULL);
  for (uint32_t c = 0; c < plan->choices; c++) {
    const gt_choice *choice = &plan->choice[c];
    for (uint32_t i = 0; i < choice->candidates; i++)
      for (uint32_t k = 0; k < i; k++) {
        char a[GT_CANDIDATE_TEXT], b[GT_CANDIDATE_TEXT];
        text_of(choice, i, a);
        text_of(choice, k, b);
        const gt_candidate *x = &choice->candidate[i], *y = &choice->candidate[k];
        assert_int_equal(!strcmp(a, b), !memcmp(x->what, y->what, sizeof x->what));
      }
  }
  gt_arena_finish(&arena);
}

/* Selects every candidate of a choice in turn, as if tuning had found it to be the fastest. */
static void test_tuned(void **state) {
  (void)state;
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_choice *estimated = choice_of(three_products(&arena, NULL), 0);
  assert_false(estimated->tuned);
  gt_tuned tuned = {0};
  gt_tuned_set(&tuned, "another question", "64x64");
  for (uint32_t i = 0; i < estimated->candidates; i++) {
    char candidate[GT_CANDIDATE_TEXT], chosen[GT_CANDIDATE_TEXT];
    text_of(estimated, i, candidate);
    gt_tuned_set(&tuned, estimated->key, candidate);
    const gt_plan *plan = three_products(&arena, &tuned);
    const gt_choice *choice = choice_of(plan, 0);
    text_of(choice, choice->taken, chosen);
    assert_true(choice->tuned);
    assert_string_equal(chosen, candidate);
    assert_false(choice_of(plan, 2)->tuned);
  }
  gt_tuned_finish(&tuned);
  gt_arena_finish(&arena);
}

/* A file of gtrain tune may name a candidate of a kernel that earlier versions had: it is ignored, too. */
static void test_former_candidate(void **state) {
  (void)state;
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_choice *estimated = choice_of(three_products(&arena, NULL), 2);
  gt_tuned tuned = {0};
  gt_tuned_set(&tuned, estimated->key, "32x12x64 by 1x12 in teams, split 1, thin");
  const gt_choice *choice = choice_of(three_products(&arena, &tuned), 2);
  assert_false(choice->tuned);
  assert_int_equal(choice->taken, estimated->taken);
  gt_tuned_finish(&tuned);
  gt_arena_finish(&arena);
}

static void test_unknown_and_removed_candidates(void **state) {
  (void)state;
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_choice *estimated = choice_of(three_products(&arena, NULL), 0);
  gt_tuned tuned = {0};
  gt_tuned_set(&tuned, estimated->key, "3x3");
  const gt_choice *choice = choice_of(three_products(&arena, &tuned), 0);
  assert_false(choice->tuned);
  assert_int_equal(choice->taken, estimated->taken);
  gt_tuned_set(&tuned, "another question", "64x64");
  gt_tuned_set(&tuned, estimated->key, NULL);
  gt_tuned_set(&tuned, "never asked", NULL);
  assert_null(gt_tuned_find(&tuned, estimated->key));
  assert_string_equal(gt_tuned_find(&tuned, "another question"), "64x64");
  assert_int_equal(tuned.count, 1);
  gt_tuned_finish(&tuned);
  gt_arena_finish(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {pin_test(test_equal_products_share_a_choice),
                                     pin_test(test_least_cost_is_chosen),
                                     cmocka_unit_test(test_equal_texts_mean_equal_candidates),
                                     cmocka_unit_test(test_tuned),
                                     cmocka_unit_test(test_former_candidate),
                                     cmocka_unit_test(test_unknown_and_removed_candidates)};
  return cmocka_run_group_tests_name("choice", tests, NULL, NULL);
}
