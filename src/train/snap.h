/* Snapping: `symbolic:` of a phase, which begins by making edges of a Kolmogorov-Arnold network functions by
 * name (kan/snap.h), whose constants this phase and those after it train.
 *   phases:
 *     - steps: 200
 *     - {steps: 200, symbolic: {edges: auto, minimum_r2: 0.99}}
 * Which edges are which functions is from then on in `symbolic:` of the layers' settings: in the configs of
 * these phases, of the model in the end, and beside a checkpoint's. What came before is kept in
 * unsnapped.bin. */
#ifndef GT_TRAIN_SNAP_H
#define GT_TRAIN_SNAP_H
#include "train/run.h"

/* Reads a phase's `symbolic:`; reports a model that has no edges to be functions. */
void gt_snap_read(gt_config *phase, gt_arena *arena, const gt_spec *node, const gt_model *model,
                  gt_diagnostics *diagnostics);
/* Makes `held`, what the phase before has learned, that of the snapped network, in the arena of its
 * generation; and changes the configs of the phases from the next on. */
bool gt_snap(gt_run *run, gt_image *held, gt_error *error);
/* What a checkpoint of the present phase tells of it, as YAML; NULL: nothing, as no phase so far has snapped
 * or renumbered edges. */
const char *gt_snap_text(const gt_run *run, gt_arena *arena);
/* Gives the configs of a run that is resumed what its checkpoint tells. */
bool gt_snap_resume(gt_run *run, const gt_container *checkpoint, const char *path, gt_error *error);
#endif
