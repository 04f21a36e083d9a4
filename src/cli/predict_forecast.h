/* The results of `gtrain predict` for a model of a time series: a row for each step ahead of each group. */
#ifndef GT_CLI_PREDICT_FORECAST_H
#define GT_CLI_PREDICT_FORECAST_H
#include "train/model_file.h"
#include <stdio.h>

/* True if the outputs are numbers for each of the steps ahead; labels are written like those of other models.
 */
bool gt_is_forecast(const gt_model_file *file, const gt_forecast_rows *rows, const gt_tensor *outputs);
/* Lines "GROUP TIME +STEP VALUE…", without what there is not. The word of a boolean target is before its
 * probability. */
void gt_forecast_write_text(FILE *stream, const gt_model_file *file, const gt_forecast_rows *rows,
                            const gt_tensor *outputs);
/* An object for each group: {"group": …, "forecast": [{"time": …, "step": 1, TARGET: …}, …]}; of a boolean
 * target its word, and TARGET=WORD the probability of that word. list: in an array. */
void gt_forecast_write_json(FILE *stream, bool list, const gt_model_file *file, const gt_forecast_rows *rows,
                            const gt_tensor *outputs);
/* The columns of group and time, as the input calls them, `step`, the words of boolean targets, and one for
 * each target, of a boolean one the probability, TARGET=WORD. */
bool gt_forecast_write_csv(const char *path, const gt_model_file *file, const gt_forecast_rows *rows,
                           const gt_tensor *outputs, gt_error *error);
#endif
