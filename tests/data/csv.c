/* CSV: which columns are inputs and targets, how a header is found, and data that is opened for a trained
 * model. */
#include "data_support.h"

static const float *floats(const gt_tensor *t) { return t->data; }
static const int32_t *ints(const gt_tensor *t) { return t->data; }

static const char *const pets[] = {"ape", "cat", "dog"}, *const columns[] = {"a", "b"},
                         *const label[] = {"label"};
static const gt_data_signature two_columns = {
    .inputs = 1,
    .input = {{.name = "input", .rank = 1, .dim = {2}, .element = GT_ELEMENT_F32, .columns = columns}},
    .targets = 1,
    .target = {{.classes = 3, .class_names = pets, .columns = label, .column_count = 1}}};
static const gt_data_requirements model = {.signature = &two_columns};

static int with_model(void **state) {
  (void)state;
  requirements = &model;
  return 0;
}

static int without_model(void **state) {
  (void)state;
  requirements = NULL;
  return 0;
}

static void labels_match_the_model(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{train: %s}", write_text("m.csv", "a,b,label\n1,2,dog\n3,4,cat\n"));
  expect_open(&o); /* no sample has the class 'ape' */
  assert_int_equal(o.data.target[0].classes, 3);
  assert_true(ints(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[0] == 2 &&
              ints(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[1] == 1);
  close_data(&o);
  open_data(&o, "{train: %s}", write_text("m.csv", "a,b,label\n1,2,dog\n3,4,car\n"));
  expect_bad_file(&o, ":3:5: 'car' is not one of the 3 classes; did you mean 'cat'?");
  open_data(&o, "{train: %s}", write_text("m.csv", "a,b,label\n1,2,dog\n3,4,1\n"));
  expect_bad_file(&o, ":3:5: '1' is not one of the 3 classes");
  open_data(&o, "{train: %s}", write_text("m.csv", "a,b,label\n1,2,0\n3,4,1\n"));
  expect_bad_file(&o, ":2:5: '0' is not one of the 3 classes");
  open_data(&o, "{train: %s, class_names: [dog, ape, cat]}",
            write_text("m.csv", "a,b,label\n1,2,dog\n3,4,ape\n"));
  expect_open(&o); /* class_names in the config replace the model's */
  assert_true(ints(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[0] == 0 &&
              ints(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[1] == 1);
  close_data(&o);
  open_data(&o, "{train: %s, class_names: [dog, ape]}", write_text("m.csv", "a,b,label\n1,2,dog\n3,4,ape\n"));
  expect_bad_config(&o, 0, "the model was trained with another number of classes");
}

/* Class names may look like numbers. */
static void numbers_may_be_names(void **state) {
  (void)state;
  static const char *const names[] = {"1", "2", "x"};
  opened o;
  gt_data_signature signature = two_columns;
  const gt_data_requirements other = {.signature = &signature};
  signature.target[0].class_names = names;
  requirements = &other;
  open_data(&o, "{train: %s}", write_text("m.csv", "a,b,label\n1,2,1\n3,4,2\n"));
  expect_open(&o);
  assert_true(ints(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[0] == 0 &&
              ints(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[1] == 1);
  close_data(&o);
  open_data(&o, "{train: %s, class_names: ['2', '1', x]}", write_text("m.csv", "a,b,label\n1,2,1\n3,4,2\n"));
  expect_open(&o); /* the labels are read as class numbers: nothing says that they are names */
  assert_true(ints(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[0] == 1);
  close_data(&o);
  signature.target[0].text_labels = true;
  open_data(&o, "{train: %s, class_names: ['2', '1', x]}", write_text("m.csv", "a,b,label\n1,2,2\n3,4,2\n"));
  expect_open(&o);
  assert_true(ints(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[0] == 0);
  close_data(&o);
}

static void classes_match_the_model(void **state) {
  (void)state;
  opened o;
  gt_data_signature signature = two_columns;
  signature.target[0] = (gt_data_target){.classes = 10, .columns = label, .column_count = 1};
  const gt_data_requirements digits = {.signature = &signature};
  requirements = &digits;
  open_data(&o, "{train: %s}", write_text("m.csv", "a,b,label\n1,2,3\n3,4,7\n"));
  expect_open(&o); /* without a model this is a regression, because not all of 0 to 7 occur */
  assert_true(o.data.target[0].classification && o.data.target[0].classes == 10 &&
              !o.data.target[0].text_labels);
  close_data(&o);
  open_data(&o, "{train: %s}", write_text("m.csv", "a,b,label\n1,2,3\n3,4,10\n"));
  expect_bad_file(&o, ":3:5: label 10 is out of range: with 10 classes");
  open_data(&o, "{train: %s, classes: 8}", write_text("m.csv", "a,b,label\n1,2,3\n"));
  expect_bad_config(&o, 0, "the model was trained with another number of classes");
  open_data(&o, "{inputs: [[1, 2], [3, 4]], targets: [3, 4]}");
  expect_open(&o);
  assert_int_equal(o.data.target[0].classes, 10);
  close_data(&o);
  signature.target[0] = (gt_data_target){0};
  const gt_data_requirements quantity = {.signature = &signature};
  requirements = &quantity;
  open_data(&o, "{inputs: [[1, 2], [3, 4]], targets: [0, 1]}");
  expect_open(&o);
  assert_true(!o.data.target[0].classification &&
              floats(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[1] == 1);
  close_data(&o);
  open_data(&o, "{inputs: [[1, 2, 3], [3, 4, 5]], targets: [0, 1]}");
  expect_bad_file(&o, "samples of shape [3]; the model takes [2]");
}

static void columns_match_the_model(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{train: %s, ignore: id}", write_text("m.csv", "b,label,more,a\n2,dog,x,1\n4,cat,y,3\n"));
  expect_open(&o);
  assert_int_equal(gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->dim[1], 2);
  for (int i = 0; i < 4; i++)
    assert_true(floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 0))[i] == (float)(i + 1));
  close_data(&o);
  open_data(&o, "{train: %s}", write_text("m.csv", "b,label,aa\n2,dog,1\n"));
  expect_bad_file(&o, "there is no column 'a'");
  open_data(&o, "{train: %s, target: a}", write_text("m.csv", "b,label,a\n2,dog,1\n"));
  expect_bad_file(&o, "column 'a' is used twice");
  open_data(&o, "{train: %s, inputs: [u, v], target: kind}", write_text("m.csv", "v,kind,u\n2,dog,1\n"));
  expect_open(&o); /* column names in the config replace the model's */
  assert_true(floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 0))[0] == 1);
  close_data(&o);
  open_data(&o, "{train: %s}", write_text("m.csv", "1,2,dog\n3,4,cat\n"));
  expect_open(&o); /* without a header, columns are used by position, with a warning */
  assert_true(o.data.split[GT_PART_TRAIN].samples == 2 &&
              floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 0))[1] == 2);
  close_data(&o);
}

static void headers_are_found(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{train: %s, target: kind}", write_text("m.csv", "1990,2000,kind\n1,2,dog\n3,4,cat\n"));
  expect_open(&o); /* a header, because the config uses one of its names */
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 2);
  assert_string_equal(o.data.input[0].columns[1], "2000");
  close_data(&o);
  open_data(&o, "{train: %s, target: 3}", write_text("m.csv", "1,2,dog\n3,4,cat\n"));
  expect_open(&o); /* no header: the config gives the target by its number */
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 2);
  close_data(&o);
  open_data(&o, "{train: %s, test: %s, header: true}",
            write_text("m.csv", "1990,2000,2010\n1,2,0.5\n3,4,1\n"),
            write_text("n.csv", "2000,1990,2010\n1,2,0.5\n3,4,1\n"));
  expect_open(&o);
  assert_true(floats(gt_split_input(&o.data.split[GT_PART_TEST], 0))[0] == 2);
  close_data(&o);
}

static void header_of_numbers_is_known_from_the_model(void **state) {
  (void)state;
  static const char *const years[] = {"1990", "2000"};
  gt_data_signature signature = two_columns;
  gt_error error = {0};
  gt_split out;
  signature.input[0].columns = years;
  const char *path = write_text("m.csv", "2000,1990\n0.5,1\n");
  assert_true(gt_data_read_inputs(&(gt_input_file){NULL, path}, 1, &signature, NULL, &out, &error));
  assert_true(gt_split_input(&out, 0)->dim[0] == 1 && floats(gt_split_input(&out, 0))[0] == 1);
  gt_split_finish(&out);
  static const char *const positions[] = {"1", "2"}; /* columns of a file without a header */
  signature.input[0].columns = positions;
  assert_true(gt_data_read_inputs(&(gt_input_file){NULL, write_text("m.csv", "2,1\n0.5,1\n")}, 1, &signature,
                                  NULL, &out, &error));
  assert_int_equal(gt_split_input(&out, 0)->dim[0], 2);
  gt_split_finish(&out);
}

/* Predictions read a CSV as the model's config describes. */
static void predictions_follow_the_config(void **state) {
  (void)state;
  static const char config[] = "{header: false, delimiter: ';'}", bad[] = "{header: no}";
  static const char *const positions[] = {"1", "3"};
  gt_data_signature signature = two_columns;
  gt_error error = {0};
  gt_split out;
  opened o;
  signature.input[0].columns = NULL;
  open_data(&o, "{inputs: [1, 2], targets: [1, 2]}");
  signature.data = gt_spec_parse(&o.arena, "config", config, strlen(config), &o.diagnostics);
  assert_true(gt_data_read_inputs(&(gt_input_file){NULL, write_text("m.csv", "1;2\n3;4\n")}, 1, &signature,
                                  NULL, &out, &error));
  assert_true(gt_split_input(&out, 0)->dim[0] == 2 && floats(gt_split_input(&out, 0))[3] == 4);
  gt_split_finish(&out);
  /* A file that also has the target has the same columns as the training file. */
  signature.input[0].columns = positions;
  assert_true(gt_data_read_inputs(&(gt_input_file){NULL, write_text("m.csv", "1;2;7\n3;4;8\n")}, 1,
                                  &signature, NULL, &out, &error));
  assert_true(gt_split_input(&out, 0)->dim[1] == 2 && floats(gt_split_input(&out, 0))[0] == 1 &&
              floats(gt_split_input(&out, 0))[3] == 8);
  gt_split_finish(&out);
  signature.data = gt_spec_parse(&o.arena, "config", bad, strlen(bad), &o.diagnostics);
  assert_false(
      gt_data_read_inputs(&(gt_input_file){NULL, path_of("m.csv")}, 1, &signature, NULL, &out, &error));
  assert_int_equal(error.status, GT_ERR_DATA);
  close_data(&o);
}

static void other_encodings_are_rejected(void **state) {
  (void)state;
  static const char utf16[] = "\xFF\xFE"
                              "a\0,\0b\0\n\0",
                    workbook[] = "PK\3\4\24\0\6", byte_order_mark[] = "\xEF\xBB\xBF\"a\",b\n1,0\n2,1\n";
  opened o;
  open_data(&o, "{train: %s}",
            write_text("m.csv", "gr\xF6\xDF"
                                "e,b\n1,0\n2,1\n"));
  expect_bad_file(
      &o, "m.csv:1:3: byte 0xF6 is not UTF-8 text; if the text is Western European, convert it first: "
          "iconv -f WINDOWS-1252 -t UTF-8");
  open_data(&o, "{train: %s}",
            write_text("m.csv", "gr\xC3\xB6\xC3\x9F"
                                "e,b\n1,0\n2,1\n"));
  expect_open(&o);
  assert_string_equal(o.data.input[0].columns[0], "gr\xC3\xB6\xC3\x9F"
                                                  "e");
  close_data(&o);
  open_data(&o, "{train: %s}", write_bytes("m.csv", utf16, sizeof utf16 - 1));
  expect_bad_file(&o, ":1:1: this is UTF-16 text");
  open_data(&o, "{train: %s}", write_bytes("m.csv", workbook, 8));
  expect_bad_file(&o, "m.csv is a ZIP archive, such as a workbook of Excel or LibreOffice (.xlsx, .ods)");
  open_data(&o, "{train: %s}", write_bytes("m.xlsx", workbook, 8));
  expect_bad_file(&o, "m.xlsx is a ZIP archive");
  open_data(&o, "{train: %s}", write_bytes("m.xls", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 8));
  expect_bad_file(&o, "m.xls is a workbook of Excel (.xls); expected text: save the sheet as CSV (UTF-8)");
  open_data(&o, "{train: %s}", write_text("m.csv", byte_order_mark));
  expect_open(&o);
  assert_string_equal(o.data.input[0].columns[0], "a");
  close_data(&o);
  open_data(&o, "{train: %s}", write_text("m.csv", "a,b\r\n1,s\xFC\xDF\n2,sauer\n"));
  expect_bad_file(&o, ":2:4: byte 0xFC is not UTF-8 text");
  open_data(&o, "{train: %s}", write_text("m.csv", "a,b\n1,s\xC2\x9B\n2,sauer\n"));
  expect_bad_file(&o, ":2:3: this label contains control characters or is not UTF-8");
}

/* Names that differ only in their Unicode normalization form are equal: e + U+0301 is é. */
static void names_are_normalized(void **state) {
  (void)state;
  opened o;
  write_text("m.csv", "a,y\n1,caf\u00e9\n2,tea\n3,cafe\u0301\n4,cafe\u0301\n");
  open_data(&o, "{train: %s}", path_of("m.csv"));
  expect_warning(&o, "m.csv spells the class 'caf\u00e9' in two Unicode forms");
  assert_int_equal(o.data.target[0].classes, 2);
  assert_string_equal(o.data.target[0].class_names[0], "caf\u00e9");
  const int32_t *labels = gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data;
  assert_true(labels[0] == 0 && labels[1] == 1 && labels[2] == 0 && labels[3] == 0);
  close_data(&o);
  open_data(&o, "{train: %s, class_names: [tea, cafe\u0301]}", path_of("m.csv"));
  expect_open(&o);
  labels = gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data;
  assert_true(labels[0] == 1 && labels[1] == 0 && labels[2] == 1);
  close_data(&o);
  write_text("m.csv", "a,y\n1,cafe\u0301\n2,tea\n");
  write_text("n.csv", "a,y\n3,caf\u00e9\n4,tea\n");
  open_data(&o, "{train: %s, test: %s, classes: [tea, cafe\u0301]}", path_of("m.csv"), path_of("n.csv"));
  expect_open(&o);
  assert_int_equal(o.diagnostics.findings, 0);
  assert_true(((const int32_t *)gt_split_target(&o.data.split[GT_PART_TEST], 0)->data)[0] == 1);
  close_data(&o);
  open_data(&o, "{train: %s, class_names: [caf\u00e9, tea, cafe\u0301]}", path_of("m.csv"));
  expect_bad_config(&o, 0, "there is more than one class named 'caf\u00e9'");
}

static int remove_files(void **state) {
  (void)state;
  unlink(path_of("m.csv"));
  unlink(path_of("n.csv"));
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(labels_match_the_model, with_model),
      cmocka_unit_test_setup(numbers_may_be_names, with_model),
      cmocka_unit_test_setup(classes_match_the_model, with_model),
      cmocka_unit_test_setup(columns_match_the_model, with_model),
      cmocka_unit_test_setup(names_are_normalized, without_model),
      cmocka_unit_test_setup(headers_are_found, without_model),
      cmocka_unit_test_setup(header_of_numbers_is_known_from_the_model, without_model),
      cmocka_unit_test_setup(predictions_follow_the_config, without_model),
      cmocka_unit_test_setup(other_encodings_are_rejected, without_model),
  };
  return cmocka_run_group_tests_name("data: csv", tests, NULL, remove_files);
}
