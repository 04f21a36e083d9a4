/* Checkpoints: RUN/checkpoints/step-000001234.safetensors, each the complete state of a run: every tensor the
 * next step depends on (optimizer slots under the names of their parameters: store/store.h), and in the
 * metadata the format version, the step, the seed, the resolved config and the host's state (gt_host_state).
 * A run that continues from one computes the same bits as one that never stopped. Checkpoints are written
 * atomically; a damaged one is detected by its hash, and the one before it is used. Owner: the run. */
#ifndef GT_TRAIN_CHECKPOINT_H
#define GT_TRAIN_CHECKPOINT_H
#include "data/data.h"
#include "optim/schedule.h"
#include "train/change.h"
#include "train/sink.h"
#include "store/safetensors.h"

/* Only this format is read: a change of what checkpoints hold increments the number. */
#define GT_CHECKPOINT_FORMAT "gtrain-checkpoint-2"

enum { GT_STOPPED_RUN = 1, GT_STOPPED_PHASE }; /* what early stopping stopped; 0: nothing */

/* The host's part of a run's state; checkpoint.c has a row for each number. Doubles are stored as
 * hexadecimal, so that they come back exactly. */
typedef struct gt_host_state {
  int64_t step; /* finished steps */
  /* Training sums since the last log row, since the last evaluation, and between the last two evaluations. */
  gt_sums window, epoch, last;
  double best; /* the watched metric at its best; NAN before the first evaluation */
  int64_t best_step, best_epoch, best_phase, bad_evaluations;
  int64_t stopped; /* by early stopping: GT_STOPPED_… */
  /* The current phase, the steps and epochs before it, and the steps before it that are included in the
   * optimizer's moments. */
  int64_t phase, first_step, first_epoch, optimizer_step;
  int64_t adapted; /* 1 + the step at which layers last adapted to the data; 0: never */
  gt_schedule_state schedule;
  int64_t place[GT_SINKS];  /* of each sink (gt_sink_type.save); negative: none */
  uint64_t draw;            /* seed of the initial values and constants of the current weights */
  uint64_t constants;       /* fingerprint of those constants; "state.wiring" in files */
  uint64_t init;            /* hash of the init_from model; 0: none */
  gt_data_fingerprint data; /* of the data that the weights were trained and evaluated on */
} gt_host_state;

/* "RUN/checkpoints/step-000001234.safetensors", in the arena. */
char *gt_checkpoint_path(gt_arena *arena, const char *run_directory, int64_t step);
/* The steps of existing checkpoints, newest first, in the arena; none if the folder does not exist yet.
 * GT_ERR_IO if the folder cannot be read. */
bool gt_checkpoint_list(gt_arena *arena, const char *run_directory, int64_t **steps, int *count,
                        gt_error *error);
/* Removes all but the newest `keep`. */
void gt_checkpoint_prune(const char *run_directory, int keep);
/* True if this is the name of a temporary file that a killed run left behind. */
bool gt_is_temporary(const char *name);
void gt_remove_temporaries(const char *directory);

/* notes: of changes (change.h), metadata under their names. */
bool gt_checkpoint_write(const char *path, const gt_stored *tensors, int count, uint64_t seed,
                         const char *config, const gt_metadata *notes, int noted, const gt_host_state *state,
                         gt_error *error);
/* Reads and checks a checkpoint. GT_ERR_DATA if it is damaged (container->damaged), not a checkpoint, of
 * another format version, or holds impossible numbers. *config points into the container. */
bool gt_checkpoint_read(const char *path, gt_container *container, uint64_t *seed, const char **config,
                        gt_host_state *state, gt_error *error);
#endif
