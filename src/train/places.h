/* All maps of a config, so that a key in the wrong one gets a hint where it belongs (spec/hint.h). */
#ifndef GT_TRAIN_PLACES_H
#define GT_TRAIN_PLACES_H
#include "spec/diagnostics.h"

void gt_config_know_places(gt_diagnostics *diagnostics); /* in its arena */
#endif
