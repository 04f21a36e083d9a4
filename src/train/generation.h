/* A generation of a run: the nets of one phase, and the handover to the next. Settings of a phase (batch
 * size, optimizer, frozen groups, sizes of layers) determine graphs and buffers, so these are rebuilt; the
 * backend, its pipelines, the data, the seed and the host's state stay. Values are handed over by name
 * through the host. The checkpoint written just before holds the same values, so a run resumed there
 * continues with the same bytes. */
#ifndef GT_TRAIN_GENERATION_H
#define GT_TRAIN_GENERATION_H
#include "train/run.h"

/* Opens the nets of phase run->state.phase. GT_ERR_CONFIG if the config has no such phase. */
bool gt_generation_open(gt_run *run, gt_error *error);
/* Closes the nets of this phase and opens those of the next, starting from the trained values. */
bool gt_generation_next(gt_run *run, gt_error *error);
/* The same for an earlier phase, whose values the caller then uploads. */
bool gt_generation_return(gt_run *run, int64_t phase, gt_error *error);
/* Restarts the phase with constants and initial values drawn from seed run->state.draw; no values are kept.
 * Plans are kept if the graphs are the same. */
bool gt_generation_restart(gt_run *run, gt_error *error);
void gt_generation_close(gt_run *run);
#endif
