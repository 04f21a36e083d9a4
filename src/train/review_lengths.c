/* Counts of steps, epochs and evaluations that a run never reaches. A setting that several phases share is
 * said only where it has no effect in any of them. */
#include "base/count.h"
#include "train/phases.h"
#include "train/review.h"
#include <string.h>

typedef struct length { /* of a phase */
  int64_t steps, epochs, evaluations;
} length;

typedef struct count { /* a setting that counts something, in one phase */
  gt_position at;
  const char *key;
  bool reached;
  const char *text, *help;
} count;

enum { MOST = 512 };
typedef struct counts {
  gt_arena *arena;
  count item[MOST];
  int items;
} counts;

static int64_t units_of(const gt_config *phase, const length *l) {
  return phase->train.epochs ? phase->train.epochs : l->steps;
}

static length length_of(const gt_config *phase) {
  const int64_t each = gt_phase_batching(phase).steps;
  length l = {.steps = gt_phase_steps(phase)};
  l.epochs = gt_ceil_div(l.steps, each);
  const int64_t every = phase->train.eval_every;
  l.evaluations = every > 0 ? gt_ceil_div(units_of(phase, &l), every) : 1;
  return l;
}

static void add(counts *c, const gt_spec *section, const char *key, bool reached, const char *text,
                const char *help) {
  const gt_spec *node = gt_spec_find(section, key);
  if (!node && section) node = section;
  if (node && c->items < MOST) c->item[c->items++] = (count){node->at, key, reached, text, help};
}

static int64_t of_unit(const length *l, const char *unit, int64_t warmup) {
  if (!strcmp(unit, "epochs")) return l->epochs;
  return strcmp(unit, "evaluations") ? l->steps - warmup : l->evaluations;
}

static void add_schedule(counts *c, const gt_config *phase, const length *l) {
  const gt_spec *section = gt_spec_find(phase->root, "schedule");
  const gt_schedule *schedule = phase->optim->schedule;
  const long long steps = (long long)l->steps, warmup = (long long)schedule->warmup;
  if (warmup)
    add(c, section, "warmup", warmup < steps,
        gt_arena_printf(
            c->arena,
            "warmup takes %lld steps, and the run has %lld: the learning rate gets to %.3g times its "
            "value and the schedule behind the warmup never begins",
            warmup, steps, (double)steps / (double)(warmup + 1)),
        gt_arena_printf(c->arena, "a warmup of fewer than %lld steps", steps));
  if (!schedule->type->reach || warmup >= steps) return;
  const gt_schedule_reach reach = schedule->type->reach(schedule->config);
  const int64_t have = of_unit(l, reach.unit, warmup);
  if (reach.key)
    add(c, section, reach.key, reach.needs <= have,
        gt_arena_printf(c->arena, "schedule '%s' with this '%s' needs at least %lld %s, and the run has %lld",
                        schedule->type->name, reach.key, (long long)reach.needs, reach.unit, (long long)have),
        gt_arena_printf(c->arena, "a longer run, or a smaller '%s'", reach.key));
}

/* What is chosen by the test data looks better on them than on others. */
static void review_watched(gt_config *config) {
  const gt_dataset *data = &config->dataset;
  const gt_spec *node = gt_spec_find(gt_spec_find(config->root, "train"), "early_stopping");
  if (!config->train.early_stopping.patience || data->validation.samples || !data->test.samples || !node)
    return;
  gt_finding_at(&config->diagnostics, GT_FINDING_watches_test, node->at,
                "early stopping watches the test data, as there is no validation split")
      ->help = "data: {..., validation: 0.1} sets a tenth of the training samples apart";
}

/* Who is to act on evaluations is told apart from who only wants to see them. */
static void add_evaluations(counts *c, const gt_config *phase, const length *l) {
  const gt_train_config *train = &phase->train;
  const gt_spec *section = gt_spec_find(phase->root, "train");
  const gt_dataset *data = &phase->dataset;
  const int64_t units = units_of(phase, l);
  const char *unit = train->epochs ? "epochs" : "steps";
  if (!data->validation.samples && !data->test.samples) return;
  if (gt_spec_find(section, "eval_every") && train->eval_every)
    add(c, section, "eval_every", train->eval_every <= units,
        gt_arena_printf(c->arena, "the run ends after %lld %s: there is one evaluation, at its end",
                        (long long)units, unit),
        "a smaller eval_every, or 0 if one evaluation is meant");
  const int64_t patience = train->early_stopping.patience;
  if (patience)
    add(c, section, "early_stopping", patience < l->evaluations,
        gt_arena_printf(c->arena,
                        "early stopping cannot end this run: it has %lld evaluation%s, and patience is %lld",
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
                batches = gt_ceil_div(phase->dataset.train.samples, train->batch_size);
  const char *unit = train->epochs ? "epochs" : "steps";
  if (train->log_every)
    add(c, section, "log_every", train->log_every <= l->steps,
        gt_arena_printf(c->arena,
                        "the run ends after %lld steps: the training loss is never logged between "
                        "evaluations",
                        (long long)l->steps),
        "a smaller log_every");
  if (train->restart_every)
    add(c, section, "restart_every", train->restart_every < units,
        gt_arena_printf(c->arena, "the run ends after %lld %s: it never restarts", (long long)units, unit),
        "a longer run, or a smaller restart_every");
  if (train->checkpoint.every > 0)
    add(c, gt_spec_find(section, "checkpoint"), "every", train->checkpoint.every <= units,
        gt_arena_printf(c->arena, "the run ends after %lld %s: no checkpoint is saved before",
                        (long long)units, unit),
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
  for (int p = 0; p < phases; p++) {
    const gt_config *phase = config->phases ? &config->phase[p] : config;
    const length l = length_of(phase);
    add_schedule(c, phase, &l);
    add_evaluations(c, phase, &l);
    add_training(c, phase, &l);
  }
  review_watched(config);
  for (int i = 0; i < c->items; i++) {
    bool told = c->item[i].reached; /* or has an effect in another phase */
    for (int k = 0; k < c->items; k++)
      told |= (c->item[k].reached || k < i) && is_same(&c->item[k], &c->item[i]);
    if (!told)
      gt_finding_at(&config->diagnostics, GT_FINDING_no_effect, c->item[i].at, "%s", c->item[i].text)->help =
          c->item[i].help;
  }
}
