/* The configs that come with gtrain, and `@NAME` for one of them. They lie with the bundled datasets in a
 * folder that is found from where the program is: beside it (a tarball), above it (a build tree) or in
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

/* All in the arena. False: GT_ERR_IO, they are not there. */
bool gt_shipped_list(gt_shipped *out, gt_arena *arena, gt_error *error);
/* The file of a config; NULL: error, with the nearest name. */
const char *gt_shipped_path(const char *name, gt_arena *arena, gt_error *error);
#endif
