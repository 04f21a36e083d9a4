/* Progress of a run on stderr: on a terminal one line that is redrawn at most ten times a second, with a bar,
 * the time left and samples per second, as much of it as fits; elsewhere a plain line at most every ten
 * seconds. Nothing with --quiet. Messages move it out of the way (base/log.h). */
#ifndef GT_TRAIN_PROGRESS_H
#define GT_TRAIN_PROGRESS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gt_progress {
  bool quiet;
  int64_t first, steps, batch; /* first: the step this process began at */
  double started, shown;
} gt_progress;

enum { GT_PROGRESS_LONGEST = 512 };
typedef struct gt_progress_view {
  int64_t step, steps, epoch;
  double loss, rate, left; /* samples a second, seconds */
} gt_progress_view;
/* The line in at most `room` columns: what is least important is dropped first, and the bar takes what is
 * left. */
void gt_progress_text(char line[GT_PROGRESS_LONGEST], const gt_progress_view *view, bool bar, size_t room);

double gt_seconds(void); /* monotonic clock */
void gt_progress_start(gt_progress *progress, bool quiet, int64_t first, int64_t steps, int64_t batch);
void gt_progress_update(gt_progress *progress, int64_t step, int64_t epoch, double loss);
void gt_progress_line(gt_progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gt_progress_clear(gt_progress *progress);            /* removes the bar */
const char *gt_duration(double seconds, char buffer[32]); /* "1:02:03", "4:05", "6.7 s" */
#endif
