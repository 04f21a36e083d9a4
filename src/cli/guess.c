#include "cli/guess.h"
#include "base/log.h"
#include "base/text.h"
#include <stdio.h>
#include <string.h>

/* What a baseline reaches by this metric; NULL: there is none. *guess: the baseline's name. */
static const gt_result_item *guess_for(const gt_baselines *baselines, const gt_results *results,
                                       gt_result_id id, const char **guess) {
  for (int k = 0; k < baselines->count; k++) {
    const gt_result_item *main = gt_baseline_main(&baselines->item[k], results);
    *guess = baselines->item[k].guess;
    if (main && gt_result_is_same(main->id, id)) return main;
  }
  return NULL;
}

/* True if the result is an error in the unit of the target, averaged over several columns: the mean has no
 * unit. forecast: steps are not counted as columns, because they have the same unit. */
static bool mixes_units(const gt_results *results, gt_result_id id, bool forecast) {
  static const char *const in_units[] = {"mae", "rmse", "median_error"};
  bool has_unit = false, several = false;
  for (size_t i = 0; i < sizeof in_units / sizeof *in_units; i++)
    has_unit |= id.column < 0 && !strcmp(id.kind->name, in_units[i]);
  for (int i = 0; i < results->count && has_unit; i++) {
    const gt_result_id other = results->item[i].id;
    several |=
        other.kind == id.kind && other.target == id.target && other.column >= 0 && !(forecast && other.step);
  }
  return several;
}

void gt_cli_print_values(const gt_results *results, const gt_baselines *baselines, bool brief,
                         gt_arena *arena) {
  const bool forecast = baselines->count && baselines->item[0].forecast;
  for (int i = 0; i < results->count; i++) {
    const gt_result_item *r = &results->item[i];
    const char *guess;
    if (brief && (r->id.kind->form == GT_SOFT || (forecast && r->id.step))) continue;
    if (mixes_units(results, r->id, forecast)) continue;
    putchar(' ');
    gt_put_text(stdout, gt_result_name(results, r, arena));
    printf(" %.6g", r->value);
    const gt_result_item *baseline = guess_for(baselines, results, r->id, &guess);
    if (!baseline) continue;
    fputs(" (baseline, ", stdout);
    gt_put_text(stdout, guess);
    printf(baseline->value >= 0.01 && baseline->value < 1 ? ": %.3f)" : ": %.4g)", baseline->value);
  }
}

void gt_cli_add_baselines(json_t *root, const gt_results *results, const gt_config *config,
                          const gt_baselines *baselines) {
  json_t *several = baselines->count > 1 ? json_object() : NULL;
  for (int k = 0; k < baselines->count; k++) {
    const gt_baseline *b = &baselines->item[k];
    const gt_result_item *r = gt_baseline_main(b, results);
    if (!r) continue;
    json_t *object =
        json_pack("{s:s, s:s, s:o}", "guess", b->guess, "metric",
                  gt_result_name(results, r, config->diagnostics.arena), "value", gt_json_real(r->value));
    json_object_set_new(several ? several : root, several ? config->dataset.target[k].name : "baseline",
                        object);
    if (gt_baseline_is_aim(b, results))
      json_object_set_new(several ? object : root, "guessing", json_boolean(gt_is_guessing(b, results)));
  }
  if (several) json_object_set_new(root, "baselines", several);
}

static bool has_metric(const gt_results *results, gt_result_id id, const char *metric) {
  id.kind = gt_metric_find(metric);
  return gt_result_find(results, id);
}

/* What to look at instead of this accuracy: "add f1 to metrics". */
static const char *better_metrics(const gt_results *results, gt_result_id accuracy) {
  const bool has_auc = has_metric(results, accuracy, "roc_auc"), has_f1 = has_metric(results, accuracy, "f1");
  if (has_auc && has_f1) return "see roc_auc and f1";
  return has_auc ? "add f1 to metrics" : has_f1 ? "add roc_auc to metrics" : "add metrics: [roc_auc, f1]";
}

static void warn_of_guessing(const gt_config *config, const char *split, const gt_results *results,
                             const gt_baseline *baseline, gt_arena *arena) {
  const gt_result_item *guess = gt_baseline_main(baseline, results);
  if (!guess || !gt_is_guessing(baseline, results)) return;
  const gt_result_item *at_threshold = gt_baseline_at_threshold(baseline, results);
  const char *name = baseline->guess;
  if (at_threshold) guess = at_threshold, name = baseline->guess_at_threshold;
  /* A model that never predicts the rare class can still rank its samples well. */
  const double value = gt_result_value(results, guess->id);
  const bool is_accuracy = !baseline->forecast && guess->id.kind->correct,
             worse = is_accuracy && value < guess->value / 2,
             imbalanced = is_accuracy && guess->value >= 0.8 && !worse,
             traded = is_accuracy && baseline->at_thresholds; /* by a threshold */
  const char *reason = gt_guessing_reason(config, arena);
  if (!reason && (traded || imbalanced))
    reason = gt_arena_printf(arena, "%s, %saccuracy says little: %s%s",
                             traded ? "with a threshold" : "one class has most samples", traded ? "" : "so ",
                             better_metrics(results, guess->id), traded ? "" : ", and see eval.threshold");
  gt_warn("the %s is %s than %s: %s %s is %.4g, and %s reaches %.4g%s%s",
          imbalanced || traded ? "accuracy" : "model", worse ? "far worse" : "no better",
          baseline->forecast && !at_threshold ? "a naive forecast" : "guessing", split,
          gt_result_name(results, guess, arena), value, name, guess->value, reason ? "; " : "",
          reason ? reason : "");
}

void gt_cli_warn_of_guessing(const gt_config *config, const char *split, const gt_results *results,
                             const gt_baselines *baselines, gt_arena *arena) {
  for (int k = 0; k < baselines->count; k++)
    warn_of_guessing(config, split, results, &baselines->item[k], arena);
}
