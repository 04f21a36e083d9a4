/* Folders and bytes: copied, removed, compared. */
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

/* Calls visit(path, context) for each name in a folder, until one says false. */
static bool each(const char *folder, bool (*visit)(const char *name, void *context), void *context) {
  bool going = true;
  DIR *directory = opendir(folder);
  if (!directory) return errno == ENOENT;
  // cppcheck-suppress readdirCalled ; one DIR, one thread
  for (struct dirent *e; going && (e = readdir(directory));)
    if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) going = visit(e->d_name, context);
  closedir(directory);
  return going;
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
  if (is_folder(path)) each(path, remove_one, (void *)(uintptr_t)path);
  if (remove(path) != 0 && errno != ENOENT) give_up("cannot remove %s", path);
}

static char *content(const char *path, size_t *size) {
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
  if (S_ISLNK(s.st_mode)) return; /* the inputs, which are the same for all */
  if (S_ISDIR(s.st_mode)) {
    if (mkdir(to, 0777) != 0 && errno != EEXIST) give_up("cannot make %s", to);
    two_paths p = {from, to};
    each(from, copy_one, &p);
    return;
  }
  size_t size;
  char *bytes = content(from, &size);
  const int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || close(fd) != 0) give_up("cannot write %s", to);
  free(bytes);
}

/* --- compare --- */

bool file_equal(const char *a, const char *b) {
  size_t sizes[2];
  char *one = content(a, &sizes[0]), *other = content(b, &sizes[1]);
  const bool equal = sizes[0] == sizes[1] && !memcmp(one, other, sizes[0]);
  free(one);
  free(other);
  return equal;
}

static bool named(const char *name, const char *const *patterns) {
  for (; patterns && *patterns; patterns++)
    if (!fnmatch(*patterns, name, 0)) return true;
  return false;
}

typedef struct comparison {
  const char *should, *is;
  bool whole;
  const char *const *skip, *const *extra;
  char *note;
  size_t size;
} comparison;

static bool check_should(const char *name, void *context) {
  const comparison *c = context;
  char should[PATH_MAX], is[PATH_MAX];
  struct stat s;
  if (named(name, c->skip)) return true;
  path_of(should, "%s/%s", c->should, name);
  path_of(is, "%s/%s", c->is, name);
  if (lstat(is, &s) != 0) {
    if (c->whole) snprintf(c->note, c->size, "%s is missing", name);
    return !c->whole;
  }
  if (is_folder(should)) return tree_check(should, is, c->whole, c->skip, c->extra, c->note, c->size);
  if (file_equal(should, is)) return true;
  snprintf(c->note, c->size, "%s has other bytes (%lld)", name, (long long)s.st_size);
  return false;
}

static bool check_is(const char *name, void *context) {
  const comparison *c = context;
  char should[PATH_MAX], is[PATH_MAX];
  path_of(should, "%s/%s", c->should, name);
  path_of(is, "%s/%s", c->is, name);
  struct stat s;
  if (lstat(is, &s) == 0 && S_ISLNK(s.st_mode)) return true;
  if (named(name, c->skip) || named(name, c->extra) || access(should, F_OK) == 0) return true;
  snprintf(c->note, c->size, "%s should not be there", name);
  return false;
}

bool tree_check(const char *should, const char *is, bool whole, const char *const *skip,
                const char *const *extra, char *note, size_t size) {
  comparison c = {should, is, whole, skip, extra, note, size};
  return each(should, check_should, &c) && each(is, check_is, &c);
}

typedef struct search {
  const char *folder, *pattern;
} search;

static bool look(const char *name, void *context) {
  const search *s = context;
  char path[PATH_MAX];
  path_of(path, "%s/%s", s->folder, name);
  return fnmatch(s->pattern, name, 0) != 0 && !(is_folder(path) && tree_has(path, s->pattern));
}

bool tree_has(const char *path, const char *pattern) {
  search s = {path, pattern};
  return !each(path, look, &s);
}
