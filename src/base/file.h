/* Files: whole reads with a limit, atomic writes (temporary file, sync, rename), directory locks. What a user
 * named is written by base/output.h. */
#ifndef GT_BASE_FILE_H
#define GT_BASE_FILE_H
#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gt_bytes { /* heap memory, freed by gt_bytes_finish; data[size] is always a 0 byte not counted
                             in size */
  uint8_t *data;
  size_t size;
} gt_bytes;

void gt_bytes_finish(gt_bytes *bytes);
/* What a compressed plain file may inflate to: so many times its own size beyond a slack. A gzip bomb (up to
 * 1032:1) ends here. UINT64_MAX of other files. */
#define GT_INFLATE_RATIO 200ull
#define GT_INFLATE_SLACK (64ull << 20)
uint64_t gt_inflate_limit(int fd);
/* Reads a file, inflating it if it is gzip by its magic number. GT_ERR_IO if it cannot be read; GT_ERR_DATA
 * if it is larger (inflated) than limit bytes or its gt_inflate_limit, or a damaged gzip stream. */
bool gt_read_file(const char *path, uint64_t limit, gt_bytes *out, gt_error *error);
/* The same of a plain file; of anything else (a pipe would be waited for) GT_ERR_IO. For files that nobody
 * named, such as those of a cache. */
bool gt_read_plain_file(const char *path, uint64_t limit, gt_bytes *out, gt_error *error);
/* The same in two steps. plain: nothing but a plain file is opened, without waiting for what it turns out to
 * be (GT_ERR_IO, and -1). The second closes the descriptor. */
int gt_open_input(const char *path, bool plain, gt_error *error);
/* The path by which the functions above read standard input, as often as they like: it is kept in memory. A
 * file of this name is ./<stdin>. */
#define GT_STDIN "<stdin>"
int gt_open_standard_input(gt_error *error); /* -1 on failure; the caller closes it */
bool gt_read_input(int fd, const char *path, uint64_t limit, gt_bytes *out, gt_error *error);
/* The first bytes of a plain file, at most size. */
bool gt_read_head(const char *path, size_t size, gt_bytes *out, gt_error *error);
/* A file that cannot be looked at counts as one that is there: who opens it will say why it cannot be. */
bool gt_file_exists(const char *path);
bool gt_make_directories(const char *path,
                         gt_error *error); /* like mkdir -p; what it makes outlasts a power loss */
/* The same for the directory that PATH stands in, if it names one. */
bool gt_make_folder_of(const char *path, gt_error *error);
/* Syncs the directory that PATH stands in: a file or directory just made is not lost with the power. */
bool gt_sync_name(const char *path, gt_error *error);

/* One piece of an atomic write. */
typedef struct gt_span {
  const void *data;
  size_t size;
} gt_span;
/* Writes the pieces to PATH.tmp-PID, syncs it, reads it back and compares ("verified"), renames it to PATH
 * and syncs the directory: at every moment PATH is either the old file or the whole new one, which has the
 * old one's mode and, where the system allows it, its owner. A link at PATH is replaced, not followed. */
bool gt_write_file_atomic(const char *path, const gt_span *pieces, size_t count, gt_error *error);
/* The same in steps, for what is not in memory at once: what is written to fd becomes PATH when it is kept.
 * It is neither verified nor synced: a process may end at any moment, but not the machine. */
typedef struct gt_replacement {
  int fd;
  char path[4096], temporary[4096];
} gt_replacement;
bool gt_replacement_open(gt_replacement *replacement, const char *path, gt_error *error);
bool gt_replacement_close(gt_replacement *replacement, bool keep, gt_error *error);
bool gt_write_all(int fd, const void *data, size_t size); /* false: see errno */
bool gt_cut_file(int fd, int64_t size);                   /* ftruncate, as often as it is interrupted */

/* --- temporary files (temporary.c) --- */

/* Writes PATH.tmp-PID; false if it is too long. */
bool gt_temporary_name(char *out, size_t size, const char *path);
/* Makes it anew, open and locked as long as it is; -1: see errno. */
int gt_temporary_create(const char *temporary, unsigned mode);
/* The length of NAME if this is NAME.tmp-PID, which a killed writer leaves; else 0. */
size_t gt_temporary_target(const char *name);
/* Removes each PATH.tmp-PID, of any process, that is ours and that no writer has open. Every writing of PATH
 * begins with this; for who only reads what may have been written in part. */
void gt_remove_leftovers(const char *path);

/* Fills the places of closed standard descriptors, so that no file of ours comes to stand where messages and
 * results are written to. What stands there ends at once when it is read, and writing to it fails: a lost
 * result is still an error. False if that cannot be done. For the beginning of main. */
bool gt_hold_standard_descriptors(void);

/* Opens (flags as open(2) has them) a file of our own making, never through a link: GT_ERR_IO and -1 if it is
 * a link or anything but a plain file. */
int gt_open_plain(const char *path, int flags, gt_error *error);

/* Exclusive lock on DIR/.lock by flock; held until gt_unlock or the end of the process, however it ends.
 * GT_ERR_BUSY, naming the owner's process id, when another process holds it. Returns the descriptor in *lock.
 * The file holds the process id and, in a second line, the owner's working directory. */
bool gt_lock_directory(const char *directory, int *lock, gt_error *error);
void gt_unlock(int lock);
/* The working directory, absolute, of the process that last locked DIRECTORY; false if nothing tells it. */
bool gt_lock_origin(const char *directory, char *origin, size_t size);
/* The absolute path of a file that is there, through no link but those of its folders; false if the system
 * cannot tell it. */
bool gt_absolute_path(const char *path, char *out, size_t size);
#endif
