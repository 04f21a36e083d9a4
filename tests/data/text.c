/* Text data: windows, splits, labelled texts, and files that are rejected. */
#include "data_support.h"
#include "tokens/tokens.h"

static char alphabet[512]; /* "abc…zabc…" of 400 characters */

static const char *write_alphabet(void) {
  for (int i = 0; i < 400; i++) alphabet[i] = (char)('a' + i % 26);
  return write_text("alphabet.txt", alphabet);
}

static const uint8_t *bytes(const gt_split *split) { return gt_split_input(split, 0)->data; }

static void windows(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{train: %s, text: {window: 10}, validation: 0.1, test_fraction: 0.2}", write_alphabet());
  expect_open(&o);
  const gt_dataset *d = &o.data;
  const gt_tensor *input = gt_split_input(&d->split[GT_PART_TRAIN], 0),
                  *target = gt_split_target(&d->split[GT_PART_TRAIN], 0);
  assert_int_equal(d->input[0].vocabulary->size, 26);
  assert_int_equal(d->input[0].element, GT_ELEMENT_I32);
  assert_int_equal(d->target[0].classes, 26);
  assert_true(input->narrow && input->stored == 280 && input->stride == 1 && input->limit == 26);
  assert_int_equal(d->split[GT_PART_TRAIN].samples, 270);
  assert_int_equal(input->dim[1], 10);
  assert_true(target->begin == 1 && target->stored == 280 && !target->data);
  /* Each split is a contiguous part of the text; windows of evaluations do not overlap. */
  assert_int_equal(gt_split_input(&d->split[GT_PART_VALIDATION], 0)->stored, 40);
  assert_int_equal(d->split[GT_PART_VALIDATION].samples, 3);
  assert_int_equal(gt_split_input(&d->split[GT_PART_VALIDATION], 0)->stride, 10);
  assert_int_equal(gt_split_input(&d->split[GT_PART_TEST], 0)->stored, 80);
  assert_int_equal(d->split[GT_PART_TEST].samples, 7);
  assert_int_equal(bytes(&d->split[GT_PART_TRAIN])[279], 279 % 26);
  assert_int_equal(bytes(&d->split[GT_PART_VALIDATION])[0], 280 % 26);
  assert_int_equal(bytes(&d->split[GT_PART_TEST])[0], 320 % 26);
  assert_int_equal(gt_tensor_bytes(input), 280);
  assert_int_equal(gt_tensor_sample_bytes(input), 11);
  assert_ptr_equal(gt_tensor_sample(input, 7), bytes(&d->split[GT_PART_TRAIN]) + 7);
  assert_ptr_equal(gt_tensor_sample(gt_split_input(&d->split[GT_PART_TEST], 0), 3),
                   bytes(&d->split[GT_PART_TEST]) + 30);
  const gt_tensor rows = gt_tensor_as_rows(input);
  assert_true(rows.rank == 1 && rows.dim[0] == 280 && gt_tensor_bytes(&rows) == 280);
  close_data(&o);
}

/* An evaluation of the training split reads fewer windows than training does. */
static void evaluation_windows(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{train: %s, text: {window: 10, stride: 3}}", write_alphabet());
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, (400 - 1 - 10) / 3 + 1);
  gt_split all = gt_split_without_overlap(&o.data.split[GT_PART_TRAIN], 0),
           some = gt_split_without_overlap(&o.data.split[GT_PART_TRAIN], 5);
  assert_int_equal(gt_split_input(&all, 0)->stride, 12);
  assert_int_equal(all.samples, 33);
  assert_true((all.samples - 1) * 12 + 11 <= 400);
  assert_int_equal(some.samples, 5);
  assert_int_equal(gt_split_input(&some, 0)->stride, 72);
  assert_int_equal(gt_split_target(&some, 0)->stride, 72);
  close_data(&o);
}

/* The fingerprint changes only if the text does. */
static void fingerprints(void **state) {
  (void)state;
  opened o;
  uint64_t fingerprint[3];
  for (int i = 0; i < 3; i++) {
    const char *path = write_alphabet();
    if (i == 2) alphabet[7] = 'x', path = write_text("alphabet.txt", alphabet);
    open_data(&o, "{train: %s, text: {window: 10}}", path);
    expect_open(&o);
    fingerprint[i] = gt_dataset_fingerprint(&o.data).split[GT_PART_TRAIN];
    close_data(&o);
  }
  assert_true(fingerprint[0] == fingerprint[1] && fingerprint[1] != fingerprint[2]);
}

static void files(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{train: %s, text: {window: 3}}",
            write_text("bom.txt", "\xEF\xBB\xBF"
                                  "aé\r\naé\r\n"));
  expect_open(&o);
  assert_int_equal(o.data.input[0].vocabulary->size, 3);
  assert_int_equal(gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->stored, 6);
  close_data(&o);
  open_data(&o, "{train: %s, text: {vocabulary: byte, window: 3}}",
            write_bytes("raw.txt", "\0\xff\r\n\n", 5));
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 2);
  assert_int_equal(bytes(&o.data.split[GT_PART_TRAIN])[1], 255);
  close_data(&o);
  /* A split ends between characters, not between bytes: of ten é, seven are training data. */
  open_data(&o, "{train: %s, text: {window: 1}, validation: 0.3}", write_text("e.txt", "éééééééééé"));
  expect_open(&o);
  assert_int_equal(gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->stored, 7);
  assert_int_equal(gt_split_input(&o.data.split[GT_PART_VALIDATION], 0)->stored, 3);
  close_data(&o);
  /* A split ends between words, too: half of these 15 bytes would end inside the third é. */
  open_data(&o, "{train: %s, text: {vocabulary: word, window: 1}, validation: 0.5}",
            write_text("marks.txt", "é!é!é!é!é!"));
  expect_open(&o);
  assert_int_equal(gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->stored, 5);
  assert_int_equal(gt_split_input(&o.data.split[GT_PART_VALIDATION], 0)->stored, 5);
  close_data(&o);
  open_data(&o, "{train: %s, test: %s, text: {vocabulary: word, window: 2, size: 4}}",
            write_text("w.txt", "a b a b c a"), write_text("v.txt", "b z, a"));
  expect_open(&o);
  const uint8_t *test = bytes(&o.data.split[GT_PART_TEST]);
  assert_true(test[0] == 3 && test[1] == 1 && test[2] == 1 && test[3] == 2);
  close_data(&o);
}

static void bad_files(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{train: %s, text: {window: 3}}", write_text("bad.txt", "ab\na\xC3(bc"));
  expect_bad_file(&o, "bad.txt:2:2: byte 0xc3 is not valid UTF-8");
  open_data(&o, "{train: %s, text: {window: 3}}", write_bytes("nul.txt", "ab\0a", 4));
  expect_bad_file(&o, "nul.txt:1:3: a NUL byte");
  open_data(&o, "{train: %s, text: {window: 3}}", write_text("empty.txt", ""));
  expect_bad_file(&o, "empty.txt is empty");
  open_data(&o, "{train: %s, text: {window: 3}}", write_text("short.txt", "abc"));
  expect_bad_config(&o, 0, "short.txt has 3 characters, which is shorter than a window with its targets (4)");
  open_data(&o, "{train: %s, test: %s, text: {window: 3}}", write_text("a.txt", "abcabc"),
            write_text("other.txt", "abc\nx"));
  expect_bad_file(&o, "other.txt:1:4: the character U+000A is not in the vocabulary of 3");
}

/* A sparse file that is too long. */
static void too_long(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("huge.txt", "a");
  assert_int_equal(truncate(path, 3ll << 33), 0);
  open_data(&o, "{train: %s, text: {vocabulary: byte, window: 3}}", path);
  expect_bad_file(&o, "huge.txt: at least 25769803776 bytes; at most 2147483647 are supported in a split");
  open_data(&o, "{train: %s, text: {window: 3}}", path);
  expect_bad_file(&o, "huge.txt: at least 6442450944 characters");
  unlink(path);
}

static void bad_configs(void **state) {
  (void)state;
  opened o;
  const char *path = write_alphabet();
  open_data(&o, "{classes: 3, train: %s, text: char}", path);
  expect_bad_config(&o, 2, "a text has no 'classes'");
  open_data(&o, "{split: random, train: %s, text: char}", path);
  expect_bad_config(&o, 2, "a text has no 'split'");
  open_data(&o, "{targets: {a: x, b: y}, train: %s, text: char}", path);
  expect_bad_config(&o, 2, "unknown key 'targets' in data of format 'text'");
  open_data(&o, "{task: regression, train: %s, text: char}", path);
  expect_bad_config(&o, 8, "the targets of a text are tokens");
  open_data(&o, "{validation: 0.6, test_fraction: 0.5, train: %s, text: char}", path);
  expect_bad_config(&o, 14, "no text is left for training");
  open_data(&o, "{text: {window: 0}, train: %s}", path);
  expect_bad_config(&o, 17, "window");
  open_data(&o, "{text: morse, train: %s}", path);
  expect_bad_config(&o, 8, "morse");
  open_data(&o, "{text: {window: 100}, validation: 0.1, train: %s}", path);
  expect_bad_config(&o, 17, "the validation split of");
  open_data(&o, "{test_fraction: 0.2, text: char, train: %s, test: %s}", path, path);
  expect_bad_config(&o, 17, "the data already has a test split");
}

/* With a trained model, its vocabulary is used. */
static void trained(void **state) {
  (void)state;
  opened o, p;
  gt_data_signature signature = {.inputs = 1, .targets = 1};
  open_data(&o, "{train: %s, text: {window: 3}}", write_text("a.txt", "abcabc"));
  expect_open(&o);
  signature.input[0] = o.data.input[0];
  signature.target[0] = o.data.target[0];
  const gt_data_requirements model = {.signature = &signature};
  requirements = &model;
  open_data(&p, "{train: %s, text: {window: 3}}", write_text("b.txt", "bcbcbc"));
  expect_open(&p);
  assert_ptr_equal(p.data.input[0].vocabulary, o.data.input[0].vocabulary);
  assert_int_equal(bytes(&p.data.split[GT_PART_TRAIN])[0], 1);
  close_data(&p);
  open_data(&p, "{train: %s, text: {window: 2}}", write_text("b.txt", "bcbcbc"));
  assert_false(p.ok); /* the model reads windows of 3 */
  close_data(&p);
  gt_split read;
  gt_error error = {0};
  const gt_input_file file = {.path = write_text("c.txt", "cbacbac")};
  assert_true(gt_data_read_inputs(&file, 1, &signature, NULL, &read, &error));
  assert_int_equal(gt_split_input(&read, 0)->dim[0], 2);
  assert_int_equal(((const int32_t *)gt_split_input(&read, 0)->data)[3], 2);
  gt_split_finish(&read);
  const gt_input_file unknown = {.path = write_text("c.txt", "cbad")};
  assert_false(gt_data_read_inputs(&unknown, 1, &signature, NULL, &read, &error));
  assert_non_null(strstr(error.message, "c.txt:1:4: the character 'd' (U+0064)"));
  requirements = NULL;
  close_data(&o);
}

static const int32_t *lengths(const gt_split *split) {
  return gt_split_tensor(split, GT_SAMPLE_LENGTH, 0)->data;
}

/* The vocabulary comes from the training samples; longer texts are truncated, shorter ones padded. */
static void texts_of_a_csv(void **state) {
  (void)state;
  opened o;
  const char *train = write_text("s.csv",
                                 "id,text,label\n1,\"One two, two\",b\n2,,a\n3,two \"\"One\"\",a\n4,one,b\n"),
             *test = write_text("t.csv", "id,text,label\n1,two three one one one,a\n");
  open_data(
      &o,
      "{train: %s, test: %s, text: {column: text, vocabulary: word, length: 4, lower: true}, target: label}",
      train, test);
  expect_open(&o);
  const gt_tensor *input = gt_split_input(&o.data.split[GT_PART_TRAIN], 0),
                  *other = gt_split_input(&o.data.split[GT_PART_TEST], 0);
  const int32_t *id = input->data, *test_id = other->data;
  assert_int_equal(o.data.input[0].vocabulary->size, 6); /* <pad>, <unk>, one, two, comma, quote */
  assert_int_equal(o.data.target[0].classes, 2);
  assert_true(input->rank == 2 && input->dim[0] == 4 && input->dim[1] == 4);
  assert_int_equal(lengths(&o.data.split[GT_PART_TRAIN])[0], 4);
  assert_int_equal(lengths(&o.data.split[GT_PART_TRAIN])[1], 0);
  assert_int_equal(lengths(&o.data.split[GT_PART_TRAIN])[3], 1);
  assert_true(id[4] == 0 && id[12] == id[0] && id[13] == 0);
  assert_int_equal(lengths(&o.data.split[GT_PART_TEST])[0], 4); /* truncated */
  assert_int_equal(test_id[1], 1);                              /* three */
  assert_true(((const int32_t *)gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data)[0] == 1);
  close_data(&o);
  open_data(&o, "{train: %s, text: {column: text, length: 4}, split: last, validation: 0.25, target: label}",
            train);
  expect_open(&o);
  assert_true(o.data.split[GT_PART_TRAIN].samples == 3 && o.data.split[GT_PART_VALIDATION].samples == 1);
  assert_int_equal(lengths(&o.data.split[GT_PART_VALIDATION])[0], 3);
  close_data(&o);
  open_data(&o, "{text: {column: txt}, train: %s, target: label}", train);
  expect_bad_config(&o, 17, "txt");
  open_data(&o, "{text: {column: label}, train: %s, target: label}", train);
  expect_bad_file(&o, "column 'label' would be both the text and a target");
}

/* Lines of a label, a tab and a text, in which quotes and further tabs are characters like others. */
static void labelled_lines(void **state) {
  (void)state;
  opened o;
  const char *train = write_text("l.txt", "\xEF\xBB\xBF"
                                          " b \t\"One two\r\na\ttwo\t#one\r\na b\t# two\nb\tone\"\n\n"),
             *test = write_text("m.txt", "a\tthree \"one");
  open_data(&o, "{train: %s, test: %s, text: {labels: true, vocabulary: word, length: 3, lower: true}}",
            train, test);
  expect_open(&o);
  const gt_tensor *input = gt_split_input(&o.data.split[GT_PART_TRAIN], 0),
                  *other = gt_split_input(&o.data.split[GT_PART_TEST], 0);
  const int32_t *id = input->data, *class = gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data;
  assert_int_equal(o.data.input[0].vocabulary->size, 6); /* <pad>, <unk>, one, two, quote, # */
  assert_int_equal(o.data.target[0].classes, 3);
  assert_string_equal(o.data.target[0].class_names[1], "a b");
  assert_true(class[0] == 2 && class[1] == 0 && class[2] == 1 && class[3] == 2);
  assert_true(input->dim[0] == 4 && lengths(&o.data.split[GT_PART_TRAIN])[0] == 3 &&
              lengths(&o.data.split[GT_PART_TRAIN])[1] == 3 && lengths(&o.data.split[GT_PART_TRAIN])[3] == 2);
  assert_true(id[0] == id[10] && id[1] == id[5] && id[1] == id[9] && id[11] == 0);
  assert_true(lengths(&o.data.split[GT_PART_TEST])[0] == 3 && ((const int32_t *)other->data)[0] == 1);
  close_data(&o);
}

/* For predictions, a line has only a text, or a label and a text if every line has a tab. */
static void texts_of_lines(void **state) {
  (void)state;
  opened o;
  gt_split read;
  gt_error error = {0};
  gt_data_signature signature = {.inputs = 1, .targets = 1};
  open_data(&o, "{train: %s, text: {labels: true, length: 4}}", write_text("l.txt", "b\tab\na\tcd\t\n"));
  expect_open(&o);
  signature.input[0] = o.data.input[0];
  signature.target[0] = o.data.target[0];
  const char *settings = "{text: {labels: true}}";
  signature.data = gt_spec_parse(&o.arena, "model", settings, strlen(settings), &o.diagnostics);
  for (int labelled = 0; labelled < 2; labelled++) {
    const gt_input_file file = {.path = write_text("p.txt", labelled ? "b\td\nx\tba" : "d\r\nba\n\n")};
    assert_true(gt_data_read_inputs(&file, 1, &signature, NULL, &read, &error));
    assert_int_equal(gt_split_input(&read, 0)->dim[0], 2);
    assert_true(lengths(&read)[0] == 1 && lengths(&read)[1] == 2);
    gt_split_finish(&read);
  }
  const gt_input_file blank = {.path = write_text("p.txt", "d\n\nba\n")};
  assert_false(gt_data_read_inputs(&blank, 1, &signature, NULL, &read, &error));
  assert_non_null(strstr(error.message, "p.txt:2:1: the text of this line is empty"));
  close_data(&o);
}

static void bad_lines(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } list[] = {
      {"b\tok\nno tab\n", "l.txt:2:1: this line has no tab; expected a label, a tab and a text"},
      {"b\tok\n\nb\tok\n", "l.txt:2:1: this line has no tab"},
      {"b\tok\r\n \tok", "l.txt:2:1: this line has no label before its tab"},
      {"b\tok\rb\t \n", "l.txt:2:3: the text of this line is empty"},
      {"b\tok\nb\ta\xFF\n", "l.txt:2:4: byte 0xFF is not UTF-8 text"},
      {"b\x01\tok\nb\ta\n", "l.txt:1:1: this label contains control characters"},
      {"\r\n\n", "l.txt is empty; expected a text on each line"},
      {"", "l.txt is empty; expected a text on each line"},
  };
  opened o;
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    open_data(&o, "{train: %s, text: {labels: true}}", write_text("l.txt", list[i].text));
    expect_bad_file(&o, list[i].message);
  }
  open_data(&o, "{train: %s, text: {labels: true}}", write_bytes("l.txt", "b\ta\0b\n", 6));
  expect_bad_file(&o, "l.txt:1:4: a NUL byte in a text");
  const char *path = write_text("l.txt", "b\tok\n");
  open_data(&o, "{target: b, train: %s, text: {labels: true}}", path);
  expect_bad_config(&o, 2, "a file whose lines have labels has no 'target'");
  open_data(&o, "{text: {column: b, labels: true}, train: %s}", path);
  expect_bad_config(&o, 9, "a file whose lines have labels has no columns");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(windows),        cmocka_unit_test(evaluation_windows),
      cmocka_unit_test(fingerprints),   cmocka_unit_test(files),
      cmocka_unit_test(bad_files),      cmocka_unit_test(too_long),
      cmocka_unit_test(bad_configs),    cmocka_unit_test(trained),
      cmocka_unit_test(texts_of_a_csv), cmocka_unit_test(labelled_lines),
      cmocka_unit_test(texts_of_lines), cmocka_unit_test(bad_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
