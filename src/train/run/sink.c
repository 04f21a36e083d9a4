#include "train/run/sink.h"
#include "base/memory.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define X(name) extern const gt_sink_type gt_sink_##name;
#include "registry/sink.inc"
#undef X
static const gt_sink_type *const types[GT_SINKS] = {
#define X(name) &gt_sink_##name,
#include "registry/sink.inc"
#undef X
};

bool gt_sinks_open(gt_sinks *sinks, const gt_sink_start *start, const int64_t place[GT_SINKS],
                   gt_error *error) {
  *sinks = (gt_sinks){0};
  for (int i = 0; i < GT_SINKS; i++) {
    sinks->state[i] = gt_alloc(types[i]->size + 1);
    if (types[i]->open(sinks->state[i], start, place[i], error)) continue;
    gt_sinks_close(sinks);
    return false;
  }
  return true;
}

void gt_sinks_close(gt_sinks *sinks) {
  for (int i = 0; i < GT_SINKS; i++) {
    if (sinks->state[i] && types[i]->close) types[i]->close(sinks->state[i]);
    free(sinks->state[i]);
  }
  *sinks = (gt_sinks){0};
}

bool gt_sinks_row(const gt_sinks *sinks, const gt_metric_row *row, gt_error *error) {
  for (int i = 0; i < GT_SINKS; i++)
    if (types[i]->row && !types[i]->row(sinks->state[i], row, error)) return false;
  return true;
}

bool gt_sinks_timing(const gt_sinks *sinks, const gt_timing *timing, gt_error *error) {
  for (int i = 0; i < GT_SINKS; i++)
    if (types[i]->timing && !types[i]->timing(sinks->state[i], timing, error)) return false;
  return true;
}

void gt_sinks_step(const gt_sinks *sinks, int64_t step, int64_t epoch, double loss) {
  for (int i = 0; i < GT_SINKS; i++)
    if (types[i]->step) types[i]->step(sinks->state[i], step, epoch, loss);
}

void gt_sinks_idle(const gt_sinks *sinks) {
  for (int i = 0; i < GT_SINKS; i++)
    if (types[i]->idle) types[i]->idle(sinks->state[i]);
}

void gt_sinks_evaluated(const gt_sinks *sinks, const gt_evaluation *evaluation) {
  for (int i = 0; i < GT_SINKS; i++)
    if (types[i]->evaluated) types[i]->evaluated(sinks->state[i], evaluation);
}

void gt_sinks_end(const gt_sinks *sinks) {
  for (int i = 0; i < GT_SINKS; i++)
    if (types[i]->end) types[i]->end(sinks->state[i]);
}

void gt_sinks_message(const gt_sinks *sinks, const char *format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  for (int i = 0; i < GT_SINKS; i++)
    if (types[i]->say) types[i]->say(sinks->state[i], line);
}

bool gt_sinks_save(const gt_sinks *sinks, int64_t place[GT_SINKS], gt_error *error) {
  for (int i = 0; i < GT_SINKS; i++) {
    place[i] = -1;
    if (types[i]->save && !types[i]->save(sinks->state[i], &place[i], error)) return false;
  }
  return true;
}
