#include "base/pool.h"
#include "op/image_cpu.h"
#include "shaders/op/pool.h"
#include "shaders/op/pool_gradient.h"
#include "step/program.h"
#include <string.h>

enum { AXES = GT_IMAGE_AXES };
enum {
  BLOCK = 128,         /* channels of which a window is reduced at once */
  BUFFER = 4096,       /* values before an epilogue, or after a prologue, that fit the L1 cache */
  MAX_CHANNELS = 65536 /* channels processed at once in the gradient: they fit the buffer */
};

typedef struct job {
  uint32_t batch, channels, in_size[AXES], out_size[AXES];
  uint32_t window[AXES], stride[AXES], padding[AXES], dilation[AXES];
  uint32_t index; /* GT_POOL_INDEX_…: how `places` are stored */
  bool average, include_pad;
  float divisor;
  const float *x; /* the image, or the gradient of the value */
  float *y;
  void *places;                      /* of the maxima in their windows; NULL: they are not stored */
  const gt_program_context *program; /* a prologue, or an epilogue; NULL: none */
  uint64_t out[2];                   /* outputs of an epilogue */
} job;

static void read_spec(job *j, const uint32_t *spec) {
  j->index = spec[GT_POOL_SPEC_INDEX];
  j->average = spec[GT_POOL_SPEC_AVERAGE];
  j->include_pad = spec[GT_POOL_SPEC_INCLUDE];
  memcpy(&j->divisor, spec + GT_POOL_SPEC_DIVISOR, sizeof j->divisor);
  memcpy(j->window, spec + GT_POOL_SPEC_WINDOW_D, sizeof j->window);
  memcpy(j->stride, spec + GT_POOL_SPEC_STRIDE_D, sizeof j->stride);
  memcpy(j->padding, spec + GT_POOL_SPEC_PADDING_D, sizeof j->padding);
  memcpy(j->dilation, spec + GT_POOL_SPEC_DILATION_D, sizeof j->dilation);
}

/* Along one axis, either the elements of a window that are inside the image: first, first + dilation, …
 * before `end`, with the position of the first in the window; or the windows first … end - 1 that contain an
 * element. */
typedef struct range {
  int64_t first, end;
  uint32_t place;
} range;

/* The first element of window o, which may be outside the image. */
static int64_t begin_of(const job *j, int k, uint32_t o) {
  return j->stride[k] ? (int64_t)o * j->stride[k] - j->padding[k]
                      : (int64_t)o * j->in_size[k] / j->out_size[k];
}

static range elements_of(const job *j, int k, uint32_t o) {
  const int64_t dilation = j->dilation[k], begin = begin_of(j, k, o);
  if (!j->stride[k]) return (range){begin, gt_ceil_div(((int64_t)o + 1) * j->in_size[k], j->out_size[k]), 0};
  const int64_t skipped = begin < 0 ? gt_ceil_div(-begin, dilation) : 0;
  return (range){begin + skipped * dilation, gt_min_i64(j->in_size[k], begin + j->window[k] * dilation),
                 (uint32_t)skipped};
}

/* The windows that contain element i. Divisions are in 32 bits, which is twice as fast as 64. */
static range windows_of(const job *j, int k, uint32_t i) {
  const uint32_t in = j->in_size[k], out = j->out_size[k], stride = j->stride[k];
  const uint32_t padded_position = i + j->padding[k], reach = (j->window[k] - 1) * j->dilation[k];
  if (!stride) return (range){(int64_t)i * out / in, gt_ceil_div((i + INT64_C(1)) * out, in), 0};
  return (range){padded_position > reach ? (padded_position - reach + stride - 1) / stride : 0,
                 gt_min_u32(padded_position / stride + 1, out), 0};
}

/* The number of elements of window o along an axis that a mean counts. */
static int64_t count_of(const job *j, int k, uint32_t o) {
  const range s = elements_of(j, k, o);
  if (!j->include_pad || !j->stride[k]) return s.end - s.first;
  const int64_t begin = begin_of(j, k, o);
  return gt_min_i64(begin + j->window[k], (int64_t)j->in_size[k] + j->padding[k]) - begin;
}

/* The divisor of a mean; outer: the number of elements on the outer axes. Inlined, like all float code here:
 * between vector instructions, a call to code for another instruction set costs more than everything else. */
GT_MATH float divisor_of(const job *j, int64_t outer, uint32_t w) {
  return j->divisor > 0 ? j->divisor : (float)(outer * count_of(j, 2, w));
}

/* --- forward -------------------------------------------------------------------------------------------- */

/* Updates the maxima y of n channels and their positions `place`. The first of equal values is kept, but the
 * last NaN, as in PyTorch. */
GT_MATH void update_max(const float *x, uint32_t element_place, uint32_t n, float *y, uint32_t *place) {
  for (uint32_t c = 0; c < n; c++) {
    const bool replaces = (x[c] > y[c]) | (x[c] != x[c]) | (place[c] == GT_POOL_NOWHERE);
    const uint32_t mask = 0u - (uint32_t)replaces;
    y[c] = gt_pick(replaces, x[c], y[c]);
    place[c] = (element_place & mask) | (place[c] & ~mask);
  }
}

GT_MATH void add_row(float *restrict y, const float *restrict x, uint32_t n) {
  for (uint32_t c = 0; c < n; c++) y[c] += x[c];
}

/* Reduces a window for n channels from c on, in order: y and place become the maximum and its position or, if
 * place is NULL, the sum is added to y. */
GT_MATH void reduce_window(const job *j, const range s[AXES], uint32_t sample, uint32_t c, uint32_t n,
                           float *y, uint32_t *place) {
  uint32_t position[AXES] = {s[0].place};
  for (int64_t d = s[0].first; d < s[0].end; d += j->dilation[0], position[0]++) {
    position[1] = s[1].place;
    for (int64_t h = s[1].first; h < s[1].end; h += j->dilation[1], position[1]++) {
      const int64_t row = ((sample * (int64_t)j->in_size[0] + d) * j->in_size[1] + h) * j->in_size[2];
      position[2] = (position[0] * j->window[1] + position[1]) * j->window[2] + s[2].place;
      for (int64_t w = s[2].first; w < s[2].end; w += j->dilation[2], position[2]++) {
        if (place)
          update_max(j->x + (row + w) * j->channels + c, position[2], n, y, place);
        else
          add_row(y, j->x + (row + w) * j->channels + c, n);
      }
    }
  }
}

static void store_index(const job *j, size_t offset, const uint32_t *place, uint32_t n) {
  if (j->index == GT_POOL_INDEX_WORDS) memcpy((uint32_t *)j->places + offset, place, n * sizeof *place);
  if (j->index != GT_POOL_INDEX_BYTES) return;
  uint8_t *byte = (uint8_t *)j->places + offset; /* words are little-endian */
  for (uint32_t c = 0; c < n; c++) byte[c] = (uint8_t)place[c];
}

GT_MATH void max_span_of(const job *j, gt_image_span span, uint32_t channels) {
  range s[AXES] = {elements_of(j, 0, span.coordinate[0]), elements_of(j, 1, span.coordinate[1])};
  float value[BLOCK];
  uint32_t place[BLOCK];
  for (uint32_t i = 0; i < span.count; i++) {
    s[2] = elements_of(j, 2, span.coordinate[2] + i);
    for (uint32_t c = 0; c < channels; c += BLOCK) {
      const uint32_t n = gt_min_u32(BLOCK, channels - c);
      const size_t to = (size_t)(span.first + i) * channels + c;
      for (uint32_t k = 0; k < n; k++) value[k] = -INFINITY, place[k] = GT_POOL_NOWHERE;
      reduce_window(j, s, span.sample, c, n, value, place);
      memcpy(j->y + to, value, n * sizeof *value);
      store_index(j, to, place, n);
    }
  }
}

GT_CLONES static void max_span(const job *j,
                               gt_image_span span){GT_FOR_CHANNELS(j->channels, max_span_of, j, span)}

GT_MATH void mean_span_of(const job *j, gt_image_span span, uint32_t channels) {
  range s[AXES] = {elements_of(j, 0, span.coordinate[0]), elements_of(j, 1, span.coordinate[1])};
  const int64_t outer = count_of(j, 0, span.coordinate[0]) * count_of(j, 1, span.coordinate[1]);
  for (uint32_t i = 0; i < span.count; i++) {
    float *y = j->y + (size_t)(span.first + i) * channels;
    const float divisor = divisor_of(j, outer, span.coordinate[2] + i);
    s[2] = elements_of(j, 2, span.coordinate[2] + i);
    for (uint32_t c = 0; c < channels; c++) y[c] = 0;
    reduce_window(j, s, span.sample, 0, channels, y, NULL);
    for (uint32_t c = 0; c < channels; c++) y[c] /= divisor;
  }
}

GT_CLONES static void mean_span(const job *j, gt_image_span span) {
  GT_FOR_CHANNELS(j->channels, mean_span_of, j, span)
}

static void for_each_span(const job *j, const uint32_t *size, uint32_t tile,
                          void (*work)(const job *, gt_image_span)) {
  const uint32_t channels = j->channels;
  gt_image_span span;
  for (uint32_t row = tile * gt_image_tile_positions(channels);
       gt_image_span_at(row, j->batch, size, channels, tile, &span); row += span.count)
    work(j, span);
}

static void pool_span(const job *j, gt_image_span span) {
  if (j->average)
    mean_span(j, span);
  else
    max_span(j, span);
}

/* If there is a prologue, windows do not overlap. The prologue's values for as many windows as fit the L1
 * cache are computed into a buffer, which is then pooled as an image. */
static void pool_span_with_prologue(const job *j, gt_image_span span) {
  const uint32_t row_values = j->stride[2] * j->channels, window_rows = j->window[0] * j->window[1];
  const uint32_t windows = gt_max_u32(1, BUFFER / (row_values * window_rows));
  float *image = gt_pool_scratch();
  job part = *j;
  part.x = image;
  for (uint32_t i = 0, n; i < span.count; i += n) {
    n = gt_min_u32(windows, span.count - i);
    const range d = elements_of(j, 0, span.coordinate[0]), h = elements_of(j, 1, span.coordinate[1]);
    const uint32_t first = (span.coordinate[2] + i) * j->stride[2];
    part.in_size[0] = (uint32_t)(d.end - d.first);
    part.in_size[1] = (uint32_t)(h.end - h.first);
    part.in_size[2] = gt_min_u32(n * j->stride[2], j->in_size[2] - first);
    float *to = image;
    for (int64_t z = d.first; z < d.end; z++)
      for (int64_t y = h.first; y < h.end; y++, to += part.in_size[2] * j->channels) {
        const int64_t row = (span.sample * (int64_t)j->in_size[0] + z) * j->in_size[1] + y;
        gt_program_evaluate(j->program, (uint32_t)(row * j->in_size[2] + first) * j->channels,
                            part.in_size[2] * j->channels, NULL, &to);
      }
    pool_span(&part, (gt_image_span){.first = span.first + i, .count = n});
  }
}

void gt_pool_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_pool_args *t = args;
  gt_program program;
  gt_program_context context = {.program = &program,
                                .clock = GT_PTR(const uint32_t, t->clock),
                                .layout = GT_PTR(const uint32_t, t->layout_),
                                .row_length = t->channels};
  gt_program_from_spec(spec, &program);
  for (uint32_t i = 0; i < program.inputs; i++) context.x[i] = GT_PTR(const float, t->x[i]);
  const bool plain = !program.instructions && program.inputs && program.load[0] == GT_LOAD_SAME;
  job j = {.batch = t->batch,
           .channels = t->channels,
           .x = plain ? context.x[0] : NULL,
           .y = GT_PTR(float, t->y),
           .places = GT_PTR(void, t->index),
           .program = plain ? NULL : &context};
  memcpy(j.in_size, t->in_size, sizeof j.in_size);
  memcpy(j.out_size, t->out_size, sizeof j.out_size);
  read_spec(&j, spec);
  for_each_span(&j, j.out_size, tile, plain ? pool_span : pool_span_with_prologue);
}

/* --- gradient ------------------------------------------------------------------------------------------- */

/* Adds to y the gradient of n channels of a window, at index `from` of the gradient, in which the element has
 * position `place`; first: y is overwritten. */
GT_MATH void add_if_maximum(const job *j, size_t from, uint32_t place, float *restrict y, bool first,
                            uint32_t n) {
  const float *restrict g = j->x + from;
  const uint8_t *restrict byte = (const uint8_t *)j->places + from;
  const uint32_t *restrict word = (const uint32_t *)j->places + from;
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
  const float *restrict g = j->x + from;
  if (first)
    for (uint32_t c = 0; c < n; c++) y[c] = g[c] / divisor;
  else
    for (uint32_t c = 0; c < n; c++) y[c] += g[c] / divisor;
}

/* Sets *place to the position of element i in window o; false if it is between two dilated elements. */
static bool place_in(const job *j, int k, uint32_t i, uint32_t o, uint32_t *place) {
  const uint32_t distance = (uint32_t)(i - begin_of(j, k, o)), dilation = j->dilation[k];
  *place = distance;
  if (dilation == 1) return true;
  *place = distance / dilation;
  return distance % dilation == 0;
}

/* Sums the gradient of the element at column w, for n channels from c on, over all windows that contain it,
 * in order. */
GT_MATH void sum_over_windows(const job *j, const gt_image_span *span, uint32_t w, const range outer[2],
                              uint32_t channels, uint32_t c, uint32_t n, float *y) {
  const range s = windows_of(j, 2, w);
  uint32_t place[AXES];
  bool first = true;
  for (uint32_t d = (uint32_t)outer[0].first; d < outer[0].end; d++) {
    if (!place_in(j, 0, span->coordinate[0], d, &place[0])) continue;
    for (uint32_t h = (uint32_t)outer[1].first; h < outer[1].end; h++) {
      if (!place_in(j, 1, span->coordinate[1], h, &place[1])) continue;
      const size_t row = (((size_t)span->sample * j->out_size[0] + d) * j->out_size[1] + h) * j->out_size[2];
      const int64_t count = j->average && j->divisor <= 0 ? count_of(j, 0, d) * count_of(j, 1, h) : 1;
      for (uint32_t o = (uint32_t)s.first; o < s.end; o++) {
        if (!place_in(j, 2, w, o, &place[2])) continue;
        const uint32_t element_place = (place[0] * j->window[1] + place[1]) * j->window[2] + place[2];
        if (j->average)
          add_mean(j, (row + o) * channels + c, divisor_of(j, count, o), y, first, n);
        else
          add_if_maximum(j, (row + o) * channels + c, element_place, y, first, n);
        first = false;
      }
    }
  }
  if (first) memset(y, 0, n * sizeof *y); /* no window contains the element */
}

/* Runs the epilogue on `rows` rows of n values from element `first` on: whole rows, or a part of one row. */
static void run_epilogue(const job *j, uint32_t first, uint32_t rows, uint32_t n, const float *values) {
  float *out[GT_PROGRAM_OUTPUTS] = {0};
  for (uint32_t o = 0; o < j->program->program->outputs; o++) out[o] = GT_PTR(float, j->out[o]) + first;
  if (n == j->channels)
    gt_program_evaluate(j->program, first, rows * n, values, out);
  else
    gt_program_evaluate_rows(j->program, first, n, rows, n, values, n, out);
}

/* With an epilogue the values go through a buffer of rows that fits the L1 cache, because the epilogue may
 * update one of its inputs in place. */
GT_MATH void gradient_span_of(const job *j, gt_image_span span, uint32_t channels) {
  const range outer[2] = {windows_of(j, 0, span.coordinate[0]), windows_of(j, 1, span.coordinate[1])};
  const uint32_t rows_at_once = !j->program ? span.count : channels < BUFFER ? BUFFER / channels : 1;
  float *buffer = gt_pool_scratch();
  for (uint32_t i = 0; i < span.count; i += rows_at_once) {
    const uint32_t rows = gt_min_u32(rows_at_once, span.count - i);
    for (uint32_t c = 0; c < channels; c += MAX_CHANNELS) {
      const uint32_t n = gt_min_u32(MAX_CHANNELS, channels - c);
      float *to = j->program ? buffer : j->y + (size_t)(span.first + i) * channels + c;
      const size_t step = j->program ? n : channels;
      for (uint32_t k = 0; k < rows; k++)
        sum_over_windows(j, &span, span.coordinate[2] + i + k, outer, channels, c, n, to + k * step);
      if (j->program) run_epilogue(j, (span.first + i) * channels + c, rows, n, buffer);
    }
  }
}

GT_CLONES static void gradient_span(const job *j, gt_image_span span) {
  GT_FOR_CHANNELS(j->channels, gradient_span_of, j, span)
}

void gt_pool_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_pool_gradient_args *t = args;
  gt_program program;
  gt_program_context context = {
      .program = &program, .clock = GT_PTR(const uint32_t, t->clock), .row_length = t->channels};
  gt_program_from_spec(spec, &program);
  for (uint32_t i = 0; i < program.inputs; i++) context.x[i] = GT_PTR(const float, t->x[i]);
  job j = {.batch = t->batch,
           .channels = t->channels,
           .x = GT_PTR(const float, t->output_gradient),
           .y = GT_PTR(float, t->y[0]),
           .places = GT_PTR(void, t->index),
           .program = gt_program_is_plain(&program) ? NULL : &context,
           .out = {t->y[0], t->y[1]}};
  memcpy(j.in_size, t->in_size, sizeof j.in_size);
  memcpy(j.out_size, t->out_size, sizeof j.out_size);
  read_spec(&j, spec);
  for_each_span(&j, j.in_size, tile, gradient_span);
}
