/* gt_sheet: a contact sheet of images in rows and columns, each with lines of text below it. Small images are
 * magnified, large ones subsampled. */
#ifndef GT_DRAW_SHEET_H
#define GT_DRAW_SHEET_H
#include "draw/png.h"

typedef struct gt_sheet_image { /* floats [height, width, channels]; in colours if it has 3 channels */
  int64_t height, width, channels;
  double black, white; /* their values */
} gt_sheet_image;

typedef struct gt_sheet {
  /* Set before gt_sheet_open. */
  int64_t cells;
  uint32_t lines;               /* of text */
  gt_sheet_image input, target; /* two images side by side; target.height 0: only one. Equal heights */
  /* Set by gt_sheet_open. The caller frees the picture. */
  gt_picture picture;
  uint32_t zoom, stride; /* magnification; subsampling */
  uint32_t wide, high;   /* of a cell, in pixels */
} gt_sheet;

void gt_sheet_open(gt_sheet *sheet);
/* target: unused if there is only one image. line: [lines] */
void gt_sheet_draw(gt_sheet *sheet, int64_t cell, const float *input, const float *target,
                   const char *const *line);
#endif
