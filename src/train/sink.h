/* gt_sink_type: a destination for what a run reports: metrics, timing, progress. One constant row each: a
 * file src/train/sink_NAME.c with GT_DEFINE(sink, NAME) = {…} adds one; nothing else is edited. Every run
 * opens all sinks and reports everything to each; a sink leaves functions that it does not need NULL. A
 * resumed run reports from its checkpoint on, and what a sink wrote after that checkpoint must be removed, so
 * that a killed run ends with the same files as an undisturbed one: a sink with `save` gets back the place
 * that it saved then (0 in a new run, or if the checkpoint has none). Owner: the run. */
#ifndef GT_TRAIN_SINK_H
#define GT_TRAIN_SINK_H
#include "base/arena.h"
#include "base/register.h"
#include "train/evaluation.h"

typedef struct gt_sink_start {
  const char *directory, *device;
  int64_t step, total; /* finished steps; steps of the whole run */
  int64_t rows;        /* samples per step */
  bool quiet;
} gt_sink_start;

typedef struct gt_sink_type {
  const char *name;
  size_t size; /* size of its own state, which starts zeroed */
  bool (*open)(void *own, const gt_sink_start *start, int64_t place, gt_error *error);
  bool (*row)(void *own, const gt_metric_row *row, gt_error *error);
  bool (*timing)(void *own, const gt_timing *timing, gt_error *error); /* since the last evaluation */
  void (*step)(void *own, int64_t step, int64_t epoch, double loss);   /* often, as steps finish */
  void (*idle)(void *own);                                             /* no steps are running */
  void (*say)(void *own, const char *line);                            /* for people */
  void (*evaluated)(void *own, const gt_evaluation *evaluation);       /* for people; a row follows */
  void (*end)(void *own);                                              /* the last step was evaluated */
  /* A checkpoint is about to be written: everything reported so far must become as durable as it. */
  bool (*save)(void *own, int64_t *place, gt_error *error);
  void (*close)(void *own);
} gt_sink_type;

enum {
#define X(name) GT_SINK_##name,
#include "registry/sink.inc"
#undef X
  GT_SINKS
};

typedef struct gt_sinks { /* of a run; zeroed: none is open */
  void *own[GT_SINKS];
} gt_sinks;

/* place: of each sink, by GT_SINK_NAME. On failure none is open. */
bool gt_sinks_open(gt_sinks *sinks, const gt_sink_start *start, const int64_t place[GT_SINKS],
                   gt_error *error);
bool gt_sinks_row(const gt_sinks *sinks, const gt_metric_row *row, gt_error *error);
bool gt_sinks_timing(const gt_sinks *sinks, const gt_timing *timing, gt_error *error);
void gt_sinks_step(const gt_sinks *sinks, int64_t step, int64_t epoch, double loss);
void gt_sinks_idle(const gt_sinks *sinks);
void gt_sinks_evaluated(const gt_sinks *sinks, const gt_evaluation *evaluation);
void gt_sinks_end(const gt_sinks *sinks);
void gt_sinks_say(const gt_sinks *sinks, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool gt_sinks_save(const gt_sinks *sinks, int64_t place[GT_SINKS], gt_error *error); /* -1: none */
void gt_sinks_close(gt_sinks *sinks);

/* The device of the last start recorded in timing.jsonl, in the arena; NULL: none is recorded. */
const char *gt_timing_device(const char *directory, gt_arena *arena);

/* --- for sinks that are a file in the run directory --- */

typedef struct gt_sink_file {
  const char *name; /* NULL: not open */
  int fd;
  int64_t bytes; /* current length, if it is tracked */
} gt_sink_file;

/* Opens the file for appending. keep: bytes to keep; -1: all. A file that is shorter (after a power failure)
 * is kept as it is, with a warning. */
bool gt_sink_file_open(gt_sink_file *file, const char *directory, const char *name, int64_t keep,
                       gt_error *error);
/* Writes the text in one piece: a killed run leaves no partial row, unless the disk is full. */
bool gt_sink_file_write(gt_sink_file *file, const char *text, gt_error *error);
/* For sinks whose own state is a gt_sink_file. */
bool gt_sink_file_save(void *own, int64_t *place, gt_error *error);
void gt_sink_file_close(void *own);
#endif
