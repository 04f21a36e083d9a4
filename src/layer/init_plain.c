/* Initializers that do not depend on the shape: zeros, ones, constant, uniform, normal. */
#include "layer/init_config.h"

static const gt_field no_fields[] = {{.name = NULL}};

static void fill(int64_t count, double value, float *out) {
  for (int64_t i = 0; i < count; i++) out[i] = (float)value;
}

static void fill_zeros(const void *config, gt_shape shape, const gt_init_stream *stream, float *out) {
  (void)config, (void)stream;
  fill(gt_shape_count(shape), 0, out);
}

GT_REGISTER(init, zeros)
GT_WITH_SCHEMA(init, zeros, "all zeros", no_fields, NULL, .fill = fill_zeros)

static void fill_ones(const void *config, gt_shape shape, const gt_init_stream *stream, float *out) {
  (void)config, (void)stream;
  fill(gt_shape_count(shape), 1, out);
}

GT_REGISTER(init, ones)
GT_WITH_SCHEMA(init, ones, "all ones", no_fields, NULL, .fill = fill_ones)

static void fill_constant(const void *config, gt_shape shape, const gt_init_stream *stream, float *out) {
  const gt_init_constant_config *c = config;
  (void)stream;
  fill(gt_shape_count(shape), c->value, out);
}

static const gt_field constant_fields[] = {
    GT_ROW(gt_init_constant_config, value, GT_FIELD_FLOAT, .help = "value of every element",
           .flags = GT_FIELD_REQUIRED),
    {.name = NULL},
};
GT_REGISTER(init, constant)
GT_WITH_SCHEMA(init, constant, "a constant", constant_fields, NULL,
               .config_size = sizeof(gt_init_constant_config), .fill = fill_constant)

static void fill_uniform(const void *config, gt_shape shape, const gt_init_stream *stream, float *out) {
  const gt_init_uniform_config *c = config;
  gt_init_draw_uniform(stream, gt_shape_count(shape), c->low, c->high, out);
}

static const gt_field uniform_fields[] = {
    GT_ROW(gt_init_uniform_config, low, GT_FIELD_FLOAT, .fallback = "0", .help = "lower bound"),
    GT_ROW(gt_init_uniform_config, high, GT_FIELD_FLOAT, .fallback = "1", .help = "upper bound, excluded"),
    {.name = NULL},
};
GT_REGISTER(init, uniform)
GT_WITH_SCHEMA(init, uniform, "uniform distribution on [low, high)", uniform_fields, NULL,
               .config_size = sizeof(gt_init_uniform_config), .fill = fill_uniform)

static void fill_normal(const void *config, gt_shape shape, const gt_init_stream *stream, float *out) {
  const gt_init_normal_config *c = config;
  gt_init_draw_normal(stream, gt_shape_count(shape), c->mean, c->deviation, out);
}

static const gt_field normal_fields[] = {
    GT_ROW(gt_init_normal_config, mean, GT_FIELD_FLOAT, .fallback = "0", .help = "mean"),
    GT_ROW_NAMED("std", gt_init_normal_config, deviation, GT_FIELD_FLOAT, .fallback = "1", .min = 0,
                 .max = 1e30, .help = "standard deviation"),
    {.name = NULL},
};
GT_REGISTER(init, normal)
GT_WITH_SCHEMA(init, normal, "normal distribution", normal_fields, NULL,
               .config_size = sizeof(gt_init_normal_config), .fill = fill_normal)
