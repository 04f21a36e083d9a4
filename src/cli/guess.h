/* The result of guessing, printed beside a result of the model. */
#ifndef GT_CLI_GUESS_H
#define GT_CLI_GUESS_H
#include "train/baseline.h"
#include <jansson.h>

/* Prints " NAME VALUE" for each value; after the one that guessing is compared with, " (always 'no': VALUE)".
 * A prefix of names that are left out may be NULL; with one, single steps of a forecast are left out, too. */
void gt_cli_print_values(const gt_results *results, const gt_baselines *baselines, const char *leave_out);
/* "baseline": {"guess": "always 'no'", "metric": "accuracy", "value": …}, and "guessing": true if the result
 * is not better; nothing without a baseline. With several targets: "baselines": {"kind": {"guess": …,
 * "metric": "kind.accuracy", "value": …, "guessing": …}}. */
void gt_cli_add_baselines(json_t *root, const gt_results *results, const gt_config *config,
                          const gt_baselines *baselines);
/* Warns if the result is not better than guessing. split: its name. */
void gt_cli_warn_of_guessing(const gt_config *config, const char *split, const gt_results *results,
                             const gt_baselines *baselines, gt_arena *arena);
#endif
