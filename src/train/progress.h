/* Progress of a run on stderr: on a terminal one line that is redrawn at most ten times a second, with a bar,
 * the time left and samples per second; elsewhere a plain line at most every ten seconds. Nothing with
 * --quiet. Lines that are to stay (one per evaluation) go through gt_progress_line, which moves the bar out
 * of the way. */
#ifndef GT_TRAIN_PROGRESS_H
#define GT_TRAIN_PROGRESS_H
#include <stdbool.h>
#include <stdint.h>

typedef struct gt_progress {
  bool quiet, terminal, drawn;
  int64_t first, steps, batch; /* first: the step this process began at */
  double started, shown;
} gt_progress;

double gt_seconds(void); /* monotonic clock */
void gt_progress_start(gt_progress *progress, bool quiet, int64_t first, int64_t steps, int64_t batch);
void gt_progress_update(gt_progress *progress, int64_t step, int64_t epoch, double loss);
void gt_progress_line(gt_progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gt_progress_clear(gt_progress *progress);            /* removes the bar */
const char *gt_duration(double seconds, char buffer[32]); /* "1:02:03", "4:05", "6.7 s" */
#endif
