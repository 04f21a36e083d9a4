/* Comparisons of results with references. Private to the selftest room. */
#ifndef GT_SELFTEST_CHECK_H
#define GT_SELFTEST_CHECK_H
#include "selftest/subject.h"

typedef struct gt_expectation { /* for one case: the reference's value and derivatives at some coordinates */
  double *value;
  double *magnitude; /* if gt_case_rule.magnitude is set, else NULL */
  int64_t *coordinate[GT_CASE_INPUTS];
  double *slope[GT_CASE_INPUTS]; /* NAN: a kink is near, skip */
  double *scale[GT_CASE_INPUTS]; /* sum of the absolute contributions */
  int coordinates[GT_CASE_INPUTS];
} gt_expectation;

typedef struct gt_verdict { /* the errors of a case, and the worst deviation */
  int failures;
  char first[512];
  double worst, limit; /* relative error with the largest worst / limit */
} gt_verdict;

void gt_verdict_fail(gt_verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Computes the reference's value and, by finite differences, derivatives at some coordinates. brief: at
 * fewer, for callers that compare all gradient elements with an outcome that was checked at more. */
void gt_expect(const gt_subject *subject, bool brief, gt_arena *arena, gt_expectation *expectation);
/* Compares value and gradients with the reference. who: "cpu", "vulkan unfused", … device: use its
 * tolerance. */
void gt_check_reference(const gt_subject *subject, const gt_expectation *expectation,
                        const gt_outcome *outcome, bool device, const char *who, gt_verdict *verdict);
/* Compares every element of value and gradients with another outcome; the tolerance is the sum of both. */
void gt_check_agreement(const gt_subject *subject, const gt_expectation *expectation,
                        const gt_outcome *outcome, const gt_outcome *other, bool device, const char *who,
                        gt_verdict *verdict);
/* Compares value and gradients of products whose operands were rounded by `unit` (2^-11 or 2^-8) with the
 * reference. */
void gt_check_half(const gt_subject *subject, const gt_expectation *expectation, const gt_outcome *outcome,
                   double unit, const char *who, gt_verdict *verdict);
/* Checks that all guard words and inputs are unchanged after the run. */
void gt_check_guards(const gt_subject *subject, const gt_outcome *outcome, const char *who,
                     gt_verdict *verdict);
void gt_check_same_bits(const gt_subject *subject, const gt_outcome *a, const gt_outcome *b, const char *what,
                        gt_verdict *verdict);
#endif
