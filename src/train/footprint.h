/* gt_footprint: the memory that a training of a config takes on a device, known before any of it is asked
 * for: of the step and of the evaluations that a run has beside it, buffers of variables (each once, whoever
 * shares it), the arena of them all and constants. What a backend then takes is its memory_peak
 * (backend/backend.h). */
#ifndef GT_TRAIN_FOOTPRINT_H
#define GT_TRAIN_FOOTPRINT_H
#include "train/net.h"

typedef struct gt_footprint {
  uint64_t dataset;    /* samples, of all splits that are used */
  uint64_t state;      /* parameters, what an optimizer keeps of them, tables and logs */
  uint64_t values;     /* of a step: the arena, which all plans share, constants and what lasts */
  uint64_t unaliased;  /* … if no memory were used twice */
  uint64_t evaluation; /* what evaluations take besides */
  uint64_t total;
} gt_footprint;

/* net: the planned training of the config, whose evaluations are planned here, for the same target. */
bool gt_footprint_of(gt_footprint *footprint, gt_arena *arena, gt_config *config, const gt_net *net,
                     const gt_target *target, gt_error *error);
#endif
