/* gt_bug_report: one text file about a machine, to attach to a bug report: the output of doctor and selftest,
 * and a short bench table. Paths in the home folder begin with ~, and the host's name is left out. Owner: the
 * command; gt_bug_report_finish frees it. */
#ifndef GT_CLI_BUG_REPORT_H
#define GT_CLI_BUG_REPORT_H
#include "base/output.h"
#include "cli/doctor.h"
#include "selftest/selftest.h"

typedef struct gt_bug_report {
  gt_output file;
  char *text; /* the text so far, after a flush */
  size_t size;
  FILE *stream; /* to that text */
  FILE *both;   /* writes to that text and to another stream; NULL: not created yet */
  FILE *other;
  gt_doctor doctor;
} gt_bug_report;

/* Opens the file first, so that a wrong path is reported before the test, and examines the machine. Must be
 * called before any other use of Vulkan (gt_vulkan_drivers). */
bool gt_bug_report_open(gt_bug_report *report, const char *path, gt_error *error);
/* The device to test: the given one, or the CPU if every Vulkan driver crashes. */
const char *gt_bug_report_device(const gt_bug_report *report, const char *device);
/* A stream that writes to the report and to `other`. */
FILE *gt_bug_report_tee(gt_bug_report *report, FILE *other);
/* Adds the result of the selftest (trouble: why it could not finish) and the table, and writes the file. */
bool gt_bug_report_finish(gt_bug_report *report, const gt_selftest_report *tested, const gt_error *trouble,
                          const char *device, gt_error *error);
#endif
