/* The results of `gtrain predict` for a model of a time series: a row for each step ahead of each group. */
#ifndef GT_CLI_PREDICT_FORECAST_H
#define GT_CLI_PREDICT_FORECAST_H
#include "train/file/model_file.h"
#include <stdio.h>

/* True if the outputs are numbers or classes for each of the steps ahead. */
bool gt_is_forecast(const gt_model_file *file, const gt_forecast_rows *rows, const gt_tensor *outputs);
/* Writes lines "GROUP TIME +STEP VALUE…"; GROUP and TIME only if they are known. VALUE is a number; or the
 * word of a boolean target and its probability; or the most probable class and its probability. */
void gt_forecast_write_text(FILE *stream, const gt_model_file *file, const gt_forecast_rows *rows,
                            const gt_tensor *outputs);
/* Writes an object for each group: {"group": …, "forecast": [{"time": …, "step": 1, TARGET: …}, …]}. TARGET
 * is a number; or the word of a boolean, and TARGET=WORD the probability of the true word; or a class, and
 * TARGET=CLASS the probability of each class. list: as a JSON array; otherwise as lines. */
void gt_forecast_write_json(FILE *stream, bool list, const gt_model_file *file, const gt_forecast_rows *rows,
                            const gt_tensor *outputs);
/* Writes the columns of group and time, with their names in the input, `step`, then the targets as in JSON:
 * words and classes first, then numbers and probabilities. */
bool gt_forecast_write_csv(const char *path, const gt_model_file *file, const gt_forecast_rows *rows,
                           const gt_tensor *outputs, gt_error *error);
#endif
