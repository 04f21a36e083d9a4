/* Suggests the map of `init_from:` for a file whose layers have other names than the model's. */
#ifndef GT_TRAIN_INIT_MAP_H
#define GT_TRAIN_INIT_MAP_H
#include "store/safetensors.h"
#include "store/store.h"

/* "fc1: model.fc1, fc2: model.fc2": layers of the model with those of the file whose tensors have the same
 * shapes; of several, the one whose name has the longest common end. NULL if no layer fits. *prefix: what all
 * names in the file have before those of the model ("model."), or NULL. */
const char *gt_init_map_guess(const gt_container *file, const gt_store *store, gt_arena *arena,
                              const char **prefix);
#endif
