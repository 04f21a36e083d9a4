/* The choices in a plan (plan/plan.h), for tests that force each candidate in turn. */
#ifndef GT_TEST_SUPPORT_CHOICE_H
#define GT_TEST_SUPPORT_CHOICE_H
#include "plan/plan.h"

/* A test names a candidate by its text (gt_candidate_text), such as "128x128x8, split 4". gt_tuned_set with
 * the key of a choice and such a text forces the candidate. */

/* Choice `number` of the plan, counted from 0 in the order of its steps; NULL if there are fewer. */
const gt_choice *choice_of(const gt_plan *plan, int number);
/* The number of split-K slices in the text of a candidate. The test fails if the text has none. */
unsigned split_of_candidate(const char *candidate);
#endif
