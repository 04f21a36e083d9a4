#include "cli/guess.h"
#include "base/log.h"
#include "base/text.h"
#include <stdio.h>
#include <string.h>

/* The value of this metric that a baseline reaches; NULL: there is none. *guess: the baseline's name. */
static const gt_metric *guess_for(const gt_baselines *baselines, const gt_results *results, const char *name,
                                  const char **guess) {
  for (int k = 0; k < baselines->count; k++) {
    const gt_metric *m = gt_baseline_main(&baselines->item[k], results);
    *guess = baselines->item[k].guess;
    if (m && !strcmp(m->name, name)) return m;
  }
  return NULL;
}

/* True for the value of a single step of a forecast, "mae.temp+2". */
static bool is_step(const char *name) {
  const char *plus = strrchr(name, '+');
  return plus && plus[1] && !plus[1 + strspn(plus + 1, "0123456789")];
}

/* True if the metric is an error in the unit of the target, averaged over several columns: the mean has no
 * unit. forecast: steps are not counted as columns, because they have the same unit. */
static bool mixes_units(const gt_results *results, const gt_metric *m, bool forecast) {
  static const char *const in_units[] = {"mae", "rmse", "median_error"};
  const char *dot = strchr(m->name, '.'), *short_name = dot ? dot + 1 : m->name;
  bool has_unit = false, several = false;
  for (size_t i = 0; i < sizeof in_units / sizeof *in_units; i++)
    has_unit |= !strcmp(short_name, in_units[i]);
  const size_t length = strlen(m->name);
  for (int i = 0; i < results->count && has_unit; i++) {
    const char *name = results->metric[i].name;
    several |= !strncmp(name, m->name, length) && name[length] == '.' && !(forecast && is_step(name));
  }
  return several;
}

void gt_cli_print_values(const gt_results *results, const gt_baselines *baselines,
                         const char *omitted_prefix) {
  /* Results of a forecast such as mae.temp+2 are of steps. */
  const bool forecast = baselines->count && baselines->item[0].forecast;
  for (int i = 0; i < results->count; i++) {
    const gt_metric *m = &results->metric[i];
    const char *dot = strchr(m->name, '.'), *short_name = dot ? dot + 1 : m->name, *guess;
    if (omitted_prefix && !strncmp(short_name, omitted_prefix, strlen(omitted_prefix))) continue;
    if (omitted_prefix && forecast && dot && is_step(m->name)) continue; /* only eval prints steps */
    if (mixes_units(results, m, forecast)) continue;
    putchar(' ');
    gt_put_text(stdout, m->name);
    printf(" %.6g", m->value);
    const gt_metric *baseline = guess_for(baselines, results, m->name, &guess);
    if (!baseline) continue;
    fputs(" (baseline, ", stdout);
    gt_put_text(stdout, guess);
    printf(baseline->value >= 0.01 && baseline->value < 1 ? ": %.3f)" : ": %.4g)", baseline->value);
  }
}

static json_t *baseline_json(const gt_baseline *baseline, const gt_metric *m) {
  return json_pack("{s:s, s:s, s:o}", "guess", baseline->guess, "metric", m->name, "value",
                   gt_json_real(m->value));
}

void gt_cli_add_baselines(json_t *root, const gt_results *results, const gt_config *config,
                          const gt_baselines *baselines) {
  json_t *several = baselines->count > 1 ? json_object() : NULL;
  for (int k = 0; k < baselines->count; k++) {
    const gt_baseline *b = &baselines->item[k];
    const gt_metric *m = gt_baseline_main(b, results);
    if (!m) continue;
    json_t *object = baseline_json(b, m);
    json_object_set_new(several ? several : root, several ? config->dataset.target[k].name : "baseline",
                        object);
    if (gt_baseline_is_aim(b, results))
      json_object_set_new(several ? object : root, "guessing", json_boolean(gt_is_guessing(b, results)));
  }
  if (several) json_object_set_new(root, "baselines", several);
}

/* What to look at instead of this accuracy: "add f1 to metrics". */
static const char *better_metrics(const gt_results *results, const char *accuracy, gt_arena *arena) {
  const char *dot = strrchr(accuracy, '.');
  const int prefix = dot ? (int)(dot + 1 - accuracy) : 0;
  const bool has_auc = gt_result_has(results, gt_arena_printf(arena, "%.*sroc_auc", prefix, accuracy)),
             has_f1 = gt_result_has(results, gt_arena_printf(arena, "%.*sf1", prefix, accuracy));
  if (has_auc && has_f1) return "see roc_auc and f1";
  return has_auc ? "add f1 to metrics" : has_f1 ? "add roc_auc to metrics" : "add metrics: [roc_auc, f1]";
}

static void warn_of_guessing(const gt_config *config, const char *split, const gt_results *results,
                             const gt_baseline *baseline, gt_arena *arena) {
  const gt_metric *guess = gt_baseline_main(baseline, results);
  if (!guess || !gt_is_guessing(baseline, results)) return;
  const gt_metric *at_threshold = gt_baseline_at_threshold(baseline, results);
  const char *name = baseline->guess;
  if (at_threshold) guess = at_threshold, name = baseline->guess_at_threshold;
  /* A model that never predicts the rare class can still rank its samples well. */
  const char *dot = strrchr(guess->name, '.');
  const bool is_accuracy = !baseline->forecast && !strcmp(dot ? dot + 1 : guess->name, "accuracy"),
             worse = is_accuracy && gt_result_value(results, guess->name) < guess->value / 2,
             imbalanced = is_accuracy && guess->value >= 0.8 && !worse,
             traded = is_accuracy && baseline->at_thresholds; /* by a threshold */
  const char *reason = gt_guessing_reason(config, arena);
  if (!reason && (traded || imbalanced))
    reason = gt_arena_printf(arena, "%s, %saccuracy says little: %s%s",
                             traded ? "with a threshold" : "one class has most samples", traded ? "" : "so ",
                             better_metrics(results, guess->name, arena),
                             traded ? "" : ", and see eval.threshold");
  gt_warn("the %s is %s than %s: %s %s is %.4g, and %s reaches %.4g%s%s",
          imbalanced || traded ? "accuracy" : "model", worse ? "far worse" : "no better",
          baseline->forecast && !at_threshold ? "a naive forecast" : "guessing", split, guess->name,
          gt_result_value(results, guess->name), name, guess->value, reason ? "; " : "",
          reason ? reason : "");
}

void gt_cli_warn_of_guessing(const gt_config *config, const char *split, const gt_results *results,
                             const gt_baselines *baselines, gt_arena *arena) {
  for (int k = 0; k < baselines->count; k++)
    warn_of_guessing(config, split, results, &baselines->item[k], arena);
}
