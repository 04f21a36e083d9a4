/* gt_run: one training run: a config on a device, a run directory, and the loop that replays the step. The
 * directory holds config.yaml (resolved), tuned.json (if the device was tuned), metrics.jsonl, timing.jsonl,
 * checkpoints/, best.bin (with keep_best or early stopping) and finally model.bin. The state of a run after a
 * step is: parameters and training variables on the device, and gt_host_state; a checkpoint holds exactly
 * that. Owner: gt_train. */
#ifndef GT_TRAIN_RUN_H
#define GT_TRAIN_RUN_H
#include "train/adapt.h"
#include "train/checkpoint.h"
#include "train/importance.h"
#include "train/model_file.h"
#include "train/pacer.h"
#include "train/session.h"
#include "train/sink.h"

typedef struct gt_train_options {
  const char *device;    /* NULL: chosen by the environment */
  const char *directory; /* NULL: runs/NAME-N */
  uint64_t memory_limit; /* of the device, in bytes; 0: none */
  double max_seconds;    /* the run saves and stops after this time; 0: no limit */
  const char *max_time;  /* the same, as the user wrote it */
  bool resume, quiet;
  bool ranks_columns; /* estimates the importance of a table's columns at the end */
  /* For the command printed by an interrupted run: `gtrain train CONFIG OPTIONS` with its directory. A NULL
   * config means that of the directory. */
  const char *resume_config, *resume_options;
} gt_train_options;

typedef struct gt_train_result {
  char directory[4096], device[256];
  int64_t step, epoch, best_step;
  gt_results train, validation, test; /* items 0: absent */
  const double *threshold;            /* [thresholds]; NULL: the config has none */
  int thresholds;
  bool stopped_early, interrupted;
  bool out_of_time; /* interrupted by max_seconds */
  int64_t attempts; /* with restart_every; else 1 */
  bool has_goal, goal_reached;
  double seconds, samples_per_s;
  uint64_t memory_peak;     /* bytes on the device */
  gt_importance importance; /* of a table's columns, estimated; in the arena of the config; columns 0: none */
} gt_train_result;

/* Trains. The status is in error: GT_OK, GT_INTERRUPTED (stopped and saved by a signal or max_seconds, or the
 * device failed; the message has the command that continues), GT_ERR_BUSY, GT_ERR_DATA (a loss or gradient is
 * not finite; the message has step and layer), … */
bool gt_train(gt_config *config, const gt_train_options *options, gt_train_result *result, gt_error *error);

/* --- within train/ --- */

typedef struct gt_run {
  gt_config *base;   /* as it was read, with its phases */
  gt_config *config; /* of the current phase; the base, if there are no phases */
  const gt_train_options *options;
  gt_train_result *result;
  gt_session session;
  const char *directory;
  const char *command; /* shell command that continues this run */
  int lock;
  gt_arena generation; /* holds the nets (generation.h) */
  gt_net *net;
  gt_executable *step;
  const float *log;
  gt_adapter adapter;
  gt_evaluator watch, test; /* watch: evaluated during the run; net NULL: no such split */
  gt_host_state state;
  gt_sinks sinks;
  int64_t total, per_epoch, eval_steps, save_steps, restart_steps; /* in steps; 0: never */
  int64_t phase_end;                                               /* step at which the phase ends */
  int64_t attempt;
  gt_arena drawn[2]; /* of odd and even attempts: one holds the net if a restart kept the plans */
  gt_data_fingerprint data;
  int64_t first_step, bad_step, saved_step;
  bool warned;       /* the user was warned that the watched metric is not a number */
  bool bad_gradient; /* the loss of bad_step is finite, but its gradient is not */
  double started, loss, lr, grad_norm;
} gt_run;

bool gt_run_save(gt_run *run, gt_error *error); /* writes a checkpoint of the current step */
bool gt_run_loop(gt_run *run, gt_error *error);
/* For nets with a line search (line_search.h): runs steps until `boundary`, a signal, convergence, or a loss
 * that is not finite. */
bool gt_run_line_search(gt_run *run, int64_t boundary, gt_error *error);
/* Downloads the weights that evaluations use; the caller finishes them. Empty on failure. */
bool gt_run_weights(gt_run *run, gt_state_dict *weights, gt_error *error);
/* Writes these weights, as the model of the current step, to a file in the run directory. */
bool gt_run_keep_weights(gt_run *run, const char *name, gt_model_results results, gt_error *error);
/* Reports which layer produced the loss or gradient of bad_step that is not finite; always false. */
bool gt_run_explain(gt_run *run, gt_error *error);
/* True if all weights are finite; else an error. An update may overflow although loss and gradient did not,
 * and such weights are never written. */
bool gt_run_check_weights(gt_run *run, const gt_state_dict *weights, gt_error *error);
int64_t gt_run_epoch(const gt_run *run, int64_t step); /* epoch of step `step`, from 1 */
/* Attempts (attempt.c): with restart_every a run restarts at this interval. gt_run_attempt restarts if
 * run->state.step belongs to a new attempt; it is called before steps are run. */
bool gt_run_attempt(gt_run *run, gt_error *error);
int64_t gt_run_attempt_begin(const gt_run *run); /* first step of run->attempt; step after its last */
int64_t gt_run_attempt_end(const gt_run *run);
/* Sets the attempt after a checkpoint's host state was read and its phase opened. */
void gt_run_attempt_resume(gt_run *run);
/* True if the constants are those that the weights of the state were trained with. GT_ERR_CONFIG if the
 * config draws others. */
bool gt_run_check_constants(gt_run *run, gt_error *error);
const char *gt_run_constants(const gt_run *run, char text[128]); /* " (such as 'logic1.wiring')" */
/* Records the sums of a finished step; writes a row of them if it is due. */
void gt_run_note_step(gt_run *run, const gt_sums *sums);
bool gt_run_write_window(gt_run *run, gt_error *error);
gt_metric_row gt_run_row(const gt_run *run, const char *split,
                         const gt_results *result); /* of the current step */
bool gt_run_is_called(const gt_run *run); /* True if a signal or the time limit asks to stop or to save */
bool gt_run_has_next_phase(const gt_run *run);
bool gt_goal_reached(const gt_early_stopping *stopping, double value);
bool gt_run_restores_best(const gt_run *run); /* model.bin gets the best weights */
/* Creates the run directory, or checks that it is one that can be resumed (GT_ERR_BUSY if not: foreign
 * directories are never touched), and locks it. gt_run_directory_begin writes the first files when everything
 * else is ready, so that a run that never started leaves a directory that counts as empty, and a refused
 * resume leaves it unchanged. */
bool gt_run_directory(gt_run *run, gt_error *error);
bool gt_run_directory_begin(gt_run *run, gt_error *error);
/* Loads the tuned candidates for the run (tuned_file.h), before the step is planned. */
bool gt_run_directory_tuned(gt_run *run, gt_error *error);
/* Restores the newest valid checkpoint; *found false if there is none at all. Newer damaged ones are renamed,
 * but only if a valid one was found; GT_ERR_DATA if all are damaged. */
bool gt_run_restore(gt_run *run, bool *found, gt_error *error);
#endif
