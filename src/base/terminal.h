/* What a terminal can show: its width, whether its cursor moves, colour, and which characters. All of it is
 * asked anew each time, since windows are resized. The width comes from the terminal itself, never from the
 * variable COLUMNS, which shells export as it was when they began. */
#ifndef GT_BASE_TERMINAL_H
#define GT_BASE_TERMINAL_H
#include <stdbool.h>

/* Columns of the terminal that the descriptor leads to, 80 if it does not know; 0: it leads to no terminal.
 */
int gt_terminal_width(int descriptor);
/* A terminal that understands escape sequences, by the variable TERM: it is set, and not "dumb". */
bool gt_terminal_has_cursor(int descriptor);
/* True if the locale's characters are UTF-8 (LC_ALL, LC_CTYPE, LANG: the first of them that is set). */
bool gt_terminal_is_utf8(void);

typedef enum gt_color { GT_COLOR_AUTO, GT_COLOR_ALWAYS, GT_COLOR_NEVER } gt_color;
/* "auto", "always" or "never"; false for any other word. */
bool gt_color_find(const char *name, gt_color *color);
/* For the whole process. At first GT_COLOR_AUTO: on a terminal that understands it, unless NO_COLOR is set to
 * anything. The other two overrule NO_COLOR and TERM (https://no-color.org). */
void gt_color_set(gt_color color);
bool gt_color_shown(int descriptor);
#endif
