/* Finds settings that depend on the evaluations of a run: patience, a goal, keep_best, and schedules such as
 * plateau. Without validation and test data they have no effect (finding never_evaluated). With test data and
 * without a validation split they decide by the test data, whose result is then better than the result on
 * other samples (finding watches_test). */
#include "train/config/phases.h"
#include "train/config/review.h"
#include <string.h>

enum { PATIENCE, GOAL, KEEP_BEST, SCHEDULE, KINDS };

typedef struct watcher {
  const char *name, *idle; /* its name; the message if nothing is evaluated */
  const gt_spec *at;       /* the setting in the first phase that has it; NULL: no phase */
  bool decides;            /* there are enough evaluations for it to have an effect */
} watcher;

/* is_set: the phase has the setting. */
static void add_watcher(watcher *w, bool is_set, const gt_spec *section, const char *key, bool decides) {
  const gt_spec *node = gt_spec_find(section, key);
  if (!is_set || !section) return;
  if (!w->at || (decides && !w->decides)) w->at = node ? node : section;
  w->decides |= decides;
}

static void add_phase_watchers(const gt_config *phase, int64_t evaluations, gt_arena *arena,
                               watcher w[KINDS]) {
  const gt_train_config *train = &phase->train;
  const gt_early_stopping *stopping = &train->early_stopping;
  const gt_schedule *schedule = phase->optim->schedule;
  const gt_spec *node = gt_spec_find(phase->root, "train");
  const gt_spec *early = gt_spec_find(node, "early_stopping");
  const bool several = evaluations > 1;
  const bool adapts = schedule->type->observe != NULL;
  const bool reaches =
      !schedule->type->reach || schedule->type->reach(schedule->config).needs <= gt_phase_evaluations(phase);
  add_watcher(&w[PATIENCE], stopping->patience, early, "patience", several);
  add_watcher(&w[GOAL], stopping->has_goal, early, "goal", several);
  add_watcher(&w[KEEP_BEST], train->checkpoint.keep_best, gt_spec_find(node, "checkpoint"), "keep_best",
              several);
  add_watcher(&w[SCHEDULE], adapts, gt_spec_find(phase->root, "schedule"), "type", reaches);
  if (adapts && !w[SCHEDULE].name)
    w[SCHEDULE].name = gt_arena_printf(arena, "schedule '%s'", schedule->type->name);
}

static void report_idle(gt_config *config, const watcher w[KINDS]) {
  for (int i = 0; i < KINDS; i++)
    if (w[i].at && !(i == GOAL && w[PATIENCE].at)) /* both have the same message */
      gt_finding_at(&config->diagnostics, GT_FINDING_never_evaluated, w[i].at->at,
                    "%s has no validation or test data to watch", w[i].idle)
          ->help = "data: {..., validation: 0.1} holds out a tenth of the training samples";
}

/* Adds one finding for all settings that decide, at the position of the first. */
static void report_test(gt_config *config, const watcher w[KINDS], gt_arena *arena) {
  const char *names = "";
  const gt_spec *at = NULL;
  int remaining = 0, several = 0;
  for (int i = 0; i < KINDS; i++) remaining += w[i].at && w[i].decides;
  for (int i = 0; i < KINDS; i++) {
    if (!w[i].at || !w[i].decides) continue;
    names = gt_arena_printf(arena, "%s%s%s", names, !at ? "" : remaining > 1 ? ", " : " and ", w[i].name);
    several |= at != NULL;
    if (!at) at = w[i].at;
    remaining--;
  }
  if (at)
    gt_finding_at(&config->diagnostics, GT_FINDING_watches_test, at->at,
                  "%s watch%s the test data, because there is no validation split", names,
                  several ? "" : "es")
        ->help = "data: {..., validation: 0.1} holds out a tenth of the training samples";
}

/* False for automata: with few start boards, their test boards are the training boards. */
static bool has_held_out_test(const gt_dataset *data) {
  return data->split[GT_PART_TEST].samples && strcmp(data->format, "ca") != 0;
}

void gt_config_review_watchers(gt_config *config, gt_arena *arena) {
  watcher w[KINDS] = {{.name = "early_stopping.patience", .idle = "early stopping never happens"},
                      {.name = "early_stopping.goal", .idle = "early stopping never happens"},
                      {.name = "checkpoint.keep_best", .idle = "keep_best keeps nothing"},
                      {.idle = "this schedule never changes the learning rate"}};
  const gt_dataset *data = &config->dataset;
  const int phases = config->phases ? config->phases : 1;
  int64_t evaluations = 0; /* of all phases, because the best weights may come from any phase */
  if (data->split[GT_PART_VALIDATION].samples) return;
  for (int p = 0; p < phases; p++)
    evaluations += gt_phase_evaluations(config->phases ? &config->phase[p] : config);
  for (int p = 0; p < phases; p++)
    add_phase_watchers(config->phases ? &config->phase[p] : config, evaluations, arena, w);
  if (!data->split[GT_PART_TEST].samples)
    report_idle(config, w);
  else if (has_held_out_test(data))
    report_test(config, w, arena);
}
