/* A tile reduces a segment of columns of a chunk. It reads the rows, or the partial results of an earlier
 * pass, twice: first for the mean, then for the squared deviations from it; they stay in the cache. */
#include "op/moments_cpu.h"
#include "base/count.h"
#include "shaders/op/moments.h"
#include "step/math.h"
#include <string.h>

typedef struct work { /* columns first … first + n - 1 of the rows (or partial results) begin … end - 1 */
  const struct gt_moments_args *args;
  const uint32_t *spec;
  uint32_t first, n, begin, end;
  float mean[GT_MOMENTS_SEGMENT], squares[GT_MOMENTS_SEGMENT];
} work;

uint32_t gt_moments_tiles(const struct gt_moments_args *a) {
  return gt_ceil_div(a->inputs, a->chunk) * gt_ceil_div(a->columns, GT_MOMENTS_SEGMENT);
}

/* False: the pass reads partial results. */
static bool reads_rows(const work *w) { return w->spec[GT_MOMENTS_SPEC_FROM] == GT_MOMENTS_ROWS; }

/* The weight of row, or partial result, i. */
static float weight_of(const work *w, uint32_t i) {
  if (!reads_rows(w)) return GT_PTR(const float, w->args->from_counts)[i];
  return w->spec[GT_MOMENTS_SPEC_WEIGHTED]
             ? GT_PTR(const float, w->args->weight)[i / w->args->rows_per_sample]
             : 1;
}

/* The row, or the means of the partial result, i; after the means come the squared deviations. */
static const float *means_of(const work *w, uint32_t i) {
  const size_t columns = w->args->columns;
  return reads_rows(w) ? GT_PTR(const float, w->args->x) + i * columns + w->first
                       : GT_PTR(const float, w->args->from) + 2 * i * columns + w->first;
}

GT_CLONES static void add(float *restrict partial, const float *restrict x, float weight, uint32_t n) {
  for (uint32_t j = 0; j < n; j++) partial[j] += weight * x[j];
}

GT_CLONES static void add_squares(float *restrict partial, const float *restrict x,
                                  const float *restrict mean, float weight, uint32_t n) {
  for (uint32_t j = 0; j < n; j++) partial[j] += weight * (x[j] - mean[j]) * (x[j] - mean[j]);
}

/* Sums the values or the squared deviations by way of partial sums of BLOCK rows, which keeps the rounding
 * error small. */
enum { BLOCK = 32 };
static void sum_columns(const work *w, bool squares, float *sum) {
  float partial[GT_MOMENTS_SEGMENT];
  memset(sum, 0, w->n * sizeof *sum);
  for (uint32_t from = w->begin; from < w->end; from += BLOCK) {
    memset(partial, 0, w->n * sizeof *partial);
    for (uint32_t i = from; i < w->end && i < from + BLOCK; i++) {
      const float weight = weight_of(w, i), *x = means_of(w, i);
      if (weight == 0) continue;
      if (squares)
        add_squares(partial, x, w->mean, weight, w->n);
      else
        add(partial, x, weight, w->n);
      if (squares && !reads_rows(w)) add(partial, x + w->args->columns, 1, w->n);
    }
    add(sum, partial, 1, w->n);
  }
}

static void write(const work *w, uint32_t chunk, float weight) {
  const struct gt_moments_args *a = w->args;
  const size_t bytes = w->n * sizeof(float), offset = 2 * (size_t)chunk * a->columns + w->first;
  if (!w->spec[GT_MOMENTS_SPEC_LAST]) {
    memcpy(GT_PTR(float, a->parts) + offset, w->mean, bytes);
    memcpy(GT_PTR(float, a->parts) + offset + a->columns, w->squares, bytes);
    if (!w->first) GT_PTR(float, a->counts)[chunk] = weight;
    return;
  }
  memcpy(GT_PTR(float, a->mean) + w->first, w->mean, bytes);
  for (uint32_t j = 0; j < w->n; j++) {
    const float variance = weight != 0 ? w->squares[j] / weight : 0;
    GT_PTR(float, a->variance)[w->first + j] = variance;
    GT_PTR(float, a->inverse)[w->first + j] = 1 / sqrtf(variance + a->eps);
  }
}

void gt_moments_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_moments_args *a = args;
  const uint32_t segments = gt_ceil_div(a->columns, GT_MOMENTS_SEGMENT), chunk = tile / segments;
  work w = {
      .args = a, .spec = spec, .first = tile % segments * GT_MOMENTS_SEGMENT, .begin = chunk * a->chunk};
  w.n = gt_min_u32(a->columns - w.first, GT_MOMENTS_SEGMENT);
  w.end = gt_min_u32(w.begin + a->chunk, a->inputs);
  float weight = 0;
  for (uint32_t i = w.begin; i < w.end; i++) weight += weight_of(&w, i);
  sum_columns(&w, false, w.mean);
  for (uint32_t j = 0; j < w.n; j++) w.mean[j] = weight != 0 ? w.mean[j] / weight : 0;
  sum_columns(&w, true, w.squares);
  write(&w, chunk, weight);
}
