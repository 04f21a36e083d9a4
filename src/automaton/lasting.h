/* gt_lasting: whether a board stays. Cells that differ from a target that does not change (a checkerboard, a
 * picture), after 1, 2, 4 and 10 times the steps of the training. Training holds an automaton to the board of
 * its last steps only: what comes after is whatever the rule makes of it. */
#ifndef GT_AUTOMATON_LASTING_H
#define GT_AUTOMATON_LASTING_H
#include "automaton/experiment.h"

enum { GT_LASTING = 4 };
extern const int64_t gt_lasting_times[GT_LASTING];

typedef struct gt_lasting {
  int64_t trained;            /* steps of the training */
  int64_t cells;              /* of all boards that were looked at */
  int64_t errors[GT_LASTING]; /* of those cells */
  int known;                  /* so many of `errors`: a run may end before */
} gt_lasting;

/* True if the experiment has a target that stays the same; under a rule each board follows from the one
 * before. */
bool gt_lasting_applies(const gt_experiment *experiment);
/* Looks at the board of an experiment with compared cells, each board in turn. */
void gt_lasting_look(gt_lasting *lasting, const gt_experiment *experiment);
int64_t gt_lasting_end(const gt_lasting *lasting); /* the last step of interest */

/* Boards as in training: from the config's start, on its grid, without damage; 10 of them, with seeds 1 to
 * 10, where chance has a part. *out is left zeroed, known: 0, where there is no such start or target. */
bool gt_lasting_measure(gt_lasting *out, const gt_circuit_ca *ca, const gt_ca_boards *boards,
                        double fire_rate, int64_t steps, gt_error *error);
#endif
