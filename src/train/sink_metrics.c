/* metrics.jsonl: the metrics of a run, one JSON object per line:
 *    {"step":469,"epoch":1,"split":"train","steps":469,"loss":…,"accuracy":…,"lr":…,"grad_norm":…}
 * Nothing in it depends on time or on the load of the machine. A run that was killed and resumed ends with
 * the same bytes as a run without interruption, because the file is truncated to its length at the
 * checkpoint. Each evaluation appears once: the watched split has a row per evaluation; a test split that is
 * not watched has one row, the last, for the weights in model.bin. "step" is the number of finished steps,
 * "steps" the number of steps that a row averages (only for split "train"). */
#include "train/sink.h"
#include <math.h>
#include <stdio.h>

static bool open_file(void *state, const gt_sink_start *start, int64_t place, gt_error *error) {
  return gt_sink_file_open(state, start->directory, "metrics.jsonl", place, error);
}

static bool write_row(void *state, const gt_metric_row *row, gt_error *error) {
  char line[32768], number[32];
  const gt_results *result = &row->result;
  int n = snprintf(line, sizeof line, "{\"step\":%lld,\"epoch\":%lld,\"split\":\"%s\"", (long long)row->step,
                   (long long)row->epoch, row->split);
  if (result->steps)
    n += snprintf(line + n, sizeof line - (size_t)n, ",\"steps\":%lld", (long long)result->steps);
  for (int i = 0; i < result->count && n < (int)sizeof line - 256; i++)
    n += snprintf(line + n, sizeof line - (size_t)n, ",\"%s\":%s", result->metric[i].name,
                  gt_json_number(result->metric[i].value, number));
  if (!isnan(row->lr))
    n += snprintf(line + n, sizeof line - (size_t)n, ",\"lr\":%s", gt_json_number(row->lr, number));
  if (!isnan(row->grad_norm))
    n += snprintf(line + n, sizeof line - (size_t)n, ",\"grad_norm\":%s",
                  gt_json_number(row->grad_norm, number));
  snprintf(line + n, sizeof line - (size_t)n, "}\n");
  return gt_sink_file_write(state, line, error);
}

GT_DEFINE(sink, metrics) = {.name = "metrics",
                            .size = sizeof(gt_sink_file),
                            .open = open_file,
                            .row = write_row,
                            .save = gt_sink_file_save,
                            .close = gt_sink_file_close};
