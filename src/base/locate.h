/* Finds the file that a path in a config means. A relative path is looked for in the folder where the run was
 * started (if the config is that of a run), in the working directory, beside the config, and in the folder
 * above the config's (for folders configs/ and datasets/ beside each other). The first file that exists is
 * used. */
#ifndef GT_BASE_LOCATE_H
#define GT_BASE_LOCATE_H
#include "base/arena.h"
#include <stdbool.h>

typedef struct gt_located {
  const char *path;     /* the first file that exists; NULL: none does */
  const char *other[2]; /* the next two that exist; NULL if there are fewer */
} gt_located;

/* config: the file that names the path; NULL: only the path itself is tried. origin: the folder where the run
 * was started; may be NULL. The paths returned are in the arena. */
gt_located gt_locate(gt_arena *arena, const char *path, const char *config, const char *origin);
/* True if two files have the same bytes, or two folders the same files. Also true if that is unknown: for a
 * pipe, or a file that cannot be read. */
bool gt_same_content(const char *a, const char *b);
/* The folder part of a path, with its '/'; "" without one. */
const char *gt_folder_of(gt_arena *arena, const char *path);
#endif
