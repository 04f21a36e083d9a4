#include "op/pool_cpu.h"
#include "base/count.h"
#include "shaders/op/pool.h"
#include "step/math.h"
#include <string.h>

enum { TILE_ELEMENTS = 16384, AXES = 3, BLOCK = 128 }; /* BLOCK: channels whose maxima are found together */

typedef struct job {
  const struct gt_pool_args *t;
  uint32_t window[AXES], stride[AXES], index;
  bool average;
} job;

static job read_job(const struct gt_pool_args *t, const uint32_t *spec) {
  job j = {.t = t, .index = spec[GT_POOL_SPEC_INDEX], .average = spec[GT_POOL_SPEC_AVERAGE]};
  memcpy(j.window, spec + GT_POOL_SPEC_WINDOW_D, sizeof j.window);
  memcpy(j.stride, spec + GT_POOL_SPEC_STRIDE_D, sizeof j.stride);
  return j;
}

uint32_t gt_pool_tile_rows(uint32_t channels) {
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

/* Along one axis: elements first, first + dilation, … before `end` that lie inside, and the place in the
 * window of the first of them; or the windows first … end - 1 that an element lies in. */
typedef struct span {
  int64_t first, end;
  uint32_t place;
} span;

static int64_t begin_of(const job *j, int k, uint32_t o) {
  const struct gt_pool_args *t = j->t;
  return j->stride[k] ? (int64_t)o * j->stride[k] - t->padding[k]
                      : (int64_t)o * t->in_size[k] / t->out_size[k];
}

static span elements_of(const job *j, int k, uint32_t o) {
  const struct gt_pool_args *t = j->t;
  const int64_t dilation = t->dilation[k], begin = begin_of(j, k, o);
  if (!j->stride[k]) return (span){begin, gt_ceil_div(((int64_t)o + 1) * t->in_size[k], t->out_size[k]), 0};
  const int64_t skipped = begin < 0 ? gt_ceil_div(-begin, dilation) : 0;
  return (span){begin + skipped * dilation, gt_least(t->in_size[k], begin + j->window[k] * dilation),
                (uint32_t)skipped};
}

static span windows_of(const job *j, int k, uint32_t i) {
  const struct gt_pool_args *t = j->t;
  const int64_t in = t->in_size[k], out = t->out_size[k], stride = j->stride[k];
  const int64_t at = (int64_t)i + t->padding[k], reach = (int64_t)(j->window[k] - 1) * t->dilation[k];
  if (!stride) return (span){i * out / in, gt_ceil_div((i + INT64_C(1)) * out, in), 0};
  return (span){at > reach ? gt_ceil_div(at - reach, stride) : 0, gt_least(at / stride + 1, out), 0};
}

/* Elements that a mean over window o of an axis counts. */
static int64_t count_of(const job *j, int k, uint32_t o) {
  const struct gt_pool_args *t = j->t;
  const span s = elements_of(j, k, o);
  if (!t->include_pad || !j->stride[k]) return s.end - s.first;
  const int64_t begin = begin_of(j, k, o);
  return gt_least(begin + j->window[k], (int64_t)t->in_size[k] + t->padding[k]) - begin;
}

static float divisor_of(const job *j, const uint32_t o[AXES]) {
  int64_t count = 1;
  if (j->t->divisor > 0) return j->t->divisor;
  for (int k = 0; k < AXES; k++) count *= count_of(j, k, o[k]);
  return (float)count;
}

/* --- forward -------------------------------------------------------------------------------------------- */

/* Channels c to c + n of some elements: the largest of each, and where it stands. */
typedef struct largest {
  float value[BLOCK];
  uint32_t place[BLOCK];
} largest;

/* Of equal ones the first is kept, but of those that are no numbers the last, as in PyTorch. */
GT_MATH void take(largest *l, const float *x, uint32_t place, uint32_t n) {
  for (uint32_t c = 0; c < n; c++) {
    const bool more = (x[c] > l->value[c]) | (x[c] != x[c]) | (l->place[c] == GT_POOL_NOWHERE);
    const uint32_t mask = 0u - (uint32_t)more;
    l->value[c] = gt_pick(more, x[c], l->value[c]);
    l->place[c] = (place & mask) | (l->place[c] & ~mask);
  }
}

GT_MATH void add_row(float *restrict y, const float *restrict x, uint32_t n) {
  for (uint32_t c = 0; c < n; c++) y[c] += x[c];
}

/* Channels from c on of the elements of a window, in order: their sum is added to y, or the largest are
 * found. */
GT_MATH void walk(const job *j, const span s[AXES], uint32_t sample, uint32_t c, uint32_t n, largest *l,
                  float *y) {
  const struct gt_pool_args *t = j->t;
  const float *x = GT_PTR(const float, t->x) + c;
  uint32_t place[AXES] = {s[0].place};
  for (int64_t d = s[0].first; d < s[0].end; d += t->dilation[0], place[0]++) {
    place[1] = s[1].place;
    for (int64_t h = s[1].first; h < s[1].end; h += t->dilation[1], place[1]++) {
      const int64_t row = ((sample * (int64_t)t->in_size[0] + d) * t->in_size[1] + h) * t->in_size[2];
      place[2] = (place[0] * j->window[1] + place[1]) * j->window[2] + s[2].place;
      for (int64_t w = s[2].first; w < s[2].end; w += t->dilation[2], place[2]++) {
        if (j->average)
          add_row(y, x + (row + w) * t->channels, n);
        else
          take(l, x + (row + w) * t->channels, place[2], n);
      }
    }
  }
}

static void store_index(const job *j, size_t at, const uint32_t *place, uint32_t n) {
  if (j->index == GT_POOL_INDEX_WORDS) memcpy(GT_PTR(uint32_t, j->t->index) + at, place, n * sizeof *place);
  if (j->index != GT_POOL_INDEX_BYTES) return;
  uint8_t *byte = GT_PTR(uint8_t, j->t->index) + at; /* the lowest byte of a word comes first */
  for (uint32_t c = 0; c < n; c++) byte[c] = (uint8_t)place[c];
}

GT_CLONES static void pool_rows(const job *j, uint32_t first, uint32_t end) {
  const struct gt_pool_args *t = j->t;
  largest l;
  for (uint32_t row = first; row < end; row++) {
    const position p = position_of(row, t->out_size);
    const span s[AXES] = {elements_of(j, 0, p.at[0]), elements_of(j, 1, p.at[1]), elements_of(j, 2, p.at[2])};
    float *y = GT_PTR(float, t->y) + (size_t)row * t->channels;
    if (j->average) {
      memset(y, 0, t->channels * sizeof *y);
      walk(j, s, p.sample, 0, t->channels, NULL, y);
      const float divisor = divisor_of(j, p.at);
      for (uint32_t c = 0; c < t->channels; c++) y[c] /= divisor;
      continue;
    }
    for (uint32_t c = 0; c < t->channels; c += BLOCK) {
      const uint32_t n = gt_least_u32(BLOCK, t->channels - c);
      for (uint32_t k = 0; k < n; k++) l.value[k] = -INFINITY, l.place[k] = GT_POOL_NOWHERE;
      walk(j, s, p.sample, c, n, &l, NULL);
      memcpy(y + c, l.value, n * sizeof *y);
      store_index(j, (size_t)row * t->channels + c, l.place, n);
    }
  }
}

void gt_pool_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_pool_args *t = args;
  const job j = read_job(t, spec);
  const uint32_t each = gt_pool_tile_rows(t->channels);
  const uint32_t all = t->batch * t->out_size[0] * t->out_size[1] * t->out_size[2];
  pool_rows(&j, tile * each, gt_least_u32(all, (tile + 1) * each));
}

/* --- gradient ------------------------------------------------------------------------------------------- */

/* Adds to y what comes of window number `from`, in which the element stands at `place`. */
GT_MATH void add_share(const job *j, size_t from, uint32_t place, float *restrict y) {
  const struct gt_pool_args *t = j->t;
  const uint32_t n = t->channels;
  const float *restrict g = GT_PTR(const float, t->x) + from * n;
  if (j->index == GT_POOL_INDEX_BYTES) {
    const uint8_t *restrict taken = GT_PTR(const uint8_t, t->index) + from * n;
    for (uint32_t c = 0; c < n; c++) y[c] += gt_pick(taken[c] == place, g[c], 0);
  } else {
    const uint32_t *restrict taken = GT_PTR(const uint32_t, t->index) + from * n;
    for (uint32_t c = 0; c < n; c++) y[c] += gt_pick(taken[c] == place, g[c], 0);
  }
}

GT_MATH void add_mean(const job *j, size_t from, const uint32_t o[AXES], float *restrict y) {
  const float *restrict g = GT_PTR(const float, j->t->x) + from * j->t->channels;
  const float divisor = divisor_of(j, o);
  for (uint32_t c = 0; c < j->t->channels; c++) y[c] += g[c] / divisor;
}

/* The element's place in window o of the axis; false: it is one between two of them. */
static bool place_in(const job *j, int k, uint32_t i, uint32_t o, uint32_t *place) {
  const uint32_t distance = (uint32_t)(i - begin_of(j, k, o));
  *place = distance / j->t->dilation[k];
  return distance % j->t->dilation[k] == 0;
}

/* All windows that element p lies in, in order. */
GT_MATH void gather(const job *j, position p, float *y) {
  const struct gt_pool_args *t = j->t;
  const span s[AXES] = {windows_of(j, 0, p.at[0]), windows_of(j, 1, p.at[1]), windows_of(j, 2, p.at[2])};
  uint32_t place[AXES], o[AXES];
  for (o[0] = (uint32_t)s[0].first; o[0] < s[0].end; o[0]++) {
    if (!place_in(j, 0, p.at[0], o[0], &place[0])) continue;
    for (o[1] = (uint32_t)s[1].first; o[1] < s[1].end; o[1]++) {
      if (!place_in(j, 1, p.at[1], o[1], &place[1])) continue;
      const size_t row = ((size_t)p.sample * t->out_size[0] + o[0]) * t->out_size[1] + o[1];
      for (o[2] = (uint32_t)s[2].first; o[2] < s[2].end; o[2]++) {
        if (!place_in(j, 2, p.at[2], o[2], &place[2])) continue;
        if (j->average)
          add_mean(j, row * t->out_size[2] + o[2], o, y);
        else
          add_share(j, row * t->out_size[2] + o[2],
                    (place[0] * j->window[1] + place[1]) * j->window[2] + place[2], y);
      }
    }
  }
}

GT_CLONES static void gradient_rows(const job *j, uint32_t first, uint32_t end) {
  for (uint32_t row = first; row < end; row++) {
    float *y = GT_PTR(float, j->t->y) + (size_t)row * j->t->channels;
    memset(y, 0, j->t->channels * sizeof *y);
    gather(j, position_of(row, j->t->in_size), y);
  }
}

void gt_pool_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_pool_args *t = args;
  const job j = read_job(t, spec);
  const uint32_t each = gt_pool_tile_rows(t->channels);
  const uint32_t all = t->batch * t->in_size[0] * t->in_size[1] * t->in_size[2];
  gradient_rows(&j, tile * each, gt_least_u32(all, (tile + 1) * each));
}
