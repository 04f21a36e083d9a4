/* gt_bug_report: one text file about a machine, to attach to a bug report: the output of doctor and selftest,
 * and a short bench table. Paths in the home folder are written with ~, and the host's name is omitted.
 * Owner: the command; gt_bug_report_finish frees it. */
#ifndef GT_CLI_BUG_REPORT_H
#define GT_CLI_BUG_REPORT_H
#include "base/output.h"
#include "cli/doctor.h"
#include "selftest/selftest.h"

typedef struct gt_bug_report {
  gt_output file;
  char *text; /* the report, valid after a flush of `stream` */
  size_t size;
  FILE *stream; /* writes to `text` */
  FILE *tee;    /* writes to `stream` and `copy_to`; NULL: not created yet */
  FILE *copy_to;
  gt_doctor doctor;
} gt_bug_report;

/* Opens the file first, so that a wrong path is reported before the test, and examines the machine. Must be
 * called before any other use of Vulkan (gt_vulkan_drivers). */
bool gt_bug_report_open(gt_bug_report *report, const char *path, gt_error *error);
/* The device to test: `device`, or the CPU if every Vulkan driver crashes. */
const char *gt_bug_report_device(const gt_bug_report *report, const char *device);
/* Returns a stream that writes to the report and to `copy_to`. */
FILE *gt_bug_report_tee(gt_bug_report *report, FILE *copy_to);
/* Adds the result of the selftest (test_error: why it did not finish) and the table; writes the file. */
bool gt_bug_report_finish(gt_bug_report *report, const gt_selftest_report *tested, const gt_error *test_error,
                          const char *device, gt_error *error);
#endif
