#include "train/net/net.h"

bool gt_phases_can_start(gt_config *config, gt_arena *arena) {
  const gt_net_options graphs = {.unplanned = true};
  gt_error error = {0};
  for (int p = 0; p < config->phases; p++) {
    gt_config *phase = &config->phase[p];
    if (gt_net_training(arena, phase, &graphs, &error)) continue;
    const gt_diagnostics *found = &phase->diagnostics;
    for (int i = 0; i < found->count; i++)
      if (!found->items[i].finding)
        gt_error_at(&config->diagnostics, found->items[i].at, "%s", found->items[i].message)->expected =
            found->items[i].expected;
    if (!found->errors)
      gt_error_at(&config->diagnostics, phase->at, "this phase cannot start: %s", error.message);
    return false;
  }
  return true;
}
