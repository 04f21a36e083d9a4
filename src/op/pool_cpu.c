#include "op/pool_cpu.h"
#include "op/image_cpu.h"
#include "shaders/op/pool.h"
#include <string.h>

enum { AXES = GT_IMAGE_AXES, BLOCK = 128 }; /* BLOCK: channels whose maxima are found together */

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

/* In 32 bits, in which a division takes half the time: there are some for each element. */
static span windows_of(const job *j, int k, uint32_t i) {
  const struct gt_pool_args *t = j->t;
  const uint32_t in = t->in_size[k], out = t->out_size[k], stride = j->stride[k];
  const uint32_t at = i + t->padding[k], reach = (j->window[k] - 1) * t->dilation[k];
  if (!stride) return (span){(int64_t)i * out / in, gt_ceil_div((i + INT64_C(1)) * out, in), 0};
  return (span){at > reach ? (at - reach + stride - 1) / stride : 0, gt_least_u32(at / stride + 1, out), 0};
}

/* Elements that a mean over window o of an axis counts. */
static int64_t count_of(const job *j, int k, uint32_t o) {
  const struct gt_pool_args *t = j->t;
  const span s = elements_of(j, k, o);
  if (!t->include_pad || !j->stride[k]) return s.end - s.first;
  const int64_t begin = begin_of(j, k, o);
  return gt_least(begin + j->window[k], (int64_t)t->in_size[k] + t->padding[k]) - begin;
}

/* What a mean is divided by, given how many elements count on the outer axes. Inlined, as all that works on
 * floats is here: code of another instruction set between vectors costs more than all the rest. */
GT_MATH float divisor_of(const job *j, int64_t outer, uint32_t w) {
  return j->t->divisor > 0 ? j->t->divisor : (float)(outer * count_of(j, 2, w));
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
        if (l)
          take(l, x + (row + w) * t->channels, place[2], n);
        else
          add_row(y, x + (row + w) * t->channels, n);
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

GT_MATH void max_line_of(const job *j, gt_image_line at, uint32_t channels) {
  span s[AXES] = {elements_of(j, 0, at.at[0]), elements_of(j, 1, at.at[1])};
  largest l;
  for (uint32_t i = 0; i < at.rows; i++) {
    s[2] = elements_of(j, 2, at.at[2] + i);
    for (uint32_t c = 0; c < channels; c += BLOCK) {
      const uint32_t n = gt_least_u32(BLOCK, channels - c);
      const size_t to = (size_t)(at.row + i) * channels + c;
      for (uint32_t k = 0; k < n; k++) l.value[k] = -INFINITY, l.place[k] = GT_POOL_NOWHERE;
      walk(j, s, at.sample, c, n, &l, NULL);
      memcpy(GT_PTR(float, j->t->y) + to, l.value, n * sizeof *l.value);
      store_index(j, to, l.place, n);
    }
  }
}

GT_CLONES static void max_line(const job *j,
                               gt_image_line at){GT_FOR_CHANNELS(j->t->channels, max_line_of, j, at)}

GT_MATH void mean_line_of(const job *j, gt_image_line at, uint32_t channels) {
  span s[AXES] = {elements_of(j, 0, at.at[0]), elements_of(j, 1, at.at[1])};
  const int64_t outer = count_of(j, 0, at.at[0]) * count_of(j, 1, at.at[1]);
  for (uint32_t i = 0; i < at.rows; i++) {
    float *y = GT_PTR(float, j->t->y) + (size_t)(at.row + i) * channels;
    const float divisor = divisor_of(j, outer, at.at[2] + i);
    s[2] = elements_of(j, 2, at.at[2] + i);
    for (uint32_t c = 0; c < channels; c++) y[c] = 0;
    walk(j, s, at.sample, 0, channels, NULL, y);
    for (uint32_t c = 0; c < channels; c++) y[c] /= divisor;
  }
}

GT_CLONES static void mean_line(const job *j, gt_image_line at) {
  GT_FOR_CHANNELS(j->t->channels, mean_line_of, j, at)
}

static void each_line(const job *j, const uint32_t *size, uint32_t tile,
                      void (*work)(const job *, gt_image_line)) {
  const uint32_t channels = j->t->channels;
  gt_image_line at;
  for (uint32_t row = tile * gt_image_tile_rows(channels);
       gt_image_line_at(row, j->t->batch, size, channels, tile, &at); row += at.rows)
    work(j, at);
}

void gt_pool_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const job j = read_job(args, spec);
  each_line(&j, j.t->out_size, tile, j.average ? mean_line : max_line);
}

/* --- gradient ------------------------------------------------------------------------------------------- */

/* Adds to y what comes of window number `from`, in which the element stands at `place`; `first`: y is not
 * read. */
GT_MATH void add_share(const job *j, size_t from, uint32_t place, float *restrict y, bool first, uint32_t n) {
  const struct gt_pool_args *t = j->t;
  const float *restrict g = GT_PTR(const float, t->x) + from * n;
  const uint8_t *restrict byte = GT_PTR(const uint8_t, t->index) + from * n;
  const uint32_t *restrict word = GT_PTR(const uint32_t, t->index) + from * n;
  if (j->index == GT_POOL_INDEX_BYTES && first)
    for (uint32_t c = 0; c < n; c++) y[c] = gt_pick(byte[c] == place, g[c], 0);
  else if (j->index == GT_POOL_INDEX_BYTES)
    for (uint32_t c = 0; c < n; c++) y[c] += gt_pick(byte[c] == place, g[c], 0);
  else if (first)
    for (uint32_t c = 0; c < n; c++) y[c] = gt_pick(word[c] == place, g[c], 0);
  else
    for (uint32_t c = 0; c < n; c++) y[c] += gt_pick(word[c] == place, g[c], 0);
}

GT_MATH void add_mean(const job *j, size_t from, float divisor, float *restrict y, bool first, uint32_t n) {
  const float *restrict g = GT_PTR(const float, j->t->x) + from * n;
  if (first)
    for (uint32_t c = 0; c < n; c++) y[c] = g[c] / divisor;
  else
    for (uint32_t c = 0; c < n; c++) y[c] += g[c] / divisor;
}

/* The element's place in window o of the axis; false: it is one between two of them. */
static bool place_in(const job *j, int k, uint32_t i, uint32_t o, uint32_t *place) {
  const uint32_t distance = (uint32_t)(i - begin_of(j, k, o)), dilation = j->t->dilation[k];
  *place = distance;
  if (dilation == 1) return true;
  *place = distance / dilation;
  return distance % dilation == 0;
}

/* All windows that the element at `at` lies in, in order; returns whether there is one. */
GT_MATH bool gather(const job *j, const gt_image_line *at, uint32_t w, const span s[AXES], float *y,
                    uint32_t n) {
  const struct gt_pool_args *t = j->t;
  uint32_t place[AXES];
  bool first = true;
  for (uint32_t d = (uint32_t)s[0].first; d < s[0].end; d++) {
    if (!place_in(j, 0, at->at[0], d, &place[0])) continue;
    for (uint32_t h = (uint32_t)s[1].first; h < s[1].end; h++) {
      if (!place_in(j, 1, at->at[1], h, &place[1])) continue;
      const size_t row = (((size_t)at->sample * t->out_size[0] + d) * t->out_size[1] + h) * t->out_size[2];
      const int64_t outer = j->average && t->divisor <= 0 ? count_of(j, 0, d) * count_of(j, 1, h) : 1;
      for (uint32_t o = (uint32_t)s[2].first; o < s[2].end; o++) {
        if (!place_in(j, 2, w, o, &place[2])) continue;
        if (j->average)
          add_mean(j, row + o, divisor_of(j, outer, o), y, first, n);
        else
          add_share(j, row + o, (place[0] * j->window[1] + place[1]) * j->window[2] + place[2], y, first, n);
        first = false;
      }
    }
  }
  return !first;
}

GT_MATH void gradient_line_of(const job *j, gt_image_line at, uint32_t channels) {
  span s[AXES] = {windows_of(j, 0, at.at[0]), windows_of(j, 1, at.at[1])};
  for (uint32_t i = 0; i < at.rows; i++) {
    float *y = GT_PTR(float, j->t->y) + (size_t)(at.row + i) * channels;
    s[2] = windows_of(j, 2, at.at[2] + i);
    if (!gather(j, &at, at.at[2] + i, s, y, channels)) memset(y, 0, channels * sizeof *y);
  }
}

GT_CLONES static void gradient_line(const job *j, gt_image_line at) {
  GT_FOR_CHANNELS(j->t->channels, gradient_line_of, j, at)
}

void gt_pool_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const job j = read_job(args, spec);
  each_line(&j, j.t->in_size, tile, gradient_line);
}
