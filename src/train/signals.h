/* Signals of a training. SIGINT, SIGTERM and SIGHUP: the first asks the loop to save and stop; a second
 * SIGINT or SIGTERM, a moment later, ends the process at once with 128 + its number. SIGUSR1 asks for a
 * checkpoint and nothing else. SIGPIPE: a reader of our messages who goes away ends no run. What was to be
 * ignored when the process began stays ignored. Process-wide, hence no object. */
#ifndef GT_TRAIN_SIGNALS_H
#define GT_TRAIN_SIGNALS_H
#include <stdbool.h>

/* SIGUSR1 and SIGPIPE, from here to the end of the process: before there is anything to save, SIGUSR1 is kept
 * for the first step. */
void gt_signals_prepare(void);
void gt_signals_catch(void);   /* the others */
void gt_signals_release(void); /* as they were before */
int gt_signal_received(void);  /* 0 while there was none */
bool gt_save_wanted(void);
void gt_save_begins(void); /* a wish from now on is another one */
#endif
