/* The automaton of a case of logic_ca or logic_ca_bits, from the case's parameters p. p starts with the words
 * of the clock; p[AT_STEPS] to p[AT_PERCEPTIONS] are the values that the enum names; from p[AT_WIDTHS] on,
 * the widths of the perception layers and then of the update layers, up to a 0. */
#ifndef GT_TESTS_AUTOMATON_H
#define GT_TESTS_AUTOMATON_H
#include "op/case.h"
#include "op/logic/logic_ca.h"

enum { AT_STEPS = 4, AT_KERNELS, AT_PERIODIC, AT_PERCENT, AT_PERCEPTIONS, AT_WIDTHS };

static inline gt_logic_ca_attribute automaton_of(const int64_t *p) {
  gt_logic_ca_attribute a = {.steps = (uint32_t)p[AT_STEPS],
                             .kernels = (uint32_t)p[AT_KERNELS],
                             .periodic = (uint32_t)p[AT_PERIODIC],
                             .fire_rate = (float)p[AT_PERCENT] / 100,
                             .perceptions = (uint32_t)p[AT_PERCEPTIONS]};
  for (int l = 0; AT_WIDTHS + l < GT_CASE_PARAMETERS && p[AT_WIDTHS + l]; l++) {
    a.width[l] = (uint32_t)p[AT_WIDTHS + l];
    if (l >= (int)a.perceptions) a.updates++;
  }
  return a;
}
#endif
