/* gt_experiment: a simulation that is held to a target: how it starts, and how many cells of each board
 * differ from what they should be. A target is a board (a checkerboard, a picture), or a rule, that of the
 * Game of Life, by which every board follows from the one before. Owner: whoever opens it. */
#ifndef GT_AUTOMATON_EXPERIMENT_H
#define GT_AUTOMATON_EXPERIMENT_H
#include "automaton/simulation.h"
#include "data/ca.h"

typedef struct gt_experiment {
  const gt_circuit_ca *ca;
  const gt_ca_boards *boards; /* the target; NULL: none */
  gt_simulation simulation;
  int64_t height, width, cells;
  bool compare;           /* there is a target on this grid */
  uint8_t *seen, *target; /* [cells][boards->seen] */
  uint8_t *before;        /* [cells]: the board before a step, for the Game of Life */
  int64_t errors, total;  /* of the board; of all boards after the first */
  int64_t since;          /* no board from this one on has errors */
} gt_experiment;

/* Board 0, all cells 0. The automaton and the boards are the caller's and must live as long. */
bool gt_experiment_open(gt_experiment *experiment, const gt_circuit_ca *ca, const gt_ca_boards *boards,
                        int64_t height, int64_t width, double fire_rate, uint64_t seed, gt_error *error);
void gt_experiment_close(gt_experiment *experiment); /* accepts a zeroed one */
/* Board 0 as the start has it; GT_CA_START_ALL is none. */
bool gt_experiment_start(gt_experiment *experiment, gt_ca_start start, gt_error *error);
/* From now on boards are compared, where the target fits on the grid. */
bool gt_experiment_aim(gt_experiment *experiment, gt_error *error);

bool gt_experiment_by_rule(const gt_experiment *experiment);
/* The next board; errors are counted before its damage if the target is a rule, which is not to blame for it,
 * … */
void gt_experiment_step(gt_experiment *experiment);
/* … and else behind it: the board as it is now is done with. Also for board 0. */
void gt_experiment_damage(gt_experiment *experiment);
/* Of all boards but the first; of the first, if it is the only one. */
double gt_experiment_mean_errors(const gt_experiment *experiment);
#endif
