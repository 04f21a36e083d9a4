/* Output files: a regular file is replaced only after the new one has been written completely; pipes and
 * descriptors are written directly. */
#include "base/output.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/gtrain-output-XXXXXX";
static char file[256], link_name[256], pipe_name[256];

static void assert_content(const char *path, const char *wanted) {
  char content[256];
  FILE *stream = fopen(path, "r"); /* gt_read_file would make it an input, which no output replaces */
  assert_non_null(stream);
  content[fread(content, 1, sizeof content - 1, stream)] = 0;
  fclose(stream);
  assert_string_equal(content, wanted);
}

static bool write_text(const char *path, const char *text, bool keep) {
  gt_output output;
  gt_error error = {0};
  assert_true(gt_output_open(&output, path, &error));
  for (; *text; text++) assert_true(gt_output_write(&output, text, 1, &error));
  return gt_output_close(&output, keep, &error);
}

static void test_replaced_when_complete(void **state) {
  (void)state;
  struct stat status;
  assert_true(write_text(file, "first", true));
  assert_content(file, "first");
  assert_int_equal(chmod(file, 0604), 0);
  assert_true(write_text(file, "second", false));
  assert_content(file, "first");
  assert_true(write_text(link_name, "third", true));
  assert_content(file, "third");
  assert_int_equal(stat(file, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0604);
  assert_int_equal(lstat(link_name, &status), 0);
  assert_true(S_ISLNK(status.st_mode));
}

static void test_old_content_stays_while_writing(void **state) {
  (void)state;
  gt_output output;
  gt_error error = {0};
  assert_true(write_text(file, "whole", true));
  assert_true(gt_output_open(&output, file, &error));
  assert_true(gt_output_write(&output, "ha", 2, &error));
  assert_content(file, "whole");
  assert_true(gt_output_close(&output, true, &error));
  assert_content(file, "ha");
}

static void test_pipes_and_descriptors(void **state) {
  (void)state;
  char text[16], name[64];
  gt_error error = {0};
  const gt_span pieces[] = {{"ab", 2}, {"c", 1}};
  const int reader = open(pipe_name, O_RDONLY | O_NONBLOCK);
  assert_true(gt_write_output(pipe_name, pieces, 2, &error));
  assert_int_equal(read(reader, text, sizeof text), 3);
  close(reader);
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const char *const descriptor_paths[] = {"/dev/fd/%d", "/proc/self/fd/%d", "/proc/self/task/../fd/%d"};
  for (int i = 0; i < 3; i++) {
    snprintf(name, sizeof name, descriptor_paths[i], ends[1]);
    assert_true(write_text(name, "abcd", false)); /* keep has no effect on a pipe */
    assert_int_equal(read(ends[0], text, sizeof text), 4);
  }
  close(ends[0]), close(ends[1]);
  assert_false(gt_write_output(name, pieces, 2, &error)); /* the descriptor is closed */
  assert_int_equal(error.status, GT_ERR_IO);
}

/* A descriptor of a regular file is written at its current position. */
static void test_descriptor_of_a_file(void **state) {
  (void)state;
  char name[64];
  const int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  assert_int_equal(write(fd, "before ", 7), 7);
  snprintf(name, sizeof name, "/dev/fd/%d", fd);
  assert_true(write_text(name, "between", true));
  assert_int_equal(write(fd, " after", 6), 6);
  close(fd);
  assert_content(file, "before between after");
}

static void test_rejected_names(void **state) {
  (void)state;
  char longest[5000], loop[300], absent[300];
  memset(longest, 'x', sizeof longest - 1);
  longest[sizeof longest - 1] = 0;
  snprintf(loop, sizeof loop, "%s/loop", folder);
  snprintf(absent, sizeof absent, "%s/absent/", folder);
  assert_int_equal(symlink("loop", loop), 0);
  const char *const names[] = {"", ".", "/", folder, absent, loop, longest, "/proc/self/fd/"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    gt_output output;
    gt_error error = {0};
    assert_false(gt_output_open(&output, names[i], &error));
    assert_int_equal(error.status, GT_ERR_IO);
  }
}

/* A file that was read stays as it is under each of its names; one that was only written is replaced. */
static void test_inputs_stay(void **state) {
  (void)state;
  char input[300], names[5][320];
  gt_bytes bytes;
  gt_error error = {0};
  snprintf(input, sizeof input, "%s/input", folder);
  snprintf(names[0], sizeof names[0], "%s", input);
  snprintf(names[1], sizeof names[1], "%s/.//input", folder);
  snprintf(names[2], sizeof names[2], "%s/soft", folder);
  snprintf(names[3], sizeof names[3], "%s/hard", folder);
  assert_true(write_text(input, "rows", true));
  assert_true(write_text(input, "more rows", true));
  assert_int_equal(symlink("input", names[2]), 0);
  assert_int_equal(link(input, names[3]), 0);
  assert_true(gt_read_file(input, 1 << 20, &bytes, &error));
  gt_bytes_finish(&bytes);
  const int fd = open(input, O_WRONLY);
  snprintf(names[4], sizeof names[4], "/dev/fd/%d", fd);
  for (int i = 0; i < 5; i++) {
    gt_output output;
    error = (gt_error){0};
    assert_false(gt_output_open(&output, names[i], &error));
    assert_int_equal(error.status, GT_ERR_USAGE);
    assert_false(gt_write_output(names[i], &(gt_span){"x", 1}, 1, &error));
    assert_content(input, "more rows");
  }
  close(fd);
  assert_true(write_text(file, "another", true));
}

/* More inputs than the table has at first. */
static void test_many_inputs(void **state) {
  (void)state;
  enum { INPUTS = 300 };
  char path[300];
  gt_error error = {0};
  for (int i = 0; i < 2 * INPUTS; i++) {
    snprintf(path, sizeof path, "%s/many%d", folder, i);
    assert_true(write_text(path, "x", true));
  }
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < INPUTS; i++) {
      snprintf(path, sizeof path, "%s/many%d", folder, i);
      close(gt_open_input(path, true, &error));
    }
  for (int i = 0; i < 2 * INPUTS; i++) {
    snprintf(path, sizeof path, "%s/many%d", folder, i);
    assert_int_equal(gt_is_input(path), i < INPUTS);
  }
}

static int set_up(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(file, sizeof file, "%s/file", folder);
  snprintf(link_name, sizeof link_name, "%s/link", folder);
  snprintf(pipe_name, sizeof pipe_name, "%s/pipe", folder);
  return symlink("file", link_name) || mkfifo(pipe_name, 0600);
}

static int tear_down(void **state) {
  (void)state;
  char command[300];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_replaced_when_complete),
      cmocka_unit_test(test_old_content_stays_while_writing),
      cmocka_unit_test(test_pipes_and_descriptors),
      cmocka_unit_test(test_descriptor_of_a_file),
      cmocka_unit_test(test_rejected_names),
      cmocka_unit_test(test_inputs_stay),
      cmocka_unit_test(test_many_inputs),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
