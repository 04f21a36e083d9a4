#include "train/run/progress.h"
#include "base/fields.h"
#include "base/text.h"
#include "base/time.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Columns: GAP between fields; LEAST_BAR, MAX_BAR of the bar; BAR_FRAME of its brackets and a blank. */
enum { FIELDS = 6, GAP = 2, LEAST_BAR = 4, MAX_BAR = 24, BAR_FRAME = 3 };

/* Writes all fields in the order of the line; the percentage is the most important one. */
static void write_fields(const gt_progress_view *view, gt_line_field field[FIELDS]) {
  static const int rank[FIELDS] = {0, 4, 3, 1, 5, 2};
  char text[48];
  const bool plain = fabs(view->loss) < 1e6 && fabs(view->loss) >= 1e-3;
  for (int i = 0; i < FIELDS; i++) field[i] = (gt_line_field){.rank = rank[i], .gap = GAP};
  snprintf(field[0].text, GT_FIELD_LENGTH, "%3d%%", (int)(100.0 * (double)view->step / (double)view->steps));
  snprintf(field[1].text, GT_FIELD_LENGTH, "epoch %lld", (long long)view->epoch);
  snprintf(field[2].text, GT_FIELD_LENGTH, "step %lld/%lld", (long long)view->step, (long long)view->steps);
  snprintf(field[3].text, GT_FIELD_LENGTH, plain ? "loss %.4f" : "loss %.3g", view->loss);
  snprintf(field[4].text, GT_FIELD_LENGTH, "%s", gt_samples_rate(view->rate, text));
  snprintf(field[5].text, GT_FIELD_LENGTH, "%s left", gt_duration(view->left < 1 ? 0 : view->left, text));
}

static char *draw_bar(char *line, const gt_progress_view *view, size_t width) {
  const size_t full = (size_t)((double)width * (double)view->step / (double)view->steps);
  *line++ = '[';
  for (size_t i = 0; i < width; i++) *line++ = i < full ? '=' : i == full ? '>' : ' ';
  *line++ = ']';
  *line++ = ' ';
  return line;
}

void gt_progress_text(char line[GT_PROGRESS_LONGEST], const gt_progress_view *view, bool bar, size_t room) {
  gt_line_field field[FIELDS];
  char text[GT_PROGRESS_LONGEST - MAX_BAR - BAR_FRAME];
  write_fields(view, field);
  const size_t used = (size_t)gt_fit_fields(text, sizeof text, field, FIELDS, (int)room);
  if (bar && used && room >= used + LEAST_BAR + BAR_FRAME) {
    const size_t width = room - used - BAR_FRAME;
    line = draw_bar(line, view, width > MAX_BAR ? MAX_BAR : width);
  }
  strcpy(line, text);
}
