/* Directional derivatives of a case with respect to one input (op/tangent.h), of first and second order, and
 * their gradients, which are second and third derivatives of the case. Private to the selftest room. */
#ifndef GT_SELFTEST_ORDERS_H
#define GT_SELFTEST_ORDERS_H
#include "selftest/check.h"

enum { GT_ORDERS = 2 };

/* Checks a small case, for each input that it is differentiable in: what the backend computes, against finite
 * differences of the case's reference. An op that has no such derivatives does not fail the check: loss
 * `pde`, which alone needs them, reports it to the user. Returns the number of derivatives checked; 0 also if
 * the case is large or a run failed for reasons unrelated to the op. */
int gt_check_orders(const gt_subject *subject, gt_backend *backend, gt_verdict *verdict);
#endif
