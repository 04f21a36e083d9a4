/* Where a path that a config names leads. A relative one is looked for in the folder where the run was
 * started (if the config is that of a run), in the working directory, beside the config, and in the folder
 * above that (configs/ beside datasets/); the first that exists counts. */
#ifndef GT_BASE_LOCATE_H
#define GT_BASE_LOCATE_H
#include "base/arena.h"
#include <stdbool.h>

typedef struct gt_located {
  const char *path; /* NULL: there is none */
  const char
      *other[2]; /* those after it that exist, in the working directory and beside the config; or NULL */
} gt_located;

/* config: the file that names the path; NULL: only the path itself is tried. origin: the folder where the run
 * was started; may be NULL. In the arena. */
gt_located gt_locate(gt_arena *arena, const char *path, const char *config, const char *origin);
/* True if two files have the same bytes, or two folders the same files. Of what is neither (a pipe), and of
 * what cannot be read, nothing is known: true. */
bool gt_same_content(const char *a, const char *b);
/* The folder part of a path, with its '/'; "" without one. */
const char *gt_folder_of(gt_arena *arena, const char *path);
#endif
