/* Draws text into images with a font of 5x7 pixels and one row for descenders. */
#ifndef GT_DRAW_LETTERS_H
#define GT_DRAW_LETTERS_H
#include "draw/png.h"

enum { GT_LETTER_WIDTH = 6, GT_LETTER_HEIGHT = 9 }; /* pixels, with the space between letters and lines */

/* Draws the text with its top left corner at (x, y), as much of it as fits into `width` pixels. Characters
 * outside ASCII are drawn as question marks. shade: the value of the pixels. */
void gt_picture_draw_text(gt_picture *picture, uint32_t x, uint32_t y, uint32_t width, const char *text,
                          uint8_t shade);
/* True if the pixel in this row (0 to 7) and column (0 to 4) of the character's glyph is set. */
bool gt_letter_has(char character, uint32_t row, uint32_t column);
#endif
