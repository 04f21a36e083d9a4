/* Elementwise layers without settings, one line each, and leaky_relu. Mathematics: op/elementwise.h. */
#include "layer/layer.h"
#include "op/elementwise.h"

static const gt_field no_fields[] = {{.name = NULL}};

#define ACTIVATION(op, text, ...)                                                    \
  static gt_id build_##op(gt_build *build, const void *config, const gt_id *input) { \
    (void)config;                                                                    \
    return gt_##op(build->graph, input[0]);                                          \
  }                                                                                  \
  GT_WITH_SCHEMA(layer, op, text, no_fields, NULL, .family = GT_LAYER_ACTIVATION,    \
                 .features = GT_FEATURES_KEPT, .build = build_##op, __VA_ARGS__)

GT_REGISTER(layer, relu)
ACTIVATION(relu, "max(x, 0)")
GT_REGISTER(layer, sigmoid)
ACTIVATION(sigmoid, "1 / (1 + exp(-x))", .applies = "sigmoid")
GT_REGISTER(layer, tanh)
ACTIVATION(tanh, "hyperbolic tangent")
GT_REGISTER(layer, gelu)
ACTIVATION(gelu, "x * Phi(x), Phi the cumulative normal distribution (exact, not the tanh approximation)")
GT_REGISTER(layer, silu)
ACTIVATION(silu, "x * sigmoid(x)")
GT_REGISTER(layer, softplus)
ACTIVATION(softplus, "log(1 + exp(x))")
GT_REGISTER(layer, erf)
ACTIVATION(erf, "error function")
GT_REGISTER(layer, exp)
ACTIVATION(exp, "e to the power of x")
GT_REGISTER(layer, log)
ACTIVATION(log, "natural logarithm")
GT_REGISTER(layer, exp2)
ACTIVATION(exp2, "2 to the power of x")
GT_REGISTER(layer, log2)
ACTIVATION(log2, "logarithm to the base 2")
GT_REGISTER(layer, sin)
ACTIVATION(sin, "sine")
GT_REGISTER(layer, cos)
ACTIVATION(cos, "cosine")
GT_REGISTER(layer, sqrt)
ACTIVATION(sqrt, "square root")
GT_REGISTER(layer, reciprocal)
ACTIVATION(reciprocal, "1 / x")
GT_REGISTER(layer, abs)
ACTIVATION(abs, "absolute value")
GT_REGISTER(layer, neg)
ACTIVATION(neg, "-x")

typedef struct leaky_relu_config {
  double slope;
} leaky_relu_config;

static const gt_field leaky_relu_fields[] = {
    GT_ROW(leaky_relu_config, slope, GT_FIELD_FLOAT, .fallback = "0.01", .help = "slope for negative inputs"),
    {.name = NULL},
};

static gt_id build_leaky_relu(gt_build *build, const void *config, const gt_id *input) {
  const leaky_relu_config *c = config;
  return gt_leaky_relu(build->graph, input[0], c->slope);
}

GT_DEFINE(layer, leaky_relu) = {
    .name = "leaky_relu",
    .help = "x if x > 0, else slope * x",
    .schema = GT_SCHEMA("leaky_relu", "x if x > 0, else slope * x", leaky_relu_fields, "slope"),
    .config_size = sizeof(leaky_relu_config),
    .family = GT_LAYER_ACTIVATION,
    .features = GT_FEATURES_KEPT,
    .build = build_leaky_relu};
