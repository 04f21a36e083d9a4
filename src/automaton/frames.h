/* gt_frames: writes the boards of a simulation as images, each to a PNG file in a folder (step-000000.png, …)
 * and all of them to one animated PNG. Owner: the caller of open; gt_frames_close finishes the animation. */
#ifndef GT_AUTOMATON_FRAMES_H
#define GT_AUTOMATON_FRAMES_H
#include "circuit/board.h"
#include "draw/png.h"

typedef struct gt_frames_settings {
  const char *folder, *animation; /* NULL: none */
  uint32_t scale;                 /* width and height of a cell in pixels */
  uint32_t delay_ms;              /* how long the animation shows an image */
  int64_t frames;                 /* number of images in the animation */
  /* Number of channels that are drawn, and which: one is drawn white where it is 1, three as red, green and
   * blue. */
  uint32_t shown, channel[3];
} gt_frames_settings;

typedef struct gt_frames {
  gt_frames_settings settings;
  gt_animation animation;
  gt_picture picture;
  uint8_t *cells; /* [height][width] of 0 and 1: the channel being drawn */
} gt_frames;

/* Creates the folder. Without folder and animation, all three functions do nothing. */
bool gt_frames_open(gt_frames *frames, const gt_frames_settings *settings, const gt_board *board,
                    gt_error *error);
bool gt_frames_add(gt_frames *frames, const gt_board *board, int64_t step, gt_error *error);
bool gt_frames_close(gt_frames *frames, gt_error *error); /* accepts a zeroed one */
#endif
