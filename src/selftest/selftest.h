/* The generic op tests: runs every case of every tests/op/NAME.c on this machine (op/case.h lists the
 * checks). */
#ifndef GT_SELFTEST_SELFTEST_H
#define GT_SELFTEST_SELFTEST_H
#include "base/error.h"
#include "op/case.h"
#include <stdio.h>

typedef struct gt_selftest_options {
  const char *device; /* as for gt_backend_open; "cpu": test only the CPU */
  /* "WORD,WORD!WORD,WORD": only families and rules whose names contain one of the words before the '!' and
   * none after it; NULL: all. */
  const char *filter;
  bool verbose;                          /* one line per case */
  bool brief;                            /* without gt_case.more, and with few finite differences */
  FILE *stream;                          /* output; NULL: stdout */
  FILE *json;                            /* one object at the end; NULL: none */
  const gt_case_family *const *families; /* NULL: all registered families */
  int family_count;
} gt_selftest_options;

typedef struct gt_selftest_report {
  char device[256];
  int families, cases, failed_cases, failures;
} gt_selftest_report;

/* False only if the test could not run: no such device, or (GT_ERR_USAGE) no case name contains the filter.
 * Failures are counted in the report. */
bool gt_selftest_run(const gt_selftest_options *options, gt_selftest_report *report, gt_error *error);
#endif
