/* Copies, removes and compares folders and files. */
#define _GNU_SOURCE
#include "driver.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void give_up(const char *format, ...) {
  const int error = errno;
  va_list list;
  va_start(list, format);
  fprintf(stderr, "faults: ");
  vfprintf(stderr, format, list);
  fprintf(stderr, " (%s)\n", strerror(error));
  va_end(list);
  exit(2);
}

void path_of(char *out, const char *format, ...) {
  va_list list;
  va_start(list, format);
  if (vsnprintf(out, PATH_MAX, format, list) >= PATH_MAX) give_up("a path that is too long");
  va_end(list);
}

/* Calls visit(name, context) for each name in a folder, until visit returns false. Returns true if it never
 * did, or if there is no such folder. */
static bool for_each_name(const char *folder, bool (*visit)(const char *name, void *context), void *context) {
  bool continues = true;
  DIR *directory = opendir(folder);
  if (!directory) return errno == ENOENT;
  // cppcheck-suppress readdirCalled ; one DIR, one thread
  for (struct dirent *e; continues && (e = readdir(directory));)
    if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) continues = visit(e->d_name, context);
  closedir(directory);
  return continues;
}

static bool is_folder(const char *path) {
  struct stat s;
  return lstat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* --- remove, copy --- */

static bool remove_one(const char *name, void *context) {
  char path[PATH_MAX];
  path_of(path, "%s/%s", (const char *)context, name);
  tree_remove(path);
  return true;
}

void tree_remove(const char *path) {
  if (is_folder(path)) for_each_name(path, remove_one, (void *)(uintptr_t)path);
  if (remove(path) != 0 && errno != ENOENT) give_up("cannot remove %s", path);
}

static char *read_content(const char *path, size_t *size) {
  struct stat s;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &s) != 0) give_up("cannot open %s", path);
  char *bytes = malloc((size_t)s.st_size + 1);
  *size = 0;
  for (ssize_t n; bytes && (n = read(fd, bytes + *size, (size_t)s.st_size - *size)) > 0;) *size += (size_t)n;
  if (!bytes || *size != (size_t)s.st_size) give_up("cannot read %s", path);
  close(fd);
  return bytes;
}

typedef struct two_paths {
  const char *from, *to;
} two_paths;

static bool copy_one(const char *name, void *context) {
  const two_paths *p = context;
  char from[PATH_MAX], to[PATH_MAX];
  path_of(from, "%s/%s", p->from, name);
  path_of(to, "%s/%s", p->to, name);
  tree_copy(from, to);
  return true;
}

void tree_copy(const char *from, const char *to) {
  struct stat s;
  if (lstat(from, &s) != 0) give_up("cannot look at %s", from);
  if (S_ISLNK(s.st_mode)) return; /* the inputs, which all workers share */
  if (S_ISDIR(s.st_mode)) {
    if (mkdir(to, 0777) != 0 && errno != EEXIST) give_up("cannot make %s", to);
    two_paths p = {from, to};
    for_each_name(from, copy_one, &p);
    return;
  }
  size_t size;
  char *bytes = read_content(from, &size);
  const int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || close(fd) != 0) give_up("cannot write %s", to);
  free(bytes);
}

/* --- compare --- */

bool file_equal(const char *a, const char *b) {
  size_t sizes[2];
  char *one = read_content(a, &sizes[0]), *other = read_content(b, &sizes[1]);
  const bool equal = sizes[0] == sizes[1] && !memcmp(one, other, sizes[0]);
  free(one);
  free(other);
  return equal;
}

/* These files are not compared: they have durations or the owner of a lock; a damaged checkpoint may have
 * been overwritten instead of set aside; standard output is compared separately. */
static const char *const skipped[] = {"timing.jsonl", ".lock", "*.damaged", ".out", NULL};

static bool is_skipped(const char *name) {
  for (int i = 0; skipped[i]; i++)
    if (!fnmatch(skipped[i], name, 0)) return true;
  return false;
}

static bool check_expected(const char *name, void *context) {
  const comparison *c = context;
  char expected[PATH_MAX], actual[PATH_MAX], before[PATH_MAX];
  if (is_skipped(name)) return true;
  path_of(expected, "%s/%s", c->expected, name);
  path_of(actual, "%s/%s", c->actual, name);
  path_of(before, "%s/%s", c->before ? c->before : "/absent", name);
  if (access(actual, F_OK) != 0) {
    if (c->complete) snprintf(c->note, c->size, "%s is missing", name);
    return !c->complete;
  }
  if (is_folder(expected)) {
    comparison below = *c;
    below.expected = expected, below.actual = actual, below.before = c->before ? before : NULL;
    return tree_check(&below);
  }
  if (file_equal(expected, actual) ||
      (!c->complete && access(before, F_OK) == 0 && file_equal(before, actual)))
    return true;
  snprintf(c->note, c->size, "%s has other bytes", name);
  return false;
}

/* Checkpoints that could not be removed in time may stay, and are removed by the next save. */
static bool check_unexpected(const char *name, void *context) {
  const comparison *c = context;
  char expected[PATH_MAX], actual[PATH_MAX];
  path_of(expected, "%s/%s", c->expected, name);
  path_of(actual, "%s/%s", c->actual, name);
  struct stat s;
  if (is_skipped(name) || access(expected, F_OK) == 0 || !fnmatch("step-*.safetensors", name, 0)) return true;
  if (lstat(actual, &s) == 0 && S_ISLNK(s.st_mode)) return true;
  snprintf(c->note, c->size, "%s should not be there", name);
  return false;
}

bool tree_check(const comparison *c) {
  return for_each_name(c->expected, check_expected, (void *)(uintptr_t)c) &&
         (!c->complete || for_each_name(c->actual, check_unexpected, (void *)(uintptr_t)c));
}

typedef struct search {
  const char *expected, *actual, *pattern;
} search;

/* True unless the name matches the pattern and is not in the expected folder; for a folder, the same of all
 * names in it. */
static bool is_expected(const char *name, void *context) {
  const search *s = context;
  char expected[PATH_MAX], actual[PATH_MAX];
  path_of(expected, "%s/%s", s->expected, name);
  path_of(actual, "%s/%s", s->actual, name);
  if (is_folder(actual)) return !tree_has_extra(expected, actual, s->pattern);
  return fnmatch(s->pattern, name, 0) != 0 || access(expected, F_OK) == 0;
}

bool tree_has_extra(const char *expected, const char *actual, const char *pattern) {
  search s = {expected, actual, pattern};
  return !for_each_name(actual, is_expected, &s);
}
