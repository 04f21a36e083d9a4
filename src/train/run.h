/* gt_run: one training run: a config on a device, a run directory, and the loop that replays the step. The
 * directory holds config.yaml (resolved), tuned.json (where the device was tuned), metrics.jsonl,
 * timing.jsonl, checkpoints/, best.bin (with keep_best or early stopping) and, in the end, model.bin. The
 * run's state after a step is: the parameters and the training variables on the device, and gt_host_state; a
 * checkpoint is exactly that. Owner: gt_train. */
#ifndef GT_TRAIN_RUN_H
#define GT_TRAIN_RUN_H
#include "train/adapt.h"
#include "train/checkpoint.h"
#include "train/model_file.h"
#include "train/pacer.h"
#include "train/session.h"
#include "train/sink.h"

typedef struct gt_train_options {
  const char *device;    /* NULL: by the environment */
  const char *directory; /* NULL: runs/NAME-N */
  uint64_t memory_limit; /* of the device, in bytes; 0: none */
  double max_seconds;    /* the run saves and stops after so many; 0: never */
  const char *max_time;  /* the same as the user wrote it */
  bool resume, quiet;
  /* What a run that is interrupted prints to go on with: `gtrain train CONFIG OPTIONS` and its directory.
   * NULL as the config: that of the directory. */
  const char *resume_config, *resume_options;
} gt_train_options;

typedef struct gt_train_result {
  char directory[4096], device[256];
  int64_t step, epoch, best_step;
  gt_sums train, validation, test; /* weight 0: not there */
  bool accuracy, stopped_early, interrupted;
  int64_t attempts; /* with restart_every; else 1 */
  bool has_goal, goal_reached;
  double seconds, samples_per_s;
  uint64_t memory_peak; /* bytes of the device */
} gt_train_result;

/* Trains. The status is in error: GT_OK, GT_INTERRUPTED (stopped and saved, by a signal or max_seconds, or
 * the device failed: the message names the command that goes on), GT_ERR_BUSY, GT_ERR_DATA (a loss or
 * gradient that is not finite: the message names step and layer), … */
bool gt_train(gt_config *config, const gt_train_options *options, gt_train_result *result, gt_error *error);

/* --- within train/ --- */

typedef struct gt_run {
  gt_config *base;   /* as it was read; its phases */
  gt_config *config; /* of the phase that is running: of the run, where there are none */
  const gt_train_options *options;
  gt_train_result *result;
  gt_session session;
  const char *directory;
  const char *command; /* what goes on with this run, for a shell */
  int lock;
  gt_arena generation; /* holds the nets (generation.h) */
  gt_net *net;
  gt_executable *step;
  const float *log;
  gt_adapter adapter;
  gt_evaluator watch, test; /* watch: evaluated during the run; net NULL: there is no such split */
  gt_host_state state;
  gt_sinks sinks;
  int64_t total, per_epoch, eval_steps, save_steps, restart_steps; /* in steps; 0: never */
  int64_t phase_end;                                               /* step after the last of the phase */
  int64_t attempt;
  gt_arena
      drawn[2]; /* of odd and even attempts: one holds the net, where a restart kept the plans there were */
  gt_data_fingerprint data;
  int64_t first_step, bad_step, saved_step;
  bool bad_gradient; /* the loss of bad_step is finite, its gradient is not */
  double started, loss, lr, grad_norm;
} gt_run;

bool gt_run_save(gt_run *run, gt_error *error); /* a checkpoint of the present step */
bool gt_run_loop(gt_run *run, gt_error *error);
/* Of a net that searches (line_search.h): steps to `boundary`, or until a signal comes, the search has
 * converged or a loss is not finite. */
bool gt_run_line_search(gt_run *run, int64_t boundary, gt_error *error);
/* The weights that evaluations read, which the caller finishes; empty on failure. */
bool gt_run_weights(gt_run *run, gt_state_dict *weights, gt_error *error);
/* Writes them, as the model of the present step, to a file of the run's directory. */
bool gt_run_keep_weights(gt_run *run, const char *name, gt_model_results results, gt_error *error);
/* Which layer made the loss or gradient of bad_step; always false. */
bool gt_run_explain(gt_run *run, gt_error *error);
/* Are the weights finite? An update may overflow though loss and gradient did not: such weights are never
 * written. */
bool gt_run_check_weights(gt_run *run, const gt_state_dict *weights, gt_error *error);
int64_t gt_run_epoch(const gt_run *run, int64_t step); /* from 1, of the last of `step` finished steps */
/* Attempts (attempt.c): with restart_every a run begins anew every so many steps. gt_run_attempt makes the
 * state fit the attempt that run->state.step belongs to: called before steps are run. */
bool gt_run_attempt(gt_run *run, gt_error *error);
int64_t gt_run_attempt_begin(const gt_run *run); /* first step of run->attempt, and the step after its last */
int64_t gt_run_attempt_end(const gt_run *run);
/* After a checkpoint's host state was read and its phase opened: its attempt. */
void gt_run_attempt_resume(gt_run *run);
/* Are the constants those that the state's weights were trained with? GT_ERR_CONFIG if the config draws them
 * in another way. */
bool gt_run_check_constants(gt_run *run, gt_error *error);
const char *gt_run_constants(const gt_run *run, char text[128]); /* " (such as 'logic1.wiring')" */
/* A finished step: its sums, and a row of them if it is time for one. */
void gt_run_note_step(gt_run *run, const gt_sums *sums);
bool gt_run_write_window(gt_run *run, gt_error *error);
gt_metric_row gt_run_row(const gt_run *run, const char *split, const gt_sums *sums); /* of the present step */
bool gt_run_is_called(const gt_run *run); /* to stop or to save: by a signal, or by its time */
bool gt_run_has_next_phase(const gt_run *run);
bool gt_goal_reached(const gt_early_stopping *stopping, double value);
bool gt_run_restores_best(const gt_run *run); /* model.bin gets the best weights */
/* Makes the run directory, or checks that it is one to be resumed (GT_ERR_BUSY if it is not: nobody else's
 * directory is touched), and locks it; and, when all else is ready, writes the first files into it, so that a
 * run that never began leaves a directory that counts as empty, and a resume that was refused one that is as
 * it was. */
bool gt_run_directory(gt_run *run, gt_error *error);
bool gt_run_directory_begin(gt_run *run, gt_error *error);
/* The ways of the step that the run goes by (tuned_file.h), before it is planned. */
bool gt_run_directory_tuned(gt_run *run, gt_error *error);
/* The state of the newest sound checkpoint; *found false if there is no checkpoint at all. Damaged ones that
 * are newer are set aside, but only when a sound one was found; GT_ERR_DATA if none is sound. */
bool gt_run_restore(gt_run *run, bool *found, gt_error *error);
#endif
