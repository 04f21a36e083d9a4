/* What is held against what. Private to the selftest room. */
#ifndef GT_SELFTEST_CHECK_H
#define GT_SELFTEST_CHECK_H
#include "selftest/subject.h"

typedef struct gt_expectation { /* of one case: the reference's value and its slopes at some coordinates */
  double *value;
  double *magnitude; /* of a rule that has one, else NULL */
  int64_t *coordinate[GT_CASE_INPUTS];
  double *slope[GT_CASE_INPUTS]; /* NAN: a kink is near, skip */
  double *scale[GT_CASE_INPUTS]; /* sum of the absolute contributions */
  int coordinates[GT_CASE_INPUTS];
} gt_expectation;

typedef struct gt_verdict { /* collects what went wrong in a case, and the worst error seen */
  int failures;
  char first[512];
  double worst, limit; /* relative error with the largest worst / limit */
} gt_verdict;

void gt_verdict_fail(gt_verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* brief: of few slopes, for who compares all elements of gradients with others that were held against more.
 */
void gt_expect(const gt_subject *subject, bool brief, gt_arena *arena, gt_expectation *expectation);
/* Value and gradients against the reference. who: "cpu", "vulkan unfused", … device: its tolerance holds. */
void gt_check_reference(const gt_subject *subject, const gt_expectation *expectation,
                        const gt_outcome *outcome, bool device, const char *who, gt_verdict *verdict);
/* Every element of value and gradients against another outcome, by the sum of both tolerances. */
void gt_check_agreement(const gt_subject *subject, const gt_expectation *expectation,
                        const gt_outcome *outcome, const gt_outcome *other, bool device, const char *who,
                        gt_verdict *verdict);
/* Value and gradients of products whose factors were rounded by `unit` (2^-11 or 2^-8), against the
 * reference.
 */
void gt_check_half(const gt_subject *subject, const gt_expectation *expectation, const gt_outcome *outcome,
                   double unit, const char *who, gt_verdict *verdict);
/* Guard words everywhere, and inputs, are as they were before the run. */
void gt_check_guards(const gt_subject *subject, const gt_outcome *outcome, const char *who,
                     gt_verdict *verdict);
void gt_check_same_bits(const gt_subject *subject, const gt_outcome *a, const gt_outcome *b, const char *what,
                        gt_verdict *verdict);
#endif
