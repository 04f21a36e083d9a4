#include "layer/kan/kan_init.h"
#include "base/memory.h"
#include "layer/init_config.h"
#include "layer/kan/spline.h"
#include <stdlib.h>
#include <string.h>

enum { BASE_PURPOSE = 1 }; /* added to the stream's purpose, so that the base has its own random numbers */

typedef struct extents { /* axes of the coefficients; block: inputs of a block */
  int64_t blocks, functions, block, outputs;
} extents;

/* Coefficients of splines that pass through random values at the ends of the grid's cells, as efficient-kan
 * initializes them. */
static void fill_through_noise(const gt_kan_init_settings *c, const extents *p, const gt_init_stream *stream,
                               float *out) {
  const uint32_t points = c->points, terms = c->a.terms;
  const int64_t edges = p->block * p->outputs;
  double *values = gt_alloc(sizeof *values * points * terms), *fit = gt_alloc(sizeof *fit * points * terms);
  float *noise = gt_alloc(sizeof *noise * (size_t)(p->blocks * points * edges));
  gt_init_draw_uniform(stream, p->blocks * points * edges, -0.5 * c->noise, 0.5 * c->noise, noise);
  for (uint32_t k = 0; k < points; k++)
    for (uint32_t t = 0; t < terms; t++)
      values[k * terms + t] = gt_spline(c->a.degree, (double)k + c->a.degree - t);
  gt_pseudo_inverse(values, points, terms, fit);
  for (int64_t b = 0; b < p->blocks; b++)
    for (uint32_t t = 0; t < terms; t++)
      for (int64_t i = 0; i < edges; i++) {
        double sum = 0;
        for (uint32_t k = 0; k < points; k++)
          sum += fit[t * points + k] * noise[(b * points + k) * edges + i];
        out[(b * p->functions + t) * edges + i] = (float)(c->scale * sum);
      }
  free(values);
  free(fit);
  free(noise);
}

/* Fills in the weights of the base, the last function. */
static void fill_base(const gt_kan_init_settings *c, const extents *p, gt_init_stream stream, float *out) {
  const int64_t edges = p->block * p->outputs;
  float *weights = gt_alloc(sizeof *weights * (size_t)(p->blocks * edges));
  stream.purpose += BASE_PURPOSE;
  gt_init_draw_uniform(&stream, p->blocks * edges, -c->base, c->base, weights);
  for (int64_t b = 0; b < p->blocks; b++)
    memcpy(out + (b * p->functions + c->a.terms) * edges, weights + b * edges, sizeof *out * (size_t)edges);
  free(weights);
}

static void fill(const void *config, gt_shape shape, const gt_init_stream *stream, float *out) {
  const gt_kan_init_settings *c = config;
  const extents p = {shape.dim[0], shape.dim[1], shape.dim[2], shape.dim[3]};
  if (c->points)
    fill_through_noise(c, &p, stream, out);
  else
    gt_init_draw_normal(stream, gt_shape_count(shape), 0, c->scale * c->deviation, out);
  if (c->a.base) fill_base(c, &p, *stream, out);
}

const gt_init *gt_kan_init_create(gt_arena *arena, const gt_kan_init_settings *start) {
  static const gt_init_type type = {
      .name = "kan", .help = "as in the publication of the basis", .min_rank = 4, .fill = fill};
  return gt_init_create(arena, &type, start, sizeof *start);
}
