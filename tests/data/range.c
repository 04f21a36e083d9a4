/* Ranges of training samples, compared with plain loops, and the warning about samples outside them. */
#include "data/data.h"
#include "data_support.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS = 70, MAX_FEATURES = 600 };

static float floats[ROWS * MAX_FEATURES];
static uint8_t bytes[ROWS * MAX_FEATURES];

/* Fills both arrays with unsorted numbers. */
static void fill(void) {
  for (int i = 0; i < ROWS * MAX_FEATURES; i++) {
    bytes[i] = (uint8_t)((unsigned)i * 2654435761u >> 13);
    floats[i] = (float)((unsigned)i * 2654435761u >> 9) / 64 - 70000;
  }
}

static gt_tensor tensor_of(gt_element element, int rank, const int64_t *dim) {
  gt_tensor t = {
      .element = element, .rank = rank, .data = element == GT_ELEMENT_U8 ? (void *)bytes : (void *)floats};
  memcpy(t.dim, dim, (size_t)rank * sizeof *dim);
  return t;
}

/* Compares the ranges of a tensor's columns with those that a plain loop finds. */
static void check(gt_element element, int rank, const int64_t *dim, int64_t columns) {
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_tensor t = tensor_of(element, rank, dim);
  const gt_value_range range = gt_tensor_range(&t, &arena);
  assert_int_equal(range.columns, columns);
  assert_int_equal(range.count, dim[0]);
  const int64_t values = dim[0] * gt_tensor_features(&t);
  for (int64_t c = 0; c < columns; c++) {
    float low = 1e30f, high = -1e30f;
    for (int64_t i = c; i < values; i += columns) {
      const float v = element == GT_ELEMENT_U8 ? bytes[i] : floats[i];
      low = v < low ? v : low;
      high = v > high ? v : high;
    }
    assert_true(range.low[c] == low && range.high[c] == high);
  }
  gt_arena_finish(&arena);
}

static void columns_have_their_ranges(void **state) {
  (void)state;
  fill();
  check(GT_ELEMENT_F32, 2, (int64_t[]){ROWS, 1}, 1);
  check(GT_ELEMENT_F32, 2, (int64_t[]){ROWS, 7}, 7);
  check(GT_ELEMENT_F32, 2, (int64_t[]){1, 3}, 3);
  check(GT_ELEMENT_U8, 2, (int64_t[]){ROWS, 600}, 600);
  check(GT_ELEMENT_U8, 3, (int64_t[]){ROWS, 10, 12}, 1);
  check(GT_ELEMENT_U8, 4, (int64_t[]){ROWS, 5, 4, 3}, 3);
  const gt_tensor none = {.element = GT_ELEMENT_F32, .rank = 2};
  assert_int_equal(gt_tensor_range(&none, NULL).columns, 0);
}

/* The warning about `count` samples of two columns, for a model that was trained on [0, 10] and [-1, 1]. */
static const char *warning_for(gt_arena *arena, const float *values, int64_t count) {
  static const float low[] = {0, -1}, high[] = {10, 1};
  static const char *const names[] = {"age", "score"};
  const gt_input input = {.rank = 1, .dim = {2}, .columns = names, .range = {2, low, high, 100, false}};
  gt_tensor t = {.element = GT_ELEMENT_F32, .rank = 2, .dim = {count, 2}};
  memcpy(floats, values, (size_t)count * 2 * sizeof *values);
  t.data = floats;
  const char *help;
  return gt_range_warning(&input, &t, arena, &help);
}

static void samples_outside_are_reported(void **state) {
  (void)state;
  gt_arena arena;
  gt_arena_init(&arena);
  /* Values outside by less than a tenth of the range; all zeros. */
  assert_null(warning_for(&arena, (float[]){3, 0, 9, 1, 10.5f, -1.1f}, 3));
  assert_null(warning_for(&arena, (float[]){0, 0, 0, 0}, 2));
  assert_string_equal(warning_for(&arena, (float[]){3, 2, 4, 3, 5, 0}, 3),
                      "2 of 3 samples lie outside the range of the training data: 'score' is 0 to 3, "
                      "trained on -1 to 1");
  assert_string_equal(warning_for(&arena, (float[]){300, 2, 4, 0, 5, 0}, 3),
                      "1 of 3 samples lies outside the range of the training data: 'age' is 4 to 300, "
                      "trained on 0 to 10; 'score' is 0 to 2, trained on -1 to 1");
  assert_non_null(warning_for(&arena, (float[]){3, 0, 40, 0.5f}, 2)); /* one of two, far outside */
  float many[2 * 200];
  for (int i = 0; i < 200; i++) many[2 * i] = i < 3 ? 12 : 5, many[2 * i + 1] = 0;
  /* 3 samples are outside; by chance 200 * 2 / 101 in each of the 2 columns are (range.c). */
  assert_null(warning_for(&arena, many, 200));
  for (int i = 0; i < 30; i++) many[2 * i] = 12;
  assert_non_null(warning_for(&arena, many, 200));
  many[2 * 100] = 300;
  for (int i = 0; i < 30; i++) many[2 * i] = 5;
  assert_non_null(warning_for(&arena, many, 200)); /* a single value, but in another unit */
  /* All values are far smaller than in training: in another unit. */
  assert_non_null(warning_for(&arena, (float[]){0.1f, 0.01f, 0.2f, -0.02f}, 2));
  gt_arena_finish(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_have_their_ranges),
      cmocka_unit_test(samples_outside_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
