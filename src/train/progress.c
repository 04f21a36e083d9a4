#include "train/progress.h"
#include "base/log.h"
#include "base/text.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 24 };

double gt_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const char *gt_duration(double seconds, char buffer[32]) {
  const long long whole = seconds < 1e12 && seconds >= 0 ? llround(seconds) : 0;
  if (seconds < 60)
    snprintf(buffer, 32, "%.1f s", seconds);
  else if (seconds < 3600)
    snprintf(buffer, 32, "%lld:%02lld", whole / 60, whole % 60);
  else
    snprintf(buffer, 32, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
  return buffer;
}

void gt_progress_start(gt_progress *progress, bool quiet, int64_t first, int64_t steps, int64_t batch) {
  const char *term = getenv("TERM");
  *progress =
      (gt_progress){.quiet = quiet, .first = first, .steps = steps, .batch = batch, .started = gt_seconds()};
  progress->terminal = isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
  progress->shown = progress->started;
}

void gt_progress_clear(gt_progress *progress) {
  if (progress->drawn) fputs("\r\033[K", stderr);
  progress->drawn = false;
}

static void draw(gt_progress *progress, int64_t step, const char *text) {
  char bar[BAR + 1];
  const int full = (int)(BAR * step / progress->steps);
  for (int i = 0; i < BAR; i++) bar[i] = i < full ? '=' : i == full ? '>' : ' ';
  bar[BAR] = 0;
  fprintf(stderr, "\r[%s] %3d%%  %s\033[K", bar, (int)(100 * step / progress->steps), text);
  fflush(stderr);
  progress->drawn = true;
}

void gt_progress_update(gt_progress *progress, int64_t step, int64_t epoch, double loss) {
  const double now = gt_seconds(), elapsed = now - progress->started;
  if (progress->quiet || now - progress->shown < (progress->terminal ? 0.1 : 10) || step <= progress->first)
    return;
  progress->shown = now;
  char text[256], left[32], rate[32];
  const double per_step = elapsed / (double)(step - progress->first);
  snprintf(text, sizeof text, "epoch %lld  step %lld/%lld  loss %.4f  %s samples/s  %s left",
           (long long)epoch, (long long)step, (long long)progress->steps, loss,
           gt_human_count((double)progress->batch / per_step, rate),
           gt_duration(per_step * (double)(progress->steps - step), left));
  if (progress->terminal)
    draw(progress, step, text);
  else
    gt_info("%s", text);
}

void gt_progress_line(gt_progress *progress, const char *format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  gt_progress_clear(progress);
  if (!progress->quiet) gt_info("%s", line);
}
