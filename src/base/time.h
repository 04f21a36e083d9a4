/* A clock, and times and rates as text. */
#ifndef GT_BASE_TIME_H
#define GT_BASE_TIME_H

double gt_seconds(void); /* time of a monotonic clock */
/* A duration, for all messages: "1:02:03", "4:05", "6.7 s", "12.34 ms", "12.34 us". */
const char *gt_duration(double seconds, char buffer[32]);
/* A training rate, for all messages: "65.9 k samples/s". */
const char *gt_samples_rate(double per_second, char buffer[48]);
#endif
