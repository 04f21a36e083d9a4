#include "op/move_cpu.h"
#include "base/count.h"
#include "shaders/op/move.h"
#include <string.h>

/* A tile processes its elements in runs along the last axis. Within a run the elements with a source are a
 * contiguous range, computed once, so that the inner loops neither divide nor branch. */
typedef struct traversal {
  const uint32_t *axis; /* GT_MOVE_WORDS words each */
  uint32_t rank, index[GT_MAX_RANK];
  const uint32_t *x;
  uint32_t *y, fill;
} traversal;

static void fill_words(uint32_t *y, int64_t step, int64_t count, uint32_t value) {
  for (int64_t i = 0; i < count; i++) y[i * step] = value;
}

/* The offsets of a run from the axes before the last; false if one of them has no source. */
static bool outer_offsets(const traversal *w, uint64_t *from, uint64_t *to) {
  bool inside = true;
  *from = *to = 0;
  for (uint32_t d = 0; d + 1 < w->rank; d++) {
    const uint32_t *a = w->axis + d * GT_MOVE_WORDS;
    const int64_t j = (int64_t)w->index[d] * a[GT_MOVE_MUL] + (int32_t)a[GT_MOVE_ADD];
    const int64_t quotient = j / a[GT_MOVE_DIV];
    *to += (uint64_t)w->index[d] * a[GT_MOVE_OUT];
    if (j < 0 || quotient * a[GT_MOVE_DIV] != j || quotient >= a[GT_MOVE_LIMIT])
      inside = false;
    else
      *from += (uint64_t)quotient * a[GT_MOVE_STRIDE];
  }
  return inside;
}

static void copy_strided(const uint32_t *x, int64_t from, uint32_t *y, int64_t to, int64_t count) {
  if (from == 1 && to == 1)
    memcpy(y, x, (size_t)count * sizeof *y);
  else if (from == 0)
    fill_words(y, to, count, x[0]);
  else
    for (int64_t i = 0; i < count; i++) y[i * to] = x[i * from];
}

/* Moves elements start … start + n - 1 of the last axis; x and y point to the row of the run. */
static void move_run(const traversal *w, const uint32_t *x, uint32_t *y, int64_t start, int64_t n) {
  const uint32_t *a = w->axis + (w->rank - 1) * GT_MOVE_WORDS;
  const int64_t mul = a[GT_MOVE_MUL], add = (int32_t)a[GT_MOVE_ADD], div = a[GT_MOVE_DIV],
                limit = a[GT_MOVE_LIMIT];
  const int64_t stride = a[GT_MOVE_STRIDE], out = a[GT_MOVE_OUT], end = start + n;
  /* 0 <= index * mul + add < limit * div */
  const int64_t low = gt_min_i64(gt_max_i64(gt_ceil_div(-add, mul), start), end);
  const int64_t high = gt_min_i64(gt_max_i64(gt_ceil_div((limit - 1) * div + 1 - add, mul), low), end);
  if (div == 1) {
    fill_words(y + start * out, out, low - start, w->fill);
    copy_strided(x + (low * mul + add) * stride, mul * stride, y + low * out, out, high - low);
    fill_words(y + high * out, out, end - high, w->fill);
    return;
  }
  fill_words(y + start * out, out, n, w->fill);
  /* mul is 1 here: every div-th element has a source. */
  const int64_t first = gt_ceil_div(low + add, div);
  for (int64_t j = first; j * div - add < high; j++) y[(j * div - add) * out] = x[j * stride];
}

static void advance(traversal *w) {
  for (uint32_t d = w->rank - 1; d-- > 0;) {
    if (++w->index[d] < w->axis[d * GT_MOVE_WORDS + GT_MOVE_DIM]) return;
    w->index[d] = 0;
  }
}

static void move_cpu(const void *arguments, const uint32_t *spec, uint32_t tile) {
  const struct gt_move_args *args = arguments;
  const uint32_t *layout = GT_PTR(const uint32_t, args->layout_);
  traversal w = {.axis = layout + 1,
                 .rank = layout[0],
                 .x = GT_PTR(const uint32_t, args->x),
                 .y = GT_PTR(uint32_t, args->y) + args->out_offset,
                 .fill = args->fill};
  uint32_t element = tile * GT_MOVE_TILE,
           remaining = (uint32_t)gt_min_i64(GT_MOVE_TILE, args->count - element);
  (void)spec;
  for (uint32_t d = w.rank; d-- > 0;) {
    const uint32_t dim = w.axis[d * GT_MOVE_WORDS + GT_MOVE_DIM];
    w.index[d] = element % dim;
    element /= dim;
  }
  uint32_t *last_index = &w.index[w.rank - 1];
  const uint32_t length = w.axis[(w.rank - 1) * GT_MOVE_WORDS + GT_MOVE_DIM];
  while (remaining) {
    const uint32_t run = (uint32_t)gt_min_i64(remaining, length - *last_index);
    uint64_t from, to;
    if (outer_offsets(&w, &from, &to))
      move_run(&w, w.x + from, w.y + to, *last_index, run);
    else {
      const uint32_t out = w.axis[(w.rank - 1) * GT_MOVE_WORDS + GT_MOVE_OUT];
      fill_words(w.y + to + (uint64_t)*last_index * out, out, run, w.fill);
    }
    remaining -= run;
    *last_index = 0;
    advance(&w);
  }
}

const gt_kernel gt_move_kernel = {"move", move_cpu};
