/* Gradients of elementwise ops: gt_gradient_NAME for each instruction with SLOPE (shaders/lib/opcodes.h). */
#ifndef GT_OP_ELEMENTWISE_GRADIENT_H
#define GT_OP_ELEMENTWISE_GRADIENT_H
#include "graph/graph.h"
#include "lib/opcodes.h"

#define GT_GRADIENT(name)                                                                                \
  void gt_gradient_##name(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted, \
                          gt_id *input_gradient)
#define GT_GRADIENT_SLOPE(name) GT_GRADIENT(name);
#define GT_GRADIENT_FLAT(name)
#define GT_DECLARE(opcode, NAME, name, inputs, slope, ...) GT_GRADIENT_##slope(name)
GT_INSTRUCTIONS(GT_DECLARE)
#undef GT_DECLARE
#undef GT_GRADIENT_FLAT
#undef GT_GRADIENT_SLOPE

double gt_leaky_relu_slope(const gt_node *node);
#endif
