#include "cli/guess.h"
#include "base/log.h"
#include "base/text.h"
#include <stdio.h>
#include <string.h>

void gt_cli_print_values(const gt_results *results, const gt_baseline *baseline, const char *leave_out) {
  const gt_metric *guess = gt_baseline_main(baseline, results);
  for (int i = 0; i < results->count; i++) {
    const gt_metric *m = &results->metric[i];
    if (leave_out && !strncmp(m->name, leave_out, strlen(leave_out))) continue;
    putchar(' ');
    gt_put_text(stdout, m->name);
    printf(" %.6g", m->value);
    if (!guess || strcmp(guess->name, m->name)) continue;
    fputs(" (", stdout);
    gt_put_text(stdout, baseline->guess);
    printf(": %.4g)", guess->value);
  }
}

void gt_cli_add_baseline(json_t *root, const gt_results *results, const gt_baseline *baseline) {
  const gt_metric *m = gt_baseline_main(baseline, results);
  if (!m) return;
  json_object_set_new(root, "baseline",
                      json_pack("{s:s, s:s, s:o}", "guess", baseline->guess, "metric", m->name, "value",
                                gt_json_real(m->value)));
  if (!baseline->balances)
    json_object_set_new(root, "guessing", json_boolean(gt_is_guessing(baseline, results)));
}

void gt_cli_warn_of_guessing(const gt_config *config, const char *split, const gt_results *results,
                             const gt_baseline *baseline, gt_arena *arena) {
  const gt_metric *guess = gt_baseline_main(baseline, results);
  if (!guess || !gt_is_guessing(baseline, results)) return;
  /* Then a model that never answers a rare class can still rank its samples well. */
  const bool imbalanced = !strcmp(guess->name, "accuracy") && guess->value >= 0.8;
  const char *reason = gt_guessing_reason(config, arena);
  if (!reason && imbalanced)
    reason = "one answer is right for most samples, so accuracy says little: add metrics: [roc_auc, f1], and "
             "see eval.threshold";
  gt_warn("the %s is no better than guessing: %s %s is %.4g, and %s reaches %.4g%s%s",
          imbalanced ? "accuracy" : "model", split, guess->name, gt_result_value(results, guess->name),
          baseline->guess, guess->value, reason ? "; " : "", reason ? reason : "");
}
