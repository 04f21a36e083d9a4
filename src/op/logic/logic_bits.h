/* Logic gates on bits (src/op/logic/logic_bits.c): 32 samples a word, each gate what the first largest of its
 * logits says (op/logic/logic.h). None has a gradient. Words are I32. Sample s is bit s % 32 of word s / 32;
 * W words hold a batch, and the bits of the last one beyond it mean nothing.
 *
 * A gate as its algebraic normal form (Zhegalkin 1927), c0 ^ c1 a ^ c2 b ^ c3 ab: bit k of its code is ck. */
#ifndef GT_OP_LOGIC_BITS_H
#define GT_OP_LOGIC_BITS_H
#include "graph/graph.h"

/* Where a sample's n values lie: a word of each in turn, or all words of one after those of the other. */
typedef enum gt_words_order { GT_WORDS_BY_WORD, GT_WORDS_BY_VALUE } gt_words_order; /* [W, n]; [n, W] */

/* Words in a batch. */
static inline int64_t gt_logic_words(int64_t batch) { return (batch + 31) / 32; }

/* Logits F32 [gates, 16] to codes I32 [gates]. */
gt_id gt_logic_codes(gt_graph *graph, gt_id logits);
/* x F32 [B, n] to words: a bit is 1 where x > 0.5, 0 beyond the batch. */
gt_id gt_logic_pack(gt_graph *graph, gt_id x, gt_words_order order);
/* Words to F32 [B, n], 0 or 1. */
gt_id gt_logic_unpack(gt_graph *graph, gt_id words, int64_t batch, gt_words_order order);
/* A layer: x words [n, W], codes [G] and wiring I32 [2, G] (op/logic/logic.h) to words [G, W]. */
gt_id gt_logic_bits(gt_graph *graph, gt_id x, gt_id codes, gt_id wiring);
/* x words [n, W] to F32 [B, groups]: how many of each n / groups neighbouring values are 1, times scale. */
gt_id gt_logic_bits_sum(gt_graph *graph, gt_id x, int64_t batch, int64_t groups, double scale);

/* The words [n, W] of a node [B, …], n values a sample, that was unpacked from them, if also under another
 * shape, or is known to hold nothing but 0 and 1; else GT_NONE. */
gt_id gt_logic_words_of(gt_graph *graph, gt_id x);
#endif
