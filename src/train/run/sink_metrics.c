/* metrics.jsonl: the metrics of a run, one JSON object per line:
 *    {"step":469,"epoch":1,"split":"train","steps":469,"loss":…,"accuracy":…,"lr":…,"grad_norm":…}
 * Nothing in it depends on time or on the load of the machine. A run that was killed and resumed ends with
 * the same bytes as a run without interruption, because the file is truncated to its length at the
 * checkpoint. Each evaluation appears once: the watched split has a row per evaluation; a test split that is
 * not watched has one row, the last, for the weights in model.bin. "step" is the number of finished steps,
 * "steps" the number of steps that a row averages (only for split "train"). */
#include "base/stream.h"
#include "train/run/sink.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool open_file(void *state, const gt_sink_start *start, int64_t place, gt_error *error) {
  return gt_sink_file_open(state, start->directory, "metrics.jsonl", place, error);
}

/* The names of results contain names of columns and targets, so they can be long and need escapes. */
static void put_value(FILE *stream, const char *name, double value) {
  char number[32];
  json_t *string = json_string(name);
  char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
  if (quoted) fprintf(stream, ",%s:%s", quoted, gt_json_number(value, number)); /* NULL: not UTF-8 */
  free(quoted);
  json_decref(string);
}

static bool write_row(void *state, const gt_metric_row *row, gt_error *error) {
  const gt_results *result = row->result;
  gt_arena arena;
  gt_text line = {0};
  FILE *stream = gt_text_open(&line);
  fprintf(stream, "{\"step\":%lld,\"epoch\":%lld,\"split\":\"%s\"", (long long)row->step,
          (long long)row->epoch, row->split);
  if (result->steps) fprintf(stream, ",\"steps\":%lld", (long long)result->steps);
  gt_arena_init(&arena);
  for (int i = 0; i < result->count; i++)
    put_value(stream, gt_result_name(result, &result->item[i], &arena), result->item[i].value);
  gt_arena_finish(&arena);
  if (!isnan(row->lr)) put_value(stream, "lr", row->lr);
  if (!isnan(row->grad_norm)) put_value(stream, "grad_norm", row->grad_norm);
  fwrite("}\n", 1, 3, stream); /* with the 0 byte that ends the text */
  fclose(stream);
  const bool ok = gt_sink_file_write(state, line.items, error);
  free(line.items);
  return ok;
}

GT_DEFINE(sink, metrics) = {.name = "metrics",
                            .size = sizeof(gt_sink_file),
                            .open = open_file,
                            .row = write_row,
                            .save = gt_sink_file_save,
                            .close = gt_sink_file_close};
