#include "base/file.h"
#include "base/log.h"
#include "train/run/sink.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool truncate_to(gt_sink_file *file, const char *directory, int64_t keep, gt_error *error) {
  struct stat status;
  if (fstat(file->fd, &status) != 0)
    return gt_fail_errno(error, GT_ERR_IO, "cannot access %s/%s", directory, file->name);
  if (status.st_size < keep)
    gt_warn("%s/%s is shorter than it was at the checkpoint; its missing rows are lost", directory,
            file->name);
  file->bytes = status.st_size < keep ? status.st_size : keep;
  return gt_truncate_file(file->fd, file->bytes) ||
         gt_fail_errno(error, GT_ERR_IO, "cannot truncate %s/%s", directory, file->name);
}

bool gt_sink_file_open(gt_sink_file *file, const char *directory, const char *name, int64_t keep,
                       gt_error *error) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  *file = (gt_sink_file){.fd = gt_open_plain(path, O_WRONLY | O_CREAT | O_APPEND, error)};
  if (file->fd < 0) return false;
  file->name = name;
  if (gt_sync_name(path, error) && (keep < 0 || truncate_to(file, directory, keep, error))) return true;
  gt_sink_file_close(file);
  return false;
}

bool gt_sink_file_write(gt_sink_file *file, const char *text, gt_error *error) {
  const size_t length = strlen(text);
  size_t written = 0;
  while (written < length) {
    const ssize_t n = write(file->fd, text + written, length - written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return gt_fail_errno(error, GT_ERR_IO, "cannot write %s", file->name);
    written += (size_t)n;
  }
  file->bytes += (int64_t)length;
  return true;
}

bool gt_sink_file_save(void *state, int64_t *place, gt_error *error) {
  const gt_sink_file *file = state;
  *place = file->bytes;
  if (fdatasync(file->fd) == 0 || errno == EINVAL || errno == EINTR) return true;
  return gt_fail_errno(error, GT_ERR_IO, "cannot sync %s", file->name);
}

void gt_sink_file_close(void *state) {
  gt_sink_file *file = state;
  if (file->name) close(file->fd);
  *file = (gt_sink_file){0};
}
