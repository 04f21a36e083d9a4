/* Time, and how far a run is, as people read it. */
#ifndef GT_TRAIN_PROGRESS_H
#define GT_TRAIN_PROGRESS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GT_PROGRESS_LONGEST = 512 };
typedef struct gt_progress_view {
  int64_t step, steps, epoch;
  double loss, rate, left; /* samples a second, seconds */
} gt_progress_view;
/* The line in at most `room` columns: what is least important is dropped first, and the bar takes what is
 * left. */
void gt_progress_text(char line[GT_PROGRESS_LONGEST], const gt_progress_view *view, bool bar, size_t room);

double gt_seconds(void); /* monotonic clock */
/* "1:02:03", "4:05", "6.7 s", "12.34 ms", "12.34 us": everywhere where people read how long something takes.
 */
const char *gt_duration(double seconds, char buffer[32]);
/* "65.9 k samples/s": everywhere where people read how fast something trains. */
const char *gt_samples_rate(double per_second, char buffer[48]);
#endif
