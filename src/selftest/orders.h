/* Derivatives of a case along a direction of one input (op/tangent.h), of first and second order, and their
 * gradients: so its second and third derivatives. Private to the selftest room. */
#ifndef GT_SELFTEST_ORDERS_H
#define GT_SELFTEST_ORDERS_H
#include "selftest/check.h"

enum { GT_ORDERS = 2 };

/* Of a small case, by each of its inputs that it has a gradient by: on the backend, against differences of
 * its reference. An op without such derivatives is no failure: loss `pde` refuses it. Returns how many
 * derivatives were checked; 0 also where the case is large, or a run that says nothing about it. */
int gt_check_orders(const gt_subject *subject, gt_backend *backend, gt_verdict *verdict);
#endif
