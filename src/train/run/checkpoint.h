/* Checkpoints: RUN/checkpoints/step-000001234.safetensors, each the complete state of a run: every tensor the
 * next step depends on (optimizer slots under the names of their parameters: store/store.h), and in the
 * metadata the format version, the step, the seed, the resolved config and the host's state (gt_host_state).
 * A resumed run computes the same bits as a run without interruption. Checkpoints are written atomically; a
 * damaged one is detected by its hash, and the previous one is used. Owner: the run. */
#ifndef GT_TRAIN_CHECKPOINT_H
#define GT_TRAIN_CHECKPOINT_H
#include "data/data.h"
#include "optim/schedule.h"
#include "train/config/change.h"
#include "train/run/sink.h"
#include "store/safetensors.h"

/* Only this format is read: every change of the content increments the number. */
#define GT_CHECKPOINT_FORMAT "gtrain-checkpoint-2"

enum { GT_STOPPED_RUN = 1, GT_STOPPED_PHASE }; /* what early stopping stopped; 0: nothing */

/* The host's part of a run's state; checkpoint.c has a row for each number. Doubles are written in
 * hexadecimal, so that reading them gives the same bits. */
typedef struct gt_host_state {
  int64_t step; /* number of finished steps */
  /* Training sums: since the last log row (window), since the last evaluation (epoch), between the last two
   * evaluations (last). */
  gt_sums window, epoch, last;
  double best;                               /* best value of the watched metric; NAN: no evaluation so far */
  int64_t best_step, best_epoch, best_phase; /* when it was measured */
  int64_t bad_evaluations;                   /* number of evaluations since then */
  int64_t stopped;                           /* what early stopping stopped: GT_STOPPED_…, or 0 */
  int64_t phase;                             /* the current phase */
  /* Steps and epochs before this phase. If a resumed run has another number of steps per epoch, they are
   * those with which the phase would have begun with it, which may be negative (restore.c). */
  int64_t first_step, first_epoch;
  int64_t optimizer_step; /* steps before first_step that the optimizer's moments include */
  int64_t epoch_steps;    /* steps per epoch in this phase; 0: unknown, in checkpoints of older versions */
  int64_t adapted;        /* 1 + the step at which layers last adapted to the data; 0: never */
  gt_schedule_state schedule;
  int64_t place[GT_SINKS];  /* position in each sink's file (gt_sink_type.save); negative: none */
  uint64_t draw;            /* seed of the initial values and constants of the current weights */
  uint64_t constants;       /* fingerprint of the constants; "state.wiring" in files */
  uint64_t init;            /* hash of the init_from model; 0: none */
  gt_data_fingerprint data; /* of the data with which the run trains and evaluates */
} gt_host_state;

/* "RUN/checkpoints/step-000001234.safetensors", in the arena. */
char *gt_checkpoint_path(gt_arena *arena, const char *run_directory, int64_t step);
/* The steps of existing checkpoints, newest first, in the arena; none if the folder does not exist yet.
 * GT_ERR_IO if the folder cannot be read. */
bool gt_checkpoint_list(gt_arena *arena, const char *run_directory, int64_t **steps, int *count,
                        gt_error *error);
/* Removes all checkpoints except the newest `keep`. */
void gt_checkpoint_prune(const char *run_directory, int keep);
/* True if this is the name of a temporary file that a killed run left behind. */
bool gt_is_temporary(const char *name);
void gt_remove_temporaries(const char *directory);

/* notes: metadata of changes (change.h). */
bool gt_checkpoint_write(const char *path, const gt_stored *tensors, int count, uint64_t seed,
                         const char *config, const gt_metadata *notes, int note_count,
                         const gt_host_state *state, gt_error *error);
/* Reads and checks a checkpoint. GT_ERR_DATA if it is damaged (container->damaged), is not a checkpoint, has
 * another format version, or contains impossible numbers. *config points into the container. */
bool gt_checkpoint_read(const char *path, gt_container *container, uint64_t *seed, const char **config,
                        gt_host_state *state, gt_error *error);
#endif
