/* Logic gates on bits (src/op/logic/logic_bits.c): 32 samples per word; each gate is the function with the
 * largest logit, the first of equal ones (op/logic/logic.h). The ops have no gradients. Words are I32. Sample
 * s is bit s % 32 of word s / 32; a batch has W words, and the bits of the last word beyond the batch are
 * undefined.
 *
 * The code of a gate is its algebraic normal form (Zhegalkin 1927), c0 ^ c1 a ^ c2 b ^ c3 ab: bit k is ck. */
#ifndef GT_OP_LOGIC_BITS_H
#define GT_OP_LOGIC_BITS_H
#include "graph/graph.h"

/* The memory order of words and values: [W, n] (by word) or [n, W] (by value). */
typedef enum gt_words_order { GT_WORDS_BY_WORD, GT_WORDS_BY_VALUE } gt_words_order;

/* Words per batch. */
static inline int64_t gt_logic_words(int64_t batch) { return (batch + 31) / 32; }

/* Logits F32 [gates, 16] to codes I32 [gates]. */
gt_id gt_logic_codes(gt_graph *graph, gt_id logits);
/* x F32 [B, n] to words: a bit is 1 if x > 0.5; bits beyond the batch are 0. */
gt_id gt_logic_pack(gt_graph *graph, gt_id x, gt_words_order order);
/* Words to F32 [B, n], 0 or 1. */
gt_id gt_logic_unpack(gt_graph *graph, gt_id words, int64_t batch, gt_words_order order);
/* A layer: x words [n, W], codes [G] and wiring I32 [2, G] (op/logic/logic.h) to words [G, W]. */
gt_id gt_logic_bits(gt_graph *graph, gt_id x, gt_id codes, gt_id wiring);
/* x words [n, W] to F32 [B, groups]: the number of ones in each group of n / groups consecutive values, times
 * scale. */
gt_id gt_logic_bits_sum(gt_graph *graph, gt_id x, int64_t batch, int64_t groups, double scale);

/* The words [n, W] of a node [B, …] with n values per sample: the words that it was unpacked from, also
 * through reshapes; otherwise, if all its values are known to be 0 or 1, it is packed; else GT_NONE. */
gt_id gt_logic_words_of(gt_graph *graph, gt_id x);
#endif
