/* All maps of a config, so that the error for a key in the wrong map can name the right one (spec/hint.h). */
#ifndef GT_TRAIN_PLACES_H
#define GT_TRAIN_PLACES_H
#include "spec/hint.h"

void gt_config_set_places(gt_diagnostics *diagnostics); /* sets diagnostics->place, in its arena */
#endif
