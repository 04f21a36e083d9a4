/* Several inputs by name: the columns, files and tables that they are made of, and errors. */
#include "data_support.h"

static const float *floats(const gt_tensor *tensor) { return tensor->data; }

static const int32_t *integers(const gt_tensor *tensor) {
  assert_int_equal(tensor->element, GT_ELEMENT_I32);
  return tensor->data;
}

static const char shops[] = "size,age,city,kind,price\n1.5,2,0,3,10\n0.5,1,1,2,4\n1,2,2,1,7\n0.25,7,9,0,2\n";

static void expect_columns(const opened *o) {
  const gt_split *train = &o->data.split[GT_PART_TRAIN];
  assert_int_equal(o->data.inputs, 3);
  assert_string_equal(o->data.input[0].name, "plain");
  assert_string_equal(o->data.input[0].columns[1], "size");
  const float plain[] = {3, 1.5f, 2, 0.5f, 1, 1, 0, 0.25f};
  assert_memory_equal(gt_split_input(train, 0)->data, plain, sizeof plain);
  const int32_t place[] = {0, 3, 1, 2, 2, 1, 9, 0}, kind[] = {3, 2, 1, 0};
  assert_memory_equal(integers(gt_split_input(train, 1)), place, sizeof place);
  assert_memory_equal(integers(gt_split_input(train, 2)), kind, sizeof kind);
  assert_int_equal(gt_split_input(train, 1)->limit, 10);
  assert_int_equal(gt_split_input(train, 2)->limit, 4);
  assert_int_equal(gt_split_input(train, 1)->dim[1], 2);
  assert_int_equal(o->data.input[1].element, GT_ELEMENT_I32);
  assert_int_equal(o->data.input[1].scaling.count, 0);
}

/* A column may belong to several inputs, as a float to one and as an integer to another. */
static void columns(void **state) {
  (void)state;
  opened o;
  open_data(&o,
            "{train: %s, target: price, task: regression, integers: [place, kind], "
            "inputs: {plain: [kind, size], place: [city, kind], kind: kind}}",
            write_text("a.csv", shops));
  expect_open(&o);
  expect_columns(&o);
  close_data(&o);
}

/* All inputs of a sample are in the same split, and the limit of an integer input covers all splits. */
static void splits(void **state) {
  (void)state;
  opened o;
  open_data(&o,
            "{train: %s, target: price, task: regression, integers: place, test_fraction: 0.25, "
            "validation: 0.25, inputs: {plain: [age, price2], place: [city]}}",
            write_text("a.csv", "age,city,price2,price\n0,0,0,0\n1,1,10,100\n2,2,20,200\n3,3,30,300\n"));
  expect_open(&o);
  const gt_split *const split[] = {&o.data.split[GT_PART_TRAIN], &o.data.split[GT_PART_VALIDATION],
                                   &o.data.split[GT_PART_TEST]};
  for (int s = 0; s < 3; s++) {
    assert_int_equal(split[s]->samples, s ? 1 : 2);
    assert_int_equal(gt_split_input(split[s], 1)->limit, 4);
    for (int64_t i = 0; i < split[s]->samples; i++) {
      const float age = floats(gt_split_input(split[s], 0))[2 * i];
      assert_true(floats(gt_split_input(split[s], 0))[2 * i + 1] == 10 * age);
      assert_int_equal(integers(gt_split_input(split[s], 1))[i], (int)age);
      assert_true(floats(gt_split_target(split[s], 0))[i] == 100 * age);
    }
  }
  close_data(&o);
}

/* Classes that are not selected are dropped from every input. */
static void dropped_samples(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{train: %s, target: label, classes: [b, c], integers: n, inputs: {x: [x], n: [n]}}",
            write_text("a.csv", "x,n,label\n0.5,5,a\n1.5,6,b\n2.5,7,c\n3.5,8,a\n4.5,9,b\n"));
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 3);
  const float x[] = {1.5f, 2.5f, 4.5f};
  const int32_t n[] = {6, 7, 9};
  assert_memory_equal(gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->data, x, sizeof x);
  assert_memory_equal(integers(gt_split_input(&o.data.split[GT_PART_TRAIN], 1)), n, sizeof n);
  close_data(&o);
}

static void scaling_by_name(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("a.csv", "a,b,c,y\n1,1,4,0\n3,2,6,0\n");
  open_data(&o,
            "{train: %s, target: y, task: regression, integers: n, inputs: {x: [a], z: [c, b], n: [b]}, "
            "normalize: {scale: 2, inputs: {z: {mean: 1, std: [2, 4]}}}}",
            path);
  expect_open(&o);
  const gt_scaling *x = &o.data.input[0].scaling, *z = &o.data.input[1].scaling;
  assert_true(x->count == 1 && x->values[0] == 0 && x->values[1] == 2);
  assert_true(z->count == 2 && z->values[0] == 1 && z->values[2] == 0.5f && z->values[3] == 0.25f);
  assert_int_equal(o.data.input[2].scaling.count, 0);
  close_data(&o);
  open_data(
      &o,
      "{train: %s, target: y, task: regression, inputs: {x: [a], z: [c]}, normalize: {inputs: {q: none}}}",
      path);
  expect_bad_config(&o, 0, "there is no input 'q'");
}

static const uint8_t bytes[] = {0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 0, 255, 3, 128, 4, 5};
static const uint8_t labels[] = {0, 0, 8, 1, 0, 0, 0, 2, 1, 0};

static void files(void **state) {
  (void)state;
  opened o;
  const char *image = write_bytes("image-ubyte", bytes, sizeof bytes);
  const char *label = write_bytes("label-ubyte", labels, sizeof labels);
  open_data(
      &o,
      "{train: {inputs: {image: %s, tokens: %s}, targets: %s}, integers: [tokens], shape: {image: [1, 3]}}",
      image, image, label);
  expect_open(&o);
  assert_true(o.data.target[0].classification && o.data.inputs == 2);
  assert_int_equal(gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->element, GT_ELEMENT_U8);
  assert_int_equal(gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->rank, 3);
  assert_int_equal(o.data.input[0].scaling.count, 1);
  assert_int_equal(integers(gt_split_input(&o.data.split[GT_PART_TRAIN], 1))[1], 255);
  assert_int_equal(gt_split_input(&o.data.split[GT_PART_TRAIN], 1)->limit, 256);
  close_data(&o);
  open_data(&o, "{train: {inputs: {image: %s, tokens: nowhere.npy}, targets: %s}}", image, label);
  expect_bad_config(&o, 0, "file 'nowhere.npy' not found");
  open_data(&o, "{train: {inputs: {a: %s}, targets: %s}, test: {inputs: {b: %s}, targets: %s}}", image, label,
            image, label);
  expect_bad_config(&o, 0, "there is no input 'b'");
  open_data(&o, "{train: {inputs: {a: %s, b: %s}, targets: %s}, test: {inputs: {b: %s}, targets: %s}}", image,
            image, label, image, label);
  expect_bad_config(&o, 0, "the test split has no input 'a'");
}

static void tables(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{inputs: {a: [[1, 2], [3, 4]], b: [7, 0]}, targets: [1, 0], integers: b}");
  expect_open(&o);
  assert_true(o.data.inputs == 2 && floats(gt_split_input(&o.data.split[GT_PART_TEST], 0))[3] == 4);
  assert_int_equal(integers(gt_split_input(&o.data.split[GT_PART_TRAIN], 1))[0], 7);
  close_data(&o);
  open_data(&o, "{inputs: {a: [[1, 2], [3, 4]], b: [7]}, targets: [1, 0]}");
  expect_bad_config(&o, 0, "the numbers of samples and targets differ");
  open_data(&o, "{inputs: {a: [[1, 2], [3, 4]], b: [7, 0.5]}, targets: [1, 0], integers: b}");
  expect_bad_file(&o, "value 0 of sample 1 is 0.5; an integer input");
  open_data(&o, "{format: function, formula: x0, integers: input}");
  expect_bad_config(&o, 0, "format 'function' does not support integer inputs");
}

/* Integers must be exact in float and not negative; errors give their position. */
static void bad_integers(void **state) {
  (void)state;
  static const char *const values[] = {"-1", "0.5", "16777216", "1e9"};
  opened o;
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    char text[64];
    snprintf(text, sizeof text, "n,y\n1,0\n%s,1\n", values[i]);
    open_data(&o, "{train: %s, target: y, integers: input}", write_text("a.csv", text));
    expect_bad_file(&o, "a.csv:3:1: ");
  }
  open_data(&o, "{train: %s, target: y, integers: input}", write_text("a.csv", "n,y\n16777215,0\n1,1\n"));
  expect_open(&o);
  assert_int_equal(integers(gt_split_input(&o.data.split[GT_PART_TRAIN], 0))[0], GT_DATA_MAX_INTEGER);
  close_data(&o);
}

/* A column that two inputs read is one group with two places; inputs without column names have no groups. */
static void column_groups(void **state) {
  (void)state;
  static const char *const first[] = {"age", "fare"}, *const second[] = {"fare"};
  const gt_dataset data = {.inputs = 3,
                           .input = {{.name = "a", .rank = 1, .dim = {2}, .columns = first},
                                     {.name = "b", .rank = 1, .dim = {5}},
                                     {.name = "c", .rank = 1, .dim = {1}, .columns = second}}};
  gt_arena arena;
  gt_column_group *group;
  gt_arena_init(&arena);
  assert_int_equal(gt_column_groups(&data, &arena, &group), 2);
  assert_string_equal(group[0].name, "age");
  assert_string_equal(group[1].name, "fare");
  assert_true(group[0].places == 1 && group[0].place[0].input == 0 && group[0].place[0].feature == 0);
  assert_true(group[1].places == 2 && group[1].place[0].feature == 1 && group[1].place[1].input == 2);
  gt_arena_finish(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns),         cmocka_unit_test(splits),        cmocka_unit_test(dropped_samples),
      cmocka_unit_test(scaling_by_name), cmocka_unit_test(files),         cmocka_unit_test(tables),
      cmocka_unit_test(bad_integers),    cmocka_unit_test(column_groups),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
