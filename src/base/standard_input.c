/* Standard input as a file that can be opened several times: the format is detected from the first bytes,
 * which a pipe delivers only once. */
#define _GNU_SOURCE /* memfd_create */
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 };
static const uint64_t max_size = 4ull << 30;

static int copy = -1; /* the contents of standard input, in memory */

static bool copy_to(int fd, gt_error *error) {
  static uint8_t buffer[CHUNK];
  for (uint64_t size = 0;;) {
    const ssize_t got = read(STDIN_FILENO, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return gt_fail_errno(error, GT_ERR_IO, "cannot read standard input");
    if (!got) return true;
    size += (uint64_t)got;
    if (size > max_size)
      return gt_fail(error, GT_ERR_DATA, "standard input is larger than 4 GiB; write it to a file first");
    if (!gt_write_all(fd, buffer, (size_t)got))
      return gt_fail_errno(error, GT_ERR_MEMORY, "cannot keep standard input in memory");
  }
}

int gt_open_standard_input(gt_error *error) {
  char path[64];
  if (copy < 0) {
    const int fd = memfd_create("stdin", MFD_CLOEXEC);
    if (fd < 0) gt_fail_errno(error, GT_ERR_IO, "cannot keep standard input in memory");
    if (fd < 0 || !copy_to(fd, error)) {
      if (fd >= 0) close(fd);
      return -1;
    }
    copy = fd;
    gt_remember_input(STDIN_FILENO);
  }
  snprintf(path, sizeof path, "/proc/self/fd/%d", copy);
  const int fd = open(path, O_RDONLY | O_CLOEXEC); /* a new descriptor starts at position 0 */
  if (fd < 0) gt_fail_errno(error, GT_ERR_IO, "cannot read standard input");
  return fd;
}
