#include "support/choice.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

const gt_choice *choice_of(const gt_plan *plan, int number) {
  for (uint32_t s = 0; s < plan->steps; s++)
    if (plan->step[s].choice && number-- == 0) return &plan->choice[plan->step[s].choice - 1];
  return NULL;
}

unsigned split_of_candidate(const char *candidate) {
  unsigned slices = 0;
  const char *text = strstr(candidate, "split ");
  if (!text || sscanf(text, "split %u", &slices) != 1)
    fail_msg("the candidate '%s' has no split-K", candidate);
  return slices;
}
