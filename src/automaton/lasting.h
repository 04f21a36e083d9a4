/* gt_lasting: measures how long an automaton keeps the board that it was trained for: the number of cells
 * that differ from a fixed target (a checkerboard, an image) after 1, 2, 4 and 10 times the steps of
 * training. Training compares only the last boards with the target, so later boards may drift away from
 * it. */
#ifndef GT_AUTOMATON_LASTING_H
#define GT_AUTOMATON_LASTING_H
#include "automaton/experiment.h"

enum { GT_LASTING = 4 };
extern const int64_t gt_lasting_times[GT_LASTING]; /* 1, 2, 4, 10 */

typedef struct gt_lasting {
  int64_t trained;            /* number of steps that the automaton makes for a sample in training */
  int64_t cells;              /* number of cells of a board, times the number of runs */
  int64_t errors[GT_LASTING]; /* wrong cells after gt_lasting_times[i] * trained steps, of `cells` */
  int known;                  /* number of valid entries in `errors`: a run may end earlier */
} gt_lasting;

/* True if the experiment compares its boards with a fixed target, not with a rule. */
bool gt_lasting_applies(const gt_experiment *experiment);
/* Records the errors of the current board of an experiment; call it for each board in turn. */
void gt_lasting_record(gt_lasting *lasting, const gt_experiment *experiment);
int64_t gt_lasting_last_step(const gt_lasting *lasting); /* the last step that is recorded */

/* Runs the automaton as in training: from the config's start, on its grid, without damage. If the start or
 * the updates are random, sums 10 runs with seeds 1 to 10. steps: those of training (out->trained). If the
 * config has no single start or no fixed target, nothing is measured (out->known is 0). */
bool gt_lasting_measure(gt_lasting *out, const gt_circuit_ca *ca, const gt_ca_boards *boards,
                        double fire_rate, int64_t steps, gt_error *error);
#endif
