/* gt_simulation: a board that is stepped under the conditions of an experiment: every cell in every step or
 * each with some probability, and with damage. Random numbers are Philox's, keyed by the seed and counted by
 * step and cell: the same seed gives the same boards on any machine. Owner: whoever inits it. */
#ifndef GT_AUTOMATON_SIMULATION_H
#define GT_AUTOMATON_SIMULATION_H
#include "circuit/board.h"

/* Rectangles whose cells become 0, in all channels. Boards are counted from 0, the start; board n is what
 * step n gave. Board n is damaged if n is first, first + every, … and at most last. */
typedef struct gt_damage {
  int64_t height, width;
  int64_t y, x;  /* of the first cell; not if random */
  bool random;   /* anywhere inside the board, drawn anew for each board */
  int64_t count; /* random: so many rectangles, which may overlap */
  int64_t first, last, every;
} gt_damage;

typedef struct gt_simulation {
  gt_board board;
  double fire_rate; /* a cell takes its new state with this probability, else it keeps its own */
  uint64_t seed;
  const gt_damage *damage; /* the caller's; it fits the board */
  int damages;
  int64_t step;    /* the number of the board, below 2^32 */
  uint8_t *fires;  /* [height][width] of the last step, 1 for cells that took it; NULL: all did */
  uint64_t *plane; /* the same as the board wants it */
} gt_simulation;

/* All cells 0, no damage. GT_ERR_MEMORY if it does not fit. */
bool gt_simulation_init(gt_simulation *simulation, const gt_circuit_ca *ca, uint32_t height, uint32_t width,
                        double fire_rate, uint64_t seed, gt_error *error);
void gt_simulation_finish(gt_simulation *simulation); /* accepts a zeroed one */
/* Each bit of the board 1 with probability 1/2. GT_ERR_MEMORY. */
bool gt_simulation_randomize(gt_simulation *simulation, gt_error *error);
/* To the next board, without its damage. */
void gt_simulation_step(gt_simulation *simulation);
/* The damage that is due on this board. */
void gt_simulation_damage(gt_simulation *simulation);
#endif
