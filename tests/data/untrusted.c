/* Data files that are named by the config of an untrusted model file: only regular files are opened, and
 * messages never quote their content. */
#include "data_support.h"
#include <sys/stat.h>

static const gt_data_requirements from_model = {.untrusted = "test.yaml"}; /* the name of open_data's text */

static int untrusted_config(void **state) {
  (void)state;
  requirements = &from_model;
  return 0;
}

/* Expects GT_ERR_DATA with a message that does not contain `secret`. */
static void expect_no_content(opened *o, const char *secret) {
  assert_false(o->ok);
  assert_int_equal(o->diagnostics.errors, 0);
  assert_int_equal(o->diagnostics.count, 0);
  assert_int_equal(o->error.status, GT_ERR_DATA);
  assert_null(strstr(o->error.message, secret));
  assert_non_null(strstr(o->error.message, "to see the details"));
  close_data(o);
}

static void expect_not_opened(opened *o, const char *text) {
  assert_false(o->ok);
  assert_int_equal(o->error.status, GT_ERR_IO);
  if (!strstr(o->error.message, text)) fail_msg("expected '%s' in: %s", text, o->error.message);
  close_data(o);
}

static void content_is_not_shown(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("s.csv", "root,secret\n1,hush\n2,hush\n");
  open_data(&o, "{format: csv, train: %s}", path);
  expect_open(&o);
  close_data(&o);
  open_data(&o, "{format: csv, train: %s, target: root}", path);
  expect_no_content(&o, "hush"); /* not a number */
  open_data(&o, "{format: csv, train: %s, target: hash}", path);
  expect_no_content(&o, "root"); /* "no such column; the columns are …" */
  open_data(&o, "{format: csv, train: %s, class_names: [hash]}", path);
  expect_no_content(&o, "hush");
  open_data(&o, "{format: csv, train: %s, classes: 3}", path);
  expect_no_content(&o, "hush");
  open_data(&o, "{format: idx, train: {inputs: %s, targets: %s}}", path, path);
  expect_no_content(&o, "root");
  open_data(&o, "{format: npy, train: {inputs: %s, targets: %s}}", path, path);
  expect_no_content(&o, "root");
  open_data(&o, "{format: ca, image: %s}", path);
  expect_no_content(&o, "root");
  write_bytes("s.csv", "\x1f\x8b garbage", 10);
  open_data(&o, "{format: csv, train: %s}", path);
  expect_no_content(&o, "garbage");
  unlink(path);
}

/* Errors in the config itself are shown. A missing file is also reported, but no file with a similar name is
 * suggested. */
static void config_errors_are_shown(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("s.csv", "root,secret\n1,hush\n2,hush\n");
  open_data(&o, "{format: csv, train: %s, targat: secret}", path);
  expect_bad_config(&o, 0, "targat");
  open_data(&o, "{format: csv, train: %s, test: %sx}", path, path);
  assert_null(o.diagnostics.items[0].suggestion);
  expect_bad_config(&o, 0, "not found");
  open_data(&o, "{train: %s}", path);
  expect_open(&o); /* the format is detected by the file name; the content is not read */
  close_data(&o);
  unlink(path);
}

/* Files that the user names (--set) are trusted. */
static void user_files_are_trusted(void **state) {
  (void)state;
  static const char text[] = "{format: csv, train: absent.csv, target: root}";
  opened o = {0};
  char set[600];
  snprintf(set, sizeof set, "train=%s", write_text("s.csv", "root,secret\n1,hush\n2,7\n"));
  gt_arena_init(&o.arena);
  gt_diagnostics_init(&o.diagnostics, &o.arena);
  gt_spec *spec = gt_spec_parse(&o.arena, "test.yaml", text, strlen(text), &o.diagnostics);
  assert_true(gt_spec_override(&o.arena, spec, set, NULL, &o.diagnostics));
  o.ok = gt_dataset_open(spec, 7 /* seed */, requirements, &o.arena, &o.data, &o.diagnostics, &o.error);
  expect_bad_file(&o, "column 'secret' has 1 number and 1 text ('hush' at 2:3)");
  unlink(path_of("s.csv"));
}

/* Opens data whose training file is named by the model and whose test file is named by the user (--set). */
static void open_with_test(opened *o, const gt_data_requirements *required, const char *train,
                           const char *test) {
  char text[700], set[600];
  *o = (opened){0};
  snprintf(text, sizeof text, "{format: csv, train: %s, target: kind}", train);
  snprintf(set, sizeof set, "test=%s", test);
  gt_arena_init(&o->arena);
  gt_diagnostics_init(&o->diagnostics, &o->arena);
  gt_spec *spec = gt_spec_parse(&o->arena, "test.yaml", text, strlen(text), &o->diagnostics);
  assert_true(gt_spec_override(&o->arena, spec, set, NULL, &o->diagnostics));
  o->ok = gt_dataset_open(spec, 7 /* seed */, required, &o->arena, &o->data, &o->diagnostics, &o->error);
}

/* Errors in the user's test file are shown, but only if the message cannot reveal names from the training
 * file that are not in the model file. */
static void test_file_of_the_user_is_shown(void **state) {
  (void)state;
  static const char *const columns[] = {"a"}, *const classes[] = {"cat", "dog"}, *const targets[] = {"kind"};
  gt_data_signature signature = {
      .inputs = 1,
      .input =
          {{.name = GT_INPUT_NAME, .element = GT_ELEMENT_F32, .rank = 1, .dim = {1}, .columns = columns}},
      .targets = 1,
      .target = {{.classes = 2,
                  .class_names = classes,
                  .text_labels = true,
                  .columns = targets,
                  .column_count = 1}}};
  const gt_data_requirements required = {.untrusted = "test.yaml", .signature = &signature};
  char train[256], test[256];
  snprintf(train, sizeof train, "%s", write_text("s.csv", "a,kind\n1,cat\n2,dog\n"));
  snprintf(test, sizeof test, "%s", write_text("t.csv", "a,kind\n1,cot\n"));
  opened o;
  open_with_test(&o, &required, train, test);
  expect_bad_file(&o, "'cot' is not one of the 2 classes; did you mean 'cat'?");
  /* Now the class names come from the training file and must not be shown. */
  signature.target[0].class_names = NULL;
  open_with_test(&o, &required, train, test);
  expect_no_content(&o, "cat");
  signature.target[0].class_names = classes;
  signature.input[0].columns = NULL; /* now the column names come from the training file */
  write_text("t.csv", "b,kind\n1,cat\n");
  open_with_test(&o, &required, train, test);
  expect_no_content(&o, "'a'");
  unlink(train), unlink(test);
}

static void only_plain_files_are_opened(void **state) {
  (void)state;
  opened o;
  const char *pipe = path_of("pipe"), *link = path_of("link"), *folder = path_of("folder");
  unlink(pipe), unlink(link), rmdir(folder);
  assert_int_equal(mkfifo(pipe, 0600), 0); /* open() without O_NONBLOCK would wait for a writer */
  assert_int_equal(symlink(pipe, link), 0);
  assert_int_equal(mkdir(folder, 0700), 0);
  open_data(&o, "{format: csv, train: %s}", pipe);
  expect_not_opened(&o, "it is not a regular file");
  open_data(&o, "{format: csv, train: %s}", link);
  expect_not_opened(&o, "it is not a regular file");
  open_data(&o, "{format: idx, train: {inputs: %s, targets: %s}}", pipe, pipe);
  expect_not_opened(&o, "it is not a regular file");
  open_data(&o, "{format: npy, train: {inputs: %s, targets: %s}}", folder, folder);
  expect_not_opened(&o, "it is not a regular file");
  open_data(&o, "{format: ca, image: %s}", pipe);
  expect_not_opened(&o, "it is not a regular file");
  open_data(&o, "{train: %s}", pipe);
  expect_bad_config(&o, 0, "cannot tell the format");
  const char *csv = write_text("s.csv", "a,b\n1,0\n2,1\n");
  open_data(&o, "{format: csv, train: %s, test: %s}", csv, pipe);
  expect_not_opened(&o, "it is not a regular file");
  unlink(link);
  assert_int_equal(symlink(csv, link), 0);
  open_data(&o, "{format: csv, train: %s}", link);
  expect_open(&o);
  close_data(&o);
  unlink(csv), unlink(pipe), unlink(link), rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup(content_is_not_shown, untrusted_config),
                                     cmocka_unit_test_setup(config_errors_are_shown, untrusted_config),
                                     cmocka_unit_test_setup(user_files_are_trusted, untrusted_config),
                                     cmocka_unit_test(test_file_of_the_user_is_shown),
                                     cmocka_unit_test_setup(only_plain_files_are_opened, untrusted_config)};
  return cmocka_run_group_tests_name("data: untrusted files", tests, NULL, NULL);
}
