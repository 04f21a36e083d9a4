/* Signals during training. SIGINT, SIGTERM and SIGHUP: the first one makes the loop save and stop; a later
 * SIGINT or SIGTERM ends the process at once with exit code 128 + its number. SIGUSR1 requests only a
 * checkpoint. SIGPIPE is ignored: a run continues if the reader of its messages ends. Signals that were
 * ignored when the process started stay ignored. The state is static, because signal handlers belong to the
 * process. */
#ifndef GT_TRAIN_SIGNALS_H
#define GT_TRAIN_SIGNALS_H
#include <stdbool.h>

/* Handles SIGUSR1 and SIGPIPE until the process ends. A SIGUSR1 before the first step has effect after it. */
void gt_signals_prepare(void);
void gt_signals_catch(void);   /* handles the other signals */
void gt_signals_release(void); /* restores the previous handlers */
int gt_signal_received(void);  /* number of the first signal to stop; 0: none so far */
bool gt_save_requested(void);
void gt_save_acknowledge(void); /* resets gt_save_requested */
#endif
