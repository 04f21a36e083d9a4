/* SIGINT and SIGTERM during training: the first asks the loop to save and stop, the second ends the process
 * at once with 128 + its number. Process-wide, hence no object. */
#ifndef GT_TRAIN_SIGNALS_H
#define GT_TRAIN_SIGNALS_H
#include <stdbool.h>

void gt_signals_catch(void);
void gt_signals_release(void); /* back to the system's own behaviour */
int gt_signal_received(void);  /* 0 while there was none */
#endif
