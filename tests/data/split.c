/* `split: stratified | {column: …} | {group: …}`, the weights of samples, and the warning about samples that
 * are in two splits. The first column of a table numbers its rows. */
#include "data_support.h"

enum { ROWS = 120, MAX_TEXT = 8192 };

/* A table of `rows` rows: number, class, group, weight and fold. Class c has 1/2 of the rows, b 1/3, a 1/6;
 * each group has 3 rows. */
static const char *table(int rows) {
  static char text[MAX_TEXT];
  int used = snprintf(text, sizeof text, "n,kind,who,w,fold\n");
  for (int i = 0; i < rows; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "%d,%s,g%d,%g,%d\n", i,
                     i % 6 == 0  ? "a"
                     : i % 3 > 0 ? i % 2 ? "c" : "b"
                                 : "c",
                     i * 7 % rows / 3, 0.5 * (i % 4), i % 5);
  return text;
}

static int row_number(const gt_split *split, int64_t i) {
  return (int)((const float *)gt_split_input(split, 0)->data)[i];
}

/* The split of each row, as a letter: t (training), v (validation), e (test), or - (none). */
static void splits_of_rows(const gt_dataset *data, char splits[ROWS + 1]) {
  const gt_split *split[] = {&data->split[GT_PART_TRAIN], &data->split[GT_PART_VALIDATION],
                             &data->split[GT_PART_TEST]};
  memset(splits, '-', ROWS);
  splits[ROWS] = 0;
  for (int s = 0; s < 3; s++)
    for (int64_t i = 0; i < split[s]->samples; i++) {
      assert_int_equal(splits[row_number(split[s], i)], '-');
      splits[row_number(split[s], i)] = "tve"[s];
    }
}

static int count_class(const gt_split *split, int class) {
  int count = 0;
  for (int64_t i = 0; i < split->samples; i++)
    count += ((const int32_t *)gt_split_target(split, 0)->data)[i] == class;
  return count;
}

static void stratified_splits(void **state) {
  (void)state;
  opened o, some;
  char splits[ROWS + 1], few[ROWS + 1];
  const char *path = write_text("t.csv", table(ROWS));
  open_data(&o,
            "{train: %s, target: kind, inputs: [n], test_fraction: 0.2, validation: 0.1, split: stratified}",
            path);
  expect_open(&o);
  assert_int_equal(o.diagnostics.findings, 0);
  const int all[] = {20, 40, 60};
  for (int c = 0; c < 3; c++) {
    assert_int_equal(count_class(&o.data.split[GT_PART_TEST], c), all[c] / 5);
    assert_int_equal(count_class(&o.data.split[GT_PART_VALIDATION], c), all[c] / 10);
    assert_int_equal(count_class(&o.data.split[GT_PART_TRAIN], c), all[c] * 7 / 10);
  }
  splits_of_rows(&o.data, splits);
  /* This must be the same on every machine and in every version. */
  assert_string_equal(splits,
                      "tttteevtvvtttttttttetvttttttetttttttttttttttttttvetettetteettvtttvtttettteetetttvt"
                      "ttevveettttetttttttttvetteetvteeettett");
  /* A selection of classes, in another order, does not change the split. */
  open_data(&some,
            "{train: %s, target: kind, inputs: [n], test_fraction: 0.2, validation: 0.1, split: stratified, "
            "classes: [c, a]}",
            path);
  expect_open(&some);
  splits_of_rows(&some.data, few);
  for (int i = 0; i < ROWS; i++)
    if (few[i] != '-') assert_int_equal(few[i], splits[i]);
  close_data(&some);
  close_data(&o);
}

static void small_classes_are_trained_on(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("t.csv", "n,kind\n0,a\n1,a\n2,a\n3,a\n4,a\n5,a\n6,a\n7,a\n8,b\n9,c\n10,c\n");
  open_data(&o, "{train: %s, test_fraction: 0.5, validation: 0.25, split: stratified}", path);
  expect_warning(&o, "class 'b' has a single sample, which stays in the training split");
  assert_int_equal(count_class(&o.data.split[GT_PART_TEST], 0), 4);
  assert_int_equal(count_class(&o.data.split[GT_PART_VALIDATION], 0), 2);
  assert_int_equal(count_class(&o.data.split[GT_PART_TRAIN], 1), 1);
  assert_true(count_class(&o.data.split[GT_PART_TRAIN], 2) >= 1);
  close_data(&o);
  path = write_text("u.csv", "n,kind\n0,a\n1,b\n");
  open_data(&o, "{train: %s, test_fraction: 0.5, split: stratified}", path);
  assert_false(o.ok);
  assert_string_equal(o.diagnostics.items[o.diagnostics.count - 1].message,
                      "no samples are left for the test split");
  close_data(&o);
  path = write_text("v.csv", "n,y\n0,1.5\n1,2.5\n");
  open_data(&o, "{train: %s, test_fraction: 0.5, split: stratified}", path);
  expect_bad_config(&o, 0, "needs one class label per sample, but the targets are numbers");
}

static void columns_name_splits(void **state) {
  (void)state;
  opened o;
  char splits[ROWS + 1];
  const char *path =
      write_text("t.csv", "n,y,fold\n0,1.5,train\n1,2,Val\n2,3,test\n3,4,training\n4,5,holdout\n");
  open_data(&o, "{train: %s, target: y, split: {column: fold}}", path);
  expect_open(&o);
  assert_int_equal(o.data.input[0].dim[0], 1); /* the column is no input */
  splits_of_rows(&o.data, splits);
  assert_memory_equal(splits, "tvete", 5);
  close_data(&o);
  path = write_text("t.csv", table(ROWS));
  open_data(&o,
            "{train: %s, target: kind, inputs: [n], split: {column: fold, test: [3, '1.0'], validation: 4}}",
            path);
  expect_open(&o);
  splits_of_rows(&o.data, splits);
  for (int i = 0; i < ROWS; i++) assert_int_equal(splits[i], "tetev"[i % 5]);
  close_data(&o);
}

static void bad_split_columns(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("t.csv", "n,y,fold\n0,1.5,train\n1,2,third\n");
  open_data(&o, "{train: %s, target: y, split: {column: fold}}", path);
  expect_bad_file(&o, "t.csv:3:5: 'third' in column 'fold' does not name a split");
  path = write_text("t.csv", "n,y,fold\n0,1.5,1\n1,2,\n");
  open_data(&o, "{train: %s, target: y, split: {column: fold, test: 1}}", path);
  expect_bad_file(&o, "t.csv:3:5: missing value in column 'fold'");
  path = write_text("t.csv", "n,y,fold\n0,1.5,1\n1,2,2\n");
  open_data(&o, "{train: %s, target: y, split: {column: fold, test: [1, 7]}}", path);
  expect_bad_config(&o, 0, "has '7' in column 'fold'");
  open_data(&o, "{train: %s, target: y, split: {column: fold, test: [1, 2]}}", path);
  expect_bad_config(&o, 0, "no samples are left for training");
  open_data(&o, "{train: %s, target: y, split: {column: fold, test: 1}, validation: 0.5}", path);
  expect_bad_config(&o, 0, "'validation' has no effect");
  open_data(&o, "{train: %s, target: y, test: %s, split: {column: fold, test: 1}}", path, path);
  expect_bad_config(&o, 0, "the data already has a test split");
  open_data(&o, "{train: %s, target: y, split: {column: folds}}", path);
  expect_bad_config(&o, 0, "there is no column 'folds'");
  open_data(&o, "{train: %s, target: y, split: {column: y}}", path);
  expect_bad_config(&o, 0, "is used twice");
  open_data(&o, "{train: %s, target: y, inputs: [n, y]}", path);
  expect_bad_config(&o, 0, "'y' is the target; remove it from inputs");
  open_data(&o, "{train: %s, target: y, split: {test: 1}, test_fraction: 0.5}", path);
  expect_bad_config(&o, 0, "needs exactly one of");
  open_data(&o, "{train: %s, target: y, split: {method: last, test: 1}, test_fraction: 0.5}", path);
  expect_bad_config(&o, 0, "there is no 'column'");
  open_data(&o,
            "{format: table, inputs: [[0], [1]], targets: [[0], [1]], validation: 0.5, split: {group: a}}");
  expect_bad_config(&o, 0, "format 'table' has no columns to split by");
}

static void groups_stay_together(void **state) {
  (void)state;
  opened o;
  char splits[ROWS + 1];
  const char *path = write_text("t.csv", table(ROWS));
  open_data(
      &o, "{train: %s, target: kind, inputs: [n], test_fraction: 0.2, validation: 0.1, split: {group: who}}",
      path);
  expect_open(&o);
  assert_int_equal(o.diagnostics.findings, 0);
  assert_int_equal(o.data.split[GT_PART_TEST].samples, ROWS / 5);
  assert_int_equal(o.data.split[GT_PART_VALIDATION].samples, ROWS / 10);
  splits_of_rows(&o.data, splits);
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < i; k++)
      if (i * 7 % ROWS / 3 == k * 7 % ROWS / 3) assert_int_equal(splits[i], splits[k]);
  close_data(&o);
}

static void large_groups(void **state) {
  (void)state;
  opened o;
  const char *path =
      write_text("t.csv", "n,y,who\n0,1.5,big\n1,2,big\n2,3,big\n3,4,big\n4,5,big\n5,6,big\n6,7,x\n"
                          "7,8,y\n8,9,z\n9,10,z\n");
  open_data(&o, "{train: %s, target: y, test_fraction: 0.2, split: {group: who}}", path);
  expect_warning(&o, "the group 'big' has 6 samples, and the test split should have 2");
  assert_int_equal(o.data.split[GT_PART_TEST].samples, 2);
  close_data(&o);
  /* No group fits: the one of nearest size is used. */
  path = write_text("t.csv", "n,y,who\n0,1.5,a\n1,2,a\n2,3,a\n3,4,b\n4,5,b\n5,6,b\n6,7,b\n");
  open_data(&o, "{train: %s, target: y, test_fraction: 0.2, split: {group: who}}", path);
  expect_warning(&o, "the splits are 4 training, 0 validation and 3 test samples");
  close_data(&o);
  open_data(&o, "{train: %s, target: y, test_fraction: 0.2, validation: 0.2, split: {group: who}}", path);
  assert_false(o.ok);
  assert_string_equal(o.diagnostics.items[o.diagnostics.count - 1].message,
                      "no samples are left for the validation split");
  close_data(&o);
  path = write_text("t.csv", "n,y,who\n0,1.5,a\n1,2,\n");
  open_data(&o, "{train: %s, target: y, test_fraction: 0.2, split: {group: who}}", path);
  expect_bad_file(&o, "t.csv:3:5: missing value in column 'who'");
}

static void weights_of_split_rows(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("t.csv", table(ROWS));
  open_data(
      &o,
      "{train: %s, target: kind, inputs: [n], test_fraction: 0.2, validation: 0.1, classes: [c, a], weight: w}",
      path);
  expect_open(&o);
  const gt_split *split[] = {&o.data.split[GT_PART_TRAIN], &o.data.split[GT_PART_VALIDATION],
                             &o.data.split[GT_PART_TEST]};
  for (int s = 0; s < 3; s++) {
    double sum = 0;
    assert_int_equal(gt_split_weights(split[s])->dim[0], split[s]->samples);
    for (int64_t i = 0; i < split[s]->samples; i++) {
      const float w = ((const float *)gt_split_weights(split[s])->data)[i];
      assert_true(w == 0.5f * (float)(row_number(split[s], i) % 4));
      sum += (double)w;
    }
    assert_true(gt_split_weight(split[s]) == sum);
  }
  close_data(&o);
}

static void bad_weights(void **state) {
  (void)state;
  static const char *const cells[][2] = {{"-1", "the weight '-1' in column 'w' is negative"},
                                         {"x", "'x' in column 'w' is not a number"},
                                         {"nan", "'nan' in column 'w' is not a number"},
                                         {"", "missing value in column 'w'"},
                                         {"1e99", "too large"}};
  opened o;
  char text[64], want[96];
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
    snprintf(text, sizeof text, "n,y,w\n0,1.5,1\n1,2,%s\n", cells[i][0]);
    snprintf(want, sizeof want, ":3:5: %s", cells[i][1]);
    open_data(&o, "{train: %s, target: y, weight: w}", write_text("t.csv", text));
    expect_bad_file(&o, strstr(want, "large") ? "too large" : want);
  }
  const char *path = write_text("t.csv", "n,y,w\n0,1.5,0\n1,2,1\n");
  open_data(&o, "{train: %s, target: y, weight: w, test_fraction: 0.5, split: last}", path);
  expect_bad_config(&o, 0, "the weights of all 1 training samples are 0");
  const char *unweighted = write_text("u.csv", "n,y\n0,1.5\n");
  open_data(&o, "{train: %s, test: %s, target: y, weight: w}", path, unweighted);
  expect_bad_file(&o, "u.csv:1:1: there is no column 'w', which has the weights of the samples in");
  open_data(&o, "{format: table, inputs: [[0], [1]], targets: [[0], [1]], weight: w}");
  expect_bad_config(&o, 0, "unknown key 'weight'");
}

static void repeated_samples_are_counted(void **state) {
  (void)state;
  opened o;
  const char *train = write_text("t.csv", "a,y\n1,1.5\n2,2\n2,2\n3,4\n"),
             *test = write_text("u.csv", "a,y\n2,2\n3,4.5\n2,2\n3,4\n9,9\n");
  open_data(&o, "{train: %s, test: %s}", train, test);
  expect_warning(&o, "3 of the 5 test samples are also in the training split");
  close_data(&o);
  open_data(&o, "{train: %s, test_fraction: 0.25, split: last}", train);
  expect_open(&o);
  assert_int_equal(o.diagnostics.findings, 0);
  close_data(&o);
}

/* In tables of few different values, different samples can be equal; copied rows are still reported. */
static void repeated_values_of_few_are_not_counted(void **state) {
  (void)state;
  static const char *const tail = "test_fraction: 0.25, split: last, task: regression}";
  opened o;
  char coarse[2048] = "a,b,y\n", fine[4096] = "a,b,y\n", copied[4096] = "a,b,y\n";
  for (int i = 0; i < 120; i++) { /* b takes 120 values in `fine`; rows of `copied` stand three times */
    const int a = i % 5, b = i / 2 % 7, y = i % 3;
    sprintf(coarse + strlen(coarse), "%d,%d,%d\n", a, b, y);
    sprintf(fine + strlen(fine), "%d,%d.5,%d\n", a, i < 110 ? i : i - 60, i < 110 ? y : (i - 60) % 3);
    sprintf(copied + strlen(copied), "%d,%d.5,%d\n", i % 40 * 7, i % 40, i % 40 % 3);
  }
  open_data(&o, "{train: %s, target: y, %s", write_text("coarse.csv", coarse), tail);
  expect_open(&o);
  assert_int_equal(o.diagnostics.findings, 0);
  close_data(&o);
  open_data(&o, "{train: %s, target: y, %s", write_text("fine.csv", fine), tail);
  expect_warning(&o, "10 of the 30 test samples are also in the training split");
  close_data(&o);
  open_data(&o, "{train: %s, target: y, %s", write_text("copied.csv", copied), tail);
  expect_warning(&o, "30 of the 30 test samples are also in the training split");
  close_data(&o);
  const char *path = write_text("coarse.csv", coarse);
  open_data(&o, "{train: %s, test: %s, target: y, task: regression}", path, path);
  expect_warning(&o, "120 of the 120 test samples are also in the training split");
  close_data(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(repeated_values_of_few_are_not_counted),
                                     cmocka_unit_test(stratified_splits),
                                     cmocka_unit_test(small_classes_are_trained_on),
                                     cmocka_unit_test(columns_name_splits),
                                     cmocka_unit_test(bad_split_columns),
                                     cmocka_unit_test(groups_stay_together),
                                     cmocka_unit_test(large_groups),
                                     cmocka_unit_test(weights_of_split_rows),
                                     cmocka_unit_test(bad_weights),
                                     cmocka_unit_test(repeated_samples_are_counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
