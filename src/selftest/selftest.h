/* The generic op tests: run every case of every tests/op/NAME.c on this machine (checks: op/case.h). */
#ifndef GT_SELFTEST_SELFTEST_H
#define GT_SELFTEST_SELFTEST_H
#include "base/error.h"
#include "op/case.h"
#include <stdio.h>

typedef struct gt_selftest_options {
  const char *device; /* as for gt_backend_open; "cpu": test only the CPU */
  /* "WORD,WORD,!WORD": only families and rules whose names contain one of the words, if there are any without
   * '!', and none of those with '!'; NULL: all. */
  const char *filter;
  bool verbose;  /* one line per case */
  bool brief;    /* skip cases with gt_case.more, and compute fewer finite differences */
  bool one_each; /* only the first case of each rule */
  FILE *stream;  /* output; NULL: stdout */
  FILE *json;    /* where to write the results as a JSON object; NULL: nowhere */
  const gt_case_family *const *families; /* NULL: all registered families */
  int family_count;
} gt_selftest_options;

typedef struct gt_selftest_report {
  char device[256];
  int families, cases, failed_cases, failures;
} gt_selftest_report;

/* False only if the test could not run: no such device, a device that failed, too little memory, or
 * (GT_ERR_USAGE) no case name contains the filter.
 * Failures are counted in the report. */
bool gt_selftest_run(const gt_selftest_options *options, gt_selftest_report *report, gt_error *error);
#endif
