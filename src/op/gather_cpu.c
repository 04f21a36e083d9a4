#include "op/gather_cpu.h"
#include "base/count.h"
#include "shaders/op/gather.h"
#include "shaders/op/gather_order.h"
#include "shaders/op/gather_sum.h"
#include "step/math.h"
#include <string.h>

enum { TILE_ELEMENTS = 16384, DIGITS = 256 };

uint32_t gt_gather_tile_rows(uint32_t width) { return width >= TILE_ELEMENTS ? 1 : TILE_ELEMENTS / width; }

uint32_t gt_gather_tile_blocks(uint32_t block, uint32_t width) {
  return (uint32_t)gt_max_i64(1, gt_gather_tile_rows(width) / block);
}

void gt_gather_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_gather_args *t = args;
  const uint32_t per_tile = gt_gather_tile_rows(t->width), end = gt_min_u32(t->n, (tile + 1) * per_tile);
  const uint32_t *index = GT_PTR(const uint32_t, t->index);
  (void)spec;
  for (uint32_t i = tile * per_tile; i < end; i++) {
    float *y = GT_PTR(float, t->y) + (size_t)i * t->width;
    if (index[i] < t->rows) /* negative indices are large as uint32_t */
      memcpy(y, GT_PTR(const float, t->table) + (size_t)index[i] * t->width, t->width * sizeof *y);
    else
      for (uint32_t k = 0; k < t->width; k++) y[k] = NAN;
  }
}

/* --- order ---------------------------------------------------------------------------------------------- */

/* One stable pass of a radix sort by the 8 bits from `shift` on. Returns false, and moves nothing, if these
 * bits are equal in all keys. */
static bool sort_digit(const uint64_t *from, uint64_t *to, uint32_t n, int shift) {
  uint32_t place[DIGITS] = {0}, sum = 0;
  for (uint32_t i = 0; i < n; i++) place[from[i] >> shift & (DIGITS - 1)]++;
  if (place[from[0] >> shift & (DIGITS - 1)] == n) return false;
  for (int d = 0; d < DIGITS; d++) {
    const uint32_t count = place[d];
    place[d] = sum;
    sum += count;
  }
  for (uint32_t i = 0; i < n; i++) to[place[from[i] >> shift & (DIGITS - 1)]++] = from[i];
  return true;
}

/* A tile sorts one run. Keys are in the upper halves of the words, positions in the lower halves. */
void gt_gather_order_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_gather_order_args *t = args;
  const uint32_t first = tile * GT_GATHER_RUN, n = gt_min_u32(GT_GATHER_RUN, t->n - first);
  const uint32_t *key = GT_PTR(const uint32_t, t->x) + first;
  uint32_t *y = GT_PTR(uint32_t, t->y) + first;
  uint64_t word[2][GT_GATHER_RUN];
  int current = 0;
  (void)spec;
  for (uint32_t i = 0; i < n; i++) word[0][i] = (uint64_t)key[i] << 32 | (first + i);
  for (int shift = 32; shift < 64; shift += 8) current ^= sort_digit(word[current], word[!current], n, shift);
  for (uint32_t i = 0; i < n; i++) y[i] = (uint32_t)(word[current][i] >> 32);
  for (uint32_t i = 0; i < n; i++) y[t->n + i] = (uint32_t)word[current][i];
}

/* The first position in [low, high) whose key is at least `key`; high if there is none. */
static uint32_t lower_bound(const uint32_t *keys, uint32_t low, uint32_t high, uint32_t key) {
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (keys[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Merges pairs of sorted runs. A tile moves part of one run: the new position of a key is its position in the
 * run plus the number of keys of the other run that precede it. */
void gt_gather_merge_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_gather_order_args *t = args;
  const uint32_t *key = GT_PTR(const uint32_t, t->x);
  uint32_t *y = GT_PTR(uint32_t, t->y);
  const uint32_t from = tile * GT_GATHER_RUN, to = gt_min_u32(t->n, from + GT_GATHER_RUN);
  const uint32_t run = from / t->run, pair_begin = (run & ~1u) * t->run;
  const bool is_second = run & 1;
  const uint32_t other_begin = is_second ? pair_begin : gt_min_u32(pair_begin + t->run, t->n);
  const uint32_t other_end = is_second ? pair_begin + t->run : gt_min_u32(pair_begin + 2 * t->run, t->n);
  uint32_t other = lower_bound(key, other_begin, other_end, key[from]);
  (void)spec;
  for (uint32_t i = from; i < to; i++) {
    while (other < other_end && (is_second ? key[other] <= key[i] : key[other] < key[i])) other++;
    const uint32_t place = pair_begin + (i - run * t->run) + (other - other_begin);
    y[place] = key[i];
    y[t->n + place] = key[t->n + i];
  }
}

/* --- sums ----------------------------------------------------------------------------------------------- */

/* Adds the rows of x at these positions, in order. */
GT_CLONES static void add_rows(const float *x, const uint32_t *position, uint32_t count, float *restrict sum,
                               uint32_t width) {
  for (uint32_t i = 0; i < count; i++) {
    const float *row = x + (size_t)position[i] * width;
    for (uint32_t k = 0; k < width; k++) sum[k] += row[k];
  }
}

/* Adds consecutive rows. */
GT_CLONES static void add_partials(const float *x, uint32_t count, float *restrict sum, uint32_t width) {
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < width; k++) sum[k] += x[(size_t)i * width + k];
}

/* Writes the partial sums of blocks in which all indices are equal; others are not used. */
static void sum_blocks(const struct gt_gather_sum_args *t, uint32_t tile) {
  const uint32_t *key = GT_PTR(const uint32_t, t->order), *position = key + t->n;
  const uint32_t per_tile = gt_gather_tile_blocks(t->block, t->width);
  for (uint32_t b = tile * per_tile; b < (tile + 1) * per_tile && b < t->n / t->block; b++) {
    float *sum = GT_PTR(float, t->partial) + (size_t)b * t->width;
    if (key[b * t->block] != key[(b + 1) * t->block - 1]) continue;
    memset(sum, 0, t->width * sizeof *sum);
    add_rows(GT_PTR(const float, t->x), position + b * t->block, t->block, sum, t->width);
  }
}

/* Adds the terms first … last - 1, which have the same index, by way of the partial sums of whole blocks. */
static void sum_row(const struct gt_gather_sum_args *t, uint32_t first, uint32_t last, float *sum) {
  const uint32_t *position = GT_PTR(const uint32_t, t->order) + t->n;
  const float *x = GT_PTR(const float, t->x);
  if (t->block) {
    const uint32_t b = gt_ceil_div(first, t->block), head_end = gt_min_u32(b * t->block, last);
    const uint32_t whole_blocks = (last - head_end) / t->block;
    add_rows(x, position + first, head_end - first, sum, t->width);
    add_partials(GT_PTR(const float, t->partial) + (size_t)b * t->width, whole_blocks, sum, t->width);
    first = head_end + whole_blocks * t->block;
  }
  add_rows(x, position + first, last - first, sum, t->width);
}

void gt_gather_sum_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_gather_sum_args *t = args;
  if (spec[GT_GATHER_SUM_SPEC_BLOCKS]) {
    sum_blocks(t, tile);
    return;
  }
  const uint32_t *key = GT_PTR(const uint32_t, t->order);
  const uint32_t per_tile = gt_gather_tile_rows(t->width), start = tile * per_tile;
  const uint32_t end = gt_min_u32(t->rows, start + per_tile);
  float *y = GT_PTR(float, t->y);
  memset(y + (size_t)start * t->width, 0, (size_t)(end - start) * t->width * sizeof *y);
  for (uint32_t first = lower_bound(key, 0, t->n, start), last; first < t->n && key[first] < end;
       first = last) {
    const uint32_t row = key[first];
    for (last = first + 1; last < t->n && key[last] == row;) last++;
    if (row != t->padding) sum_row(t, first, last, y + (size_t)row * t->width);
  }
}
