/* Trees of gates over an image of bits, with OR pooling (src/op/logic/logic_conv_bits.c): the op of
 * op/logic/logic_conv.h on words of 32 samples; each gate is the function with the largest logit, the first
 * of equal ones (op/logic/logic_bits.h), so the maximum of a window is the OR of its words. The op has no
 * gradient. */
#ifndef GT_OP_LOGIC_CONV_BITS_H
#define GT_OP_LOGIC_CONV_BITS_H
#include "op/logic/logic_conv.h"

/* x words [height, width, channels, W], codes I32 [K (L - 1)], tree by tree, wiring I32 [K, L] -> words
 * [rows, columns, K, W]. */
gt_id gt_logic_conv_bits(gt_graph *graph, gt_id x, gt_id codes, gt_id wiring,
                         const gt_logic_conv_attribute *attribute);
#endif
