/* The recurrence on the CPU: a tile computes all steps of a few rows, independently of other tiles. It copies
 * the weight once into panels of columns, so that each step reads it in order. */
#include "base/count.h"
#include "base/memory.h"
#include "op/recurrent/recurrent_plan.h"
#include "shaders/op/recurrent/recurrent.h"
#include "shaders/op/recurrent/recurrent_gradient.h"
#include "step/math.h"
#include <stdlib.h>

enum { TILE = GT_RECURRENT_ROWS, PANEL = 32, BLOCK = 3 };
_Static_assert(TILE % BLOCK == 0, "a tile is whole blocks");

typedef struct job { /* one tile */
  uint32_t cell, gates, hidden, width, batch, all_steps, row0, rows, reverse;
  const int32_t *lengths;         /* NULL: every row has all steps */
  uint32_t depth, columns, pitch; /* of the GEMM of a step: K, N, and N rounded up to whole panels */
  float *panels, *sums;           /* [pitch / PANEL][depth][PANEL]; [TILE][pitch] */
} job;

static job job_of(const uint32_t *spec, uint32_t tile, uint32_t all_steps, uint32_t batch, uint64_t lengths) {
  job j = {.cell = spec[GT_RECURRENT_SPEC_CELL],
           .hidden = spec[GT_RECURRENT_SPEC_HIDDEN],
           .reverse = spec[GT_RECURRENT_SPEC_REVERSE],
           .batch = batch,
           .all_steps = all_steps,
           .row0 = tile * TILE,
           .rows = gt_min_u32(TILE, batch - tile * TILE)};
  j.gates = gt_cell_gates((gt_cell)j.cell);
  j.width = j.gates * j.hidden;
  if (spec[GT_RECURRENT_SPEC_LENGTHS]) j.lengths = GT_PTR(const int32_t, lengths);
  return j;
}

/* Copies weight, [depth][units][per_unit], into panels. Their columns are in another order,
 * [per_unit][units]: in the forward pass by gate, then by unit. */
static void pack_weight(job *j, const float *weight, uint32_t depth, uint32_t columns, uint32_t per_unit) {
  const uint32_t units = columns / per_unit;
  j->depth = depth;
  j->columns = columns;
  j->pitch = (columns + PANEL - 1) / PANEL * PANEL;
  j->panels = gt_alloc(sizeof(float) * j->pitch * ((size_t)depth + TILE));
  j->sums = j->panels + (size_t)j->pitch * depth;
  for (uint32_t c = 0; c < columns; c++) {
    float *panel = j->panels + (size_t)(c / PANEL * PANEL) * depth + c % PANEL;
    const float *column = weight + c % units * per_unit + c / units;
    for (uint32_t k = 0; k < depth; k++) panel[(size_t)k * PANEL] = column[(size_t)k * columns];
  }
}

/* x y + z, rounded once if the compiler has an instruction for it (in clones for newer processors); otherwise
 * fmaf would be a function call. */
GT_MATH float multiply_add(float x, float y, float z) {
#if defined FP_FAST_FMAF || \
    (defined __x86_64__ && defined __GNUC__ && !defined __clang__ && !defined __SANITIZE_THREAD__)
  return fmaf(x, y, z);
#else
  return x * y + z;
#endif
}

/* sum [BLOCK][PANEL] = BLOCK rows of `left` times a panel. The sums take 12 of the 16 registers of AVX2. */
GT_MATH void multiply_block(const float *const *left, const float *panel, uint32_t depth, float *sum,
                            size_t pitch) {
  float total[BLOCK][PANEL];
  memset(total, 0, sizeof total);
  for (uint32_t k = 0; k < depth; k++)
    for (int r = 0; r < BLOCK; r++) {
      const float factor = left[r][k];
      for (int c = 0; c < PANEL; c++)
        total[r][c] = multiply_add(factor, panel[(size_t)k * PANEL + (size_t)c], total[r][c]);
    }
  for (int r = 0; r < BLOCK; r++) memcpy(sum + (size_t)r * pitch, total[r], sizeof total[r]);
}

/* sums = the tile's rows of `left`, `stride` floats apart, times the weight. Missing rows of a block repeat
 * the last one. */
GT_CLONES static void multiply(const job *j, const float *left, size_t stride) {
  const float *row[TILE];
  for (uint32_t r = 0; r < TILE; r++) row[r] = left + stride * gt_min_u32(r, j->rows - 1);
  for (uint32_t c = 0; c < j->columns; c += PANEL)
    for (uint32_t r = 0; r < j->rows; r += BLOCK)
      multiply_block(row + r, j->panels + (size_t)c * j->depth, j->depth, j->sums + (size_t)r * j->pitch + c,
                     j->pitch);
}

static void clear_sums(const job *j) { memset(j->sums, 0, sizeof *j->sums * j->pitch * TILE); }

static uint32_t time_of(const job *j, uint32_t s) { return j->reverse ? j->all_steps - 1 - s : s; }

/* Offsets of a row at step s: of h after the step and before it, in y; and the index in values [steps,
 * batch]. */
static size_t offset_after(const job *j, uint32_t s, uint32_t row) {
  return ((size_t)(time_of(j, s) + 1 - j->reverse) * j->batch + row) * j->hidden;
}
static size_t offset_before(const job *j, uint32_t s, uint32_t row) {
  return ((size_t)(time_of(j, s) + j->reverse) * j->batch + row) * j->hidden;
}
static size_t at_time(const job *j, uint32_t s, uint32_t row) {
  return (size_t)time_of(j, s) * j->batch + row;
}

static bool is_before_end(const job *j, uint32_t s, uint32_t row) {
  return !j->lengths || (int32_t)time_of(j, s) < j->lengths[row];
}

static void clear(float *values, size_t count) {
  if (values) memset(values, 0, sizeof *values * count);
}

/* --- forward -------------------------------------------------------------------------------------------- */

/* One row at one step: [hidden] or [gates, hidden]. sum: the product with W_hh; old: c or h before the step.
 * Loops count in size_t, because a 32-bit sum may wrap, which prevents vectorization. */
typedef struct forward {
  const float *x, *sum, *bias, *old;
  float *saved, *extra, *h;
} forward;

GT_CLONES static void lstm(const forward *f, size_t n) {
  const float *x = f->x, *sum = f->sum, *old = f->old;
  float *saved = f->saved, *c = f->extra, *h = f->h;
  GT_VECTOR_LOOP for (size_t u = 0; u < n; u++) {
    const float i = gt_sigmoidf(x[u] + sum[u]), forget = gt_sigmoidf(x[n + u] + sum[n + u]);
    const float g = gt_tanhf(x[2 * n + u] + sum[2 * n + u]), o = gt_sigmoidf(x[3 * n + u] + sum[3 * n + u]);
    const float next = forget * old[u] + i * g;
    saved[u] = i, saved[n + u] = forget, saved[2 * n + u] = g, saved[3 * n + u] = o;
    c[u] = next;
    h[u] = o * gt_tanhf(next);
  }
}

GT_CLONES static void gru(const forward *f, size_t n) {
  const float *x = f->x, *sum = f->sum, *b = f->bias, *old = f->old;
  float *saved = f->saved, *hidden = f->extra, *h = f->h;
  GT_VECTOR_LOOP for (size_t u = 0; u < n; u++) {
    const float r = gt_sigmoidf(x[u] + (sum[u] + b[u])), z = gt_sigmoidf(x[n + u] + (sum[n + u] + b[n + u]));
    const float inner = sum[2 * n + u] + b[2 * n + u], next = gt_tanhf(x[2 * n + u] + r * inner);
    const float before_step = old[u];
    saved[u] = r, saved[n + u] = z, saved[2 * n + u] = next;
    hidden[u] = inner;
    h[u] = (1.0f - z) * next + z * before_step;
  }
}

GT_CLONES static void rnn(const forward *f, size_t n, bool relu) {
  const float *x = f->x, *sum = f->sum;
  float *h = f->h;
  if (relu)
    GT_VECTOR_LOOP for (size_t u = 0; u < n; u++) h[u] = gt_pick(x[u] + sum[u] < 0.0f, 0.0f, x[u] + sum[u]);
  else
    GT_VECTOR_LOOP for (size_t u = 0; u < n; u++) h[u] = gt_tanhf(x[u] + sum[u]);
}

static void advance_row(const job *j, const struct gt_recurrent_args *args, uint32_t s, uint32_t r,
                        const float *zeros, bool biased) {
  const uint32_t row = j->row0 + r, n = j->hidden;
  const size_t index = at_time(j, s, row);
  const bool gated = j->cell == GT_CELL_LSTM || j->cell == GT_CELL_GRU;
  float *y = GT_PTR(float, args->y), *extra = GT_PTR(float, args->extra);
  forward f = {.x = GT_PTR(const float, args->gates) + index * j->width,
               .sum = j->sums + (size_t)r * j->pitch,
               .bias = biased ? GT_PTR(const float, args->bias) : zeros,
               .old = zeros,
               .h = y + offset_after(j, s, row)};
  if (gated) f.saved = GT_PTR(float, args->saved) + index * j->width, f.extra = extra + index * n;
  if (s == 0)
    clear(y + offset_before(j, s, row), n);
  else if (gated)
    f.old = j->cell == GT_CELL_GRU ? y + offset_before(j, s, row) : extra + at_time(j, s - 1, row) * n;
  if (!is_before_end(j, s, row)) {
    clear(f.saved, j->width);
    clear(f.extra, n);
    clear(f.h, n);
  } else if (j->cell == GT_CELL_LSTM) {
    lstm(&f, n);
  } else if (j->cell == GT_CELL_GRU) {
    gru(&f, n);
  } else {
    rnn(&f, n, j->cell == GT_CELL_RNN_RELU);
  }
}

void gt_recurrent_cpu(const void *arguments, const uint32_t *spec, uint32_t tile) {
  const struct gt_recurrent_args *args = arguments;
  job j = job_of(spec, tile, args->all_steps, args->batch, args->lengths);
  pack_weight(&j, GT_PTR(const float, args->weight), j.hidden, j.width, j.gates);
  float *zeros = gt_alloc(sizeof *zeros * j.width);
  clear_sums(&j);
  for (uint32_t s = 0; s < j.all_steps; s++) {
    if (s) multiply(&j, GT_PTR(const float, args->y) + offset_before(&j, s, j.row0), j.hidden);
    for (uint32_t r = 0; r < j.rows; r++) advance_row(&j, args, s, r, zeros, spec[GT_RECURRENT_SPEC_BIASED]);
  }
  free(zeros);
  free(j.panels);
}

/* --- gradient ------------------------------------------------------------------------------------------- */

/* One row at one step. extra: c of an LSTM, W_hn h + b_hn of a GRU, or h of an RNN; dy: the gradient of the
 * output; sum: the gradient through the next step's product; d, inner: the gradients of the gates and of a
 * GRU's hidden product; carry: the gradient of c or h, passed to the previous step. */
typedef struct backward {
  const float *saved, *extra, *old, *dy, *sum;
  float *d, *inner, *carry;
} backward;

GT_CLONES static void lstm_gradient(const backward *b, size_t n) {
  const float *saved = b->saved, *extra = b->extra, *old = b->old, *dy = b->dy, *sum = b->sum;
  float *d = b->d, *carry = b->carry;
  GT_VECTOR_LOOP for (size_t u = 0; u < n; u++) {
    const float i = saved[u], forget = saved[n + u], g = saved[2 * n + u], o = saved[3 * n + u];
    const float dh = dy[u] + sum[u], t = gt_tanhf(extra[u]);
    const float dc = carry[u] + dh * o * (1.0f - t * t);
    d[u] = dc * g * (i * (1.0f - i));
    d[n + u] = dc * old[u] * (forget * (1.0f - forget));
    d[2 * n + u] = dc * i * (1.0f - g * g);
    d[3 * n + u] = dh * t * (o * (1.0f - o));
    carry[u] = dc * forget;
  }
}

GT_CLONES static void gru_gradient(const backward *b, size_t n) {
  const float *saved = b->saved, *extra = b->extra, *old = b->old, *dy = b->dy, *sum = b->sum;
  float *d = b->d, *inner = b->inner, *carry = b->carry;
  GT_VECTOR_LOOP for (size_t u = 0; u < n; u++) {
    const float r = saved[u], z = saved[n + u], next = saved[2 * n + u];
    const float dh = carry[u] + dy[u] + sum[u];
    const float dn = dh * (1.0f - z) * (1.0f - next * next);
    d[u] = inner[u] = dn * extra[u] * (r * (1.0f - r));
    d[n + u] = inner[n + u] = dh * (old[u] - next) * (z * (1.0f - z));
    d[2 * n + u] = dn;
    inner[2 * n + u] = dn * r;
    carry[u] = dh * z;
  }
}

GT_CLONES static void rnn_gradient(const backward *b, size_t n, bool relu) {
  const float *h = b->extra, *dy = b->dy, *sum = b->sum;
  float *d = b->d;
  if (relu)
    GT_VECTOR_LOOP for (size_t u = 0; u < n; u++) d[u] = gt_pick(h[u] > 0.0f, dy[u] + sum[u], 0.0f);
  else
    GT_VECTOR_LOOP for (size_t u = 0; u < n; u++) d[u] = (dy[u] + sum[u]) * (1.0f - h[u] * h[u]);
}

static void gradient_row(const job *j, const struct gt_recurrent_gradient_args *args, uint32_t s, uint32_t r,
                         const float *zeros, bool last_only) {
  const uint32_t row = j->row0 + r, n = j->hidden;
  const size_t index = at_time(j, s, row);
  const bool gated = j->cell == GT_CELL_LSTM || j->cell == GT_CELL_GRU, last = s + 1 == j->all_steps;
  const float *y = GT_PTR(const float, args->y), *extra = GT_PTR(const float, args->extra);
  const float *dy = GT_PTR(const float, args->given);
  backward b = {.dy = !last_only ? dy + index * n
                      : last     ? dy + (size_t)row * n
                                 : zeros,
                .sum = j->sums + (size_t)r * j->pitch,
                .extra = gated ? extra + index * n : y + offset_after(j, s, row),
                .old = zeros,
                .d = GT_PTR(float, args->d_gates) + index * j->width};
  if (gated) b.saved = GT_PTR(const float, args->saved) + index * j->width;
  if (gated) b.carry = GT_PTR(float, args->carry) + (size_t)row * n;
  if (j->cell == GT_CELL_GRU) b.inner = GT_PTR(float, args->d_hidden) + index * j->width;
  if (j->cell == GT_CELL_GRU)
    b.old = y + offset_before(j, s, row);
  else if (gated && s)
    b.old = extra + at_time(j, s - 1, row) * n;
  if (last || !is_before_end(j, s, row)) clear(b.carry, n);
  if (!is_before_end(j, s, row)) {
    clear(b.d, j->width);
    clear(b.inner, j->width);
  } else if (j->cell == GT_CELL_LSTM) {
    lstm_gradient(&b, n);
  } else if (j->cell == GT_CELL_GRU) {
    gru_gradient(&b, n);
  } else {
    rnn_gradient(&b, n, j->cell == GT_CELL_RNN_RELU);
  }
}

void gt_recurrent_gradient_cpu(const void *arguments, const uint32_t *spec, uint32_t tile) {
  const struct gt_recurrent_gradient_args *args = arguments;
  job j = job_of(spec, tile, args->all_steps, args->batch, args->lengths);
  const float *left = GT_PTR(const float, j.cell == GT_CELL_GRU ? args->d_hidden : args->d_gates);
  pack_weight(&j, GT_PTR(const float, args->weight), j.width, j.hidden, 1);
  float *zeros = gt_alloc(sizeof *zeros * j.hidden);
  clear_sums(&j);
  for (uint32_t s = j.all_steps; s-- > 0;) {
    if (s + 1 < j.all_steps) multiply(&j, left + at_time(&j, s + 1, j.row0) * j.width, j.width);
    for (uint32_t r = 0; r < j.rows; r++) gradient_row(&j, args, s, r, zeros, spec[GT_RECURRENT_SPEC_LAST]);
  }
  free(zeros);
  free(j.panels);
}
