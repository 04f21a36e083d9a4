/* Errors of one operation: a status, which is the process's exit code, and one message for the user.
 * Functions that can fail return bool and take a gt_error* last; the first error is kept, later ones are
 * dropped. Errors with positions in a config, which may be many, go to spec/diagnostics.h instead. */
#ifndef GT_BASE_ERROR_H
#define GT_BASE_ERROR_H
#include <stdbool.h>
#include <stddef.h>

typedef enum gt_status { /* the exit codes of the command-line contract */
                         GT_OK = 0,
                         GT_ERR_GATE = 1,      /* --fail-if was met */
                         GT_ERR_USAGE = 2,     /* wrong command line */
                         GT_ERR_DATA = 65,     /* bad data or model file */
                         GT_ERR_NODEVICE = 69, /* the requested device is absent or failed; in a run: 75 */
                         GT_ERR_INTERNAL = 70, /* our bug */
                         GT_ERR_MEMORY = 71,   /* out of memory, host or device */
                         GT_ERR_BUSY = 73,     /* run directory in use or not empty */
                         GT_ERR_IO = 74,       /* input/output */
                         GT_INTERRUPTED = 75,  /* a run was stopped or its device failed; resumable */
                         GT_ERR_CONFIG = 78,   /* bad config */
} gt_status;

typedef struct gt_error {
  gt_status status;
  char message[2048];
} gt_error;

/* Records the error unless one is already recorded; always returns false: `return gt_fail(error, ...)`. */
bool gt_fail(gt_error *error, gt_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds to the message of a recorded error, as far as there is room. */
void gt_error_append(gt_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As gt_fail, with ": " and the text of errno appended; the status is GT_ERR_MEMORY if errno says so. */
bool gt_fail_errno(gt_error *error, gt_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#endif
