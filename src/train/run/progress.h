/* The progress of a run as text. */
#ifndef GT_TRAIN_PROGRESS_H
#define GT_TRAIN_PROGRESS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GT_PROGRESS_LONGEST = 512 };
typedef struct gt_progress_view {
  int64_t step, steps, epoch;
  double loss, rate, left; /* rate: samples per second; left: seconds to the end */
} gt_progress_view;
/* Writes the line in at most `room` columns: omits fields that do not fit, the least important first. bar:
 * draws a bar in the remaining columns. */
void gt_progress_text(char line[GT_PROGRESS_LONGEST], const gt_progress_view *view, bool bar, size_t room);
#endif
