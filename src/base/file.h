/* Files: whole reads with a limit, atomic writes (temporary file, sync, rename), directory locks. Files that
 * a user named are written with base/output.h. */
#ifndef GT_BASE_FILE_H
#define GT_BASE_FILE_H
#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gt_bytes { /* heap memory, freed by gt_bytes_finish; data[size] is always a 0 byte, not counted
                             in size */
  uint8_t *data;
  size_t size;
} gt_bytes;

void gt_bytes_finish(gt_bytes *bytes);
/* Limit of inflated bytes for a compressed regular file: a multiple of its size plus a constant. Stops gzip
 * bombs (ratio up to 1032:1). UINT64_MAX for other files. */
#define GT_INFLATE_RATIO 200ull
#define GT_INFLATE_SLACK (64ull << 20)
uint64_t gt_inflate_limit(int fd);
/* Reads a file; inflates it if it starts with gzip's magic number. GT_ERR_IO if it cannot be read;
 * GT_ERR_DATA if it is larger (inflated) than limit bytes or its gt_inflate_limit, or is a damaged gzip
 * stream. */
bool gt_read_file(const char *path, uint64_t limit, gt_bytes *out, gt_error *error);
/* The same for regular files only; GT_ERR_IO for others, because reading a pipe could block. For files that
 * the user did not name, for example those of a cache. */
bool gt_read_plain_file(const char *path, uint64_t limit, gt_bytes *out, gt_error *error);
/* The same in two steps: gt_open_input returns a descriptor, or -1 on failure; gt_read_input reads it and
 * closes it. plain: only regular files (GT_ERR_IO for others, without blocking on them). */
int gt_open_input(const char *path, bool plain, gt_error *error);
bool gt_read_input(int fd, const char *path, uint64_t limit, gt_bytes *out, gt_error *error);
/* Every file that these functions open is remembered (inputs.c). gt_is_input: true if the path leads to one,
 * through any link or spelling. */
void gt_remember_input(int fd);
bool gt_is_input(const char *path);
/* With this path these functions read standard input. Its content is kept in memory and can be read again. A
 * file that has this name must be given as ./<stdin>. */
#define GT_STDIN "<stdin>"
int gt_open_standard_input(gt_error *error); /* -1 on failure; the caller closes it */
/* Reads the first bytes of a regular file, at most size. */
bool gt_read_head(const char *path, size_t size, gt_bytes *out, gt_error *error);
/* Also true if the file cannot be examined: opening it will report the error. */
bool gt_file_exists(const char *path);
bool gt_is_folder(const char *path); /* NULL: false */
/* Like mkdir -p; created directories survive a power loss. */
bool gt_make_directories(const char *path, gt_error *error);
/* The same for the directory part of PATH, if it has one. */
bool gt_make_folder_of(const char *path, gt_error *error);
/* Syncs the directory of PATH, so that a newly created file or directory survives a power loss. */
bool gt_sync_name(const char *path, gt_error *error);

/* One piece of an atomic write. */
typedef struct gt_span {
  const void *data;
  size_t size;
} gt_span;
/* Writes the pieces to PATH.tmp-PID, syncs it, reads it back and compares, renames it to PATH and syncs the
 * directory: at any moment PATH is either the old or the complete new file. It keeps the old file's mode
 * and, if the system allows it, owner. A link at PATH is replaced, not followed. */
bool gt_write_file_atomic(const char *path, const gt_span *pieces, size_t count, gt_error *error);
/* The same in steps, for data that is not in memory at once: what is written to `fd` becomes PATH when the
 * replacement is closed with `keep`; otherwise it is deleted. It is neither read back nor synced, so a power
 * failure may destroy it. */
typedef struct gt_replacement {
  int fd;
  char path[4096], temporary[4096];
} gt_replacement;
bool gt_replacement_open(gt_replacement *replacement, const char *path, gt_error *error);
bool gt_replacement_close(gt_replacement *replacement, bool keep, gt_error *error);
bool gt_write_all(int fd, const void *data, size_t size); /* false: see errno */
bool gt_truncate_file(int fd, int64_t size);              /* ftruncate, repeated if interrupted */

/* --- temporary files (temporary.c) --- */

/* Writes the name PATH.tmp-PID to out; false if it is too long. */
bool gt_temporary_name(char *out, size_t size, const char *path);
/* Creates the file and locks it while it is open; -1: see errno. */
int gt_temporary_create(const char *temporary, unsigned mode);
/* The length of NAME if the argument is NAME.tmp-PID, which a killed writer leaves behind; otherwise 0. */
size_t gt_temporary_target(const char *name);
/* Removes every PATH.tmp-PID, of any process, that we own and no writer has open. Every write of PATH starts
 * with this; readers that may find partly written files call it too. */
void gt_remove_leftovers(const char *path);

/* Opens substitutes for closed standard descriptors, so that no file of ours gets the number of stdin,
 * stdout or stderr. Reading a substitute gives end of file, and writing to it fails: a lost result is still
 * an error. False on failure. Called at the start of main. */
bool gt_reserve_standard_descriptors(void);

/* Opens a file that gtrain created (flags as for open(2)), never through a link: GT_ERR_IO and -1 if it is a
 * link or not a regular file. */
int gt_open_plain(const char *path, int flags, gt_error *error);

/* Takes an exclusive lock on DIR/.lock (flock), held until gt_unlock or the end of the process. GT_ERR_BUSY,
 * naming the owner's process id, if another process holds it. Returns the descriptor in *lock. The file
 * contains the process id and, on a second line, the owner's working directory. */
bool gt_lock_directory(const char *directory, int *lock, gt_error *error);
void gt_unlock(int lock);
/* The absolute working directory of the process that last locked DIRECTORY; false if it is unknown. */
bool gt_lock_origin(const char *directory, char *origin, size_t size);
/* The absolute path of an existing file, with links resolved in its directories only; false if the system
 * cannot determine it. */
bool gt_absolute_path(const char *path, char *out, size_t size);

/* The path of a file in the directory for caches, which only save time: $GTRAIN_CACHE_DIR, else
 * $XDG_CACHE_HOME/gtrain, else ~/.cache/gtrain. An error there must never stop a run. To be freed; NULL: no
 * such directory is known. The directory may not exist yet. (cache.c) */
char *gt_cache_path(const char *name);
#endif
