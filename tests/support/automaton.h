/* The automaton of a test case (op/case.h) of logic_ca or logic_ca_bits, from the case's parameters p. The
 * first AT_STEPS of them are the first words of the clock's state. From p[AT_WIDTHS] on, they are the widths
 * of the perception layers and then of the update layers; a 0 or the end of p ends the list. */
#ifndef GT_TESTS_AUTOMATON_H
#define GT_TESTS_AUTOMATON_H
#include "op/case.h"
#include "op/logic/logic_ca.h"

/* Indices into p of members of gt_logic_ca_attribute; AT_FIRE_PERCENT: fire_rate in percent. */
enum { AT_STEPS = 4, AT_KERNELS, AT_PERIODIC, AT_FIRE_PERCENT, AT_PERCEPTIONS, AT_WIDTHS };

static inline gt_logic_ca_attribute automaton_of(const int64_t *p) {
  gt_logic_ca_attribute a = {.steps = (uint32_t)p[AT_STEPS],
                             .kernels = (uint32_t)p[AT_KERNELS],
                             .periodic = (uint32_t)p[AT_PERIODIC],
                             .fire_rate = (float)p[AT_FIRE_PERCENT] / 100,
                             .perceptions = (uint32_t)p[AT_PERCEPTIONS]};
  for (int l = 0; AT_WIDTHS + l < GT_CASE_PARAMETERS && p[AT_WIDTHS + l]; l++) {
    a.width[l] = (uint32_t)p[AT_WIDTHS + l];
    if (l >= (int)a.perceptions) a.updates++;
  }
  return a;
}
#endif
