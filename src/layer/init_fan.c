/* Xavier and Kaiming initialization, uniform and normal: the standard deviation depends on the number of
 * inputs of an output (fan_in) and of outputs of an input (fan_out), as in torch.nn.init. */
#include "layer/init_config.h"
#include <math.h>
#include <string.h>

typedef struct xavier_config {
  double gain;
} xavier_config;

static double xavier_deviation(const void *config, gt_shape shape) {
  const xavier_config *c = config;
  double in, out;
  gt_init_fans(shape, &in, &out);
  return c->gain * sqrt(2 / (in + out));
}

static double kaiming_gain(const gt_init_kaiming_config *c) {
  if (!strcmp(c->nonlinearity, "relu")) return sqrt(2);
  if (!strcmp(c->nonlinearity, "leaky_relu")) return sqrt(2 / (1 + c->slope * c->slope));
  if (!strcmp(c->nonlinearity, "tanh")) return 5.0 / 3;
  return 1; /* linear, sigmoid */
}

static double kaiming_deviation(const void *config, gt_shape shape) {
  const gt_init_kaiming_config *c = config;
  double in, out;
  gt_init_fans(shape, &in, &out);
  return kaiming_gain(c) / sqrt(!strcmp(c->mode, "fan_out") ? out : in);
}

/* A uniform distribution with standard deviation s reaches s * sqrt(3) to either side. */
static void fill_uniform(double deviation, gt_shape shape, const gt_init_stream *stream, float *out) {
  const double bound = deviation * sqrt(3);
  gt_init_draw_uniform(stream, gt_shape_count(shape), -bound, bound, out);
}

static void fill_normal(double deviation, gt_shape shape, const gt_init_stream *stream, float *out) {
  gt_init_draw_normal(stream, gt_shape_count(shape), 0, deviation, out);
}

static const gt_field xavier_fields[] = {
    GT_ROW(xavier_config, gain, GT_FIELD_FLOAT, .fallback = "1", .min = 0, .max = 1e6,
           .help = "factor on the standard deviation"),
    {.name = NULL},
};

static const char *const modes[] = {"fan_in", "fan_out", NULL};
static const char *const nonlinearities[] = {"relu", "leaky_relu", "tanh", "sigmoid", "linear", NULL};
static const gt_field kaiming_fields[] = {
    GT_ROW(gt_init_kaiming_config, mode, GT_FIELD_CHOICE, .fallback = "fan_in", .choices = modes,
           .help = "fan_in keeps the variance in the forward pass, fan_out in the backward pass"),
    GT_ROW(gt_init_kaiming_config, nonlinearity, GT_FIELD_CHOICE, .fallback = "relu",
           .choices = nonlinearities, .help = "activation after the layer"),
    GT_ROW(gt_init_kaiming_config, slope, GT_FIELD_FLOAT, .fallback = "0.01",
           .help = "negative slope of leaky_relu"),
    {.name = NULL},
};

#define FAN_INIT(family, distribution, config, text)                                                        \
  static void fill_##family##_##distribution(const void *c, gt_shape shape, const gt_init_stream *stream,   \
                                             float *out) {                                                  \
    fill_##distribution(family##_deviation(c, shape), shape, stream, out);                                  \
  }                                                                                                         \
  GT_WITH_SCHEMA(init, family##_##distribution, text, family##_fields, NULL, .config_size = sizeof(config), \
                 .min_rank = 2, .fill = fill_##family##_##distribution)

GT_REGISTER(init, xavier_uniform)
FAN_INIT(xavier, uniform, xavier_config, "Xavier initialization, uniform (Glorot and Bengio 2010)")
GT_REGISTER(init, xavier_normal)
FAN_INIT(xavier, normal, xavier_config, "Xavier initialization, normal (Glorot and Bengio 2010)")
GT_REGISTER(init, kaiming_uniform)
FAN_INIT(kaiming, uniform, gt_init_kaiming_config, "Kaiming initialization, uniform (He et al. 2015)")
GT_REGISTER(init, kaiming_normal)
FAN_INIT(kaiming, normal, gt_init_kaiming_config, "Kaiming initialization, normal (He et al. 2015)")
