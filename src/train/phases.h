/* Phases: `train.phases:`, a run in parts that each have a length and settings of their own.
 *   phases:
 *     - epochs: 3
 *     - {epochs: 2, train.batch_size: 512, optimizer.lr: 1.0e-4}
 *     - {steps: 500, model.0.linear: 128}
 * Besides `epochs` or `steps` an item holds overrides as for --set, which also apply to later phases. Each
 * phase is a config of its own, read before the run begins: a generation of the run (train/generation.h) is
 * built from it and begins with the trained values of the one before. */
#ifndef GT_TRAIN_PHASES_H
#define GT_TRAIN_PHASES_H
#include "train/config.h"

/* The keys of a phase that are not paths, changes (change.h) among them, for help and JSON Schema. In the
 * arena. */
const gt_schema *gt_phase_schema(gt_arena *arena);

/* Reads the phases of a config whose other sections have been read, and makes the config itself the first of
 * them; false after reporting. Without `train.phases` the config is the only phase. */
bool gt_phases_read(gt_config *config, gt_arena *arena);
bool gt_phase_may_change(const char *key);             /* a path, such as optimizer.lr */
gt_batching gt_phase_batching(const gt_config *phase); /* as its optimizer steps */
int64_t gt_phase_steps(const gt_config *phase);        /* of the whole phase */
int64_t gt_phase_evaluations(const gt_config *phase);  /* of the whole phase, the one at its end included */
/* Steps that take each batch of the data once, whatever the optimizer. */
int64_t gt_phase_steps_per_epoch(const gt_config *phase);
#endif
