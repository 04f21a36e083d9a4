/* Draws a confusion matrix as an image: a row for each label, a column for each predicted class; darker cells
 * have a larger share of their row. */
#ifndef GT_DRAW_CONFUSION_H
#define GT_DRAW_CONFUSION_H
#include "base/error.h"
#include <stdint.h>

typedef struct gt_confusion_picture {
  int64_t classes;
  const double *count;     /* [label][predicted class] */
  const char *const *name; /* [classes] */
} gt_confusion_picture;

/* Writes a PNG file. */
bool gt_confusion_draw(const gt_confusion_picture *matrix, const char *path, gt_error *error);
#endif
