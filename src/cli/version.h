/* What `gtrain --version` prints. */
#ifndef GT_CLI_VERSION_H
#define GT_CLI_VERSION_H
#include <stdbool.h>

/* "gtrain 0.1.0", or as JSON also what a bug report needs of the build: commit, compiler, flags and the
 * versions of the libraries it was compiled against. */
void gt_print_version(bool json);
#endif
