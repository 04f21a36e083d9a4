/* Files that the user named (--output and the like). A regular file is replaced once the new one is complete:
 * links are followed to the target, and its mode is kept. Anything else is written directly: a pipe, a
 * terminal, /dev/null; and /dev/stdout or /dev/fd/N (a shell's >(…)) at the current position of that
 * descriptor, as the shell redirects output. "-" is standard output. A file that this process has read as an
 * input (base/file.h), and a file that a run keeps in its directory, is never replaced: GT_ERR_USAGE. Owner:
 * the caller of gt_output_open. */
#ifndef GT_BASE_OUTPUT_H
#define GT_BASE_OUTPUT_H
#include "base/file.h"

typedef struct gt_output {
  const char *path; /* as the user gave it; must outlive the output */
  int fd;
  bool replaces; /* a regular file: data goes to `replacement` */
  gt_replacement replacement;
} gt_output;

/* The path as messages name it: "-" is "standard output". */
const char *gt_output_name(const char *path);
/* Fails if the file is an input or belongs to a run, before work that would be lost. gt_output_open and
 * gt_write_output check it, too. path NULL: no output is wanted. */
bool gt_output_check(const char *path, gt_error *error);
/* Fails if two outputs of a command are one file. NULL: not wanted. */
bool gt_output_check_two(const char *a, const char *b, gt_error *error);
bool gt_output_open(gt_output *output, const char *path, gt_error *error);
bool gt_output_write(gt_output *output, const void *data, size_t size, gt_error *error);
/* keep false: a regular file stays unchanged. Must be called once after gt_output_open succeeded. */
bool gt_output_close(gt_output *output, bool keep, gt_error *error);
/* Opens, writes and closes; a regular file is verified (gt_write_file_atomic). */
bool gt_write_output(const char *path, const gt_span *pieces, size_t count, gt_error *error);
#endif
