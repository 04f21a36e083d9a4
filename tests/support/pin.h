/* Pins: tests of a preference. A pin fixes which kernel is chosen for a graph, in how many steps and levels,
 * or how its work is cut, and not what is computed: that is tested by others (plan/legality.c, op_units/, the
 * selftest). It notices when a choice changes by accident. Whoever changes it on purpose changes the pin, and
 * the commit that deletes what a pin fixes deletes the pin.
 *
 * The names of such cases begin with "pin:". Where a test of numbers also asserts that the kernel it is about
 * was chosen, that is a function whose name begins with pin_. `grep -rnE '\<(pin_|PIN\()' tests` lists both.
 */
#ifndef GT_TESTS_PIN_H
#define GT_TESTS_PIN_H

/* As cmocka's cmocka_unit_test and cmocka_unit_test_setup_teardown. */
#define pin_test(f) \
  { "pin: " #f, (f), NULL, NULL, NULL }
#define pin_test_setup_teardown(f, setup, teardown) \
  { "pin: " #f, (f), (setup), (teardown), NULL }
#endif
