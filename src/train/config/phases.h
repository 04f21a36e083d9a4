/* Phases, `train.phases:`: parts of a run, each with its own length and settings.
 *   phases:
 *     - epochs: 3
 *     - {epochs: 2, train.batch_size: 512, optimizer.lr: 1.0e-4}
 *     - {steps: 500, model.0.linear: 128}
 * Besides `epochs` or `steps`, an item contains overrides as for --set, which also apply to later phases.
 * Each phase has its own config, which is read before the run starts. A generation of the run
 * (train/run/generation.h) is built from it and starts with the trained values of the previous phase. */
#ifndef GT_TRAIN_PHASES_H
#define GT_TRAIN_PHASES_H
#include "train/config/config.h"

/* The keys of a phase that are not paths, including changes (change.h); for help and JSON Schema. In the
 * arena. */
const gt_schema *gt_phase_schema(gt_arena *arena);

/* Reads the phases of a config whose other sections have been read, and makes the config itself the first
 * phase. False after reporting an error. Without `train.phases` the config is the only phase. */
bool gt_phases_read(gt_config *config, gt_arena *arena);
/* Its keys (phase_keys.c). gt_phase_may_change: the key is a path that a phase may have, such as
 * optimizer.lr. */
bool gt_phase_may_change(const char *key);
bool gt_phase_is_length(const char *key); /* epochs, steps */
bool gt_phase_is_change(const char *key); /* a change (change.h) */
/* Reports a key that no phase may have. */
void gt_phase_report_key(gt_config *config, const gt_spec *root, const gt_spec *entry);
bool gt_is_in_section(const char *key, const char *section); /* the key is the section or a path in it */

/* Its length (batching.c). */
gt_batching gt_phase_batching(const gt_config *phase); /* of the steps of its optimizer */
int64_t gt_phase_steps(const gt_config *phase);        /* steps of the whole phase */
int64_t gt_phase_evaluations(const gt_config *phase);  /* of the phase, including the one at its end */
/* The number of steps for all batches of the data, whatever the optimizer. */
int64_t gt_phase_steps_per_epoch(const gt_config *phase);
#endif
