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

/* Directional derivatives of a case with respect to one input (op/tangent.h), of first and second order, and
 * their gradients, which are second and third derivatives of the case. Private to the selftest room. */
enum { GT_ORDERS = 2 };

/* Compares these derivatives, for each input in which a small case is differentiable, with finite differences
 * of the case's reference. An op without such derivatives does not fail the check: only loss `pde` needs
 * them, and reports the lack to the user. Returns the number of derivatives checked. Not counted are those
 * that the op lacks, those whose run failed (which is a failure in the verdict), and those with half of the
 * elements or more near kinks. 0 for a case that is large, runs several times, has gt_case_rule.result, or
 * has no room for a further input, the direction. */
int gt_check_orders(const gt_subject *subject, gt_backend *backend, gt_verdict *verdict);
#endif
