/* Draws text into images with a font of 5x7 pixels and one row for descenders. */
#ifndef GT_DRAW_LETTERS_H
#define GT_DRAW_LETTERS_H
#include "draw/png.h"

enum { GT_LETTER_WIDTH = 6, GT_LETTER_HEIGHT = 9 }; /* pixels, with the space between letters and lines */

typedef struct gt_letter_form {
  uint32_t color; /* 0xRRGGBB; of a gray picture, RR */
  int scale;      /* pixels of the picture per pixel of the font, in both directions */
  bool upwards;   /* rotated, so that text runs from the bottom to the top */
} gt_letter_form;

/* Draws a character with its top left corner, before it is rotated around that pixel, at (x, y); as much of
 * it as is in the picture. Characters outside ASCII are drawn as question marks. */
void gt_picture_draw_letter(gt_picture *picture, int x, int y, gt_letter_form form, char character);
/* Draws the text (UTF-8) at scale 1, as much of it as fits into `length` pixels. */
void gt_picture_draw_text(gt_picture *picture, uint32_t x, uint32_t y, uint32_t length, gt_letter_form form,
                          const char *text);
#endif
