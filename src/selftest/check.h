/* Comparisons of results with references. Private to the selftest room. */
#ifndef GT_SELFTEST_CHECK_H
#define GT_SELFTEST_CHECK_H
#include "selftest/subject.h"

/* For one case: the value of the reference, and its derivatives at some coordinates of each input. */
typedef struct gt_expectation {
  double *value;
  double *magnitude;                   /* gt_case_rule.magnitude of each element; NULL if the rule has none */
  int64_t *coordinate[GT_CASE_INPUTS]; /* indices of elements */
  double *slope[GT_CASE_INPUTS];       /* NAN: not checked, because a kink is near */
  double *scale[GT_CASE_INPUTS];       /* sum of the absolute contributions of all outputs */
  int coordinates[GT_CASE_INPUTS];     /* number of coordinates */
} gt_expectation;

typedef struct gt_verdict { /* the failures of a case, and its worst error */
  int failures;
  char first[512];     /* message of the first failure */
  double worst, limit; /* the relative error that is largest in relation to its limit, and that limit */
} gt_verdict;

void gt_verdict_fail(gt_verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Computes the value of the reference and, by finite differences, derivatives at some coordinates. brief: at
 * fewer coordinates; enough if all gradient elements are also compared with those of the CPU, which were
 * checked at more. */
void gt_expect(const gt_subject *subject, bool brief, gt_arena *arena, gt_expectation *expectation);
/* Compares value and gradients with the reference. who: the run, for messages: "cpu", "device unfused", …
 * device: use the tolerance of devices. */
void gt_check_reference(const gt_subject *subject, const gt_expectation *expectation,
                        const gt_outcome *outcome, bool device, const char *who, gt_verdict *verdict);
/* Compares every element of value and gradients with another outcome; both tolerances are added. */
void gt_check_agreement(const gt_subject *subject, const gt_expectation *expectation,
                        const gt_outcome *outcome, const gt_outcome *other, bool device, const char *who,
                        gt_verdict *verdict);
/* Compares value and gradients of products whose operands were rounded with a relative error of `unit` (2^-11
 * or 2^-8) with the reference. */
void gt_check_half(const gt_subject *subject, const gt_expectation *expectation, const gt_outcome *outcome,
                   double unit, const char *who, gt_verdict *verdict);
/* Checks that all guard elements are unchanged after the run, and all inputs that the op may not change. */
void gt_check_guards(const gt_subject *subject, const gt_outcome *outcome, const char *who,
                     gt_verdict *verdict);
/* Checks that the contents of all variables are equal. what: the two runs, for messages. */
void gt_check_same_bits(const gt_subject *subject, const gt_outcome *a, const gt_outcome *b, const char *what,
                        gt_verdict *verdict);
#endif
