/* Progress of a run on stderr. On a terminal: one line, redrawn at most ten times per second, with a bar, the
 * remaining time and the rate, as far as they fit. Otherwise: a plain line at most every ten seconds. Above
 * it one line per evaluation; without a terminal at most one per second. Of the evaluations in between, the
 * best and the last wait, and are printed when the run ends or before another message. Nothing is printed
 * with --quiet. On a terminal the run ends with a plot of its losses (draw/curve.h). Messages clear the
 * progress line first (base/log.h). */
#include "base/log.h"
#include "base/terminal.h"
#include "base/time.h"
#include "draw/curve.h"
#include "train/run/progress.h"
#include "train/run/sink.h"
#include <limits.h>
#include <math.h>
#include <unistd.h>

static const double file_interval = 1; /* seconds between lines of evaluations without a terminal */

typedef struct progress {
  gt_sink_start run;
  double started, shown, printed;      /* times: start, last progress line, last evaluation line */
  gt_evaluation waiting, waiting_best; /* the last and the best evaluation that were not printed yet */
  bool has_waiting, has_waiting_best;  /* `waiting` is valid; waiting_best is valid */
  bool marked;                         /* a printed line has the mark of the best */
  gt_curve curve;
} progress;

static bool open_progress(void *state, const gt_sink_start *start, int64_t place, gt_error *error) {
  (void)place, (void)error;
  progress *p = state;
  p->run = *start;
  p->started = p->shown = gt_seconds();
  p->printed = p->started - file_interval;
  return true;
}

static void show(void *state, int64_t step, int64_t epoch, double loss) {
  progress *p = state;
  const double now = gt_seconds();
  if (p->run.quiet || step <= p->run.step || now - p->shown < 0.1) return;
  const int columns = gt_log_width();
  if (!columns && now - p->shown < 10) return;
  p->shown = now;
  const double per_step = (now - p->started) / (double)(step - p->run.step);
  const gt_progress_view view = {.step = step,
                                 .steps = p->run.total,
                                 .epoch = epoch,
                                 .loss = loss,
                                 .rate = (double)p->run.rows / per_step,
                                 .left = per_step * (double)(p->run.total - step)};
  char line[GT_PROGRESS_LONGEST];
  gt_progress_text(line, &view, columns > 0, columns ? (size_t)columns - 1 : sizeof line);
  if (columns)
    gt_log_status(line);
  else
    gt_info("%s", line);
}

/* --- evaluations --- */

static void print_evaluation(progress *p, const gt_evaluation *evaluation) {
  char line[GT_EVALUATION_LONGEST];
  const int columns = gt_terminal_width(STDERR_FILENO);
  gt_evaluation_text(line, evaluation, columns ? columns : INT_MAX);
  gt_info("%s", line);
  p->printed = gt_seconds();
  p->marked = p->marked || evaluation->best;
}

/* Prints one waiting evaluation: the best or, if that has been printed, the last. */
static void print_next(progress *p) {
  const bool last = !p->has_waiting_best || p->waiting_best.step == p->waiting.step;
  print_evaluation(p, last ? &p->waiting : &p->waiting_best);
  p->has_waiting_best = false;
  if (last) p->has_waiting = false;
}

static void print_waiting(progress *p) {
  while (p->has_waiting) print_next(p);
}

static void add_point(progress *p, const gt_evaluation *e) {
  const gt_curve_point point = {
      .step = e->step,
      .epoch = e->epoch,
      .loss = {e->train.item[0].value, e->split ? gt_result_loss(&e->watched, GT_PLAIN) : NAN}};
  gt_curve_add(&p->curve, &point);
}

static void evaluated(void *state, const gt_evaluation *evaluation) {
  progress *p = state;
  if (p->run.quiet) return;
  p->waiting = *evaluation;
  add_point(p, evaluation);
  p->has_waiting = true;
  if (evaluation->best) p->waiting_best = *evaluation;
  p->has_waiting_best = p->has_waiting_best || evaluation->best;
  if (gt_terminal_width(STDERR_FILENO) || gt_seconds() - p->printed >= file_interval) print_next(p);
}

static void clear(void *state) {
  progress *p = state;
  if (p->run.quiet) return;
  gt_log_status(NULL);
  print_waiting(p);
}

static void say(void *state, const char *line) {
  progress *p = state;
  if (p->run.quiet) return;
  print_waiting(p);
  gt_info("%s", line);
}

static void end(void *state) {
  const progress *p = state;
  const gt_curve_style style = {.columns = gt_terminal_width(STDERR_FILENO),
                                .braille = gt_terminal_is_utf8(),
                                .color = gt_log_color(),
                                .epochs = p->waiting.epochs > 0 && !p->waiting.phases,
                                .watched = p->waiting.split};
  gt_arena arena;
  gt_arena_init(&arena);
  if (p->marked)
    gt_info(GT_BEST_MARK " best %s %s so far", p->waiting.split,
            gt_result_print(p->waiting.watched.data, p->waiting.watches, &arena));
  gt_arena_finish(&arena);
  if (!p->run.quiet) gt_curve_draw(stderr, &p->curve, &style);
}

GT_DEFINE(sink, progress) = {.name = "progress",
                             .size = sizeof(progress),
                             .open = open_progress,
                             .step = show,
                             .idle = clear,
                             .say = say,
                             .evaluated = evaluated,
                             .end = end,
                             .close = clear};
