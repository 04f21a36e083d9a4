/* gt_board: the state of a logic cellular automaton as bits, and its step: the circuit of one cell,
 * bit-sliced over the board. Each channel is a plane of bits with a frame one cell wide around it; rows
 * follow each other without gaps: row y, column x is bit 64 + (y+1)*(width+2) + x+1. In this layout the
 * neighbour in any of the eight directions is the same plane shifted by a constant, and a block of
 * GT_BLOCK_BITS cells is stepped at once for any width. Only the frame must be filled again after each step
 * (from the opposite side of a torus, or with zeros). Owner: the caller of init. A board holds the working
 * memory of its step, so only one thread may step it. */
#ifndef GT_CIRCUIT_BOARD_H
#define GT_CIRCUIT_BOARD_H
#include "circuit/sliced.h"

typedef struct gt_board {
  const gt_circuit_ca *ca;
  gt_sliced *sliced;
  uint32_t height, width;
  size_t stride, words;   /* bits of a row with frame; words of a plane with margins for shifted reads */
  uint64_t *state, *next; /* [channels][words]; the frame of state is filled */
  uint64_t *memory;       /* working memory of the circuit */
} gt_board;

/* All cells 0. The automaton must outlive the board. False (GT_ERR_MEMORY) if it does not fit. */
bool gt_board_init(gt_board *board, const gt_circuit_ca *ca, uint32_t height, uint32_t width,
                   gt_error *error);
void gt_board_finish(gt_board *board); /* accepts a zeroed one */

/* Sets or returns the state of all cells: cells[height][width][channels] of 0 and 1. */
void gt_board_write(gt_board *board, const uint8_t *cells);
void gt_board_read(const gt_board *board, uint8_t *cells);
/* Returns one channel of all cells in cells[(y*width + x)*stride]. */
void gt_board_channel(const gt_board *board, uint32_t channel, uint8_t *cells, size_t stride);

/* Computes one step. changes, if not NULL, is a plane in the board's layout (gt_board_mask): cells whose bit
 * is 0 keep their state, for asynchronous automata. */
void gt_board_step(gt_board *board, const uint64_t *changes);
/* Packs cells[height][width] into a plane; to: [board->words]. */
void gt_board_mask(const gt_board *board, const uint8_t *cells, uint64_t *to);
/* Damage: sets all channels of a rectangle, clipped at the edges, to 0. */
void gt_board_clear(gt_board *board, int64_t y, int64_t x, int64_t height, int64_t width);
#endif
