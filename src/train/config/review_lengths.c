/* Finds counts of steps, epochs and evaluations that a run never reaches, and schedules that end long before
 * the run. A setting for several phases is reported only if it has no effect in any of them. */
#include "base/count.h"
#include "train/config/target_scaling.h"
#include "train/config/phases.h"
#include "train/config/review.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct length { /* of a phase, or of a run without phases */
  int64_t steps, epochs, evaluations;
  int64_t before;   /* steps of all earlier phases */
  int64_t averaged; /* steps that the moving average of the weights (ema) has seen at the end of the phase */
  const char *who;  /* "the run", "phase 2", for messages */
} length;

typedef struct count { /* a setting that counts something, in one phase */
  gt_position at;
  const char *key;
  bool reached;            /* the setting has an effect in this phase */
  const char *text, *help; /* of the finding */
  bool in_each;            /* report it for each phase in which it has no effect */
} count;

enum { MAX_COUNTS = 512 };
typedef struct counts {
  gt_arena *arena;
  count item[MAX_COUNTS];
  int items;
} counts;

/* The length in epochs or in steps, whichever the config gives. */
static int64_t units_of(const gt_config *phase, const length *l) {
  return phase->train.epochs ? phase->train.epochs : l->steps;
}

static length length_of(const gt_config *phase, int64_t before, const char *who) {
  const int64_t per_epoch = gt_phase_batching(phase).steps;
  length l = {.steps = gt_phase_steps(phase), .before = before, .who = who};
  l.epochs = gt_ceil_div(l.steps, per_epoch);
  l.evaluations = gt_phase_evaluations(phase);
  return l;
}

/* Adds a setting, at its key or else at its section, and returns it. If the config has neither, returns an
 * item that is not used. */
static count *add(counts *c, const gt_spec *section, const char *key, bool reached, const char *text,
                  const char *help) {
  const gt_spec *node = gt_spec_find(section, key);
  if (!node && section) node = section;
  count *item = node && c->items < MAX_COUNTS ? &c->item[c->items++] : GT_NEW(c->arena, count);
  if (node) *item = (count){node->at, key, reached, text, help, false};
  return item;
}

/* The length in a unit of gt_schedule_reach. */
static int64_t length_in(const length *l, const char *unit, int64_t warmup) {
  if (!strcmp(unit, "epochs")) return l->epochs;
  return strcmp(unit, "evaluations") ? l->steps - warmup : l->evaluations;
}

static bool is_evaluated(const gt_config *phase) {
  return phase->dataset.split[GT_PART_VALIDATION].samples || phase->dataset.split[GT_PART_TEST].samples;
}

static void add_schedule(counts *c, const gt_config *phase, const length *l) {
  const gt_spec *section = gt_spec_find(phase->root, "schedule");
  const gt_schedule *schedule = phase->optim->schedule;
  const long long steps = (long long)l->steps, warmup = (long long)schedule->warmup;
  if (warmup)
    add(c, section, "warmup", warmup < steps,
        gt_arena_printf(c->arena,
                        "warmup takes %lld steps, and %s has %lld: the learning rate gets to %.3g times its "
                        "value and the schedule after the warmup never starts",
                        warmup, l->who, steps, (double)steps / (double)(warmup + 1)),
        gt_arena_printf(c->arena, "a warmup of fewer than %lld steps", steps))
        ->in_each = true; /* each phase starts its own schedule */
  if (!schedule->type->reach || warmup >= steps) return;
  if (schedule->type->observe && !is_evaluated(phase)) return; /* never_evaluated says so */
  const gt_schedule_reach reach = schedule->type->reach(schedule->config);
  const int64_t have = length_in(l, reach.unit, warmup);
  if (reach.key)
    add(c, section, reach.key, reach.needs <= have,
        gt_arena_printf(c->arena, "schedule '%s' with %s '%s' needs at least %lld %s, and %s has %lld",
                        schedule->type->name, gt_spec_find(section, reach.key) ? "this" : "its default",
                        reach.key, (long long)reach.needs, reach.unit, l->who, (long long)have),
        gt_arena_printf(c->arena, "a longer run, or a smaller '%s'", reach.key));
}

/* The learning rate counts as 0 at or below this fraction of the largest rate of the phase. */
static const double zero_rate = 1e-5;
/* Steps at the end with a rate of 0 are reported if they are more than this fraction of the phase. */
static const double zero_rate_share = 0.1;
enum { MAX_RATES = 10000 }; /* rates that are computed, evenly spread, to find the largest one */

static double rate_factor(const gt_config *phase, const length *l, int64_t step) {
  return gt_schedule_factor(phase->optim->schedule, NULL, (uint64_t)step, (uint64_t)l->steps,
                            (uint64_t)gt_phase_batching(phase).steps, phase->optim->config->lr);
}

/* The number of steps before the learning rate falls to 0 and stays there. */
static int64_t steps_with_rate(const gt_config *phase, const length *l) {
  const int64_t stride = gt_ceil_div(l->steps, MAX_RATES);
  double largest = 0;
  int64_t low = 0, high = l->steps; /* the last step with a rate lies in [low - 1, high) */
  for (int64_t step = 0; step < l->steps; step += stride)
    largest = fmax(largest, rate_factor(phase, l, step));
  if (!isfinite(largest)) return l->steps; /* it grows */
  for (int64_t step = 0; step < l->steps; step += stride)
    if (rate_factor(phase, l, step) > zero_rate * largest) {
      low = step + 1;
      high = gt_min_i64(step + stride, l->steps);
    }
  if (!low) return 0;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (rate_factor(phase, l, middle) > zero_rate * largest)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Finds a schedule, of whatever type, that ends before the run: nothing is trained after it. */
static void add_rate(counts *c, const gt_config *phase, const length *l) {
  const gt_spec *section = gt_spec_find(phase->root, "schedule");
  const gt_schedule *schedule = phase->optim->schedule;
  if (schedule->warmup >= l->steps) return; /* add_schedule says so */
  const int64_t trained = steps_with_rate(phase, l);
  const char *key = schedule->type->reach ? schedule->type->reach(schedule->config).key : "type";
  const bool counts_steps = !strcmp(key, "steps");
  /* Schedules without `reach` end with the run: of a short one, the last step alone may be a large part. */
  const double allowed = fmax(zero_rate_share * (double)l->steps, schedule->type->reach ? 0 : 1);
  count *item = add(
      c, section, key, (double)(l->steps - trained) <= allowed,
      gt_arena_printf(
          c->arena,
          "the learning rate is %s after step %lld and stays there: %lld of the %lld steps of %s train nothing",
          rate_factor(phase, l, trained) > 0 ? "practically 0" : "0", (long long)trained,
          (long long)(l->steps - trained), (long long)l->steps, l->who),
      counts_steps
          ? gt_arena_printf(c->arena,
                            "'steps' counts steps, not epochs: steps: %lld, or no 'steps', ends it with %s",
                            (long long)(l->steps - schedule->warmup), l->who)
          : "a schedule that decays more slowly, or a shorter run");
  item->key = "the rate"; /* not the same setting as the key of add_schedule */
  item->in_each = true;
}

/* A moving average is reported if the values it began with still have at least this weight at its end. */
static const double initial_weight = 0.1;

/* Finds a moving average of the weights that is longer than the run. */
static void add_average(counts *c, const gt_config *phase, const length *l) {
  const double decay = phase->optim->ema, steps = (double)l->averaged, initial = pow(decay, steps);
  if (decay <= 0) return;
  const bool is_short = initial >= initial_weight;
  char rest[32]; /* 1 - decay of an average in which the initial weights count less than 1 % */
  snprintf(rest, sizeof rest, "%.1g", 5 / steps);
  const char *help = "a longer run, or no 'ema'";
  if (l->averaged > 20)
    help = gt_arena_printf(c->arena, "a longer run, or ema: %.10g", 1 - strtod(rest, NULL));
  add(c, gt_spec_find(phase->root, "optimizer"), "ema", !is_short,
      gt_arena_printf(c->arena,
                      "this average spans about %.6g steps, and %s ends after %.15g: in the weights that are "
                      "evaluated and saved, the initial ones still count %.0f %%",
                      1 / (1 - decay), l->who, steps, 100 * initial),
      help);
}

/* "phase 2 ends after 3 epochs" */
static const char *ending(const counts *c, const gt_config *phase, const length *l) {
  const int64_t units = units_of(phase, l);
  return gt_arena_printf(c->arena, "%s ends after %lld %s%s", l->who, (long long)units,
                         phase->train.epochs ? "epoch" : "step", units == 1 ? "" : "s");
}

/* Finds early stopping without patience or goal, or with a goal that no value of the metric reaches. */
static void review_stopping(gt_config *config, const gt_config *phase) {
  const gt_early_stopping *stopping = &phase->train.early_stopping;
  const gt_spec *train = gt_spec_find(phase->root, "train"), *node = gt_spec_find(train, "early_stopping");
  const gt_spec *goal = gt_spec_find(node, "goal");
  const bool accuracy = gt_metric_is_larger_better(stopping->watched.kind);
  if (node && node->kind == GT_SPEC_MAP && node->count && !gt_spec_find(node, "patience") &&
      !stopping->has_goal && !phase->train.checkpoint.keep_best)
    gt_finding_at(&config->diagnostics, GT_FINDING_no_effect, node->at,
                  "early stopping has neither patience nor a goal: nothing ends the run early")
        ->help = "early_stopping: {..., patience: 10}, say";
  if (stopping->has_goal && (accuracy ? stopping->goal > 1 : stopping->goal < 0))
    gt_finding_at(&config->diagnostics, GT_FINDING_no_effect, goal->at, "%s never reaches %g: it %s",
                  stopping->metric, stopping->goal, accuracy ? "is at most 1" : "is at least 0")
        ->help = accuracy ? "a goal from 0 to 1" : "a goal above 0";
}

/* Finds numbers for the loss of scaled targets: the user probably means the units of the data. */
static void review_scaled_loss(gt_config *config, const gt_config *phase) {
  static const char *const keys[] = {"goal", "min_delta"};
  const gt_early_stopping *stopping = &phase->train.early_stopping;
  const gt_spec *node = gt_spec_find(gt_spec_find(phase->root, "train"), "early_stopping");
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const gt_spec *number = gt_spec_find(node, keys[i]);
    if (!number || (i == 1 && stopping->min_delta <= 0)) continue;
    gt_config_warn_scaled_loss(config, stopping->watched, number->at,
                               gt_arena_printf(config->diagnostics.arena, "early_stopping.%s", keys[i]));
  }
}

static void add_evaluations(counts *c, const gt_config *phase, const length *l) {
  const gt_train_config *train = &phase->train;
  const gt_spec *section = gt_spec_find(phase->root, "train");
  const int64_t units = units_of(phase, l);
  if (!is_evaluated(phase)) return;
  if (gt_spec_find(section, "eval_every") && train->eval_every)
    add(c, section, "eval_every", train->eval_every <= units,
        gt_arena_printf(c->arena, "%s: there is one evaluation, at its end", ending(c, phase, l)),
        "a smaller eval_every, or 0 if one evaluation is meant");
  const int64_t patience = train->early_stopping.patience;
  if (patience)
    add(c, section, "early_stopping", patience < l->evaluations,
        gt_arena_printf(
            c->arena, "early stopping cannot end %s: it has %lld evaluation%s, and patience is %lld", l->who,
            (long long)l->evaluations, l->evaluations == 1 ? "" : "s", (long long)patience),
        "a longer run, a smaller patience, or more frequent evaluations");
  if (train->checkpoint.keep_best)
    add(c, gt_spec_find(section, "checkpoint"), "keep_best", l->evaluations > 1,
        "keep_best has one model to choose from: there is one evaluation, at the end",
        "a smaller eval_every");
}

static void add_training(counts *c, const gt_config *phase, const length *l) {
  const gt_train_config *train = &phase->train;
  const gt_spec *section = gt_spec_find(phase->root, "train");
  const int64_t units = units_of(phase, l),
                batches = gt_ceil_div(phase->dataset.split[GT_PART_TRAIN].samples, train->batch_size);
  const int64_t log = train->log_every, end = l->before + l->steps; /* log_every counts from step 0 */
  if (log)
    add(c, section, "log_every", end / log > l->before / log,
        gt_arena_printf(
            c->arena, "%s ends after step %lld%s: the training loss is never logged between evaluations",
            l->who, (long long)end,
            l->before ? gt_arena_printf(c->arena, " and begins after step %lld", (long long)l->before) : ""),
        "a smaller log_every");
  if (train->restart_every)
    add(c, section, "restart_every", train->restart_every < units,
        gt_arena_printf(c->arena, "%s: it never restarts", ending(c, phase, l)),
        "a longer run, or a smaller restart_every");
  if (train->checkpoint.every > 0)
    add(c, gt_spec_find(section, "checkpoint"), "every", train->checkpoint.every <= units,
        gt_arena_printf(c->arena, "%s: no checkpoint is saved before", ending(c, phase, l)),
        "a smaller 'every', or 0 if none is meant");
  if (train->accumulate > 1)
    add(c, section, "accumulate", train->accumulate <= batches,
        gt_arena_printf(c->arena, "an epoch has %lld batch%s: a step accumulates no more", (long long)batches,
                        batches == 1 ? "" : "es"),
        "a smaller batch_size or accumulate");
}

static bool is_same(const count *x, const count *y) {
  const gt_position a = x->at, b = y->at;
  return a.line == b.line && a.column == b.column && a.line_text == b.line_text && !strcmp(x->key, y->key);
}

void gt_config_review_lengths(gt_config *config, gt_arena *arena) {
  const int phases = config->phases ? config->phases : 1;
  counts *c = GT_NEW(arena, counts);
  c->arena = arena;
  for (int64_t p = 0, before = 0, averaged = 0; p < phases; p++) {
    const gt_config *phase = config->phases ? &config->phase[p] : config;
    length l = length_of(phase, before,
                         config->phases ? gt_arena_printf(arena, "phase %lld", (long long)p + 1) : "the run");
    l.averaged = averaged = phase->optim->ema > 0 ? averaged + l.steps : 0;
    add_schedule(c, phase, &l);
    add_rate(c, phase, &l);
    add_average(c, phase, &l);
    add_evaluations(c, phase, &l);
    add_training(c, phase, &l);
    review_stopping(config, phase);
    review_scaled_loss(config, phase);
    before += l.steps;
  }
  for (int i = 0; i < c->items; i++) {
    const count *item = &c->item[i];
    bool has_no_finding = item->reached; /* also if it has an effect, or a finding, in another phase */
    for (int k = 0; k < c->items; k++)
      has_no_finding |= (c->item[k].reached ? !item->in_each : k < i) && is_same(&c->item[k], item);
    if (!has_no_finding)
      gt_finding_at(&config->diagnostics, GT_FINDING_no_effect, c->item[i].at, "%s", c->item[i].text)->help =
          c->item[i].help;
  }
}
