/* Temporary files: each lies beside the file that its writer will replace. A lock distinguishes a file in use
 * from one that a killed writer left behind, even if a process id is reused or is from another container. */
#include "base/file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PROCESS = 1 << 22 /* Linux's own limit of process ids */, MAX_DIGITS = 7, MAX_TRIES = 100 };
static const char infix[] = ".tmp-";

bool gt_temporary_name(char *out, size_t size, const char *path) {
  return snprintf(out, size, "%s%s%ld", path, infix, (long)getpid()) < (int)size;
}

size_t gt_temporary_target(const char *name) {
  const size_t length = strlen(name), infix_length = sizeof infix - 1;
  size_t at = length;
  while (at && strchr("0123456789", name[at - 1])) at--;
  if (at == length || length - at > MAX_DIGITS || atol(name + at) > MAX_PROCESS) return 0;
  if (at <= infix_length || memcmp(name + at - infix_length, infix, infix_length)) return 0;
  return at - infix_length;
}

/* False also if the file system has no locks. */
static bool lock(int fd, int operation) {
  int status;
  do status = flock(fd, operation);
  while (status != 0 && errno == EINTR);
  return status == 0;
}

int gt_temporary_create(const char *temporary, unsigned mode) {
  struct stat s;
  for (int i = 0; i < MAX_TRIES; i++) {
    unlink(temporary); /* left by a killed process with the same id */
    const int fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0) return -1;
    lock(fd, LOCK_EX);
    if (fstat(fd, &s) != 0 || s.st_nlink) return fd;
    close(fd); /* another process removed it as a leftover before it was locked */
  }
  errno = EBUSY;
  return -1;
}

static void remove_leftover(const char *path) {
  struct stat s;
  const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return;
  if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() && lock(fd, LOCK_EX | LOCK_NB))
    unlink(path);
  close(fd);
}

void gt_remove_leftovers(const char *path) {
  char folder[PATH_MAX], full[PATH_MAX];
  struct dirent *entry;
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const size_t length = strlen(name);
  if (snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 2, slash ? path : "./") >=
      (int)sizeof folder)
    return;
  DIR *directory = opendir(folder);
  // cppcheck-suppress readdirCalled ; each call has its own DIR, and readdir_r is deprecated
  while (directory && (entry = readdir(directory))) {
    if (gt_temporary_target(entry->d_name) != length || memcmp(entry->d_name, name, length)) continue;
    if (snprintf(full, sizeof full, "%s%s", folder, entry->d_name) < (int)sizeof full) remove_leftover(full);
  }
  if (directory) closedir(directory);
}
