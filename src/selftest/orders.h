/* Directional derivatives of a case by one input (op/tangent.h), of first and second order, and their
 * gradients: its second and third derivatives. Private to the selftest room. */
#ifndef GT_SELFTEST_ORDERS_H
#define GT_SELFTEST_ORDERS_H
#include "selftest/check.h"

enum { GT_ORDERS = 2 };

/* Checks a small case for each input that it has a gradient by: on the backend, against differences of its
 * reference. An op without such derivatives is not a failure: loss `pde` rejects it. Returns the number of
 * derivatives checked; 0 also if the case is large or a run failed for reasons unrelated to the op. */
int gt_check_orders(const gt_subject *subject, gt_backend *backend, gt_verdict *verdict);
#endif
