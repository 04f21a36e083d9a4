#include "op/logic_conv_cpu.h"
#include "op/logic_conv.h"
#include "op/math.h"
#include <math.h>
#include <string.h>

enum { BLOCK = GT_CONV_BLOCK, LEAVES = 1 << GT_LOGIC_CONV_DEPTH, TILE_ELEMENTS = 8192 };

typedef float block[BLOCK]; /* a value for each of some neighbouring samples */

typedef struct place { /* in the field, or of the field's corner in the padded image */
  uint32_t row, column, channel;
} place;

typedef struct job {
  const struct gt_logic_conv_args *t;
  const float *x, *g;
  uint32_t leaves, gates, field, pool, stride, channels, kernels, columns;
} job;

typedef struct gate_tree { /* one kernel */
  place leaf[LEAVES];
  const float *c;
} gate_tree;

static job read_job(const struct gt_logic_conv_args *t, const uint32_t *spec) {
  const uint32_t leaves = 1u << spec[GT_CONV_SPEC_DEPTH];
  return (job){.t = t,
               .x = GT_PTR(const float, t->x),
               .g = GT_PTR(const float, t->g),
               .leaves = leaves,
               .gates = leaves - 1,
               .field = spec[GT_CONV_SPEC_FIELD],
               .pool = spec[GT_CONV_SPEC_POOL],
               .stride = spec[GT_CONV_SPEC_STRIDE],
               .channels = spec[GT_CONV_SPEC_CHANNELS],
               .kernels = spec[GT_CONV_SPEC_KERNELS],
               .columns = spec[GT_CONV_SPEC_COLUMNS]};
}

static void read_tree(const job *j, uint32_t kernel, gate_tree *tree) {
  const uint32_t *wiring = GT_PTR(const uint32_t, j->t->wiring) + (size_t)kernel * j->leaves;
  for (uint32_t l = 0; l < j->leaves; l++) {
    const uint32_t at = wiring[l] / j->channels;
    tree->leaf[l] = (place){at / j->field, at % j->field, wiring[l] % j->channels};
  }
  tree->c = GT_PTR(const float, j->t->coefficients) + 4 * (size_t)kernel * j->gates;
}

static place corner(const job *j, uint32_t window, uint32_t slot) {
  const uint32_t row = window / j->columns * j->pool + slot / j->pool;
  const uint32_t column = window % j->columns * j->pool + slot % j->pool;
  return (place){row * j->stride - j->t->padding, column * j->stride - j->t->padding, 0};
}

/* Where a leaf's samples begin in x; false where it lies outside (a negative place is a very large one). */
GT_MATH bool find(const job *j, place corner, place leaf, size_t *at) {
  const uint32_t row = corner.row + leaf.row, column = corner.column + leaf.column;
  *at = (((size_t)row * j->t->width + column) * j->channels + leaf.channel) * j->t->batch;
  return row < j->t->height && column < j->t->width;
}

GT_MATH void read_block(const float *from, uint32_t n, float *restrict to) {
  if (n == BLOCK) {
    memcpy(to, from, sizeof(block));
    return;
  }
  memset(to, 0, sizeof(block));
  memcpy(to, from, n * sizeof *to);
}

GT_MATH void read_leaves(const job *j, const gate_tree *tree, place corner, uint32_t s, uint32_t n,
                         block *v) {
  for (uint32_t l = 0; l < j->leaves; l++) {
    size_t at;
    if (find(j, corner, tree->leaf[l], &at))
      read_block(j->x + at + s, n, v[l]);
    else
      memset(v[l], 0, sizeof(block));
  }
}

/* Gate g reads values 2g and 2g + 1; v[0 … leaves) is given. The result is the last value. */
GT_MATH float *evaluate(const job *j, const float *c, block *v) {
  for (uint32_t g = 0; g < j->gates; g++, c += 4) {
    const float *a = v[2 * g], *b = v[2 * g + 1];
    float *restrict y = v[j->leaves + g];
    for (int i = 0; i < BLOCK; i++) y[i] = (c[0] + c[1] * a[i]) + b[i] * (c[2] + c[3] * a[i]);
  }
  return v[j->leaves + j->gates - 1];
}

/* --- forward -------------------------------------------------------------------------------------------- */

GT_CLONES static void forward(const job *j, const gate_tree *tree, uint32_t window, uint32_t s, uint32_t n,
                              float *to) {
  block v[2 * LEAVES], best;
  for (int i = 0; i < BLOCK; i++) best[i] = -INFINITY;
  for (uint32_t slot = 0; slot < j->pool * j->pool; slot++) {
    read_leaves(j, tree, corner(j, window, slot), s, n, v);
    const float *y = evaluate(j, tree->c, v);
    for (int i = 0; i < BLOCK; i++) /* a NaN stays */
      best[i] = gt_pick((y[i] <= best[i]) | (best[i] != best[i]), best[i], y[i]);
  }
  memcpy(to, best, n * sizeof *to);
}

uint32_t gt_logic_conv_tile_windows(uint32_t kernels, uint32_t batch) {
  const uint64_t each = (uint64_t)kernels * batch;
  return each >= TILE_ELEMENTS ? 1 : (uint32_t)(TILE_ELEMENTS / each);
}

void gt_logic_conv_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const job j = read_job(args, spec);
  const uint32_t each = gt_logic_conv_tile_windows(j.kernels, j.t->batch);
  const uint32_t windows = j.t->rows * j.columns, first = tile * each;
  const uint32_t end = windows - first < each ? windows : first + each;
  float *y = GT_PTR(float, j.t->y);
  for (uint32_t kernel = 0; kernel < j.kernels; kernel++) {
    gate_tree tree;
    read_tree(&j, kernel, &tree);
    for (uint32_t window = first; window < end; window++)
      for (uint32_t s = 0; s < j.t->batch; s += BLOCK) {
        const uint32_t n = j.t->batch - s < BLOCK ? j.t->batch - s : BLOCK;
        forward(&j, &tree, window, s, n, y + ((size_t)window * j.kernels + kernel) * j.t->batch + s);
      }
  }
}

/* --- gradient ------------------------------------------------------------------------------------------- */

typedef struct gate_sums {
  block of_1, of_a, of_b, of_ab;
} gate_sums;

/* Leaves and values of each sample's winning position, and which one that is. */
GT_MATH void find_winners(const job *j, const gate_tree *tree, uint32_t window, uint32_t s, uint32_t n,
                          block *v, uint32_t *winner) {
  block kept[LEAVES], best;
  for (int i = 0; i < BLOCK; i++) best[i] = -INFINITY, winner[i] = 0;
  for (uint32_t slot = 0; slot < j->pool * j->pool; slot++) {
    uint32_t better[BLOCK];
    read_leaves(j, tree, corner(j, window, slot), s, n, v);
    const float *y = evaluate(j, tree->c, v);
    for (int i = 0; i < BLOCK; i++) {
      better[i] = 0u - (uint32_t)((y[i] > best[i]) | !slot);
      best[i] = gt_pick(better[i], y[i], best[i]);
      winner[i] = (winner[i] & ~better[i]) | (slot & better[i]);
    }
    for (uint32_t l = 0; l < j->leaves && j->pool > 1; l++)
      for (int i = 0; i < BLOCK; i++) kept[l][i] = slot ? gt_pick(better[i], v[l][i], kept[l][i]) : v[l][i];
  }
  if (j->pool == 1) return; /* the values are there already */
  memcpy(v, kept, j->leaves * sizeof *kept);
  evaluate(j, tree->c, v);
}

/* From the root down, a value giving way to its gradient once its gate is done. */
GT_MATH void descend(const job *j, const float *c, block *v, gate_sums *sums) {
  for (uint32_t g = j->gates; g-- > 0;) {
    const float *d = v[j->leaves + g], *of = c + 4 * (size_t)g;
    float *a = v[2 * g], *b = v[2 * g + 1];
    gate_sums *sum = &sums[g];
    for (int i = 0; i < BLOCK; i++) {
      const float ai = a[i], bi = b[i], di = d[i], da = di * ai;
      sum->of_1[i] += di;
      sum->of_a[i] += da;
      sum->of_b[i] += di * bi;
      sum->of_ab[i] += da * bi;
      a[i] = di * (of[1] + of[3] * bi);
      b[i] = di * (of[2] + of[3] * ai);
    }
  }
}

GT_MATH void add_block(float *restrict to, const float *from, const uint32_t *winner, uint32_t slot,
                       uint32_t n) {
  for (uint32_t i = 0; i < n; i++) to[i] += gt_pick(winner[i] == slot, from[i], 0);
}

/* The leaves' gradients to where they read. */
GT_MATH void spread(const job *j, const gate_tree *tree, uint32_t window, uint32_t s, uint32_t n,
                    const block *v, const uint32_t *winner, float *dx) {
  for (uint32_t slot = 0; slot < j->pool * j->pool; slot++) {
    const place at_corner = corner(j, window, slot);
    for (uint32_t l = 0; l < j->leaves; l++) {
      size_t at;
      if (!find(j, at_corner, tree->leaf[l], &at)) continue;
      if (n == BLOCK)
        add_block(dx + at + s, v[l], winner, slot, BLOCK);
      else
        add_block(dx + at + s, v[l], winner, slot, n);
    }
  }
}

/* One kernel over all windows of some samples. */
GT_CLONES static void gradient(const job *j, const gate_tree *tree, uint32_t kernel, uint32_t s, uint32_t n,
                               gate_sums *sums, float *dx) {
  block v[2 * LEAVES];
  uint32_t winner[BLOCK];
  for (uint32_t window = 0; window < j->t->rows * j->columns; window++) {
    find_winners(j, tree, window, s, n, v, winner);
    read_block(j->g + ((size_t)window * j->kernels + kernel) * j->t->batch + s, n,
               v[j->leaves + j->gates - 1]);
    descend(j, tree->c, v, sums);
    if (dx) spread(j, tree, window, s, n, v, winner, dx);
  }
}

static float fold(float *lane) {
  for (int half = BLOCK / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++) lane[i] += lane[i + half];
  return lane[0];
}

void gt_logic_conv_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const job j = read_job(args, spec);
  const uint32_t s = tile * BLOCK, n = j.t->batch - s < BLOCK ? j.t->batch - s : BLOCK;
  float *to = GT_PTR(float, j.t->sums) + 4 * (size_t)tile * j.kernels * j.gates;
  float *dx = j.t->inputs ? GT_PTR(float, j.t->y) + j.t->offset : NULL;
  const size_t features = (size_t)j.t->height * j.t->width * j.channels;
  for (size_t i = 0; dx && i < features; i++) memset(dx + i * j.t->batch + s, 0, n * sizeof *dx);
  for (uint32_t kernel = 0; kernel < j.kernels; kernel++) {
    gate_sums sums[LEAVES];
    gate_tree tree;
    read_tree(&j, kernel, &tree);
    memset(sums, 0, sizeof sums);
    gradient(&j, &tree, kernel, s, n, sums, dx);
    for (uint32_t g = 0; g < j.gates; g++, to += 4) {
      to[0] = fold(sums[g].of_1);
      to[1] = fold(sums[g].of_a);
      to[2] = fold(sums[g].of_b);
      to[3] = fold(sums[g].of_ab);
    }
  }
}
