/* Settings of the initializers, shared by their files and by layers' defaults. Private to this room. */
#ifndef GT_LAYER_INIT_CONFIG_H
#define GT_LAYER_INIT_CONFIG_H
#include "layer/init.h"

typedef struct gt_init_constant_config {
  double value;
} gt_init_constant_config;

typedef struct gt_init_uniform_config {
  double low, high;
} gt_init_uniform_config;

typedef struct gt_init_normal_config {
  double mean, deviation;
} gt_init_normal_config;

typedef struct gt_init_kaiming_config {
  const char *mode, *nonlinearity;
  double slope;
} gt_init_kaiming_config;

extern const gt_init_type gt_init_constant, gt_init_uniform, gt_init_normal, gt_init_kaiming_uniform;

void gt_init_draw_uniform(const gt_init_stream *stream, int64_t count, double low, double high, float *out);
void gt_init_draw_normal(const gt_init_stream *stream, int64_t count, double mean, double deviation,
                         float *out);
/* For a parameter [out, in, kernel…] of rank 2 or more: fan_in, the number of inputs that an output depends
 * on, and fan_out, the number of outputs that depend on an input. */
void gt_init_fans(gt_shape shape, double *fan_in, double *fan_out);
#endif
