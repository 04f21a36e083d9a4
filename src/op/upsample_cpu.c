#include "op/image_cpu.h"
#include "shaders/op/upsample.h"
#include <string.h>

enum { AXES = GT_IMAGE_AXES };

typedef struct job {
  const struct gt_upsample_args *t;
  const uint32_t *interpolated; /* for each axis: 1 if it is interpolated */
} job;

typedef struct source { /* of an output element along one axis */
  uint32_t first;
  float next; /* weight of the element after `first` */
} source;

GT_MATH source source_of(const struct gt_upsample_args *t, int k, uint32_t o) {
  const uint32_t *entry = GT_PTR(const uint32_t, t->table) + t->outputs[k] + 2 * (size_t)o;
  source s = {.first = entry[0]};
  memcpy(&s.next, entry + 1, sizeof s.next);
  return s;
}

/* y += weight * x, or y = weight * x. */
GT_MATH void add_row(float *restrict y, const float *restrict x, float weight, bool first, uint32_t n) {
  if (first)
    for (uint32_t c = 0; c < n; c++) y[c] = weight * x[c];
  else
    for (uint32_t c = 0; c < n; c++) y[c] += weight * x[c];
}

/* The input positions of output position o along axis k, and their weights; returns their number, 1 or 2. */
GT_MATH uint32_t sources_along(const job *j, int k, uint32_t o, uint32_t place[2], float weight[2]) {
  const source s = source_of(j->t, k, o);
  place[0] = s.first;
  place[1] = gt_min_u32(s.first + 1, j->t->in_size[k] - 1);
  weight[0] = j->interpolated[k] ? 1 - s.next : 1;
  weight[1] = s.next;
  return j->interpolated[k] ? 2 : 1;
}

GT_MATH void upsample_span_of(const job *j, gt_image_span span, uint32_t channels) {
  const struct gt_upsample_args *t = j->t;
  const float *x = GT_PTR(const float, t->x);
  float *y = GT_PTR(float, t->y) + (size_t)span.first * channels, weight[AXES][2];
  uint32_t place[AXES][2], n[AXES];
  for (int k = 0; k < 2; k++) n[k] = sources_along(j, k, span.coordinate[k], place[k], weight[k]);
  for (uint32_t i = 0; i < span.count; i++, y += channels) {
    n[2] = sources_along(j, 2, span.coordinate[2] + i, place[2], weight[2]);
    for (uint32_t d = 0; d < n[0]; d++)
      for (uint32_t h = 0; h < n[1]; h++) {
        const size_t plane = (size_t)span.sample * t->in_size[0] + place[0][d];
        const size_t from = (plane * t->in_size[1] + place[1][h]) * t->in_size[2];
        for (uint32_t w = 0; w < n[2]; w++)
          add_row(y, x + (from + place[2][w]) * channels, weight[0][d] * weight[1][h] * weight[2][w],
                  !(d | h | w), channels);
      }
  }
}

GT_CLONES static void upsample_span(const job *j, gt_image_span span) {
  GT_FOR_CHANNELS(j->t->channels, upsample_span_of, j, span)
}

static void for_each_span(const job *j, const uint32_t *size, uint32_t tile,
                          void (*work)(const job *, gt_image_span)) {
  const uint32_t channels = j->t->channels;
  gt_image_span span;
  for (uint32_t row = tile * gt_image_tile_positions(channels);
       gt_image_span_at(row, j->t->batch, size, channels, tile, &span); row += span.count)
    work(j, span);
}

void gt_upsample_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const job j = {args, spec + GT_UPSAMPLE_SPEC_D};
  for_each_span(&j, j.t->out_size, tile, upsample_span);
}

/* --- gradient ------------------------------------------------------------------------------------------- */

/* The weight of input position i of axis k in output position o. */
GT_MATH float weight_in(const job *j, int k, uint32_t i, uint32_t o) {
  const source s = source_of(j->t, k, o);
  if (!j->interpolated[k]) return 1;
  float weight = s.first == i ? 1 - s.next : 0;
  if (gt_min_u32(s.first + 1, j->t->in_size[k] - 1) == i) weight += s.next;
  return weight;
}

/* The range {first, end} of output positions that read input position i of axis k. */
static const uint32_t *outputs_of(const struct gt_upsample_args *t, int k, uint32_t i) {
  return GT_PTR(const uint32_t, t->table) + t->inputs[k] + 2 * (size_t)i;
}

GT_MATH void gradient_span_of(const job *j, gt_image_span span, uint32_t channels) {
  const struct gt_upsample_args *t = j->t;
  const uint32_t *d = outputs_of(t, 0, span.coordinate[0]), *h = outputs_of(t, 1, span.coordinate[1]);
  float *y = GT_PTR(float, t->y) + (size_t)span.first * channels;
  for (uint32_t w = span.coordinate[2]; w < span.coordinate[2] + span.count; w++, y += channels) {
    const uint32_t *to = outputs_of(t, 2, w);
    bool first = true;
    for (uint32_t a = d[0]; a < d[1]; a++) {
      const float weight = weight_in(j, 0, span.coordinate[0], a);
      for (uint32_t b = h[0]; b < h[1]; b++) {
        const float outer_weight = weight * weight_in(j, 1, span.coordinate[1], b);
        const size_t row = (((size_t)span.sample * t->out_size[0] + a) * t->out_size[1] + b) * t->out_size[2];
        for (uint32_t c = to[0]; c < to[1]; c++, first = false)
          add_row(y, GT_PTR(const float, t->x) + (row + c) * channels, outer_weight * weight_in(j, 2, w, c),
                  first, channels);
      }
    }
    if (first) memset(y, 0, channels * sizeof *y); /* no output reads this element */
  }
}

GT_CLONES static void gradient_span(const job *j, gt_image_span span) {
  GT_FOR_CHANNELS(j->t->channels, gradient_span_of, j, span)
}

void gt_upsample_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const job j = {args, spec + GT_UPSAMPLE_SPEC_D};
  for_each_span(&j, j.t->in_size, tile, gradient_span);
}
