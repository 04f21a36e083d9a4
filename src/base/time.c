#include "base/time.h"
#include "base/text.h"
#include <math.h>
#include <stdio.h>
#include <time.h>

double gt_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const char *gt_duration(double seconds, char buffer[32]) {
  const long long whole = seconds < 1e12 && seconds >= 0 ? llround(seconds) : 0;
  if (seconds > 0 && seconds < 0.999995e-3)
    snprintf(buffer, 32, "%.2f us", 1e6 * seconds);
  else if (seconds > 0 && seconds < 0.999995)
    snprintf(buffer, 32, "%.2f ms", 1e3 * seconds);
  else if (seconds < 59.95)
    snprintf(buffer, 32, "%.1f s", seconds);
  else if (seconds < 3599.5)
    snprintf(buffer, 32, "%lld:%02lld", whole / 60, whole % 60);
  else
    snprintf(buffer, 32, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
  return buffer;
}

const char *gt_samples_rate(double per_second, char buffer[48]) {
  char count[32];
  snprintf(buffer, 48, "%s samples/s", gt_human_count(per_second, count));
  return buffer;
}
