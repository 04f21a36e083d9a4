/* All maps of a config, so that a key in the wrong one gets a hint where it belongs (spec/hint.h). */
#ifndef GT_TRAIN_PLACES_H
#define GT_TRAIN_PLACES_H
#include "spec/diagnostics.h"

void gt_config_know_places(gt_diagnostics *diagnostics); /* in its arena */
/* The one of `names` that a foreign name such as `learning_rate` means, or NULL. In the arena. */
const char *gt_config_key_meant(const char *key, const char *const *names, size_t count, gt_arena *arena);
#endif
