/* Recurrent cells over time (src/op/recurrent/recurrent.c), with the formulas, gate order and layouts of
 * torch.nn.LSTM, GRU and RNN:
 *
 * - LSTM (Hochreiter and Schmidhuber, "Long Short-Term Memory", 1997, with the forget gate of Gers,
 *   Schmidhuber and Cummins, 2000), gates i, f, g, o: c = f c' + i g, h = o tanh(c).
 *
 * - GRU (Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder", 2014), gates r, z, n:
 *   n = tanh(x_n + r (W_hn h' + b_hn)), h = (1 - z) n + z h'. The bias b_hn is multiplied by r, so it cannot
 *   be added to x_n.
 *
 * - RNN (Elman, "Finding Structure in Time", 1990): h = tanh(x + W_hh h'), or relu.
 *
 * The op computes only the recurrence: its input `gates` is the GEMM of all steps' inputs with W_ih, with the
 * biases added (except those of a GRU's hidden product, which are an input of the op), and the gradients of
 * the weights are GEMMs over all steps. Everything is time-major, and the op's value holds T + 1 states: the
 * zeros before the first step, and h after each step. So h after each step (the result of gt_recurrent) and h
 * before each step are views of it, and the gradient of W_hh is one GEMM with K = T B.
 *
 * With lengths, row b has lengths[b] steps, in [0, T]; a reversed recurrence begins at step lengths[b] - 1.
 * Results after the end of a row are 0, as in torch.nn.utils.rnn.pad_packed_sequence, and `gates` is not read
 * there.
 *
 * Only first derivatives exist. */
#ifndef GT_OP_RECURRENT_H
#define GT_OP_RECURRENT_H
#include "graph/graph.h"

typedef enum gt_cell { GT_CELL_LSTM, GT_CELL_GRU, GT_CELL_RNN_TANH, GT_CELL_RNN_RELU } gt_cell;

typedef struct gt_recurrent_input {
  gt_cell cell;
  gt_id gates;   /* F32 [T, B, G H]: G gates (gt_cell_gates), each of H units */
  gt_id w_hh;    /* F32 [G H, H] */
  gt_id bias;    /* GRU: F32 [3 H], the bias of the hidden product, or GT_NONE; other cells: ignored */
  gt_id lengths; /* I32 [B]; GT_NONE: T for all */
  bool reverse;  /* from the last step to the first */
} gt_recurrent_input;

uint32_t gt_cell_gates(gt_cell cell); /* 4, 3 or 1 */
/* The outputs h of all steps [T, B, H]. */
gt_id gt_recurrent(gt_graph *graph, const gt_recurrent_input *input);
/* h after the last step of each row [B, H], from the result of gt_recurrent; only without lengths or if
 * reversed. */
gt_id gt_recurrent_last(gt_graph *graph, gt_id outputs);
#endif
