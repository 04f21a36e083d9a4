/* A generation of a run: the nets of one phase, and how one hands over to the next. What a phase may have
 * otherwise (batch, optimizer, frozen groups, sizes of layers) decides graphs and buffers, so they are built
 * anew; the backend, its pipelines, the data, the run's seed and what the host keeps stay. Values go by name
 * through the host: the checkpoint that is written just before holds the same, which is why a run that is
 * resumed there goes on with the same bytes. */
#ifndef GT_TRAIN_GENERATION_H
#define GT_TRAIN_GENERATION_H
#include "train/run.h"

/* Opens the nets of phase run->state.phase. GT_ERR_CONFIG if the config has no such phase. */
bool gt_generation_open(gt_run *run, gt_error *error);
/* Closes this phase's and opens those of the next, which begin with what was learned. */
bool gt_generation_next(gt_run *run, gt_error *error);
/* … those of an earlier one, whose values are then to be uploaded. */
bool gt_generation_return(gt_run *run, int64_t phase, gt_error *error);
/* Begins the phase anew, with the constants and initial values of seed run->state.draw: nothing is carried.
 * Where these make no other graph, the plans stay. */
bool gt_generation_restart(gt_run *run, gt_error *error);
void gt_generation_close(gt_run *run);
#endif
