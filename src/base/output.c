#include "base/output.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINKS = 40 }; /* Linux's own limit */

/* What a path leads to: a regular file (which may not exist yet), or a descriptor to write to. */
typedef struct target {
  char path[PATH_MAX];
  int fd; /* -1: a regular file */
} target;

static bool fail_to_write(const char *path, gt_error *error) {
  return gt_fail_errno(error, GT_ERR_IO, "cannot write %s", gt_output_name(path));
}

/* Splits the path into its directory, with links resolved, and its last component. */
static bool split(const char *path, char folder[PATH_MAX], const char **name) {
  char text[PATH_MAX];
  const char *slash = strrchr(path, '/');
  snprintf(text, sizeof text, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
  *name = slash ? slash + 1 : path;
  return realpath(text, folder) != NULL;
}

/* N if the path is /dev/fd/N or another name of a descriptor of this process, otherwise -1. The descriptor is
 * duplicated, because opening /dev/fd/N for a regular file would write from the file's beginning. */
static int descriptor_of(const char *folder, const char *name) {
  char descriptors[PATH_MAX], *end;
  if (*name < '0' || *name > '9' || !realpath("/proc/self/fd", descriptors) || strcmp(folder, descriptors))
    return -1;
  const long number = strtol(name, &end, 10);
  return *end || number > INT_MAX ? -1 : (int)number;
}

static bool open_special(target *t, const char *path, gt_error *error) {
  t->fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
  return t->fd >= 0 || fail_to_write(path, error);
}

static bool duplicate(target *t, int number, const char *path, gt_error *error) {
  fflush(stdout); /* output printed earlier must come first */
  t->fd = fcntl(number, F_DUPFD_CLOEXEC, 3);
  return t->fd >= 0 || fail_to_write(path, error);
}

static bool read_link(target *t, const char *folder) {
  char link[PATH_MAX];
  const ssize_t length = readlink(t->path, link, sizeof link - 1);
  if (length < 0) return false;
  link[length] = 0;
  const bool absolute = *link == '/';
  errno = ENAMETOOLONG;
  return snprintf(t->path, sizeof t->path, "%s%s%s", absolute ? "" : folder, absolute ? "" : "/", link) <
         (int)sizeof t->path;
}

/* Follows one link of t->path; sets *done if it is not a link. path: as the user named it, for errors. */
static bool follow(target *t, const char *path, bool *done, gt_error *error) {
  struct stat status;
  char folder[PATH_MAX];
  const char *name;
  if (!split(t->path, folder, &name)) return fail_to_write(path, error);
  const int number = descriptor_of(folder, name);
  *done = true;
  if (number >= 0) return duplicate(t, number, path, error);
  if (lstat(t->path, &status) != 0) {
    if (errno != ENOENT) return fail_to_write(path, error);
    /* Links in /proc to another process's pipes read "pipe:[1234]", which is not a path. */
    return stat(path, &status) != 0 || open_special(t, path, error);
  }
  if (S_ISREG(status.st_mode)) return access(t->path, W_OK) == 0 || fail_to_write(path, error);
  if (!S_ISLNK(status.st_mode)) return open_special(t, path, error);
  *done = false;
  return read_link(t, folder) || fail_to_write(path, error);
}

static bool is_stdout(const char *path) { return !strcmp(path, "-"); }

const char *gt_output_name(const char *path) { return is_stdout(path) ? "standard output" : path; }

static bool exists_beside(const char *path, size_t folder, const char *name) {
  char file[PATH_MAX];
  return snprintf(file, sizeof file, "%.*s%s", (int)folder, path, name) < (int)sizeof file &&
         access(file, F_OK) == 0;
}

/* True for a file that exists and that a run wrote, in its directory (train/run/directory.c) or in
 * checkpoints/.
 */
static bool belongs_to_run(const char *path) {
  static const char *const names[] = {"config.yaml", "metrics.jsonl", "timing.jsonl", "tuned.json",
                                      "model.bin",   "best.bin",      ".lock"};
  char real[PATH_MAX];
  if (!realpath(path, real)) return false;
  const char *name = strrchr(real, '/') + 1;
  static const char checkpoints[] = "checkpoints/";
  size_t folder = (size_t)(name - real);
  bool own = false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) own |= !strcmp(name, names[i]);
  const size_t length = sizeof checkpoints - 1;
  if (folder > length && !strncmp(name - length, checkpoints, length)) folder -= length, own = true;
  return own && exists_beside(real, folder, "config.yaml") && exists_beside(real, folder, "metrics.jsonl");
}

bool gt_output_check(const char *path, gt_error *error) {
  if (!path || is_stdout(path)) return true;
  if (gt_is_input(path))
    return gt_fail(error, GT_ERR_USAGE,
                   "%s is an input of this command and is not replaced; choose another output", path);
  return !belongs_to_run(path) ||
         gt_fail(error, GT_ERR_USAGE, "%s belongs to a run and is not replaced; choose another output", path);
}

bool gt_output_check_two(const char *a, const char *b, gt_error *error) {
  struct stat s, t;
  char folder[2][PATH_MAX];
  const char *name[2];
  if (!a || !b) return true;
  const bool exists = stat(a, &s) == 0, other_exists = stat(b, &t) == 0;
  if (exists && other_exists
          ? !S_ISREG(s.st_mode) || s.st_dev != t.st_dev || s.st_ino != t.st_ino
          : exists || other_exists || !split(a, folder[0], &name[0]) || !split(b, folder[1], &name[1]) ||
                strcmp(folder[0], folder[1]) != 0 || strcmp(name[0], name[1]) != 0)
    return true;
  return gt_fail(error, GT_ERR_USAGE, "%s would be written twice; choose another file for one output", b);
}

static bool resolve(const char *path, target *t, gt_error *error) {
  bool done = false;
  t->fd = -1;
  if (is_stdout(path)) return duplicate(t, STDOUT_FILENO, path, error);
  if (!gt_output_check(path, error)) return false;
  errno = *path ? ENAMETOOLONG : ENOENT;
  if (!*path || snprintf(t->path, sizeof t->path, "%s", path) >= (int)sizeof t->path)
    return fail_to_write(path, error);
  for (int i = 0; i < MAX_LINKS && !done; i++)
    if (!follow(t, path, &done, error)) return false;
  errno = ELOOP;
  return done || fail_to_write(path, error);
}

bool gt_output_open(gt_output *output, const char *path, gt_error *error) {
  target t;
  *output = (gt_output){.path = path, .fd = -1};
  if (!resolve(path, &t, error)) return false;
  output->replaces = t.fd < 0;
  if (output->replaces && !gt_replacement_open(&output->replacement, t.path, error)) return false;
  output->fd = output->replaces ? output->replacement.fd : t.fd;
  return true;
}

bool gt_output_write(gt_output *output, const void *data, size_t size, gt_error *error) {
  return gt_write_all(output->fd, data, size) || fail_to_write(output->path, error);
}

bool gt_output_close(gt_output *output, bool keep, gt_error *error) {
  const int fd = output->fd;
  output->fd = -1;
  if (output->replaces) return gt_replacement_close(&output->replacement, keep, error);
  return close(fd) == 0 || fail_to_write(output->path, error);
}

bool gt_write_output(const char *path, const gt_span *pieces, size_t count, gt_error *error) {
  target t;
  bool ok = true;
  if (!resolve(path, &t, error)) return false;
  if (t.fd < 0) return gt_write_file_atomic(t.path, pieces, count, error);
  for (size_t i = 0; i < count && ok; i++)
    ok = gt_write_all(t.fd, pieces[i].data, pieces[i].size) || fail_to_write(path, error);
  return (close(t.fd) == 0 || fail_to_write(path, error)) && ok;
}
