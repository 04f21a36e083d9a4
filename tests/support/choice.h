/* What a plan's steps were chosen from (plan/plan.h), for tests that try all of it. */
#ifndef GT_TEST_SUPPORT_CHOICE_H
#define GT_TEST_SUPPORT_CHOICE_H
#include "plan/plan.h"

/* That of the step which is the so many-th, from 0, of those that have one; NULL: there are not so many. */
const gt_choice *choice_of(const gt_plan *plan, int number);
/* In how many parts of k a way to cut a product has it, by its text. A test whose way says none fails. */
unsigned parts_of_way(const char *way);
#endif
