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

static const gt_schema zeros_schema = {.name = "zeros", .help = "all zeros", .fields = no_fields};
GT_DEFINE(init, zeros) = {.name = "zeros", .help = "all zeros", .schema = &zeros_schema, .fill = fill_zeros};

static void fill_ones(const void *config, gt_shape shape, const gt_init_stream *stream, float *out) {
  (void)config, (void)stream;
  fill(gt_shape_count(shape), 1, out);
}

static const gt_schema ones_schema = {.name = "ones", .help = "all ones", .fields = no_fields};
GT_DEFINE(init, ones) = {.name = "ones", .help = "all ones", .schema = &ones_schema, .fill = fill_ones};

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
static const gt_schema constant_schema = {
    .name = "constant", .help = "a constant", .fields = constant_fields};
GT_DEFINE(init, constant) = {.name = "constant",
                             .help = "a constant",
                             .schema = &constant_schema,
                             .config_size = sizeof(gt_init_constant_config),
                             .fill = fill_constant};

static void fill_uniform(const void *config, gt_shape shape, const gt_init_stream *stream, float *out) {
  const gt_init_uniform_config *c = config;
  gt_init_draw_uniform(stream, gt_shape_count(shape), c->low, c->high, out);
}

static const gt_field uniform_fields[] = {
    GT_ROW(gt_init_uniform_config, low, GT_FIELD_FLOAT, .fallback = "0", .help = "lower bound"),
    GT_ROW(gt_init_uniform_config, high, GT_FIELD_FLOAT, .fallback = "1", .help = "upper bound, excluded"),
    {.name = NULL},
};
static const gt_schema uniform_schema = {
    .name = "uniform", .help = "uniform distribution on [low, high)", .fields = uniform_fields};
GT_DEFINE(init, uniform) = {.name = "uniform",
                            .help = "uniform distribution on [low, high)",
                            .schema = &uniform_schema,
                            .config_size = sizeof(gt_init_uniform_config),
                            .fill = fill_uniform};

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
static const gt_schema normal_schema = {
    .name = "normal", .help = "normal distribution", .fields = normal_fields};
GT_DEFINE(init, normal) = {.name = "normal",
                           .help = "normal distribution",
                           .schema = &normal_schema,
                           .config_size = sizeof(gt_init_normal_config),
                           .fill = fill_normal};
