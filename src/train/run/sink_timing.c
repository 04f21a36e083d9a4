/* timing.jsonl: times of a run, {"step":…,"elapsed_s":…,"samples_per_s":…} for each evaluation, and a row
 * with the device for each start. A resumed run keeps all rows. */
#include "train/run/sink.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool open_file(void *state, const gt_sink_start *start, int64_t place, gt_error *error) {
  (void)place;
  if (!gt_sink_file_open(state, start->directory, "timing.jsonl", -1, error)) return false;
  json_t *row = json_pack("{s:I, s:s%}", "step", (json_int_t)start->step, "device", start->device,
                          strlen(start->device));
  char *text = row ? json_dumps(row, JSON_COMPACT) : NULL;
  json_decref(row);
  if (!text) return true; /* JSON cannot contain a device name that is not UTF-8 */
  char line[1024];
  snprintf(line, sizeof line, "%s\n", text);
  free(text);
  return gt_sink_file_write(state, line, error);
}

const char *gt_timing_device(const char *directory, gt_arena *arena) {
  const char *device = NULL;
  char line[1024];
  FILE *file = fopen(gt_arena_printf(arena, "%s/timing.jsonl", directory), "r");
  while (file && fgets(line, sizeof line, file)) {
    json_t *row = strstr(line, "\"device\"") ? json_loads(line, 0, NULL) : NULL;
    const char *name = json_string_value(json_object_get(row, "device"));
    if (name) device = gt_arena_printf(arena, "%s", name);
    json_decref(row);
  }
  if (file) fclose(file);
  return device;
}

static bool write_timing(void *state, const gt_timing *timing, gt_error *error) {
  char line[256], seconds[32], samples[32];
  snprintf(line, sizeof line, "{\"step\":%lld,\"elapsed_s\":%s,\"samples_per_s\":%s}\n",
           (long long)timing->step, gt_json_number(timing->elapsed, seconds),
           gt_json_number(timing->rate, samples));
  return gt_sink_file_write(state, line, error);
}

GT_DEFINE(sink, timing) = {.name = "timing",
                           .size = sizeof(gt_sink_file),
                           .open = open_file,
                           .timing = write_timing,
                           .close = gt_sink_file_close};
