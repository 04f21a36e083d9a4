/* Files that the user named (--output and its like). A plain file is replaced when the new one is whole,
 * beside the target of whatever links lead to it, and keeps its mode. Anything else is written through: a
 * pipe, a terminal, /dev/null; and /dev/stdout or /dev/fd/N (a shell's >(…)) where that descriptor stands, as
 * the shell's own redirections do it. Owner: who opened it. */
#ifndef GT_BASE_OUTPUT_H
#define GT_BASE_OUTPUT_H
#include "base/file.h"

typedef struct gt_output {
  const char *path; /* as the user named it; must outlive the output */
  int fd;
  bool replaces; /* a plain file: what is written goes to `replacement` */
  gt_replacement replacement;
} gt_output;

bool gt_output_open(gt_output *output, const char *path, gt_error *error);
bool gt_output_write(gt_output *output, const void *data, size_t size, gt_error *error);
/* keep false: a plain file stays as it was. Must be called once after gt_output_open succeeded. */
bool gt_output_close(gt_output *output, bool keep, gt_error *error);
/* All of these in one, and a plain file is verified (gt_write_file_atomic). */
bool gt_write_output(const char *path, const gt_span *pieces, size_t count, gt_error *error);
#endif
