/* Builders of the elementwise ops (src/op/elementwise.c), with NumPy broadcasting; F32 only. Mathematics as
 * PyTorch defines it: relu'(0) = 0; mod is torch.remainder (sign of the divisor); less gives 1.0 or 0.0; gelu
 * is the exact form x Φ(x) (Hendrycks and Gimpel 2016); silu x σ(x); softplus log(1 + e^x), computed without
 * overflow; pow of a negative base is defined for integral exponents, NaN otherwise; max and min give their
 * gradient to the larger (smaller) operand, half to each on a tie (abs'(0) = 0). */
#ifndef GT_OP_ELEMENTWISE_H
#define GT_OP_ELEMENTWISE_H
#include "op/op.h"

gt_id gt_constant(gt_graph *graph, double value); /* scalar, shape []; becomes an immediate of its users */
/* Uniform [0, 1) of a shape, new each step: Philox keyed by the clock's seed and step and this node's own
 * purpose. Never stored when fused: recomputed wherever it is used. */
gt_id gt_random(gt_graph *graph, gt_shape shape, gt_id clock);
gt_id gt_where(gt_graph *graph, gt_id condition, gt_id if_not_zero, gt_id otherwise);
gt_id gt_leaky_relu(gt_graph *graph, gt_id x, double slope);

struct gt_lowering;
struct gt_group;
/* How fusion encodes a node: its instruction, how many of its inputs are operands, and an operand that is a
 * number (a constant's value, a slope, the bits of a random stream's purpose), which follows them. False: not
 * elementwise. */
bool gt_elementwise_code(const gt_graph *graph, gt_id node, uint32_t *opcode, int *operands, float *immediate,
                         bool *has_immediate);
void gt_elementwise_lower(struct gt_lowering *lowering,
                          const struct gt_group *group); /* a group without leader */

#define GT_UNARY(name) \
  static inline gt_id gt_##name(gt_graph *graph, gt_id x) { return gt_apply(graph, #name, 1, x); }
#define GT_BINARY(name) \
  static inline gt_id gt_##name(gt_graph *graph, gt_id a, gt_id b) { return gt_apply(graph, #name, 2, a, b); }
GT_UNARY(neg)
GT_UNARY(exp)
GT_UNARY(log)
GT_UNARY(exp2)
GT_UNARY(log2)
GT_UNARY(sin)
GT_UNARY(cos)
GT_UNARY(sqrt)
GT_UNARY(reciprocal)
GT_UNARY(abs)
GT_UNARY(relu)
GT_UNARY(sigmoid)
GT_UNARY(tanh)
GT_UNARY(erf)
GT_UNARY(gelu)
GT_UNARY(silu)
GT_UNARY(softplus)
GT_UNARY(is_finite)     /* 1.0 or 0.0; no gradient */
GT_UNARY(sign)          /* -1, 0, 1; no gradient */
GT_UNARY(stop_gradient) /* the value itself; no gradient */
GT_BINARY(add)
GT_BINARY(sub)
GT_BINARY(mul)
GT_BINARY(div)
GT_BINARY(max)
GT_BINARY(min)
GT_BINARY(mod)
GT_BINARY(less)
GT_BINARY(pow)
#undef GT_UNARY
#undef GT_BINARY
#endif
