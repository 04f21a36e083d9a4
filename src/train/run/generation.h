/* A generation of a run: the nets of one phase, and the change to the next phase. Settings of a phase (batch
 * size, optimizer, frozen groups, sizes of layers) determine graphs and buffers, so these are built again;
 * the backend, its pipelines, the data, the seed and the host's state stay. Values are copied by name,
 * through the host. The checkpoint written just before contains the same values, so a run that is resumed
 * there continues with the same bits. */
#ifndef GT_TRAIN_GENERATION_H
#define GT_TRAIN_GENERATION_H
#include "train/run/run.h"

/* Opens the nets of phase run->state.phase. GT_ERR_CONFIG if the config has no such phase. */
bool gt_generation_open(gt_run *run, gt_error *error);
/* Closes the nets of this phase and opens those of the next phase, which start from the trained values. */
bool gt_generation_next(gt_run *run, gt_error *error);
/* Opens the nets of an earlier phase; the caller then uploads its values. */
bool gt_generation_return(gt_run *run, int64_t phase, gt_error *error);
/* Restarts the phase with constants and initial values from seed run->state.draw. Keeps the plans if the
 * graphs are the same. */
bool gt_generation_restart(gt_run *run, gt_error *error);
void gt_generation_close(gt_run *run);
#endif
