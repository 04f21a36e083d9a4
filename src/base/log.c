#define _GNU_SOURCE /* vasprintf */
#include "base/log.h"
#include "base/terminal.h"
#include "base/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gt_log_level current = GT_LOG_INFO;

gt_log_level gt_log_set_level(gt_log_level level) {
  const gt_log_level before = current;
  current = level;
  return before;
}

bool gt_log_color(void) { return gt_color_shown(STDERR_FILENO); }

/* --- status line --- */

static bool status_shown;

int gt_log_width(void) {
  return gt_terminal_has_cursor(STDERR_FILENO) ? gt_terminal_width(STDERR_FILENO) : 0;
}

/* The cursor returns to the first column of the line. If the window gets narrower, the terminal wraps the
 * line, and clearing from the cursor to the end of the screen still removes all of it. Wrapping is off while
 * the line is printed, because the width may be out of date. */
void gt_log_status(const char *line) {
  static const char clear[] = "\r\033[J", no_wrap[] = "\033[?7l", wrap[] = "\033[?7h";
  flockfile(stderr);
  if (line)
    fprintf(stderr, "%s\r%s\033[J\r%s", no_wrap, line, wrap);
  else if (status_shown)
    fputs(clear, stderr);
  status_shown = line != NULL;
  fflush(stderr);
  funlockfile(stderr);
}

/* --- messages --- */

/* Escapes the text, because messages contain names that come from files. */
static void put_message(const char *format, va_list arguments) {
  char *text = NULL;
  if (vasprintf(&text, format, arguments) < 0) return;
  gt_put_text(stderr, text);
  free(text);
}

/* The stream stays locked for the whole line, so that lines of several threads do not mix. */
static void message(const char *label, const char *color, const char *format, va_list arguments) {
  flockfile(stderr);
  if (status_shown) gt_log_status(NULL);
  if (label) fprintf(stderr, gt_log_color() ? "%s%s\033[0m " : "%.0s%s ", color, label);
  put_message(format, arguments);
  fputc('\n', stderr);
  fflush(stderr);
  funlockfile(stderr);
}

void gt_info(const char *format, ...) {
  if (current < GT_LOG_INFO) return;
  va_list arguments;
  va_start(arguments, format);
  message(NULL, NULL, format, arguments);
  va_end(arguments);
}

void gt_warn(const char *format, ...) {
  if (current < GT_LOG_WARN) return;
  va_list arguments;
  va_start(arguments, format);
  message("warning:", "\033[1;35m", format, arguments);
  va_end(arguments);
}

void gt_log_error(const char *format, ...) {
  if (current < GT_LOG_ERROR) return;
  va_list arguments;
  va_start(arguments, format);
  message("error:", "\033[1;31m", format, arguments);
  va_end(arguments);
}

/* The next name in the list, and its length; NULL: there is none. */
static const char *next_name(const char *list, size_t *length) {
  if (!list) return NULL;
  list += strspn(list, ", ");
  *length = strcspn(list, ", ");
  return *length ? list : NULL;
}

bool gt_debug(const char *name) {
  size_t length;
  const char *item = next_name(getenv("GTRAIN_DEBUG"), &length);
  for (; item; item = next_name(item + length, &length))
    if (length == strlen(name) && !strncmp(item, name, length)) return true;
  return false;
}

void gt_debug_check(void) {
  static const char *const known[] = {"validation", "plan",    "graph", "matrix",
                                      "packed",     "float16", "cache", "straight"};
  enum { KNOWN = sizeof known / sizeof *known };
  size_t length;
  const char *item = next_name(getenv("GTRAIN_DEBUG"), &length);
  for (; item; item = next_name(item + length, &length)) {
    int k = 0;
    while (k < KNOWN && (strlen(known[k]) != length || strncmp(item, known[k], length))) k++;
    if (k == KNOWN)
      gt_warn(
          "GTRAIN_DEBUG: '%.*s' ignored: expected validation, plan, graph, matrix, packed, float16, cache or straight",
          (int)length, item);
  }
}
