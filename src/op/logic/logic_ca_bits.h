/* The automaton of op/logic/logic_ca.h on bits (src/op/logic/logic_ca_bits.c): 32 boards per word; each gate
 * is the function with the largest logit, the first of equal ones. The op has no gradient and returns only
 * the last state. */
#ifndef GT_OP_LOGIC_CA_BITS_H
#define GT_OP_LOGIC_CA_BITS_H
#include "op/logic/logic_ca.h"

/* state I32 [words, H, W, C], codes I32 [gates] (op/logic/logic_bits.h), wiring I32 [2, wires] -> the last
 * state I32 [words, H, W, C]. clock: with fire_rate < 1, else GT_NONE. Cells fire as in gt_logic_ca, by one
 * random number per cell and step that the whole batch shares, but from this op's own random stream:
 * attribute->purpose is ignored, and so are the members for soft gates (rounding, sampling, bounded) and
 * final_only. */
gt_id gt_logic_ca_bits(gt_graph *graph, gt_id state, gt_id codes, gt_id wiring, gt_id clock,
                       const gt_logic_ca_attribute *attribute);
#endif
