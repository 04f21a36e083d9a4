/* Maps from names to numbers: the first number added for a name stays; a repeated name gets a suffix that
 * makes it unique. */
#include "base/names.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void the_first_number_is_kept(void **state) {
  (void)state;
  enum { MANY = 5000 };
  gt_arena arena;
  gt_arena_init(&arena);
  gt_names names = {.arena = &arena};
  assert_int_equal(gt_names_find(&names, "n1"), -1);
  for (int i = 0; i < MANY; i++)
    assert_int_equal(gt_names_add(&names, gt_arena_printf(&arena, "n%d", i), i), i);
  for (int i = 0; i < MANY; i++) {
    const char *copy = gt_arena_printf(&arena, "n%d", i);
    assert_int_equal(gt_names_find(&names, copy), i);
    assert_int_equal(gt_names_add(&names, copy, MANY), i);
  }
  assert_int_equal(gt_names_find(&names, "n"), -1);
  assert_int_equal(gt_names_find(&names, ""), -1);
  assert_int_equal(gt_names_add(&names, "", 7), 7);
  assert_int_equal(gt_names_find(&names, ""), 7);
  gt_arena_finish(&arena);
}

static void repeated_names_get_suffixes(void **state) {
  (void)state;
  static const char *const texts[] = {"y", "y", "y.1", "y", ""};
  static const char *const unique[] = {"y", "y.1", "y.1.1", "y.2", ""};
  gt_arena arena;
  gt_arena_init(&arena);
  gt_names names = {.arena = &arena};
  for (int i = 0; i < 5; i++) assert_string_equal(gt_names_add_unique(&names, texts[i]), unique[i]);
  gt_arena_finish(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_number_is_kept),
                                     cmocka_unit_test(repeated_names_get_suffixes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
