/* Messages to stderr, colored like gcc's (base/terminal.h decides when). Results never go here: they go to
 * stdout. */
#ifndef GT_BASE_LOG_H
#define GT_BASE_LOG_H
#include <stdbool.h>

typedef enum gt_log_level { GT_LOG_QUIET, GT_LOG_ERROR, GT_LOG_WARN, GT_LOG_INFO } gt_log_level;

gt_log_level gt_log_set_level(gt_log_level level); /* returns the previous level */
void gt_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void gt_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));      /* "warning: …" */
void gt_log_error(const char *format, ...) __attribute__((format(printf, 1, 2))); /* "error: …" */
bool gt_log_color(void); /* true if stderr takes colors */
/* Columns for gt_log_status, which change when a window is resized; 0: stderr is not a terminal that can
 * redraw a line. */
int gt_log_width(void);
/* Draws a line, shorter than gt_log_width, which the next status or message replaces. NULL removes it. */
void gt_log_status(const char *line);

/* True if NAME is in the comma-separated list of environment variable GTRAIN_DEBUG (validation, plan, graph,
 * …). */
bool gt_debug(const char *name);
void gt_debug_check(void); /* warns about unknown names in GTRAIN_DEBUG */
#endif
