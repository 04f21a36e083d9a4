/* Baselines: the result of guessing or of a naive forecast, printed beside the model's result. */
#ifndef GT_CLI_GUESS_H
#define GT_CLI_GUESS_H
#include "train/config/baseline.h"
#include <jansson.h>

/* Prints " NAME VALUE" for each value; after a value with a baseline, also " (baseline, always 'no': VALUE)".
 * brief: without the single steps of a forecast and the results of mixtures of gates. */
void gt_cli_print_values(const gt_results *results, const gt_baselines *baselines, bool brief,
                         gt_arena *arena);
/* Adds "baseline": {"guess": "always 'no'", "metric": "accuracy", "value": …} and "guessing": whether the
 * result is no better (absent if training does not aim at this metric: gt_baseline.balances). Adds nothing
 * without a baseline. With several targets adds an object for each target that has one: "baselines": {TARGET:
 * {"guess": …, "metric": "TARGET.accuracy", "value": …, "guessing": …}}. */
void gt_cli_add_baselines(json_t *root, const gt_results *results, const gt_config *config,
                          const gt_baselines *baselines);
/* Warns if the result is not better than guessing. split: its name. */
void gt_cli_warn_of_guessing(const gt_config *config, const char *split, const gt_results *results,
                             const gt_baselines *baselines, gt_arena *arena);
#endif
