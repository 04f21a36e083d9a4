/* gt_sink_type: a destination for the reports of a run: metrics, timing, progress. A file
 * src/train/sink_NAME.c with GT_DEFINE(sink, NAME) = {…} adds one; no other file changes. Every run opens all
 * sinks and reports everything to each of them; functions that a sink does not need are NULL. A resumed run
 * reports from its checkpoint on. A sink must remove what it wrote after that checkpoint, so that a killed
 * and resumed run ends with the same files as a run without interruption: `open` gets the position that
 * `save` returned for the checkpoint (0 in a new run, or if the checkpoint has none). Owner: the run. */
#ifndef GT_TRAIN_SINK_H
#define GT_TRAIN_SINK_H
#include "base/arena.h"
#include "base/register.h"
#include "train/run/evaluation.h"

typedef struct gt_sink_start {
  const char *directory, *device;
  int64_t step, total; /* number of finished steps; number of steps of the whole run */
  int64_t rows;        /* samples per step */
  bool quiet;
} gt_sink_start;

typedef struct gt_sink_type {
  const char *name;
  size_t size; /* size of the sink's state, which is zeroed at the start */
  bool (*open)(void *state, const gt_sink_start *start, int64_t place, gt_error *error);
  bool (*row)(void *state, const gt_metric_row *row, gt_error *error);
  bool (*timing)(void *state, const gt_timing *timing, gt_error *error); /* since the last evaluation */
  void (*step)(void *state, int64_t step, int64_t epoch, double loss);   /* often, as steps finish */
  void (*idle)(void *state);                                             /* no steps are running */
  void (*say)(void *state, const char *line);                            /* a message */
  void (*evaluated)(void *state, const gt_evaluation *evaluation);       /* an evaluation; `row` follows */
  void (*end)(void *state);                                              /* the last step was evaluated */
  /* Called before a checkpoint is written: syncs all reports so far to the disk. */
  bool (*save)(void *state, int64_t *place, gt_error *error);
  void (*close)(void *state);
} gt_sink_type;

enum {
#define X(name) GT_SINK_##name,
#include "registry/sink.inc"
#undef X
  GT_SINKS
};

typedef struct gt_sinks { /* the sinks of a run; zeroed: none is open */
  void *state[GT_SINKS];
} gt_sinks;

/* place: position of each sink, by GT_SINK_NAME. On errors no sink is open. */
bool gt_sinks_open(gt_sinks *sinks, const gt_sink_start *start, const int64_t place[GT_SINKS],
                   gt_error *error);
bool gt_sinks_row(const gt_sinks *sinks, const gt_metric_row *row, gt_error *error);
bool gt_sinks_timing(const gt_sinks *sinks, const gt_timing *timing, gt_error *error);
void gt_sinks_step(const gt_sinks *sinks, int64_t step, int64_t epoch, double loss);
void gt_sinks_idle(const gt_sinks *sinks);
void gt_sinks_evaluated(const gt_sinks *sinks, const gt_evaluation *evaluation);
void gt_sinks_end(const gt_sinks *sinks);
void gt_sinks_message(const gt_sinks *sinks, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool gt_sinks_save(const gt_sinks *sinks, int64_t place[GT_SINKS], gt_error *error); /* -1: none */
void gt_sinks_close(gt_sinks *sinks);

/* The name of the device that timing.jsonl recorded last, in the arena; NULL: none. */
const char *gt_timing_device(const char *directory, gt_arena *arena);

/* --- for sinks that are a file in the run directory --- */

typedef struct gt_sink_file {
  const char *name; /* NULL: not open */
  int fd;
  int64_t bytes; /* current length, if it is tracked */
} gt_sink_file;

/* Opens the file for appending. keep: number of bytes to keep; -1: all. Warns if the file is shorter (after a
 * power failure). */
bool gt_sink_file_open(gt_sink_file *file, const char *directory, const char *name, int64_t keep,
                       gt_error *error);
/* Writes the text in one piece, so that a killed run leaves no partial row, unless the disk is full. */
bool gt_sink_file_write(gt_sink_file *file, const char *text, gt_error *error);
/* For sinks whose state is a gt_sink_file. */
bool gt_sink_file_save(void *state, int64_t *place, gt_error *error);
void gt_sink_file_close(void *state);
#endif
