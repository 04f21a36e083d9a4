/* Configs: `gtrain check` without a device, with each of its output formats. If a config passes, the resolved
 * config must pass too, and resolve to itself. */
#include "fuzz.h"
#include "base/text.h"
#include "train/config/config.h"
#include <stdlib.h>
#include <string.h>

static void judge_resolved(const char *path) {
  gt_arena arena;
  gt_config config, again;
  gt_error error = {0};
  gt_arena_init(&arena);
  /* Unlike check, this loads the data, which may need too much memory. */
  const bool ok = gt_config_read(&config, &arena, path, false, NULL, 0, &error);
  if (error.status == GT_ERR_MEMORY) {
    gt_arena_finish(&arena);
    return;
  }
  fuzz_expect(ok, "check accepts it, but reading fails: %s", error.message);
  const bool same = gt_config_parse(&again, &arena, path, config.resolved, NULL, NULL, 0, &error);
  if (!same) gt_config_report(&again, &error);
  fuzz_expect(same, "its resolved form is rejected:\n%s", config.resolved);
  fuzz_expect(!strcmp(config.resolved, again.resolved),
              "its resolved form does not resolve to itself:\n%s\n---\n%s", config.resolved, again.resolved);
  gt_config_finish(&again);
  gt_config_finish(&config);
  gt_arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const commands[3][6] = {{"check", "input.yaml"},
                                             {"check", "input.yaml", "--json"},
                                             {"check", "input.yaml", "--graph", "--plan", "--target=device"}};
  if (fuzz_must_skip(data, size)) return 0;
  const char *path = fuzz_input(data, size, "input.yaml");
  if (fuzz_gtrain(commands[gt_hash(GT_HASH_START, data, size) % 3]) == 0) judge_resolved(path);
  return 0;
}
