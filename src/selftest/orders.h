/* Directional derivatives of a case with respect to one input (op/tangent.h), of first and second order, and
 * their gradients, which are second and third derivatives of the case. Private to the selftest room. */
#ifndef GT_SELFTEST_ORDERS_H
#define GT_SELFTEST_ORDERS_H
#include "selftest/check.h"

enum { GT_ORDERS = 2 };

/* Compares these derivatives, for each input in which a small case is differentiable, with finite differences
 * of the case's reference. An op without such derivatives does not fail the check: only loss `pde` needs
 * them, and reports the lack to the user. Returns the number of derivatives checked. Not counted are those
 * that the op lacks, those whose run failed (which is a failure in the verdict), and those with half of the
 * elements or more near kinks. 0 for a case that is large, runs several times, has gt_case_rule.result, or
 * has no room for a further input, the direction. */
int gt_check_orders(const gt_subject *subject, gt_backend *backend, gt_verdict *verdict);
#endif
