/* Properties of a terminal: width, cursor movement, color, and character set. They are queried anew each
 * time, because windows are resized. The width comes from the terminal, never from variable COLUMNS, which
 * keeps the value it had when the shell was started. */
#ifndef GT_BASE_TERMINAL_H
#define GT_BASE_TERMINAL_H
#include <stdbool.h>

/* Width in columns of the terminal that the descriptor refers to, 80 if unknown; 0: it is not a terminal. */
int gt_terminal_width(int descriptor);
/* True if the terminal understands escape sequences: TERM is set and is not "dumb". */
bool gt_terminal_has_cursor(int descriptor);
/* True if the locale uses UTF-8 (the first of LC_ALL, LC_CTYPE, LANG that is set). */
bool gt_terminal_is_utf8(void);

typedef enum gt_color { GT_COLOR_AUTO, GT_COLOR_ALWAYS, GT_COLOR_NEVER } gt_color;
/* Parses "auto", "always" or "never"; false for any other word. */
bool gt_color_find(const char *name, gt_color *color);
/* For the whole process. The default is GT_COLOR_AUTO: color on a terminal with escape sequences, unless
 * NO_COLOR is set (https://no-color.org). The other two override NO_COLOR and TERM. */
void gt_color_set(gt_color color);
bool gt_color_shown(int descriptor); /* true if text for this descriptor is to be colored */
#endif
