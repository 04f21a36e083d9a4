/* Checkpoints: RUN/checkpoints/step-000001234.safetensors, each a whole state of a run: every tensor the next
 * step depends on (what training keeps for each parameter by that parameter's name: store/store.h), and in
 * the metadata the format version, the step, the seed, the resolved config and what the host keeps
 * (gt_host_state). Going on from one gives the same bits as never having stopped. Written
 * atomically; a damaged one is refused by its hash, and the one before it is taken. Owner: the run. */
#ifndef GT_TRAIN_CHECKPOINT_H
#define GT_TRAIN_CHECKPOINT_H
#include "data/data.h"
#include "optim/schedule.h"
#include "train/change.h"
#include "train/sink.h"
#include "store/safetensors.h"

/* Only the format that is written is read: a change of what checkpoints hold counts it up. */
#define GT_CHECKPOINT_FORMAT "gtrain-checkpoint-2"

enum { GT_STOPPED_RUN = 1, GT_STOPPED_PHASE }; /* what early stopping ended; 0: nothing */

/* The host's part of a run's state: a row of checkpoint.c for each number. Doubles are stored as hexadecimal,
 * so that they come back exactly. */
typedef struct gt_host_state {
  int64_t step; /* finished steps */
  /* Training sums since the last log row, since the last evaluation, and of the steps up to that. */
  gt_sums window, epoch, last;
  double best; /* the watched metric at its best; NAN before the first evaluation */
  int64_t best_step, best_epoch, best_phase, bad_evaluations;
  int64_t stopped; /* by early stopping: GT_STOPPED_… */
  /* The phase that is running, and the steps and epochs before it; and the steps before it that the
   * optimizer's moments have seen. */
  int64_t phase, first_step, first_epoch, optimizer_step;
  int64_t adapted; /* 1 + the step at which layers have last adapted to the data; 0: none has */
  gt_schedule_state schedule;
  int64_t place[GT_SINKS];  /* of each sink (gt_sink_type.save); below 0: it has none */
  uint64_t draw;            /* seed that drew the initial values and constants of the weights there are */
  uint64_t constants;       /* fingerprint of those constants; "state.wiring" in files */
  uint64_t init;            /* hash of the model that the run began with; 0: none */
  gt_data_fingerprint data; /* what the weights were trained and watched with */
} gt_host_state;

/* "RUN/checkpoints/step-000001234.safetensors", in the arena. */
char *gt_checkpoint_path(gt_arena *arena, const char *run_directory, int64_t step);
/* The steps of the checkpoints there are, newest first, in the arena; none if there is no folder of them yet.
 * GT_ERR_IO if the folder cannot be read. */
bool gt_checkpoint_list(gt_arena *arena, const char *run_directory, int64_t **steps, int *count,
                        gt_error *error);
/* Removes all but the newest `keep`. */
void gt_checkpoint_prune(const char *run_directory, int keep);
/* Is this the name of a file that a run was writing when it was killed? */
bool gt_is_temporary(const char *name);
void gt_remove_temporaries(const char *directory);

/* notes: of changes (change.h): metadata of their names. */
bool gt_checkpoint_write(const char *path, const gt_stored *tensors, int count, uint64_t seed,
                         const char *config, const gt_metadata *notes, int noted, const gt_host_state *state,
                         gt_error *error);
/* Reads and checks one: GT_ERR_DATA if it is damaged (container->damaged), of another kind, of a version
 * whose checkpoints have another format, or holds impossible numbers. *config points into the container. */
bool gt_checkpoint_read(const char *path, gt_container *container, uint64_t *seed, const char **config,
                        gt_host_state *state, gt_error *error);
#endif
