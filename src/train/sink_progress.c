/* Progress of a run on stderr: on a terminal one line that is redrawn at most ten times a second, with a bar,
 * the time left and samples per second, as much of it as fits; elsewhere a plain line at most every ten
 * seconds. Nothing with --quiet. Messages move it out of the way (base/log.h). */
#include "base/log.h"
#include "train/progress.h"
#include "train/sink.h"

typedef struct progress {
  gt_sink_start run;
  double started, shown;
} progress;

static bool open_progress(void *own, const gt_sink_start *start, int64_t place, gt_error *error) {
  (void)place, (void)error;
  const double now = gt_seconds();
  *(progress *)own = (progress){*start, now, now};
  return true;
}

static void show(void *own, int64_t step, int64_t epoch, double loss) {
  progress *p = own;
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

static void clear(void *own) {
  if (!((const progress *)own)->run.quiet) gt_log_status(NULL);
}

static void say(void *own, const char *line) {
  if (!((const progress *)own)->run.quiet) gt_info("%s", line);
}

GT_DEFINE(sink, progress) = {.name = "progress",
                             .size = sizeof(progress),
                             .open = open_progress,
                             .step = show,
                             .idle = clear,
                             .say = say,
                             .close = clear};
