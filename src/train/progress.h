/* Formatting of times, rates and progress for people. */
#ifndef GT_TRAIN_PROGRESS_H
#define GT_TRAIN_PROGRESS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GT_PROGRESS_LONGEST = 512 };
typedef struct gt_progress_view {
  int64_t step, steps, epoch;
  double loss, rate, left; /* samples per second, seconds */
} gt_progress_view;
/* Writes the line in at most `room` columns: the least important fields are dropped first, and the bar gets
 * the remaining columns. */
void gt_progress_text(char line[GT_PROGRESS_LONGEST], const gt_progress_view *view, bool bar, size_t room);

double gt_seconds(void); /* monotonic clock */
/* "1:02:03", "4:05", "6.7 s", "12.34 ms", "12.34 us": the one format of durations. */
const char *gt_duration(double seconds, char buffer[32]);
/* "65.9 k samples/s": the one format of training rates. */
const char *gt_samples_rate(double per_second, char buffer[48]);
#endif
