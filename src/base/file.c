#include "base/file.h"
#include "base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 64 << 10 };

void gt_bytes_finish(gt_bytes *bytes) {
  free(bytes->data);
  *bytes = (gt_bytes){0};
}

static ssize_t read_some(int fd, void *buffer, size_t size) {
  ssize_t n;
  do n = read(fd, buffer, size);
  while (n < 0 && errno == EINTR);
  return n;
}

/* A growing buffer: it grows with the bytes that were read, never to a size that a gzip file claims. */
typedef struct reader {
  const char *path;
  uint64_t limit;
  size_t enough; /* stop after this many bytes */
  size_t initial_capacity;
  gt_bytes bytes;
  size_t capacity;
  bool limit_is_for_size; /* `limit` is from gt_inflate_limit, not from the caller */
  bool discards;          /* count bytes without storing them: there will be too many */
  gt_error *error;
} reader;

static bool too_large(reader *r) {
  char limit[32];
  gt_human_bytes((double)r->limit, limit);
  if (r->limit_is_for_size)
    return gt_fail(
        r->error, GT_ERR_DATA,
        "%s is larger than %s once inflated, the limit for a file of its size; decompress it first "
        "(gunzip)",
        r->path, limit);
  return gt_fail(r->error, GT_ERR_DATA, "%s is larger than %s, the limit for such a file", r->path, limit);
}

/* Makes room for at least one more byte, in addition to the final 0. */
static bool make_room(reader *r) {
  if (r->capacity - r->bytes.size > 1) return true;
  const size_t capacity = r->capacity ? 2 * r->capacity : r->initial_capacity;
  uint8_t *data = realloc(r->bytes.data, capacity);
  if (!data) return gt_fail(r->error, GT_ERR_MEMORY, "%s: out of memory while reading it", r->path);
  r->bytes.data = data;
  r->capacity = capacity;
  return true;
}

static bool append(reader *r, const uint8_t *data, size_t size) {
  if (r->discards) {
    r->bytes.size += size;
    return r->bytes.size <= r->limit || too_large(r);
  }
  while (size) {
    if (!make_room(r)) return false;
    size_t n = r->capacity - r->bytes.size - 1;
    if (n > size) n = size;
    if (n > r->limit - r->bytes.size) return too_large(r);
    memcpy(r->bytes.data + r->bytes.size, data, n);
    r->bytes.size += n;
    data += n;
    size -= n;
  }
  return true;
}

static bool is_gzip(const uint8_t *head) { return head[0] == 0x1f && head[1] == 0x8b; }

/* Inflates all members of a gzip file into *r. in: 2 * CHUNK bytes, the first `already_read` of which are the
 * start of the file; the second half receives the output. */
static bool inflate_all(reader *r, int fd, uint8_t *in, size_t already_read, z_stream *z) {
  uint8_t *out = in + CHUNK;
  int status = Z_OK;
  z->next_in = in;
  z->avail_in = (uInt)already_read;
  for (;;) {
    if (!z->avail_in) {
      ssize_t n = read_some(fd, in, CHUNK);
      if (n < 0) return gt_fail_errno(r->error, GT_ERR_IO, "cannot read %s", r->path);
      if (n == 0) break;
      z->next_in = in;
      z->avail_in = (uInt)n;
    }
    if (status == Z_STREAM_END) { /* followed by another member, or by the zeros that some tools pad with */
      if (!*z->next_in) {
        z->next_in++, z->avail_in--;
        continue;
      }
      if (inflateReset(z) != Z_OK) break;
      status = Z_OK;
    }
    z->next_out = out;
    z->avail_out = CHUNK;
    status = inflate(z, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) return gt_fail(r->error, GT_ERR_MEMORY, "%s: out of memory", r->path);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      return gt_fail(r->error, GT_ERR_DATA, "%s is a damaged gzip file (%s)", r->path,
                     z->msg ? z->msg : "bad data");
    if (!append(r, out, CHUNK - z->avail_out)) return false;
    if (r->bytes.size >= r->enough) return true;
  }
  if (status == Z_STREAM_END) return true;
  return gt_fail(r->error, GT_ERR_DATA, "%s is a truncated gzip file", r->path);
}

uint64_t gt_inflate_limit(int fd) {
  struct stat s;
  uint8_t magic[2];
  if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || pread(fd, magic, 2, 0) != 2 || !is_gzip(magic))
    return UINT64_MAX;
  const uint64_t size = (uint64_t)s.st_size, max_size = (UINT64_MAX - GT_INFLATE_SLACK) / GT_INFLATE_RATIO;
  return size < max_size ? GT_INFLATE_SLACK + size * GT_INFLATE_RATIO : UINT64_MAX;
}

/* The end of a gzip file stores the inflated size of its last member (RFC 1952, ISIZE); in a truncated file
 * the value is meaningless. */
static uint64_t promised_size(int fd) {
  struct stat s;
  uint8_t last[4];
  if (fstat(fd, &s) != 0 || s.st_size < 4 || pread(fd, last, 4, s.st_size - 4) != 4) return 0;
  return (uint64_t)last[0] | (uint64_t)last[1] << 8 | (uint64_t)last[2] << 16 | (uint64_t)last[3] << 24;
}

/* If the result will be too large, inflates without storing it: only at the end of the data is it known
 * whether the file is too large or damaged. */
static bool read_gzip(reader *r, int fd, uint8_t *buffer, size_t already_read) {
  z_stream z = {0};
  const uint64_t max_size = gt_inflate_limit(fd);
  r->limit_is_for_size = max_size < r->limit;
  if (r->limit_is_for_size) r->limit = max_size;
  r->discards = r->enough == SIZE_MAX && promised_size(fd) > r->limit;
  if (inflateInit2(&z, 15 + 16) != Z_OK)
    return gt_fail(r->error, GT_ERR_MEMORY, "%s: out of memory", r->path);
  bool ok = inflate_all(r, fd, buffer, already_read, &z);
  if (ok && r->discards) ok = gt_fail(r->error, GT_ERR_DATA, "%s is a damaged gzip file", r->path);
  inflateEnd(&z);
  return ok;
}

static bool read_all(reader *r, int fd, uint8_t *buffer) {
  size_t n = 0;
  while (n < CHUNK) { /* a pipe may return less than requested */
    ssize_t got = read_some(fd, buffer + n, CHUNK - n);
    if (got < 0) return gt_fail_errno(r->error, GT_ERR_IO, "cannot read %s", r->path);
    if (got == 0) break;
    n += (size_t)got;
  }
  if (n >= 2 && is_gzip(buffer)) return read_gzip(r, fd, buffer, n);
  if (!append(r, buffer, n)) return false;
  while (r->bytes.size < r->enough) { /* read directly into the result */
    if (!make_room(r)) return false;
    const size_t room = r->capacity - r->bytes.size - 1;
    ssize_t got = read_some(fd, r->bytes.data + r->bytes.size, room);
    if (got < 0) return gt_fail_errno(r->error, GT_ERR_IO, "cannot read %s", r->path);
    if (got == 0) return true;
    if ((uint64_t)got > r->limit - r->bytes.size) return too_large(r);
    r->bytes.size += (size_t)got;
  }
  return true;
}

int gt_open_input(const char *path, bool plain, gt_error *error) {
  struct stat s;
  if (!strcmp(path, GT_STDIN)) return gt_open_standard_input(error);
  const int fd = open(path, O_RDONLY | O_CLOEXEC | (plain ? O_NONBLOCK | O_NOCTTY : 0));
  if (fd < 0) {
    gt_fail_errno(error, GT_ERR_IO, "cannot open %s", path);
    return -1;
  }
  if (!plain || (fstat(fd, &s) == 0 && S_ISREG(s.st_mode))) {
    gt_remember_input(fd);
    return fd;
  }
  gt_fail(error, GT_ERR_IO, "cannot open %s: it is not a regular file", path);
  close(fd);
  return -1;
}

/* Chooses the initial capacity. A regular file of at least a chunk is allocated at once, or rejected if it
 * does not fit into memory: its size plus two bytes, one for the final 0 and one for the read that returns
 * the end of the file. */
static size_t choose_capacity(int fd, uint64_t limit) {
  struct stat s;
  if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size < CHUNK) return CHUNK;
  const uint64_t size = (uint64_t)s.st_size < limit ? (uint64_t)s.st_size : limit;
  return size < SIZE_MAX - 2 ? (size_t)size + 2 : SIZE_MAX;
}

static bool read_open(int fd, const char *path, uint64_t limit, size_t enough, gt_bytes *out,
                      gt_error *error) {
  *out = (gt_bytes){0};
  reader r = {.path = path,
              .limit = limit,
              .enough = enough,
              .initial_capacity = choose_capacity(fd, limit < enough ? limit : enough),
              .error = error};
  bool ok = false;
  uint8_t *buffer = malloc(2 * CHUNK);
  if (!buffer) {
    gt_fail(error, GT_ERR_MEMORY, "%s: out of memory", path);
    goto close;
  }
  ok = read_all(&r, fd, buffer) && make_room(&r);
  if (!ok) goto close;
  r.bytes.data[r.bytes.size] = 0;
  uint8_t *shrunk = realloc(r.bytes.data, r.bytes.size + 1);
  if (shrunk) r.bytes.data = shrunk;
  *out = r.bytes;
close:
  if (!ok) gt_bytes_finish(&r.bytes);
  free(buffer);
  close(fd);
  return ok;
}

bool gt_read_input(int fd, const char *path, uint64_t limit, gt_bytes *out, gt_error *error) {
  return read_open(fd, path, limit, SIZE_MAX, out, error);
}

static bool read_file(const char *path, bool plain, uint64_t limit, gt_bytes *out, gt_error *error) {
  const int fd = gt_open_input(path, plain, error);
  *out = (gt_bytes){0};
  return fd >= 0 && gt_read_input(fd, path, limit, out, error);
}

bool gt_read_file(const char *path, uint64_t limit, gt_bytes *out, gt_error *error) {
  return read_file(path, false, limit, out, error);
}

bool gt_read_plain_file(const char *path, uint64_t limit, gt_bytes *out, gt_error *error) {
  return read_file(path, true, limit, out, error);
}

bool gt_read_head(const char *path, size_t size, gt_bytes *out, gt_error *error) {
  const int fd = gt_open_input(path, true, error);
  *out = (gt_bytes){0};
  if (fd < 0 || !read_open(fd, path, UINT64_MAX, size, out, error)) return false;
  if (out->size > size) out->data[out->size = size] = 0;
  return true;
}

bool gt_file_exists(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 || (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG);
}

bool gt_is_folder(const char *path) {
  struct stat s;
  return path && stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static bool sync_fd(int fd) {
  int status;
  do status = fsync(fd);
  while (status != 0 && errno == EINTR);
  return status == 0;
}

bool gt_sync_name(const char *path, gt_error *error) {
  char directory[PATH_MAX];
  const char *slash = strrchr(path, '/');
  const size_t length = slash ? (size_t)(slash - path) : 0;
  snprintf(directory, sizeof directory, "%.*s", slash ? (length ? (int)length : 1) : 1, slash ? path : ".");
  const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return gt_fail_errno(error, GT_ERR_IO, "cannot open directory %s", directory);
  /* Some file systems cannot sync a directory and return EINVAL: that is accepted. */
  const bool ok = sync_fd(fd) || errno == EINVAL || errno == ENOTSUP;
  if (!ok) gt_fail_errno(error, GT_ERR_IO, "cannot sync directory %s", directory);
  close(fd);
  return ok;
}

bool gt_make_directories(const char *path, gt_error *error) {
  char prefix[PATH_MAX];
  const size_t length = strlen(path);
  if (!length || length >= sizeof prefix)
    return gt_fail(error, GT_ERR_IO, "cannot create directory '%s': its name is %s", path,
                   length ? "too long" : "empty");
  for (size_t i = 1; i <= length; i++) {
    if (path[i] != '/' && path[i]) continue;
    memcpy(prefix, path, i);
    prefix[i] = 0;
    if (mkdir(prefix, 0777) == 0) {
      if (!gt_sync_name(prefix, error)) return false;
      continue;
    }
    const int number = errno;
    if (gt_is_folder(prefix)) continue;
    errno = number == EEXIST ? ENOTDIR : number;
    return gt_fail_errno(error, GT_ERR_IO, "cannot create directory %s", prefix);
  }
  return true;
}

bool gt_make_folder_of(const char *path, gt_error *error) {
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  if (!slash || slash == path) return true;
  const size_t length = (size_t)(slash - path);
  if (length >= sizeof folder)
    return gt_fail(error, GT_ERR_IO, "cannot create a directory for '%s': its name is too long", path);
  memcpy(folder, path, length);
  folder[length] = 0;
  return gt_make_directories(folder, error);
}

bool gt_write_all(int fd, const void *data, size_t size) {
  const char *at = data;
  while (size) {
    const ssize_t n = write(fd, at, size > 1 << 30 ? 1 << 30 : size);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = ENOSPC;
    if (n <= 0) return false;
    at += n;
    size -= (size_t)n;
  }
  return true;
}

bool gt_truncate_file(int fd, int64_t size) {
  int status;
  do status = ftruncate(fd, size);
  while (status != 0 && errno == EINTR);
  return status == 0;
}

/* True if the file contains exactly these pieces. */
static bool has_content(int fd, const gt_span *pieces, size_t count) {
  uint8_t buffer[4096 * 4];
  if (lseek(fd, 0, SEEK_SET) != 0) return false;
  for (size_t i = 0; i < count; i++) {
    for (size_t at = 0; at < pieces[i].size;) {
      size_t want = pieces[i].size - at;
      if (want > sizeof buffer) want = sizeof buffer;
      const ssize_t n = read_some(fd, buffer, want);
      if (n <= 0 || memcmp(buffer, (const uint8_t *)pieces[i].data + at, (size_t)n)) return false;
      at += (size_t)n;
    }
  }
  return read_some(fd, buffer, 1) == 0;
}

static bool write_and_verify(int fd, const char *path, const gt_span *pieces, size_t count, gt_error *error) {
  for (size_t i = 0; i < count; i++)
    if (!gt_write_all(fd, pieces[i].data, pieces[i].size))
      return gt_fail_errno(error, GT_ERR_IO, "cannot write %s", path);
  if (!sync_fd(fd)) return gt_fail_errno(error, GT_ERR_IO, "cannot sync %s", path);
  /* Best effort: drop the page cache, so that the comparison reads from the disk. */
  (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  if (!has_content(fd, pieces, count))
    return gt_fail(error, GT_ERR_IO,
                   "%s: the data read back differs from what was written; the disk may be failing", path);
  return true;
}

/* Keeps the owner of the old file if the system allows it. */
static bool keep_owner_and_mode(int fd, const struct stat *old) {
  if (fchown(fd, old->st_uid, old->st_gid) != 0 && fchown(fd, (uid_t)-1, old->st_gid) != 0 && errno != EPERM)
    return false;
  return fchmod(fd, old->st_mode & 0777) == 0;
}

bool gt_replacement_open(gt_replacement *r, const char *path, gt_error *error) {
  struct stat old;
  *r = (gt_replacement){.fd = -1};
  if (snprintf(r->path, sizeof r->path, "%s", path) >= (int)sizeof r->path ||
      !gt_temporary_name(r->temporary, sizeof r->temporary, path))
    return gt_fail(error, GT_ERR_IO, "%s: the name is too long", path);
  const bool replaces = lstat(path, &old) == 0 && S_ISREG(old.st_mode);
  gt_remove_leftovers(path);
  r->fd = gt_temporary_create(r->temporary, replaces ? old.st_mode & 0777 : 0666);
  if (r->fd < 0) return gt_fail_errno(error, GT_ERR_IO, "cannot create %s", r->temporary);
  if (!replaces || keep_owner_and_mode(r->fd, &old)) return true;
  gt_fail_errno(error, GT_ERR_IO, "cannot set the mode of %s to that of %s", r->temporary, path);
  gt_replacement_close(r, false, error);
  return false;
}

bool gt_replacement_close(gt_replacement *r, bool keep, gt_error *error) {
  bool ok = close(r->fd) == 0 || gt_fail_errno(error, GT_ERR_IO, "cannot write %s", r->temporary);
  if (ok && keep && rename(r->temporary, r->path) != 0)
    ok = gt_fail_errno(error, GT_ERR_IO, "cannot rename %s to %s", r->temporary, r->path);
  if (!ok || !keep) unlink(r->temporary);
  r->fd = -1;
  return ok;
}

bool gt_write_file_atomic(const char *path, const gt_span *pieces, size_t count, gt_error *error) {
  gt_replacement r;
  if (!gt_replacement_open(&r, path, error)) return false;
  const bool ok = write_and_verify(r.fd, r.temporary, pieces, count, error);
  return gt_replacement_close(&r, ok, error) && ok && gt_sync_name(path, error);
}

bool gt_reserve_standard_descriptors(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd) return false;
  return true;
}

int gt_open_plain(const char *path, int flags, gt_error *error) {
  struct stat status;
  /* O_NONBLOCK: opening a pipe must not block before it is rejected. It has no effect on regular files. */
  const int fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (fd < 0) {
    if (errno == ELOOP)
      gt_fail(error, GT_ERR_IO, "cannot open %s: it is a link", path);
    else
      gt_fail_errno(error, GT_ERR_IO, "cannot open %s", path);
    return -1;
  }
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) return fd;
  gt_fail(error, GT_ERR_IO, "cannot open %s: it is not a regular file", path);
  close(fd);
  return -1;
}

static bool lock_fd(int fd) {
  int status;
  do status = flock(fd, LOCK_EX | LOCK_NB);
  while (status != 0 && errno == EINTR);
  return status == 0;
}

/* Writes process id and working directory, or only the id if the directory cannot be determined. */
static bool write_owner(int fd) {
  char text[PATH_MAX + 32], origin[PATH_MAX] = "";
  if (!getcwd(origin, sizeof origin) || *origin != '/') *origin = 0;
  const int length = snprintf(text, sizeof text, "%ld\n%s%s", (long)getpid(), origin, *origin ? "\n" : "");
  return gt_write_all(fd, text, (size_t)length);
}

bool gt_lock_directory(const char *directory, int *lock, gt_error *error) {
  char path[PATH_MAX], owner[32] = "";
  *lock = -1;
  if (snprintf(path, sizeof path, "%s/.lock", directory) >= (int)sizeof path)
    return gt_fail(error, GT_ERR_IO, "%s: the name is too long", directory);
  const int fd = gt_open_plain(path, O_RDWR | O_CREAT, error);
  if (fd < 0) return false;
  if (!lock_fd(fd)) {
    const bool busy = errno == EWOULDBLOCK;
    if (busy) {
      const ssize_t n = read_some(fd, owner, sizeof owner - 1);
      owner[n > 0 ? strspn(owner, "0123456789") : 0] = 0;
      gt_fail(error, GT_ERR_BUSY, "%s is in use by another gtrain%s%s", directory, *owner ? ", process " : "",
              owner);
    } else {
      gt_fail_errno(error, GT_ERR_IO, "cannot lock %s", path);
    }
    close(fd);
    return false;
  }
  if (!gt_truncate_file(fd, 0) || !write_owner(fd)) {
    gt_fail_errno(error, GT_ERR_IO, "cannot write %s", path);
    close(fd);
    return false;
  }
  *lock = fd;
  return true;
}

void gt_unlock(int lock) {
  if (lock >= 0) close(lock);
}

bool gt_lock_origin(const char *directory, char *origin, size_t size) {
  char path[PATH_MAX], text[PATH_MAX + 32];
  gt_error ignored = {0};
  if (snprintf(path, sizeof path, "%s/.lock", directory) >= (int)sizeof path) return false;
  const int fd = gt_open_plain(path, O_RDONLY, &ignored);
  if (fd < 0) return false;
  const ssize_t n = read_some(fd, text, sizeof text - 1);
  close(fd);
  text[n > 0 ? n : 0] = 0;
  char *line = text + strspn(text, "0123456789"), *end = strrchr(text, '\n');
  if (line[0] != '\n' || line[1] != '/' || end == line) return false;
  *end = 0; /* the name may contain a newline too */
  return snprintf(origin, size, "%s", line + 1) < (int)size;
}

bool gt_absolute_path(const char *path, char *out, size_t size) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  char folder[PATH_MAX], real[PATH_MAX];
  if (snprintf(folder, sizeof folder, "%.*s", slash ? (int)(name - path) : 1, slash ? path : ".") >=
          (int)sizeof folder ||
      !realpath(folder, real))
    return false;
  return snprintf(out, size, "%s%s%s", real, real[1] ? "/" : "", name) < (int)size;
}
