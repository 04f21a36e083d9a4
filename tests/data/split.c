/* gt_split: tensors by role, the names of their variables, and dividing samples. */
#include "data/data.h"
#include "data_support.h"

enum { SAMPLES = 5 };

/* A tensor [SAMPLES, values] of the numbers first, first + 1, … */
static gt_tensor numbers(int64_t values, float first) {
  gt_tensor tensor = {.element = GT_ELEMENT_F32, .rank = 2, .dim = {SAMPLES, values}};
  assert_true(gt_tensor_alloc(&tensor, "numbers", &(gt_error){0}));
  for (int64_t i = 0; i < SAMPLES * values; i++) ((float *)tensor.data)[i] = first + (float)i;
  return tensor;
}

static gt_split split_of_samples(void) {
  gt_split split = {.samples = SAMPLES};
  gt_split_add(&split, GT_SAMPLE_WEIGHT, 0, numbers(1, 300));
  gt_split_add(&split, GT_SAMPLE_INPUT, 1, numbers(2, 100));
  gt_split_add(&split, GT_SAMPLE_TARGET, 0, numbers(1, 200));
  gt_split_add(&split, GT_SAMPLE_LENGTH, 1, numbers(1, 400));
  gt_split_add(&split, GT_SAMPLE_INPUT, 0, numbers(1, 0));
  return split;
}

static float first_of(const gt_split *split, gt_sample_role role, int of) {
  return *(const float *)gt_split_tensor(split, role, of)->data;
}

static void tensors_are_sorted_by_role(void **state) {
  (void)state;
  static const gt_sample_role roles[] = {GT_SAMPLE_INPUT, GT_SAMPLE_INPUT, GT_SAMPLE_LENGTH, GT_SAMPLE_TARGET,
                                         GT_SAMPLE_WEIGHT};
  static const int of[] = {0, 1, 1, 0, 0};
  gt_split split = split_of_samples();
  assert_int_equal(split.items, 5);
  for (int i = 0; i < 5; i++) assert_true(split.item[i].role == roles[i] && split.item[i].of == of[i]);
  assert_true(first_of(&split, GT_SAMPLE_LENGTH, 1) == 400);
  assert_int_equal(gt_split_tensor(&split, GT_SAMPLE_LENGTH, 0)->rank, 0);
  assert_int_equal(gt_split_tensor(&split, GT_SAMPLE_START, 0)->rank, 0);
  assert_int_equal(gt_split_tensor(&split, GT_SAMPLE_TARGET, 1)->rank, 0);
  gt_split_finish(&split);
  assert_int_equal(gt_split_weights(&split)->rank, 0);
}

/* Tensors of every role are divided, also those that a later version adds. */
static void all_tensors_are_divided(void **state) {
  (void)state;
  static const uint8_t part[SAMPLES] = {GT_PART_TEST, GT_PART_TRAIN, GT_PART_NONE, GT_PART_TRAIN,
                                        GT_PART_TEST};
  static const int64_t count[GT_PARTS] = {2, 0, 2};
  gt_split split[GT_PARTS] = {split_of_samples()};
  gt_error error = {0};
  assert_true(gt_split_divide(split, part, count, &error));
  assert_true(split[GT_PART_TRAIN].samples == 2 && split[GT_PART_TEST].samples == 2);
  assert_false(split[GT_PART_VALIDATION].samples || split[GT_PART_VALIDATION].items);
  for (int p = GT_PART_TRAIN; p < GT_PARTS; p += GT_PART_TEST)
    for (int i = 0; i < split[p].items; i++) {
      const gt_tensor *tensor = &split[p].item[i].tensor;
      const int64_t values = tensor->dim[1];
      const float *value = tensor->data, base = i == 0 ? 0 : (float)(100 * (i == 2 ? 4 : i == 1 ? 1 : i - 1));
      const int64_t first = p == GT_PART_TRAIN ? 1 : 0, second = p == GT_PART_TRAIN ? 3 : 4;
      assert_int_equal(tensor->dim[0], 2);
      for (int64_t k = 0; k < values; k++) {
        assert_true(value[k] == base + (float)(first * values + k));
        assert_true(value[values + k] == base + (float)(second * values + k));
      }
    }
  for (int p = 0; p < GT_PARTS; p++) gt_split_finish(&split[p]);
}

static void variables_have_the_names_of_inputs_and_targets(void **state) {
  (void)state;
  static const struct {
    gt_sample_role role;
    int of;
    const char *name;
  } expected[] = {{GT_SAMPLE_INPUT, 0, "data.test.inputs"},
                  {GT_SAMPLE_INPUT, 1, "data.test.inputs.wide"},
                  {GT_SAMPLE_LENGTH, 0, "data.test.inputs.lengths"},
                  {GT_SAMPLE_LENGTH, 1, "data.test.inputs.wide.lengths"},
                  {GT_SAMPLE_START, 0, "data.test.starts"},
                  {GT_SAMPLE_TARGET, 0, "data.test.targets"},
                  {GT_SAMPLE_WEIGHT, 0, "data.test.weights"}};
  const gt_dataset data = {.inputs = 2, .input = {{.name = GT_INPUT_NAME}, {.name = "wide"}}, .targets = 1};
  gt_arena arena;
  gt_arena_init(&arena);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    assert_string_equal(
        gt_split_variable(&data, "data", GT_PART_TEST, expected[i].role, expected[i].of, &arena),
        expected[i].name);
  gt_arena_finish(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tensors_are_sorted_by_role),
      cmocka_unit_test(all_tensors_are_divided),
      cmocka_unit_test(variables_have_the_names_of_inputs_and_targets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
