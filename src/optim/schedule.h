/* Learning-rate schedules. A schedule is one constant row (GT_DEFINE(schedule, NAME) = {…}) with a function
 * that maps the step to a factor on the learning rate. In a config: `schedule: {type: cosine, warmup: 500}`.
 * The factor is computed ahead of time, on the host in double; it multiplies the learning rate of every
 * parameter group. Warm-up multiplies it by (s+1)/(warmup+1) in the first `warmup` steps s = 0, 1, ….
 * Schedules that count steps begin after the warm-up; schedules that count epochs include those of the
 * warm-up. Formulas: torch.optim.lr_scheduler; Loshchilov and Hutter, "SGDR", ICLR 2017 (cosine); Smith and
 * Topin, "Super-Convergence", 2018 (one-cycle). */
#ifndef GT_OPTIM_SCHEDULE_H
#define GT_OPTIM_SCHEDULE_H
#include "base/register.h"
#include "spec/schema.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct gt_schedule_time { /* a position in the run */
  uint64_t step, total;     /* after warm-up: this step, and the number of steps in the run (at least 1) */
  uint64_t steps_per_epoch; /* at least 1 */
  uint64_t epoch;           /* whole epochs before this step, warm-up included */
  double base; /* the optimizer's learning rate, for schedules with absolute rates in their settings */
} gt_schedule_time;

/* State of a schedule that reacts to evaluations (plateau). Plain data, saved in checkpoints. */
typedef struct gt_schedule_state {
  double best;   /* best value so far */
  int64_t bad;   /* evaluations since `best` was set, all without improvement; -1: no evaluation yet */
  double factor; /* on the learning rate; 1 at first */
} gt_schedule_state;

/* The shortest run in which a setting of a schedule has an effect. */
typedef struct gt_schedule_reach {
  const char *key;  /* NULL: every run is long enough */
  int64_t needs;    /* length of that run in units */
  const char *unit; /* "steps" after the warm-up, "epochs" or "evaluations" */
} gt_schedule_reach;

typedef struct gt_schedule_type {
  const char *name, *help; /* help NULL: that of the schema */
  const gt_schema *schema;
  size_t config_size;
  double (*factor)(const void *config, const gt_schedule_time *time);
  /* Updates the state with an evaluation's loss. base: the optimizer's learning rate. NULL for schedules that
   * ignore evaluations. */
  void (*observe)(const void *config, double base, double loss, gt_schedule_state *state);
  gt_schedule_reach (*reach)(const void *config); /* NULL: every run is long enough */
} gt_schedule_type;

typedef struct gt_schedule { /* a chosen schedule with its settings */
  const gt_schedule_type *type;
  const void *config;
  int64_t warmup; /* steps */
} gt_schedule;

int gt_schedule_count(void);
const gt_schedule_type *gt_schedule_at(int index);
extern const gt_schema gt_schedule_common_schema; /* type, warmup */

#define GT_SCHEDULE_STANDARD "constant" /* the default type */

/* Reads the root's `schedule:` (default: GT_SCHEDULE_STANDARD); NULL after reporting errors. */
const gt_schedule *gt_schedule_read(gt_arena *arena, const gt_spec *root, gt_diagnostics *diagnostics);
gt_schedule_state gt_schedule_start(void);
/* The factor on the learning rate for step `step` (from 0) of a run of `total` steps. state: NULL for the
 * initial one. base: the optimizer's learning rate. */
double gt_schedule_factor(const gt_schedule *schedule, const gt_schedule_state *state, uint64_t step,
                          uint64_t total, uint64_t steps_per_epoch, double base);
/* Updates the state after an evaluation with this loss. */
void gt_schedule_observe(const gt_schedule *schedule, double base, double loss, gt_schedule_state *state);

/* For use by schedules: the choices of a key `by` ("epoch", "step"), and how many of them have passed. */
extern const char *const gt_schedule_units[];
uint64_t gt_schedule_units_passed(const char *by, const gt_schedule_time *time);
/* Fraction of the first `steps` steps (0: of the run's steps) that has passed, from 0 to 1. */
double gt_schedule_progress(int64_t steps, const gt_schedule_time *time);
#endif
