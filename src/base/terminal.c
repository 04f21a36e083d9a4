#include "base/terminal.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_WIDTH = 80 /* columns, if the terminal does not report any */ };

int gt_terminal_width(int descriptor) {
  struct winsize size;
  if (!isatty(descriptor)) return 0;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : USUAL_WIDTH;
}

bool gt_terminal_has_cursor(int descriptor) {
  const char *term = getenv("TERM");
  return term && *term && strcmp(term, "dumb") && isatty(descriptor);
}

/* Decided by the locale's name only: nl_langinfo returns "ASCII" if a locale is not installed, as in most
 * containers. */
bool gt_terminal_is_utf8(void) {
  static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *locale = getenv(variables[i]);
    if (!locale || !*locale) continue;
    const char *charset = strchr(locale, '.');
    return charset && (!strncasecmp(charset, ".utf-8", 6) || !strncasecmp(charset, ".utf8", 5));
  }
  return false;
}

/* --- color --- */

static gt_color current = GT_COLOR_AUTO;

bool gt_color_find(const char *name, gt_color *color) {
  static const char *const names[] = {
      [GT_COLOR_AUTO] = "auto", [GT_COLOR_ALWAYS] = "always", [GT_COLOR_NEVER] = "never"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(name, names[i])) continue;
    *color = (gt_color)i;
    return true;
  }
  return false;
}

void gt_color_set(gt_color color) { current = color; }

bool gt_color_shown(int descriptor) {
  const char *no = getenv("NO_COLOR");
  if (current != GT_COLOR_AUTO) return current == GT_COLOR_ALWAYS;
  return !(no && *no) && gt_terminal_has_cursor(descriptor);
}
