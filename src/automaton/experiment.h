/* gt_experiment: a simulation with a start and a target, which counts the cells of each board that differ
 * from the target. A target is a fixed board (a checkerboard, an image), or a rule, the Game of Life, which
 * computes each board from the previous one. Owner: the caller of open. */
#ifndef GT_AUTOMATON_EXPERIMENT_H
#define GT_AUTOMATON_EXPERIMENT_H
#include "automaton/simulation.h"
#include "data/ca.h"

typedef struct gt_experiment {
  const gt_circuit_ca *ca;
  const gt_ca_boards *boards; /* the target; NULL: none */
  gt_simulation simulation;
  int64_t height, width, cells;
  bool compare; /* boards are compared with the target, which fits this grid */
  /* [cells][boards->target_channels]: the channels that the target covers, of the current board and of the
   * target. */
  uint8_t *seen, *target;
  uint8_t *before;       /* [cells]: the board before a step, for the Game of Life */
  int64_t errors, total; /* wrong cells of the current board; of all boards after the first */
  int64_t since;         /* all boards from this one to the current one are without errors */
} gt_experiment;

/* Starts at board 0, all cells 0. The automaton and the boards belong to the caller and must outlive the
 * experiment. */
bool gt_experiment_open(gt_experiment *experiment, const gt_circuit_ca *ca, const gt_ca_boards *boards,
                        int64_t height, int64_t width, double fire_rate, uint64_t seed, gt_error *error);
void gt_experiment_close(gt_experiment *experiment); /* accepts a zeroed one */
/* Sets board 0 to this start; not for GT_CA_START_ALL, which stands for all possible boards. */
bool gt_experiment_start(gt_experiment *experiment, gt_ca_start start, gt_error *error);
/* From now on boards are compared with the target, if it fits the grid. False: GT_ERR_MEMORY. */
bool gt_experiment_enable_comparison(gt_experiment *experiment, gt_error *error);

/* True if boards are compared with the target, and the target is a rule. */
bool gt_experiment_has_rule(const gt_experiment *experiment);
/* Computes the next board. If the target is a rule, also counts its errors, before any damage. */
void gt_experiment_step(gt_experiment *experiment);
/* Applies the damage that is due on the current board. If the target is a fixed board, also counts the
 * errors, damage included. Must be called once for each board, board 0 too. */
void gt_experiment_damage(gt_experiment *experiment);
/* Mean number of wrong cells over all boards but the first, or of the first if it is the only one. */
double gt_experiment_mean_errors(const gt_experiment *experiment);
#endif
