/* metrics.jsonl: what was computed, one JSON object a line:
 * {"step":469,"epoch":1,"split":"train","steps":469, "loss":…,"accuracy":…,"lr":…,"grad_norm":…}. Nothing in
 * it depends on the clock or the machine's load: a run that was killed and resumed ends with the same bytes
 * as one that was not, for its file is cut back to the length it had when the checkpoint was made. No
 * evaluation stands there twice: the split that is watched has a row of each, and a test split besides has
 * one row, the last, of the weights that model.bin gets. "step" counts finished steps, "steps" tells over how
 * many the row is a mean (rows of split "train"). */
#include "train/sink.h"
#include <math.h>
#include <stdio.h>

static bool open_file(void *own, const gt_sink_start *start, int64_t place, gt_error *error) {
  return gt_sink_file_open(own, start->directory, "metrics.jsonl", place, error);
}

static bool write_row(void *own, const gt_metric_row *row, gt_error *error) {
  char line[512], number[32];
  gt_metric metric[GT_METRICS];
  int n = snprintf(line, sizeof line, "{\"step\":%lld,\"epoch\":%lld,\"split\":\"%s\"", (long long)row->step,
                   (long long)row->epoch, row->split);
  if (row->sums.steps)
    n += snprintf(line + n, sizeof line - (size_t)n, ",\"steps\":%lld", (long long)row->sums.steps);
  const int count = gt_sums_metrics(&row->sums, row->accuracy, metric);
  for (int i = 0; i < count; i++)
    n += snprintf(line + n, sizeof line - (size_t)n, ",\"%s\":%s", metric[i].name,
                  gt_json_number(metric[i].value, number));
  if (!isnan(row->lr))
    n += snprintf(line + n, sizeof line - (size_t)n, ",\"lr\":%s", gt_json_number(row->lr, number));
  if (!isnan(row->grad_norm))
    n += snprintf(line + n, sizeof line - (size_t)n, ",\"grad_norm\":%s",
                  gt_json_number(row->grad_norm, number));
  snprintf(line + n, sizeof line - (size_t)n, "}\n");
  return gt_sink_file_write(own, line, error);
}

GT_DEFINE(sink, metrics) = {.name = "metrics",
                            .size = sizeof(gt_sink_file),
                            .open = open_file,
                            .row = write_row,
                            .save = gt_sink_file_save,
                            .close = gt_sink_file_close};
