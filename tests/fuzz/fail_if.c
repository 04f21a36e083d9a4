/* --fail-if: the input has one condition (gate) per line. */
#include "fuzz.h"
#include "cli/common.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const gt_command gt_command_eval;

enum { MAX_GATES = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const metrics[] = {"accuracy", "loss", "samples"};
  static const gt_option option = {.name = "fail-if", .argument = "GATE"};
  struct gt_given given[MAX_GATES];
  gt_arena arena;
  gt_arguments arguments = {.command = &gt_command_eval, .given = given, .arena = &arena};
  gt_gate *gates;
  int count;
  char *text = fuzz_text(data, size), *rest = text, *line;
  while (arguments.givens < MAX_GATES && (line = strsep(&rest, "\n")))
    given[arguments.givens++] = (struct gt_given){&option, line};
  gt_arena_init(&arena);
  if (gt_cli_gates(&arguments, &(gt_gate_metrics){metrics, 3, true}, &gates, &count)) {
    fuzz_expect(count == arguments.givens, "%d gates of %d", count, arguments.givens);
    for (int i = 0; i < count; i++) {
      fuzz_expect(gt_gate_fails(&gates[i], NAN), "NaN passes '%s'", given[i].value);
      gt_gate_fails(&gates[i], 0.5);
    }
  }
  gt_arena_finish(&arena);
  free(text);
  return 0;
}
