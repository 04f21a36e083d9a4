/* The output of `gtrain --version`. */
#ifndef GT_CLI_VERSION_H
#define GT_CLI_VERSION_H
#include <stdbool.h>

/* "gtrain 0.1.0", or as JSON with details of the build for bug reports: commit, compiler, flags and the
 * versions of the libraries it was compiled with. */
void gt_print_version(bool json);
#endif
