/* gt_simulation: steps a board under the conditions of an experiment: whether all cells or a random part of
 * them are updated in a step, and what is damaged. Random numbers come from Philox, keyed by the seed and
 * counted by step and cell, so the same seed produces the same boards on any machine. Owner: the caller of
 * init. */
#ifndef GT_AUTOMATON_SIMULATION_H
#define GT_AUTOMATON_SIMULATION_H
#include "circuit/board.h"

/* Rectangles whose cells become 0, in all channels. Board 0 is the start, board n the result of step n. Board
 * n is damaged if n is first, first + every, … and at most last. */
typedef struct gt_damage {
  int64_t height, width;
  int64_t y, x;  /* position of the first cell, unless random */
  bool random;   /* a random position inside the board, drawn for each board */
  int64_t count; /* random: number of rectangles, which may overlap */
  int64_t first, last, every;
} gt_damage;

typedef struct gt_simulation {
  gt_board board;
  double fire_rate; /* probability that a cell is updated in a step; otherwise it keeps its state */
  uint64_t seed;
  const gt_damage *damage; /* owned by the caller; must fit the board */
  int damages;             /* number of elements in `damage` */
  int64_t step;            /* the number of the board, below 2^32 */
  uint8_t *fires;  /* [height][width] 1 for cells that were updated in the last step; NULL: all were */
  uint64_t *plane; /* `fires` as a plane of the board (gt_board_mask) */
} gt_simulation;

/* All cells 0, no damage. GT_ERR_MEMORY if it does not fit. */
bool gt_simulation_init(gt_simulation *simulation, const gt_circuit_ca *ca, uint32_t height, uint32_t width,
                        double fire_rate, uint64_t seed, gt_error *error);
void gt_simulation_finish(gt_simulation *simulation); /* accepts a zeroed one */
/* Sets each bit of the board to 1 with probability 1/2. False: GT_ERR_MEMORY. */
bool gt_simulation_randomize(gt_simulation *simulation, gt_error *error);
/* Computes the next board, without its damage. */
void gt_simulation_step(gt_simulation *simulation);
/* Applies the damage that is due on this board. */
void gt_simulation_damage(gt_simulation *simulation);
#endif
