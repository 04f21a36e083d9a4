/* Text in pictures: letters of 5x7 pixels, with a row more for what hangs below the line. */
#ifndef GT_DATA_LETTERS_H
#define GT_DATA_LETTERS_H
#include "data/png.h"

enum { GT_LETTER_WIDTH = 6, GT_LETTER_HEIGHT = 9 }; /* with what lies between two */

/* Writes as much of the text as `width` pixels hold; what is not ASCII becomes a '?'. */
void gt_picture_write(gt_picture *picture, uint32_t x, uint32_t y, uint32_t width, const char *text,
                      uint8_t shade);
/* Is there ink of the sign in this of its 8 rows and 5 columns? */
bool gt_letter_has(char sign, uint32_t row, uint32_t column);
#endif
