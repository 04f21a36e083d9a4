#include "base/error.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool record(gt_error *error, gt_status status, const char *format, va_list arguments) {
  if (!error || error->status != GT_OK) return false;
  error->status = status;
  vsnprintf(error->message, sizeof error->message, format, arguments);
  return true;
}

bool gt_fail(gt_error *error, gt_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  record(error, status, format, arguments);
  va_end(arguments);
  return false;
}

bool gt_fail_errno(gt_error *error, gt_status status, const char *format, ...) {
  const int number = errno;
  if (number == ENOMEM) status = GT_ERR_MEMORY;
  va_list arguments;
  va_start(arguments, format);
  if (record(error, status, format, arguments)) {
    const size_t used = strlen(error->message);
    snprintf(error->message + used, sizeof error->message - used, ": %s", strerror(number));
  }
  va_end(arguments);
  return false;
}

void gt_error_append(gt_error *error, const char *format, ...) {
  va_list arguments;
  if (error->status == GT_OK) return;
  const size_t used = strlen(error->message);
  va_start(arguments, format);
  vsnprintf(error->message + used, sizeof error->message - used, format, arguments);
  va_end(arguments);
}
