#include "op/upsample_cpu.h"
#include "base/count.h"
#include "shaders/op/upsample.h"
#include "step/math.h"
#include <string.h>

enum { TILE_ELEMENTS = 16384, AXES = 3 };

uint32_t gt_upsample_tile_rows(uint32_t channels) {
  return channels >= TILE_ELEMENTS ? 1 : TILE_ELEMENTS / channels;
}

/* A position of [batch, size…]: where it stands on each axis, and its sample. */
typedef struct position {
  uint32_t sample, at[AXES];
} position;

static position position_of(uint32_t row, const uint32_t *size) {
  position p;
  for (int k = AXES; k-- > 0; row /= size[k]) p.at[k] = row % size[k];
  p.sample = row;
  return p;
}

typedef struct source {
  uint32_t first;
  float next; /* the weight of the one after it */
} source;

static source source_of(const struct gt_upsample_args *t, int k, uint32_t o) {
  const uint32_t *entry = GT_PTR(const uint32_t, t->table) + t->outputs[k] + 2 * (size_t)o;
  source s = {.first = entry[0]};
  memcpy(&s.next, entry + 1, sizeof s.next);
  return s;
}

GT_MATH void add_row(float *restrict y, const float *restrict x, float weight, uint32_t n) {
  for (uint32_t c = 0; c < n; c++) y[c] += weight * x[c];
}

/* The two places along axis k, or the only one, and what they weigh. */
static uint32_t mix_along(const struct gt_upsample_args *t, const uint32_t *mixed, int k, uint32_t o,
                          uint32_t place[2], float weight[2]) {
  const source s = source_of(t, k, o);
  place[0] = s.first;
  place[1] = gt_least_u32(s.first + 1, t->in_size[k] - 1);
  weight[0] = mixed[k] ? 1 - s.next : 1;
  weight[1] = s.next;
  return mixed[k] ? 2 : 1;
}

GT_CLONES static void upsample_rows(const struct gt_upsample_args *t, const uint32_t *mixed, uint32_t first,
                                    uint32_t end) {
  for (uint32_t row = first; row < end; row++) {
    const position p = position_of(row, t->out_size);
    float *y = GT_PTR(float, t->y) + (size_t)row * t->channels, weight[AXES][2];
    uint32_t place[AXES][2], n[AXES];
    for (int k = 0; k < AXES; k++) n[k] = mix_along(t, mixed, k, p.at[k], place[k], weight[k]);
    memset(y, 0, t->channels * sizeof *y);
    for (uint32_t i = 0; i < n[0]; i++)
      for (uint32_t j = 0; j < n[1]; j++)
        for (uint32_t k = 0; k < n[2]; k++) {
          const size_t plane = (size_t)p.sample * t->in_size[0] + place[0][i];
          const size_t from = (plane * t->in_size[1] + place[1][j]) * t->in_size[2] + place[2][k];
          add_row(y, GT_PTR(const float, t->x) + from * t->channels,
                  weight[0][i] * weight[1][j] * weight[2][k], t->channels);
        }
  }
}

void gt_upsample_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_upsample_args *t = args;
  const uint32_t each = gt_upsample_tile_rows(t->channels);
  const uint32_t all = t->batch * t->out_size[0] * t->out_size[1] * t->out_size[2];
  upsample_rows(t, spec + GT_UPSAMPLE_SPEC_D, tile * each, gt_least_u32(all, (tile + 1) * each));
}

/* --- gradient ------------------------------------------------------------------------------------------- */

/* What place i of axis k weighs in place o of the result. */
static float weight_in(const struct gt_upsample_args *t, const uint32_t *mixed, int k, uint32_t i,
                       uint32_t o) {
  const source s = source_of(t, k, o);
  if (!mixed[k]) return 1;
  float weight = s.first == i ? 1 - s.next : 0;
  if (gt_least_u32(s.first + 1, t->in_size[k] - 1) == i) weight += s.next;
  return weight;
}

GT_CLONES static void gradient_rows(const struct gt_upsample_args *t, const uint32_t *mixed, uint32_t first,
                                    uint32_t end) {
  for (uint32_t row = first; row < end; row++) {
    const position p = position_of(row, t->in_size);
    float *y = GT_PTR(float, t->y) + (size_t)row * t->channels;
    const uint32_t *to[AXES]; /* the places of the result that it goes to: {first, end} */
    for (int k = 0; k < AXES; k++)
      to[k] = GT_PTR(const uint32_t, t->table) + t->inputs[k] + 2 * (size_t)p.at[k];
    memset(y, 0, t->channels * sizeof *y);
    for (uint32_t i = to[0][0]; i < to[0][1]; i++) {
      const float weight = weight_in(t, mixed, 0, p.at[0], i);
      for (uint32_t j = to[1][0]; j < to[1][1]; j++) {
        const float both = weight * weight_in(t, mixed, 1, p.at[1], j);
        const size_t line = (((size_t)p.sample * t->out_size[0] + i) * t->out_size[1] + j) * t->out_size[2];
        for (uint32_t k = to[2][0]; k < to[2][1]; k++)
          add_row(y, GT_PTR(const float, t->x) + (line + k) * t->channels,
                  both * weight_in(t, mixed, 2, p.at[2], k), t->channels);
      }
    }
  }
}

void gt_upsample_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_upsample_args *t = args;
  const uint32_t each = gt_upsample_tile_rows(t->channels);
  const uint32_t all = t->batch * t->in_size[0] * t->in_size[1] * t->in_size[2];
  gradient_rows(t, spec + GT_UPSAMPLE_SPEC_D, tile * each, gt_least_u32(all, (tile + 1) * each));
}
