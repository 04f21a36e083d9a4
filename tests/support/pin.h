/* Pins: tests of a preference. A pin checks which kernels a plan has for a graph, in how many steps and
 * levels, or with which configuration, but not the computed values, which other tests check (plan/legality.c,
 * op_units/, the selftest). It fails if a choice changes by accident. A commit that changes the choice on
 * purpose changes the pin, and a commit that deletes the code deletes its pin.
 *
 * The names of such cases begin with "pin:". A test of numbers that also asserts which kernel was chosen does
 * so in a function whose name begins with pin_. `grep -rnE '\<(pin_|PIN\()' tests` lists both. */
#ifndef GT_TESTS_PIN_H
#define GT_TESTS_PIN_H

/* Like cmocka's cmocka_unit_test and cmocka_unit_test_setup_teardown. */
#define pin_test(f) \
  { "pin: " #f, (f), NULL, NULL, NULL }
#define pin_test_setup_teardown(f, setup, teardown) \
  { "pin: " #f, (f), (setup), (teardown), NULL }
#endif
