/* Signals during training. SIGINT, SIGTERM and SIGHUP: the first asks the loop to save and stop; a later
 * SIGINT or SIGTERM ends the process at once with 128 + its number. SIGUSR1 asks for a checkpoint only.
 * SIGPIPE is ignored: a run continues if the reader of its messages ends. Signals that were ignored when the
 * process started stay ignored. Process-wide, hence no object. */
#ifndef GT_TRAIN_SIGNALS_H
#define GT_TRAIN_SIGNALS_H
#include <stdbool.h>

/* Handles SIGUSR1 and SIGPIPE until the process ends. A SIGUSR1 that arrives before there is anything to save
 * takes effect at the first step. */
void gt_signals_prepare(void);
void gt_signals_catch(void);   /* the other signals */
void gt_signals_release(void); /* restores the previous handlers */
int gt_signal_received(void);  /* 0: none so far */
bool gt_save_wanted(void);
void gt_save_begins(void); /* resets the request */
#endif
