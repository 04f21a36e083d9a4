/* Cases before they run: graphs, expected results and the device's plans, made for many cases at a time on
 * all processors, with their kernels compiled together. One case alone has a few kernels, which keep one or
 * two processors busy. Private to the selftest room. */
#ifndef GT_SELFTEST_PREPARE_H
#define GT_SELFTEST_PREPARE_H
#include "selftest/check.h"

enum { GT_PREPARED = 256 }; /* cases at a time */

/* The plans of a case on the device. */
typedef enum gt_device_run { GT_RUN_FUSED, GT_RUN_UNFUSED, GT_RUN_HALF, GT_DEVICE_RUNS } gt_device_run;

typedef struct gt_prepared {
  const gt_case *c;
  gt_arena arena; /* also of the outcomes of its runs */
  gt_subject subject;
  gt_subject half; /* the case with 16-bit operands; only if wanted[GT_RUN_HALF] */
  gt_expectation expectation;
  bool wanted[GT_DEVICE_RUNS];         /* all false without a device */
  gt_plan *plan[GT_DEVICE_RUNS];       /* NULL: not wanted, or `plan_error` has the reason */
  gt_error error;                      /* of the subject */
  gt_error plan_error[GT_DEVICE_RUNS]; /* of the plans, and of subject `half` */
} gt_prepared;

/* Prepares cases p[0 … count-1], of which `c` is set. device: NULL if only the CPU is tested. brief: as for
 * gt_expect. */
void gt_prepare(gt_prepared *p, int count, gt_backend *device, bool brief);
void gt_prepared_finish(gt_prepared *p);
#endif
