/* gt_bug_report: one text file about a machine, made to be sent with a bug report: what the doctor says, what
 * a selftest printed, and a short table of what the machine can do. Paths in the home folder begin with ~;
 * the host's name is nowhere. Owner: the command; gt_bug_report_finish frees it. */
#ifndef GT_CLI_BUG_REPORT_H
#define GT_CLI_BUG_REPORT_H
#include "base/output.h"
#include "cli/doctor.h"
#include "selftest/selftest.h"

typedef struct gt_bug_report {
  gt_output file;
  char *text; /* what has been written so far, once flushed */
  size_t size;
  FILE *stream; /* to that text */
  FILE *both;   /* to that text and to another stream; NULL: not made yet */
  FILE *other;
  gt_doctor doctor;
} gt_bug_report;

/* Opens the file, so that a path that is wrong costs no test, and examines the machine. Before anything else
 * asks for Vulkan (gt_vulkan_drivers). */
bool gt_bug_report_open(gt_bug_report *report, const char *path, gt_error *error);
/* The device to be tested: the one given, or the CPU where every Vulkan driver crashes. */
const char *gt_bug_report_device(const gt_bug_report *report, const char *device);
/* A stream whose text goes to the report and to `other`. */
FILE *gt_bug_report_tee(gt_bug_report *report, FILE *other);
/* Adds the outcome of the selftest (trouble: why it could not be carried out) and the table, and writes the
 * file. */
bool gt_bug_report_finish(gt_bug_report *report, const gt_selftest_report *tested, const gt_error *trouble,
                          const char *device, gt_error *error);
#endif
