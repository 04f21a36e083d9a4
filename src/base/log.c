#include "base/log.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gt_log_level current = GT_LOG_INFO;

void gt_log_set_level(gt_log_level level) { current = level; }

bool gt_log_color(void) {
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  return !(no && *no) && isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
}

/* The stream stays locked for the line, so that lines of several threads do not mix. */
static void message(const char *label, const char *color, const char *format, va_list arguments) {
  flockfile(stderr);
  if (label) fprintf(stderr, gt_log_color() ? "%s%s\033[0m " : "%.0s%s ", color, label);
  vfprintf(stderr, format, arguments);
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
  message("warning:", "\033[1;33m", format, arguments);
  va_end(arguments);
}

void gt_log_error(const char *format, ...) {
  if (current < GT_LOG_ERROR) return;
  va_list arguments;
  va_start(arguments, format);
  message("error:", "\033[1;31m", format, arguments);
  va_end(arguments);
}

bool gt_debug(const char *name) {
  const char *list = getenv("GTRAIN_DEBUG");
  const size_t length = strlen(name);
  while (list && *list) {
    size_t item = strcspn(list, ", ");
    if (item == length && !strncmp(list, name, length)) return true;
    list += item;
    list += strspn(list, ", ");
  }
  return false;
}
