/* Reading files, also gzip ones; atomic replacement, directory locks and temporary files. */
#include "base/file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

static char directory[] = "/tmp/gtrain-test-XXXXXX";
static char path_buffer[256];

/* The path of a file in the directory, valid until the next call. */
static const char *path(const char *file) {
  snprintf(path_buffer, sizeof path_buffer, "%s/%s", directory, file);
  return path_buffer;
}

static void write_plain(const char *file, const void *data, size_t size) {
  FILE *f = fopen(path(file), "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(data, 1, size, f), size);
  fclose(f);
}

static int count_entries(void) {
  DIR *d = opendir(directory);
  int n = 0;
  // cppcheck-suppress readdirCalled ; each call has its own DIR, and readdir_r is deprecated
  while (readdir(d)) n++;
  closedir(d);
  return n - 2; /* not counting "." and ".." */
}

static void test_read(void **state) {
  (void)state;
  gt_error e = {0};
  gt_bytes b;
  write_plain("x", "hello", 5);
  assert_true(gt_read_file(path("x"), 5, &b, &e));
  assert_int_equal(b.size, 5);
  assert_string_equal((char *)b.data, "hello");
  gt_bytes_finish(&b);
  assert_false(gt_read_file(path("x"), 4, &b, &e));
  assert_int_equal(e.status, GT_ERR_DATA);
  e = (gt_error){0};
  assert_false(gt_read_file(path("none"), 4, &b, &e));
  assert_int_equal(e.status, GT_ERR_IO);
  e = (gt_error){0};
  assert_false(gt_read_file(directory, 4, &b, &e));
  assert_int_equal(e.status, GT_ERR_IO);
  e = (gt_error){0};
  assert_false(gt_read_file("/dev/zero", 1 << 20, &b, &e)); /* endless */
  assert_int_equal(e.status, GT_ERR_DATA);
  write_plain("x", "", 0);
  assert_true(gt_read_file(path("x"), 0, &b, &e));
  assert_int_equal(b.size, 0);
  gt_bytes_finish(&b);
  unlink(path("x"));
}

static void test_gzip(void **state) {
  (void)state;
  enum { SIZE = 300000 };
  static unsigned char data[SIZE], packed[SIZE * 2];
  for (int i = 0; i < SIZE; i++) data[i] = (unsigned char)((unsigned)i * (unsigned)i >> 7);
  gzFile z = gzopen(path("x.gz"), "wb");
  gzwrite(z, data, SIZE);
  gzclose(z);
  z = gzopen(path("x.gz"), "ab"); /* a second member */
  gzwrite(z, data, 100);
  gzclose(z);
  gt_bytes b;
  gt_error e = {0};
  assert_true(gt_read_file(path("x.gz"), SIZE + 100, &b, &e));
  assert_int_equal(b.size, SIZE + 100);
  assert_memory_equal(b.data, data, SIZE);
  gt_bytes_finish(&b);
  assert_false(gt_read_file(path("x.gz"), SIZE + 99, &b, &e));
  assert_int_equal(e.status, GT_ERR_DATA);
  FILE *f = fopen(path("x.gz"), "rb");
  const size_t size = fread(packed, 1, sizeof packed, f);
  fclose(f);
  for (size_t n = 2; n < size; n += n < 40 ? 1 : size / 50) { /* truncated */
    write_plain("t.gz", packed, n);
    e = (gt_error){0};
    const bool ok = gt_read_file(path("t.gz"), SIZE + 100, &b, &e);
    if (ok) assert_int_equal(b.size, SIZE); /* truncated exactly between the members */
    if (!ok) assert_int_equal(e.status, GT_ERR_DATA);
    gt_bytes_finish(&b);
  }
  for (size_t i = 20; i < size; i += size / 40) { /* one byte damaged */
    packed[i] ^= 0x55;
    write_plain("t.gz", packed, size);
    e = (gt_error){0};
    assert_false(gt_read_file(path("t.gz"), 1 << 30, &b, &e));
    assert_int_equal(e.status, GT_ERR_DATA);
    packed[i] ^= 0x55;
  }
  unlink(path("x.gz"));
  unlink(path("t.gz"));
}

static void test_atomic(void **state) {
  (void)state;
  gt_error e = {0};
  gt_bytes b;
  static char big[100000];
  memset(big, 'b', sizeof big);
  char target[300], leftover[320];
  snprintf(target, sizeof target, "%s/model.bin", directory);
  snprintf(leftover, sizeof leftover, "%s.tmp-%ld", target, (long)getpid());
  FILE *f = fopen(leftover, "w"); /* as left by a killed process that had the same process id */
  fputs("old rubbish", f);
  fclose(f);
  const gt_span pieces[] = {{"head", 4}, {NULL, 0}, {big, sizeof big}};
  assert_true(gt_write_file_atomic(target, pieces, 3, &e));
  assert_true(gt_read_file(target, 1 << 20, &b, &e));
  assert_int_equal(b.size, 4 + sizeof big);
  assert_memory_equal(b.data, "head", 4);
  assert_memory_equal(b.data + 4, big, sizeof big);
  gt_bytes_finish(&b);
  assert_int_equal(count_entries(), 1);
  assert_false(gt_write_file_atomic(path("no/such/dir"), pieces, 3, &e));
  assert_int_equal(e.status, GT_ERR_IO);
}

/* A write that fails partway, here at a limit of the file size, keeps the old file, which test_atomic wrote,
 * and removes the temporary one. The child exits with 7 if the write failed with the right error. */
static void test_atomic_failure(void **state) {
  (void)state;
  char target[300];
  snprintf(target, sizeof target, "%s/model.bin", directory);
  const pid_t child = fork();
  if (child == 0) {
    static char big[100000];
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){20000, 20000});
    gt_error e = {0};
    const gt_span piece = {big, sizeof big};
    _exit(!gt_write_file_atomic(target, &piece, 1, &e) && e.status == GT_ERR_IO ? 7 : 1);
  }
  int status;
  waitpid(child, &status, 0);
  assert_int_equal(WEXITSTATUS(status), 7);
  assert_int_equal(count_entries(), 1);
  gt_bytes b;
  gt_error e = {0};
  assert_true(gt_read_file(target, 1 << 20, &b, &e));
  assert_memory_equal(b.data, "headbb", 6);
  gt_bytes_finish(&b);
  unlink(target);
}

/* A writer killed at any moment leaves a complete file, old or new. */
static void test_atomic_killed(void **state) {
  (void)state;
  enum { SIZE = 200000 };
  static char data[SIZE];
  char target[300], command[400];
  snprintf(target, sizeof target, "%s/model.bin", directory);
  gt_error e = {0};
  const gt_span piece = {data, SIZE};
  memset(data, 'a', SIZE);
  assert_true(gt_write_file_atomic(target, &piece, 1, &e));
  for (int round = 0; round < 20; round++) {
    const pid_t child = fork();
    if (child == 0)
      for (int i = 0;; i++) {
        memset(data, 'a' + i % 26, SIZE);
        if (!gt_write_file_atomic(target, &piece, 1, &e)) _exit(1);
      }
    usleep((useconds_t)(500 + round * 700));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    gt_bytes b;
    assert_true(gt_read_file(target, SIZE, &b, &e));
    assert_int_equal(b.size, SIZE);
    for (int i = 1; i < SIZE; i++) assert_int_equal(b.data[i], b.data[0]);
    gt_bytes_finish(&b);
  }
  snprintf(command, sizeof command, "rm -f %s/*", directory);
  assert_int_equal(system(command), 0);
}

static void test_directories_and_lock(void **state) {
  (void)state;
  gt_error e = {0};
  char deep[300];
  snprintf(deep, sizeof deep, "%s/a/b//c/", directory);
  assert_true(gt_make_directories(deep, &e));
  assert_true(gt_make_directories(deep, &e));
  assert_true(gt_file_exists(deep));
  int lock, second;
  assert_true(gt_lock_directory(deep, &lock, &e));
  assert_false(gt_lock_directory(deep, &second, &e));
  assert_int_equal(e.status, GT_ERR_BUSY);
  char pid[32], origin[4096], here[4096];
  snprintf(pid, sizeof pid, "process %ld", (long)getpid());
  assert_non_null(strstr(e.message, pid));
  assert_true(gt_lock_origin(deep, origin, sizeof origin));
  assert_non_null(getcwd(here, sizeof here));
  assert_string_equal(origin, here);
  assert_false(gt_lock_origin(deep, origin, strlen(here))); /* too small for the terminating 0 */
  gt_unlock(lock);
  e = (gt_error){0};
  assert_true(gt_lock_directory(deep, &lock, &e));
  gt_unlock(lock);
  write_plain("file", "x", 1);
  assert_false(gt_make_directories(path("file/x"), &e));
  assert_int_equal(e.status, GT_ERR_IO);
}

static void test_temporary_names(void **state) {
  (void)state;
  assert_int_equal(gt_temporary_target("model.bin.tmp-123"), 9);
  assert_int_equal(gt_temporary_target("a.tmp-1.tmp-2"), 7);
  static const char *const not_temporary[] = {
      "",       "model.bin", "model.bin.tmp-", "model.bin.tmp-1x",       "model.bin.tmp-x1",
      ".tmp-1", "tmp-1",     "model.bin.tmp1", "model.bin.tmp-20240131", /* no process has this id */
      "123"};
  for (size_t i = 0; i < sizeof not_temporary / sizeof *not_temporary; i++)
    assert_int_equal(gt_temporary_target(not_temporary[i]), 0);
}

/* Temporary files of killed writers are removed when the file is written again. A temporary file that a
 * writer still has open (kept[0]) stays, and so do files whose names are only similar. */
static void test_leftovers(void **state) {
  (void)state;
  static const char *const removed[] = {"out.csv.tmp-1", "out.csv.tmp-4194304"};
  static const char *const kept[] = {"out.csv.tmp-7", "out.csv.tmp-20240131", "my.out.csv.tmp-1",
                                     "out.csv.tmp-x"};
  char target[300];
  const int entries_before = count_entries();
  for (int i = 0; i < 2; i++) write_plain(removed[i], "half", 4);
  for (int i = 0; i < 4; i++) write_plain(kept[i], "text", 4);
  const int writer = gt_temporary_create(path(kept[0]), 0600);
  assert_true(writer >= 0);
  snprintf(target, sizeof target, "%s", path("out.csv"));
  gt_error e = {0};
  assert_true(gt_write_file_atomic(target, &(gt_span){"1", 1}, 1, &e));
  for (int i = 0; i < 2; i++) assert_int_not_equal(access(path(removed[i]), F_OK), 0);
  for (int i = 0; i < 4; i++) assert_int_equal(access(path(kept[i]), F_OK), 0);
  close(writer);
  gt_remove_leftovers(target);
  assert_int_not_equal(access(path(kept[0]), F_OK), 0);
  for (int i = 1; i < 4; i++) unlink(path(kept[i]));
  unlink(target);
  /* The temporary file of a killed writer is removed by the next write. */
  const pid_t child = fork();
  if (child == 0) {
    gt_replacement r;
    if (!gt_replacement_open(&r, target, &e) || !gt_write_all(r.fd, "half", 4)) _exit(1);
    kill(getpid(), SIGKILL);
  }
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(count_entries(), entries_before + 1);
  assert_true(gt_write_file_atomic(target, &(gt_span){"1", 1}, 1, &e));
  unlink(target);
  assert_int_equal(count_entries(), entries_before);
}

/* A link, a pipe or a directory in place of one of gtrain's own files is rejected immediately; a link's
 * target is not changed. */
static void test_plain_files_only(void **state) {
  (void)state;
  char link[300], pipe[300], target[300];
  snprintf(link, sizeof link, "%s/link", directory);
  snprintf(pipe, sizeof pipe, "%s/pipe", directory);
  snprintf(target, sizeof target, "%s/target", directory);
  write_plain("target", "text", 4);
  assert_int_equal(symlink("target", link), 0);
  assert_int_equal(mkfifo(pipe, 0600), 0);
  const char *const refused[] = {link, pipe, directory};
  for (int i = 0; i < 3; i++) {
    gt_error e = {0};
    assert_int_equal(gt_open_plain(refused[i], O_RDWR | O_CREAT | O_TRUNC, &e), -1);
    assert_int_equal(e.status, GT_ERR_IO);
  }
  gt_error e = {0};
  const int fd = gt_open_plain(target, O_RDWR, &e);
  char text[8];
  assert_int_equal(read(fd, text, sizeof text), 4);
  close(fd);
  unlink(link), unlink(pipe), unlink(target);
}

static int set_up(void **state) {
  (void)state;
  return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  char command[300];
  snprintf(command, sizeof command, "rm -rf %s", directory);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_read),
      cmocka_unit_test(test_gzip),
      cmocka_unit_test(test_atomic),
      cmocka_unit_test(test_atomic_failure),
      cmocka_unit_test(test_atomic_killed),
      cmocka_unit_test(test_directories_and_lock),
      cmocka_unit_test(test_temporary_names),
      cmocka_unit_test(test_leftovers),
      cmocka_unit_test(test_plain_files_only),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
