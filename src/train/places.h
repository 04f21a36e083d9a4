/* All maps of a config, so that the error for a key in the wrong map can name the right one (spec/hint.h). */
#ifndef GT_TRAIN_PLACES_H
#define GT_TRAIN_PLACES_H
#include "spec/diagnostics.h"

void gt_config_set_places(gt_diagnostics *diagnostics); /* sets diagnostics->place, in its arena */
/* The name in `names` for a name of another framework, such as `learning_rate`, or NULL. In the arena. */
const char *gt_config_find_foreign_key(const char *key, const char *const *names, size_t count,
                                       gt_arena *arena);
#endif
