/* `classes: [a, b]` and `per_class`: which samples are kept, how their classes are numbered, and error
 * messages. */
#include "data_support.h"
#include <math.h>

/* Eight samples; the input of each is its index in the file. */
static const uint8_t inputs[] = {0, 0, 8, 2, 0, 0, 0, 8, 0, 0, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7};
static const uint8_t labels[] = {0, 0, 8, 1, 0, 0, 0, 8, 3, 0, 5, 3, 1, 0, 5, 3};
static const char animals[] = "a,kind\n0,cat\n1,ape\n2,dog\n3,bee\n4,cat\n5,dog\n6,cat\n7,ape\n";

/* Expects the split to have these samples in this order, with these classes; both strings have one digit for
 * each sample. */
static void expect_split(const gt_split *split, const char *indices, const char *classes) {
  const gt_tensor *in = gt_split_input(split, 0);
  assert_int_equal(split->samples, strlen(indices));
  for (int64_t i = 0; i < split->samples; i++) {
    const int index =
        in->element == GT_ELEMENT_U8 ? ((const uint8_t *)in->data)[i] : (int)((const float *)in->data)[i];
    assert_int_equal(index, indices[i] - '0');
    assert_int_equal(((const int32_t *)gt_split_target(split, 0)->data)[i], classes[i] - '0');
  }
  assert_int_equal(in->dim[0], split->samples);
  assert_int_equal(gt_split_target(split, 0)->dim[0], split->samples);
}

static void open_idx(opened *o, const char *more) {
  const char *x = write_bytes("x-ubyte", inputs, sizeof inputs),
             *y = write_bytes("y-ubyte", labels, sizeof labels);
  open_data(o, "{%s, train: {inputs: %s, targets: %s}}", more, x, y);
}

static void classes_by_label(void **state) {
  (void)state;
  opened o;
  open_idx(&o, "classes: [5, 0]");
  expect_open(&o);
  assert_int_equal(o.data.target[0].classes, 2);
  assert_string_equal(o.data.target[0].class_names[0], "5");
  assert_string_equal(o.data.target[0].class_names[1], "0");
  expect_split(&o.data.split[GT_PART_TRAIN], "1256", "1010");
  close_data(&o);
}

static void classes_by_name(void **state) {
  (void)state;
  opened o;
  open_idx(&o, "classes: [d, '0'], class_names: [a, b, c, d, e, f]");
  expect_open(&o);
  assert_string_equal(o.data.target[0].class_names[0], "d");
  assert_string_equal(o.data.target[0].class_names[1], "a");
  expect_split(&o.data.split[GT_PART_TRAIN], "01357", "01010");
  close_data(&o);
  open_idx(&o, "classes: [1, 3], class_names: ['3', b, c, '1', e, f]");
  expect_open(&o); /* a name takes precedence over a number */
  expect_split(&o.data.split[GT_PART_TRAIN], "01357", "01010");
  close_data(&o);
  const char *path = write_text("t.csv", animals);
  open_data(&o, "{train: %s, classes: [dog, cat]}", path);
  expect_open(&o);
  assert_true(o.data.target[0].text_labels);
  assert_string_equal(o.data.target[0].class_names[1], "cat");
  expect_split(&o.data.split[GT_PART_TRAIN], "02456", "10101");
  close_data(&o);
}

static void selection_keeps_splits(void **state) {
  (void)state;
  opened all, some;
  const char *path = write_text("t.csv", animals);
  open_data(&all, "{train: %s, validation: 0.25, test_fraction: 0.25, split: last}", path);
  expect_open(&all);
  open_data(&some,
            "{train: %s, validation: 0.25, test_fraction: 0.25, split: last, classes: [cat, ape, dog]}",
            path);
  expect_open(&some);
  expect_split(&all.data.split[GT_PART_TRAIN], "0123", "2031");
  expect_split(&some.data.split[GT_PART_TRAIN], "012", "012");
  expect_split(&some.data.split[GT_PART_VALIDATION], "45", "02");
  expect_split(&some.data.split[GT_PART_TEST], "67", "01");
  const gt_data_fingerprint a = gt_dataset_fingerprint(&all.data), b = gt_dataset_fingerprint(&some.data);
  assert_true(a.split[GT_PART_TRAIN] != b.split[GT_PART_TRAIN] &&
              a.split[GT_PART_TEST] != b.split[GT_PART_TEST] && a.meaning != b.meaning);
  close_data(&all);
  close_data(&some);
}

static void other_labels_of_a_test_file(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("t.csv", animals);
  const char *test = write_text("u.csv", "a,kind\n3,eel\n4,dog\n5,ape\n"),
             *hole = write_text("h.csv", "a,kind\n4,dog\n5,\n");
  open_data(&o, "{train: %s, test: %s, classes: [dog, cat]}", path, test);
  expect_open(&o);
  expect_split(&o.data.split[GT_PART_TEST], "4", "0");
  close_data(&o);
  open_data(&o, "{train: %s, test: %s}", path, test);
  expect_bad_file(&o, "'eel' is not one of the 4 classes");
  open_data(&o, "{train: %s, test: %s, classes: [dog, cat]}", path, hole);
  expect_bad_file(&o, ":3:3: missing label");
  open_data(&o, "{train: %s, test: %s, classes: [bee, cat]}", path, test);
  expect_bad_config(&o, 0, "none of the 3 test samples belongs to these classes");
}

static void per_class(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("t.csv", animals);
  open_data(&o, "{train: %s, per_class: 1}", path);
  expect_open(&o);
  assert_int_equal(o.data.target[0].classes, 4);
  expect_split(&o.data.split[GT_PART_TRAIN], "0123", "2031");
  close_data(&o);
  open_data(&o, "{train: %s, per_class: 2, classes: [cat, dog], test_fraction: 0.25, split: last}", path);
  expect_open(&o);
  expect_split(&o.data.split[GT_PART_TRAIN], "0245", "0101");
  expect_split(&o.data.split[GT_PART_TEST], "6", "0");
  close_data(&o);
  open_data(&o, "{train: %s, per_class: 1, test: %s}", path, path);
  expect_open(&o); /* only training data is limited */
  assert_int_equal(o.data.split[GT_PART_TEST].samples, 8);
  close_data(&o);
  open_data(&o, "{train: %s, per_class: 0}", path);
  expect_bad_config(&o, 0, "'per_class' in data of format 'csv' is too small: 0");
}

static void scaling_of_selected_samples(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("t.csv", animals);
  open_data(&o, "{train: %s, classes: [bee, cat], per_class: 1, normalize: standard}", path);
  expect_open(&o);
  expect_split(&o.data.split[GT_PART_TRAIN], "03", "10");
  assert_int_equal(o.data.input[0].scaling.count, 1);
  assert_true(fabsf(o.data.input[0].scaling.values[0] - 1.5f) < 1e-6f); /* the mean of 0 and 3 */
  close_data(&o);
}

static void unknown_and_repeated_classes(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("t.csv", animals);
  open_data(&o, "{classes: [cat, dgo], train: %s}", path);
  assert_string_equal(o.diagnostics.items[0].suggestion, "dog");
  expect_bad_config(&o, 17, "unknown class 'dgo'");
  open_data(&o, "{classes: [cat, 2], train: %s}", path);
  expect_bad_config(&o, 17, "unknown class '2'");
  open_idx(&o, "classes: [0, 1, 2]");
  assert_string_equal(o.diagnostics.items[0].expected, "one of the training labels: 0, 1, 3, 5");
  expect_bad_config(&o, 18, "unknown class '2'");
  open_idx(&o, "classes: [0, 99999999999999999999]");
  expect_bad_config(&o, 0, "unknown class '99999999999999999999'");
  open_idx(&o, "classes: [0, 05, '5']");
  expect_bad_config(&o, 19, "the class '5' is listed twice");
  open_idx(&o, "classes: [b, d, 1], class_names: [a, b, c, d, e, f]");
  expect_bad_config(&o, 18, "the class 'b' is listed twice");
  open_idx(&o, "classes: [b, 7], class_names: [a, b, c, d, e, f]");
  expect_bad_config(&o, 15, "unknown class '7'");
  open_idx(&o, "classes: [0]");
  expect_bad_config(&o, 11, "fewer than two classes");
  open_idx(&o, "classes: []");
  expect_bad_config(&o, 11, "fewer than two classes");
  open_idx(&o, "validation: 0.2, split: last, classes: [0, 1]");
  expect_bad_config(&o, 41, "none of the 2 validation samples belongs to these classes");
}

static void quantities_have_no_classes(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{classes: [0, 1], inputs: [1, 2], targets: [0.5, 1]}");
  expect_bad_config(&o, 11, "the targets are numbers, not classes");
  open_data(&o, "{per_class: 3, inputs: [1, 2], targets: [[0], [1]]}");
  expect_bad_config(&o, 13, "the targets are numbers, not classes");
  open_data(&o, "{classes: [0, 1], formula: x}");
  expect_bad_config(&o, 11, "the targets are numbers, not classes");
  open_data(&o, "{classes: [1, 2], train: %s}", write_text("t.csv", "1,1\n2,2.5\n"));
  expect_bad_config(&o, 11, "the targets are numbers, not classes");
  open_data(&o, "{classes: [9, 7], train: %s}", write_text("t.csv", "1,7\n2,9\n3,8\n"));
  expect_open(&o); /* a list of classes implies classes, whether or not 0 occurs */
  expect_split(&o.data.split[GT_PART_TRAIN], "12", "10");
  close_data(&o);
}

/* A selection from the classes of a trained model keeps the model's class numbers. */
static void for_a_model(void **state) {
  (void)state;
  opened o;
  static const char *const kinds[] = {"dog", "ape", "cat"}, *const numbers[] = {"5", "0", "3"};
  gt_data_signature one = {.inputs = 1,
                           .input = {{.name = "input", .rank = 1, .dim = {1}, .element = GT_ELEMENT_F32}},
                           .targets = 1,
                           .target = {{.classes = 3, .class_names = kinds, .text_labels = true}}};
  const gt_data_requirements model = {.signature = &one};
  requirements = &model;
  const char *path = write_text("t.csv", animals);
  open_data(&o, "{train: %s, classes: [cat, dog]}", path);
  expect_open(&o);
  assert_int_equal(o.data.target[0].classes, 3);
  assert_string_equal(o.data.target[0].class_names[1], "ape");
  expect_split(&o.data.split[GT_PART_TRAIN], "02456", "20202");
  close_data(&o);
  open_data(&o, "{classes: [cat, bee], train: %s}", path);
  expect_bad_config(&o, 17, "unknown class 'bee'");
  open_data(&o, "{train: %s}", path);
  expect_bad_file(&o, "'bee' is not one of the 3 classes");
  open_idx(&o, "classes: [b, dog], class_names: [a, b, c, dog, e, cat]");
  assert_string_equal(o.diagnostics.items[0].expected, "one of: dog, ape, cat");
  expect_bad_config(&o, 0, "unknown class 'b'");
  open_idx(&o, "classes: [cat, dog], class_names: [a, b, c, dog, e, cat]");
  expect_open(&o);
  expect_split(&o.data.split[GT_PART_TRAIN], "02367", "02020");
  close_data(&o);
  one.target[0].class_names = numbers;
  one.target[0].text_labels = false;
  open_idx(&o, "classes: [5, 0, 3]");
  expect_open(&o);
  expect_split(&o.data.split[GT_PART_TRAIN], "0123567", "2102102");
  close_data(&o);
  open_data(&o, "{train: %s, classes: [5, 0, 3]}", write_text("t.csv", "1,5.0\n2,4\n3,00\n"));
  expect_open(&o); /* numbers in a CSV are read as numbers, as in training */
  expect_split(&o.data.split[GT_PART_TRAIN], "13", "01");
  close_data(&o);
  one.target[0].class_names = NULL;
  open_idx(&o, "classes: [0, 1]");
  expect_open(&o);
  expect_split(&o.data.split[GT_PART_TRAIN], "145", "010");
  close_data(&o);
  open_idx(&o, "classes: [0, 5]");
  expect_bad_config(&o, 0, "unknown class '5'");
}

static int clear_model(void **state) {
  (void)state;
  requirements = NULL;
  return 0;
}

static int remove_files(void **state) {
  (void)state;
  static const char *const names[] = {"x-ubyte", "y-ubyte", "t.csv", "u.csv", "h.csv"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(path_of(names[i]));
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(classes_by_label),
                                     cmocka_unit_test(classes_by_name),
                                     cmocka_unit_test(selection_keeps_splits),
                                     cmocka_unit_test(other_labels_of_a_test_file),
                                     cmocka_unit_test(per_class),
                                     cmocka_unit_test(scaling_of_selected_samples),
                                     cmocka_unit_test(unknown_and_repeated_classes),
                                     cmocka_unit_test(quantities_have_no_classes),
                                     cmocka_unit_test_teardown(for_a_model, clear_model)};
  return cmocka_run_group_tests_name("data: chosen classes", tests, NULL, remove_files);
}
