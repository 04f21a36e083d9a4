/* Draws text into images: a 5x7 pixel font, plus one row for descenders. */
#ifndef GT_DATA_LETTERS_H
#define GT_DATA_LETTERS_H
#include "data/png.h"

enum { GT_LETTER_WIDTH = 6, GT_LETTER_HEIGHT = 9 }; /* including the space between letters */

/* Draws as much of the text as `width` pixels allow; characters outside ASCII are drawn as a question
 * mark. */
void gt_picture_write(gt_picture *picture, uint32_t x, uint32_t y, uint32_t width, const char *text,
                      uint8_t shade);
/* True if the glyph of the character has ink at this position of its 8 rows and 5 columns. */
bool gt_letter_has(char character, uint32_t row, uint32_t column);
#endif
