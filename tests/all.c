/* All cmocka test programs in one binary. The name that it is called by selects the program:
 * build/tests/plan/order, for example, is a link to the binary. */
#include <stdio.h>
#include <string.h>

#define X(name, function) int test_##function(void);
#include "tests.inc"
#undef X

typedef struct test {
  const char *name;
  int (*run)(void);
} test;

static const test tests[] = {
#define X(name, function) {#name, test_##function},
#include "tests.inc"
#undef X
};

int main(int argc, char **argv) {
  const size_t called = strlen(argv[0]);
  (void)argc;
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    const size_t length = strlen(tests[i].name);
    if (called > length && argv[0][called - length - 1] == '/' &&
        !strcmp(argv[0] + called - length, tests[i].name))
      return tests[i].run();
  }
  fprintf(stderr, "%s: call this program as one of:\n", argv[0]);
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) fprintf(stderr, "  tests/%s\n", tests[i].name);
  return 2;
}
