/* gt_sink_type: where to a run tells what it does: its metrics, how long they took, how far it is. One
 * constant row each: a file src/train/sink_NAME.c with GT_DEFINE(sink, NAME) = {…} adds one; nothing else is
 * edited. Every run opens all of them and tells each everything; what a sink does not care for it leaves
 * NULL. A run that is resumed is told from its checkpoint on. What a sink wrote after that is to be taken
 * back, so that a run that was killed ends with the same files as one that was not: a sink with `save` is
 * given the place that it named then (0 in a new run, or if that checkpoint knew no such sink). Owner: the
 * run. */
#ifndef GT_TRAIN_SINK_H
#define GT_TRAIN_SINK_H
#include "base/arena.h"
#include "base/register.h"
#include "train/evaluation.h"

typedef struct gt_sink_start {
  const char *directory, *device;
  int64_t step, total; /* finished steps; those of the whole run */
  int64_t rows;        /* samples in a step */
  bool quiet;
} gt_sink_start;

typedef struct gt_sink_type {
  const char *name;
  size_t size; /* of its own state, which begins zeroed */
  bool (*open)(void *own, const gt_sink_start *start, int64_t place, gt_error *error);
  bool (*row)(void *own, const gt_metric_row *row, gt_error *error);
  bool (*timing)(void *own, const gt_timing *timing, gt_error *error); /* since the evaluation before */
  void (*step)(void *own, int64_t step, int64_t epoch, double loss);   /* often, as steps finish */
  void (*idle)(void *own);                                             /* no steps are running any more */
  void (*say)(void *own, const char *line);                            /* for people */
  void (*evaluated)(void *own, const gt_evaluation *evaluation);       /* for people: a row follows */
  void (*end)(void *own);                                              /* the last step was evaluated */
  /* A checkpoint is about to be written: what was told is to be as safe as that is. */
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

/* place: that of each sink, by GT_SINK_NAME. On failure none is open. */
bool gt_sinks_open(gt_sinks *sinks, const gt_sink_start *start, const int64_t place[GT_SINKS],
                   gt_error *error);
bool gt_sinks_row(const gt_sinks *sinks, const gt_metric_row *row, gt_error *error);
bool gt_sinks_timing(const gt_sinks *sinks, const gt_timing *timing, gt_error *error);
void gt_sinks_step(const gt_sinks *sinks, int64_t step, int64_t epoch, double loss);
void gt_sinks_idle(const gt_sinks *sinks);
void gt_sinks_evaluated(const gt_sinks *sinks, const gt_evaluation *evaluation);
void gt_sinks_end(const gt_sinks *sinks);
void gt_sinks_say(const gt_sinks *sinks, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool gt_sinks_save(const gt_sinks *sinks, int64_t place[GT_SINKS], gt_error *error); /* -1: it has none */
void gt_sinks_close(gt_sinks *sinks);

/* The device of the last start that timing.jsonl tells of, in the arena; NULL: it tells of none. */
const char *gt_timing_device(const char *directory, gt_arena *arena);

/* --- for sinks that are a file in the run directory --- */

typedef struct gt_sink_file {
  const char *name; /* NULL: not open */
  int fd;
  int64_t bytes; /* its length, where it was cut */
} gt_sink_file;

/* Opens it to be appended to. keep: so many bytes of it; -1: all. One that is shorter (lost in a power cut)
 * is kept as it is, with a warning. */
bool gt_sink_file_open(gt_sink_file *file, const char *directory, const char *name, int64_t keep,
                       gt_error *error);
/* Goes out whole: a killed run leaves no half of it, short of a full disk. */
bool gt_sink_file_write(gt_sink_file *file, const char *text, gt_error *error);
/* For rows of sinks whose own state is a gt_sink_file. */
bool gt_sink_file_save(void *own, int64_t *place, gt_error *error);
void gt_sink_file_close(void *own);
#endif
