#include "base/philox.h"
#include "layer/init_config.h"
#include <math.h>

void gt_init_draw_uniform(const gt_init_stream *stream, int64_t count, double low, double high, float *out) {
  for (int64_t i = 0; i < count; i += 4) {
    const gt_philox block = gt_philox_block(stream->seed, stream->purpose, 0, (uint32_t)(i / 4));
    for (int64_t k = 0; k < 4 && i + k < count; k++)
      out[i + k] = (float)(low + (high - low) * ((block.v[k] >> 8) * 0x1p-24));
  }
}

/* Box-Muller: two random words give two independent normal values. The first is mapped to (0, 1], so that its
 * logarithm is finite. */
void gt_init_draw_normal(const gt_init_stream *stream, int64_t count, double mean, double deviation,
                         float *out) {
  for (int64_t i = 0; i < count; i += 4) {
    const gt_philox block = gt_philox_block(stream->seed, stream->purpose, 0, (uint32_t)(i / 4));
    double value[4];
    for (int pair = 0; pair < 4; pair += 2) {
      const double radius = sqrt(-2 * log((block.v[pair] + 1.0) * 0x1p-32));
      const double angle = 2 * 3.14159265358979323846 * (block.v[pair + 1] * 0x1p-32);
      value[pair] = radius * cos(angle);
      value[pair + 1] = radius * sin(angle);
    }
    for (int64_t k = 0; k < 4 && i + k < count; k++) out[i + k] = (float)(mean + deviation * value[k]);
  }
}

void gt_init_fans(gt_shape shape, double *fan_in, double *fan_out) {
  double receptive_field_size = 1;
  for (int d = 2; d < shape.rank; d++) receptive_field_size *= (double)shape.dim[d];
  *fan_in = (double)shape.dim[1] * receptive_field_size;
  *fan_out = (double)shape.dim[0] * receptive_field_size;
}
