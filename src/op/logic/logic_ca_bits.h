/* The automaton of op/logic/logic_ca.h on bits (src/op/logic/logic_ca_bits.c): 32 boards a word, each gate
 * what the first largest of its logits says. It has no gradient and keeps no state but the last. */
#ifndef GT_OP_LOGIC_CA_BITS_H
#define GT_OP_LOGIC_CA_BITS_H
#include "op/logic/logic_ca.h"

/* state I32 [words, H, W, C], codes I32 [gates] (op/logic/logic_bits.h), wiring I32 [2, wires] -> the last
 * state I32 [words, H, W, C]. clock: with fire_rate < 1, else GT_NONE; the numbers drawn are those of
 * gt_logic_ca. Of the attribute rounding, sampling and final_only are not used, and the purpose is set here.
 */
gt_id gt_logic_ca_bits(gt_graph *graph, gt_id state, gt_id codes, gt_id wiring, gt_id clock,
                       const gt_logic_ca_attribute *attribute);
#endif
