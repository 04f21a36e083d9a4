/* Pruning: `prune:` of a phase, which begins by taking out of a Kolmogorov-Arnold network what little of the
 * output comes by way of (kan/scores.h).
 *   phases:
 *     - steps: 200
 *     - {steps: 200, prune: {node: 1.0e-2, edge: 3.0e-2}}
 * This phase and those after it have narrower layers: `units:` of their configs, and of the model in the end,
 * are what pruning came to, and a checkpoint's are told by the shapes of its masks. What came before is kept
 * in unpruned.bin. */
#ifndef GT_TRAIN_PRUNE_H
#define GT_TRAIN_PRUNE_H
#include "train/run.h"

/* Reads a phase's `prune:`; reports a model that cannot be pruned. */
void gt_prune_read(gt_config *phase, gt_arena *arena, const gt_spec *node, const gt_model *model,
                   gt_diagnostics *diagnostics);
/* Makes `held`, what the phase before has learned, that of the pruned network, in the arena of its
 * generation; and changes the configs of the phases from the next on. */
bool gt_prune(gt_run *run, gt_image *held, gt_error *error);
/* Gives the configs of a run that is resumed the widths of its checkpoint. */
bool gt_prune_resume(gt_run *run, const gt_container *checkpoint, gt_error *error);
#endif
