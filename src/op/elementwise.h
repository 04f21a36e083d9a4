/* Builders of the elementwise ops (src/op/elementwise.c), with NumPy broadcasting; F32 only. Mathematics as
 * PyTorch defines it: relu'(0) = 0; mod is torch.remainder (sign of the divisor); less, equal and is_finite
 * return 1.0 or 0.0; where(a, b, c) is b if a is not 0, else c; gelu is the exact form x Φ(x) (Hendrycks and
 * Gimpel 2016); silu x σ(x); softplus log(1 + e^x), computed without overflow; pow of a negative base is
 * defined for integral exponents, NaN otherwise; the gradient of max and min goes to the larger (smaller)
 * operand, half to each on a tie (abs'(0) = 0). */
#ifndef GT_OP_ELEMENTWISE_H
#define GT_OP_ELEMENTWISE_H
#include "lib/opcodes.h"
#include "op/op.h"

gt_id gt_constant(gt_graph *graph,
                  double value); /* scalar, shape []; becomes an immediate of its consumers */
/* Uniform random numbers in [0, 1), new in each step: Philox keyed by the clock's seed and step and a purpose
 * of this node. If fused, they are not stored but recomputed by each consumer. */
gt_id gt_random(gt_graph *graph, gt_shape shape, gt_id clock);
gt_id gt_leaky_relu(gt_graph *graph, gt_id x, double slope);

struct gt_lowering;
struct gt_group;
/* How fusion encodes a node: its instruction, the number of its inputs that are operands, and possibly an
 * immediate operand after them (the value of a constant, a slope, the bits of a random stream's purpose).
 * False if the node is not elementwise. */
bool gt_elementwise_code(const gt_graph *graph, gt_id node, uint32_t *opcode, int *operands, float *immediate,
                         bool *has_immediate);
/* Emits the step of a group without leader. */
void gt_elementwise_lower(struct gt_lowering *lowering, const struct gt_group *group);

/* gt_exp(graph, x), gt_add(graph, a, b), … for each instruction (shaders/lib/opcodes.h). less, equal,
 * is_finite, sign and stop_gradient (the identity) have no gradient. */
#define GT_BUILDER_0(name)
#define GT_BUILDER_1(name) \
  static inline gt_id gt_##name(gt_graph *graph, gt_id x) { return gt_apply(graph, #name, 1, x); }
#define GT_BUILDER_2(name) \
  static inline gt_id gt_##name(gt_graph *graph, gt_id a, gt_id b) { return gt_apply(graph, #name, 2, a, b); }
#define GT_BUILDER_3(name)                                                    \
  static inline gt_id gt_##name(gt_graph *graph, gt_id a, gt_id b, gt_id c) { \
    return gt_apply(graph, #name, 3, a, b, c);                                \
  }
#define GT_BUILDER(opcode, NAME, name, inputs, ...) GT_BUILDER_##inputs(name)
GT_INSTRUCTIONS(GT_BUILDER)
#undef GT_BUILDER
#undef GT_BUILDER_0
#undef GT_BUILDER_1
#undef GT_BUILDER_2
#undef GT_BUILDER_3
#endif
