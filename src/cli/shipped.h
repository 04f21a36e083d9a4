/* The configs that come with gtrain, and `@NAME` for one of them. They are next to the bundled datasets in a
 * folder that is found relative to the program: beside it (a tarball), above it (a build tree) or in
 * ../share/gtrain (installed). */
#ifndef GT_CLI_SHIPPED_H
#define GT_CLI_SHIPPED_H
#include "base/arena.h"
#include "base/error.h"

typedef struct gt_shipped {
  const char *folder; /* of the configs, absolute */
  const char **name;  /* sorted, without ".yaml" */
  int count;
} gt_shipped;

/* Finds the configs; everything is in the arena. False with GT_ERR_IO if they are not installed. */
bool gt_shipped_list(gt_shipped *out, gt_arena *arena, gt_error *error);
/* The file of a config; NULL after an error that suggests the nearest name. */
const char *gt_shipped_path(const char *name, gt_arena *arena, gt_error *error);
#endif
