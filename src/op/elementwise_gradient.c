/* Gradients use the value y of the op if that is cheaper than recomputing it from the input; y is often
 * stored for another consumer anyway. Kinks and the ends of domains follow PyTorch. */
#include "op/elementwise_gradient.h"
#include "op/elementwise.h"
#include "op/reduce.h"

/* Sets the gradient of input i; the input may have been broadcast to the shape of `value`. */
static void set_gradient(gt_graph *graph, gt_id node, int i, gt_id value, gt_id *input_gradient) {
  const gt_id input = gt_node_at(graph, node)->input[i];
  input_gradient[i] = gt_sum_to(graph, value, gt_node_at(graph, input)->shape);
}

static gt_id input_of(const gt_graph *graph, gt_id node, int i) { return gt_node_at(graph, node)->input[i]; }

static gt_id times(gt_graph *graph, gt_id x, double factor) {
  return gt_mul(graph, x, gt_constant(graph, factor));
}

static gt_id one_minus(gt_graph *graph, gt_id x) { return gt_sub(graph, gt_constant(graph, 1.0), x); }

/* --- two and three inputs ------------------------------------------------------------------------------- */

#define BINARY(name)                                                                  \
  GT_GRADIENT(name) {                                                                 \
    const gt_id a = input_of(graph, node, 0), b = input_of(graph, node, 1), y = node, \
                dy = output_gradient[0];                                              \
    (void)a, (void)b, (void)y;
#define FIRST(value) \
  if (wanted[0]) set_gradient(graph, node, 0, (value), input_gradient)
#define SECOND(value) \
  if (wanted[1]) set_gradient(graph, node, 1, (value), input_gradient)
#define END }

/* clang-format off */
BINARY(add)
  FIRST(dy);
  SECOND(dy);
END

BINARY(sub)
  FIRST(dy);
  SECOND(gt_neg(graph, dy));
END

BINARY(mul)
  FIRST(gt_mul(graph, dy, b));
  SECOND(gt_mul(graph, dy, a));
END

BINARY(div)
  const gt_id quotient = gt_div(graph, dy, b);
  FIRST(quotient);
  SECOND(gt_neg(graph, gt_mul(graph, quotient, y)));
END

BINARY(mod) /* y = a - b floor(a / b), so dy/db = -floor(a / b) = (y - a) / b */
  FIRST(dy);
  SECOND(gt_mul(graph, dy, gt_div(graph, gt_sub(graph, y, a), b)));
END

BINARY(pow) /* zero, not 0 * inf, where the exponent or the base is 0 */
  const gt_id zero = gt_constant(graph, 0.0);
  FIRST(gt_mul(graph, dy, gt_where(graph, b, gt_mul(graph, b, gt_pow(graph, a,
      gt_sub(graph, b, gt_constant(graph, 1.0)))), zero)));
  SECOND(gt_mul(graph, dy, gt_where(graph, a, gt_mul(graph, y, gt_log(graph, a)), zero)));
END
/* dy where lesser < greater, half of it on a tie, else 0. */
static gt_id divide_on_tie(gt_graph *graph, gt_id dy, gt_id lesser, gt_id greater) {
  const gt_id tie = gt_equal(graph, lesser, greater);
  const gt_id share = gt_where(graph, tie, gt_constant(graph, 0.5), gt_less(graph, lesser, greater));
  return gt_mul(graph, dy, share);
}

BINARY(max)
  FIRST(divide_on_tie(graph, dy, b, a));
  SECOND(divide_on_tie(graph, dy, a, b));
END

BINARY(min)
  FIRST(divide_on_tie(graph, dy, a, b));
  SECOND(divide_on_tie(graph, dy, b, a));
END
/* clang-format on */

GT_GRADIENT(where) {
  const gt_id condition = input_of(graph, node, 0), zero = gt_constant(graph, 0.0);
  if (wanted[1])
    set_gradient(graph, node, 1, gt_where(graph, condition, output_gradient[0], zero), input_gradient);
  if (wanted[2])
    set_gradient(graph, node, 2, gt_where(graph, condition, zero, output_gradient[0]), input_gradient);
}

/* --- one input ------------------------------------------------------------------------------------------ */

#define UNARY(name, value)                                                       \
  GT_GRADIENT(name) {                                                            \
    const gt_id a = input_of(graph, node, 0), y = node, dy = output_gradient[0]; \
    (void)a, (void)y;                                                            \
    if (wanted[0]) input_gradient[0] = (value);                                  \
  }

#define LN2               0.69314718055994530942
#define TWO_OVER_SQRT_PI  1.12837916709551257390
#define SQRT_HALF         0.70710678118654752440
#define ONE_OVER_SQRT_2PI 0.39894228040143267794

UNARY(neg, gt_neg(graph, dy))
UNARY(exp, gt_mul(graph, dy, y))
UNARY(log, gt_div(graph, dy, a))
UNARY(exp2, gt_mul(graph, dy, times(graph, y, LN2)))
UNARY(log2, gt_div(graph, times(graph, dy, 1.0 / LN2), a))
UNARY(sin, gt_mul(graph, dy, gt_cos(graph, a)))
UNARY(cos, gt_neg(graph, gt_mul(graph, dy, gt_sin(graph, a))))
UNARY(atan, gt_div(graph, dy, gt_add(graph, gt_mul(graph, a, a), gt_constant(graph, 1.0))))
UNARY(sqrt, gt_div(graph, times(graph, dy, 0.5), y))
UNARY(reciprocal, gt_neg(graph, gt_mul(graph, dy, gt_mul(graph, y, y))))
UNARY(abs, gt_mul(graph, dy, gt_sign(graph, a)))
/* y is 0 exactly where the gradient is 0. */
UNARY(relu, gt_where(graph, y, dy, gt_constant(graph, 0.0)))
UNARY(sigmoid, gt_mul(graph, dy, gt_mul(graph, y, one_minus(graph, y))))
UNARY(tanh, gt_mul(graph, dy, one_minus(graph, gt_mul(graph, y, y))))
UNARY(softplus, gt_mul(graph, dy, gt_sigmoid(graph, a)))

static gt_id exp_of_square(gt_graph *graph, gt_id x, double factor) {
  return gt_exp(graph, gt_mul(graph, x, times(graph, x, factor)));
}

UNARY(erf, gt_mul(graph, dy, times(graph, exp_of_square(graph, a, -1.0), TWO_OVER_SQRT_PI)))

GT_GRADIENT(leaky_relu) {
  if (!wanted[0]) return;
  const double slope = gt_leaky_relu_slope(gt_node_at(graph, node));
  /* With a positive slope the value has the sign of the input, so the input is not kept. */
  const gt_id same_sign = slope > 0.0 ? node : input_of(graph, node, 0);
  const gt_id positive = gt_less(graph, gt_constant(graph, 0.0), same_sign);
  input_gradient[0] = gt_where(graph, positive, output_gradient[0], times(graph, output_gradient[0], slope));
}

GT_GRADIENT(gelu) { /* Phi(a) + a phi(a) */
  if (!wanted[0]) return;
  const gt_id a = input_of(graph, node, 0);
  const gt_id twice_cdf = gt_add(graph, gt_erf(graph, times(graph, a, SQRT_HALF)), gt_constant(graph, 1.0));
  const gt_id density = times(graph, exp_of_square(graph, a, -0.5), ONE_OVER_SQRT_2PI);
  const gt_id slope = gt_add(graph, times(graph, twice_cdf, 0.5), gt_mul(graph, a, density));
  input_gradient[0] = gt_mul(graph, output_gradient[0], slope);
}

GT_GRADIENT(silu) { /* s + a s (1 - s) = s + y (1 - s) */
  if (!wanted[0]) return;
  const gt_id s = gt_sigmoid(graph, input_of(graph, node, 0));
  const gt_id slope = gt_add(graph, s, gt_mul(graph, node, one_minus(graph, s)));
  input_gradient[0] = gt_mul(graph, output_gradient[0], slope);
}
