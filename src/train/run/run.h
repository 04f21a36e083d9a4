/* gt_run: one training run: a config on a device, a run directory, and the loop that replays the step. The
 * directory contains config.yaml (resolved), tuned.json (if the device was tuned), metrics.jsonl,
 * timing.jsonl, checkpoints/, best.bin (with keep_best or early stopping) and finally model.bin. The state of
 * a run after a step consists of parameters and training variables on the device, and gt_host_state; this is
 * what a checkpoint contains. Owner: gt_train. */
#ifndef GT_TRAIN_RUN_H
#define GT_TRAIN_RUN_H
#include "train/run/adapt.h"
#include "train/run/checkpoint.h"
#include "train/eval/importance.h"
#include "train/eval/model_use.h"
#include "train/net/pacer.h"
#include "train/net/session.h"
#include "train/run/sink.h"

typedef struct gt_train_options {
  const char *device;    /* as in gt_choose_backend */
  const char *directory; /* NULL: runs/NAME-N */
  uint64_t memory_limit; /* for device memory, in bytes; 0: no limit */
  double max_seconds;    /* the run saves and stops after this time; 0: no limit */
  const char *max_time;  /* max_seconds as the user wrote it */
  bool resume, quiet;
  bool ranks_columns; /* estimates the importance of a table's columns at the end */
  /* For the command that an interrupted run prints, `gtrain train CONFIG OPTIONS` with its directory.
   * resume_config NULL: the config in the directory. */
  const char *resume_config, *resume_options;
} gt_train_options;

typedef struct gt_train_result {
  char directory[4096], device[256];
  int64_t step, epoch, best_step;
  gt_results train, validation, test; /* items is 0 if there is no result */
  const double *threshold;            /* [thresholds]; NULL: the config sets none */
  int thresholds;
  bool stopped_early, interrupted;
  bool out_of_time; /* max_seconds interrupted the run */
  int64_t attempts; /* with restart_every; otherwise 1 */
  bool has_goal, goal_reached;
  bool was_over; /* a resumed run had nothing left to train */
  double seconds, samples_per_s;
  uint64_t memory_peak;     /* largest device memory in use, in bytes */
  gt_importance importance; /* estimated, of a table's columns; in the arena of the config; columns 0: none */
} gt_train_result;

/* Trains. error->status: GT_OK, GT_INTERRUPTED (a signal or max_seconds stopped the run, which was saved, or
 * the device failed; the message contains the command that continues), GT_ERR_BUSY, GT_ERR_DATA (a loss or
 * gradient is not finite; the message names step and layer), … */
bool gt_train(gt_config *config, const gt_train_options *options, gt_train_result *result, gt_error *error);

/* --- within train/ --- */

typedef struct gt_run {
  gt_config *base;   /* the config of the run, with its phases */
  gt_config *config; /* of the current phase; base if there are no phases */
  const gt_train_options *options;
  gt_train_result *result;
  gt_session session;
  const char *directory;
  const char *command; /* shell command that continues this run */
  int lock;
  gt_arena generation; /* for the nets of this phase (generation.h) */
  gt_net *net;         /* the training step */
  gt_executable *step;
  const float *log; /* mapped log of the training step; NULL with a line search */
  gt_adapter adapter;
  gt_evaluator watch, test; /* watch: of the watched split, during the run; net NULL: no such split */
  gt_host_state state;
  gt_sinks sinks;
  int64_t total, per_epoch;                      /* steps of the run, and of an epoch */
  int64_t eval_steps, save_steps, restart_steps; /* intervals in steps; 0: never */
  bool saves_end;                                /* a checkpoint is written at the end of the run */
  int64_t phase_end;                             /* step at which the phase ends */
  int64_t attempt;                               /* current attempt, from 0 */
  gt_arena attempt_arena[2]; /* for the net of even and odd attempts, if a restart kept the plans */
  gt_data_fingerprint data;
  int64_t first_step;         /* first step of this process */
  int64_t bad_step;           /* step whose loss or gradient is not finite; -1: none */
  int64_t saved_step;         /* step of the last checkpoint; -1: none */
  bool finished;              /* resumed, and has no checkpoint but a model.bin: there is nothing to train */
  bool differs;               /* resumed with another config than the checkpoint's */
  bool warned;                /* the user was warned that the watched metric is not a number */
  bool bad_gradient;          /* the loss of bad_step is finite, but its gradient is not */
  double started;             /* time of gt_seconds */
  double loss, lr, grad_norm; /* of the last step */
} gt_run;

bool gt_run_save(gt_run *run, gt_error *error); /* writes a checkpoint of the current step */
bool gt_run_loop(gt_run *run, gt_error *error);
/* For nets with a line search (line_search.h): runs steps until `boundary`, a request, convergence, or a loss
 * that is not finite. */
bool gt_run_line_search(gt_run *run, int64_t boundary, gt_error *error);
/* Downloads the weights that evaluations use; the caller calls gt_state_dict_finish. Empty on errors. */
bool gt_run_weights(gt_run *run, gt_state_dict *weights, gt_error *error);
/* Writes the model of the current step to a file in the run directory. */
bool gt_run_keep_weights(gt_run *run, const char *name, gt_model_results results, gt_error *error);
/* The end (end.c): chooses weights and thresholds, evaluates, and writes model.bin. */
bool gt_run_end(gt_run *run, gt_error *error);
/* For a finished run without checkpoints: evaluates its model.bin and writes nothing. */
bool gt_run_evaluate_finished(gt_run *run, gt_error *error);
/* Estimates the importance of columns, after everything has been written. On errors there is no estimate. */
void gt_run_rank_columns(gt_run *run);
/* Reports which layer produced the loss or gradient of bad_step that is not finite; always false. */
bool gt_run_explain(gt_run *run, gt_error *error);
/* True if all weights are finite; otherwise an error. An update may overflow although loss and gradient are
 * finite; such weights are never written. */
bool gt_run_check_weights(gt_run *run, const gt_state_dict *weights, gt_error *error);
/* The epoch, from 1, that contains the last of `step` finished steps; 1 for step 0. */
int64_t gt_run_epoch(const gt_run *run, int64_t step);
/* Attempts (attempt.c): with restart_every a run restarts at this interval. gt_run_attempt restarts if
 * run->state.step belongs to a new attempt; it is called before steps are run. */
bool gt_run_attempt(gt_run *run, gt_error *error);
int64_t gt_run_attempt_begin(const gt_run *run); /* first step of run->attempt */
int64_t gt_run_attempt_end(const gt_run *run);   /* the step after its last one */
/* Sets run->attempt, after the host's state was read from a checkpoint and the phase was opened. */
void gt_run_attempt_resume(gt_run *run);
/* True if the constants are those with which the weights of the state were trained. GT_ERR_CONFIG if the
 * config draws other constants. */
bool gt_run_check_constants(gt_run *run, gt_error *error);
const char *gt_run_constants(const gt_run *run, char text[128]); /* " (such as 'logic1.wiring')" or "" */
/* Adds the sums of a finished step to run->state. */
void gt_run_record_step(gt_run *run, const gt_sums *sums);
/* Writes a row of the sums since the last row, if log_every requires one after this step. */
bool gt_run_write_train_row(gt_run *run, gt_error *error);
/* The row of a result at the current step. */
gt_metric_row gt_run_row(const gt_run *run, const char *split, const gt_results *result);
/* True if a signal requests to stop or to save, or if the time limit is over. */
bool gt_run_has_request(const gt_run *run);
bool gt_run_has_next_phase(const gt_run *run);
bool gt_goal_reached(const gt_early_stopping *stopping, double value);
bool gt_run_restores_best(const gt_run *run); /* model.bin gets the best weights */
/* gt_run_directory creates the run directory, or checks that it is one that can be resumed (GT_ERR_BUSY if
 * not: other directories are never changed), and locks it. gt_run_directory_begin writes the first files when
 * everything else is ready. So a run that fails to start leaves a directory that counts as empty, and a run
 * that cannot be resumed leaves it unchanged. */
bool gt_run_directory(gt_run *run, gt_error *error);
bool gt_run_directory_begin(gt_run *run, gt_error *error);
/* Loads the tuned candidates for the run (tuned_file.h). Call it before the step is planned. */
bool gt_run_directory_tuned(gt_run *run, gt_error *error);
/* Restores the newest valid checkpoint; *found is false if there is no checkpoint. If a valid one is found,
 * newer damaged ones are renamed; GT_ERR_DATA if all are damaged. */
bool gt_run_restore(gt_run *run, bool *found, gt_error *error);
/* False (GT_ERR_DATA) if the run's data differs from the saved fingerprints, so that its weights mean
 * something else; other test data that did not select the model is a warning. since: "the checkpoint", before
 * the path. */
bool gt_run_check_data(const gt_run *run, const gt_data_fingerprint *saved, const char *since,
                       const char *path, gt_error *error);
#endif
