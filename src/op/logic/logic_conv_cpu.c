#include "op/logic/logic_conv_cpu.h"
#include "base/count.h"
#include "shaders/op/logic/logic_conv_sums.h"
#include "step/math.h"
#include <string.h>

enum { BLOCK = GT_CONV_BLOCK, LEAVES = 1 << GT_LOGIC_CONV_DEPTH };

/* One value for each of eight neighboring samples: vectors as in AVX2. For wider vectors gcc generates code
 * that goes through memory. */
enum { LANES = 8, PARTS = BLOCK / LANES };
typedef float lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t mask __attribute__((vector_size(4 * LANES), aligned(4), may_alias)); /* -1 or 0 each */
typedef struct block {
  lanes part[PARTS];
} block;
#define FOR_PARTS(p) for (int p = 0; p < PARTS; p++)

GT_MATH void pick(const mask *condition, const lanes *yes, const lanes *no, lanes *out) {
  *out = (lanes)((*condition & (mask)*yes) | (~*condition & (mask)*no));
}

/* A tile copies the images of its samples to planes, one per channel, with the padding: leaves are then read
 * and written without bounds checks, and the few channels that a kernel reads stay in the L1 cache. */
typedef struct job {
  const struct gt_logic_conv_args *t;
  uint32_t leaves, gates, field, pool, stride, channels, kernels, columns;
  uint32_t s, n;       /* first sample of the tile, and number of samples */
  size_t width, plane; /* blocks in a row and in a plane */
  block *x, *dx;
} job;

typedef struct gate_tree { /* one kernel */
  size_t leaf[LEAVES];     /* offset from the corner of the field in the first plane, in blocks */
  const float *c;
} gate_tree;

static job read_job(const struct gt_logic_conv_args *t, const uint32_t *spec, uint32_t first_sample) {
  const uint32_t leaves = 1u << spec[GT_CONV_SPEC_DEPTH];
  const size_t width = t->width + 2 * (size_t)t->padding;
  return (job){.t = t,
               .leaves = leaves,
               .gates = leaves - 1,
               .field = spec[GT_CONV_SPEC_FIELD],
               .pool = spec[GT_CONV_SPEC_POOL],
               .stride = spec[GT_CONV_SPEC_STRIDE],
               .channels = spec[GT_CONV_SPEC_CHANNELS],
               .kernels = spec[GT_CONV_SPEC_KERNELS],
               .columns = spec[GT_CONV_SPEC_COLUMNS],
               .s = first_sample,
               .n = t->batch - first_sample < BLOCK ? t->batch - first_sample : BLOCK,
               .width = width,
               .plane = (t->height + 2 * (size_t)t->padding) * width};
}

static void read_tree(const job *j, uint32_t kernel, gate_tree *tree) {
  const uint32_t *wiring = GT_PTR(const uint32_t, j->t->wiring) + (size_t)kernel * j->leaves;
  for (uint32_t l = 0; l < j->leaves; l++) {
    const uint32_t position = wiring[l] / j->channels, channel = wiring[l] % j->channels;
    tree->leaf[l] = channel * j->plane + position / j->field * j->width + position % j->field;
  }
  tree->c = GT_PTR(const float, j->t->coefficients) + 4 * (size_t)kernel * j->gates;
}

/* The index, in the first plane, of the corner of the field at position `slot` of a pooling window. */
static size_t corner_of(const job *j, uint32_t window, uint32_t slot) {
  const size_t row = (size_t)(window / j->columns) * j->pool + slot / j->pool;
  const size_t column = (size_t)(window % j->columns) * j->pool + slot % j->pool;
  return (row * j->width + column) * j->stride;
}

/* --- planes --------------------------------------------------------------------------------------------- */

/* The index, in the first plane, of pixel i of the image. */
static size_t pixel_of(const job *j, size_t i) {
  return (i / j->t->width + j->t->padding) * j->width + i % j->t->width + j->t->padding;
}

/* Missing samples of the last block are zeros. */
GT_MATH void read_block(const job *j, const float *from, block *to) {
  if (j->n == BLOCK) {
    memcpy(to, from + j->s, sizeof *to);
    return;
  }
  memset(to, 0, sizeof *to);
  memcpy(to, from + j->s, j->n * sizeof *from);
}

GT_MATH void write_block(const job *j, const block *from, float *to) {
  if (j->n == BLOCK)
    memcpy(to + j->s, from, sizeof *from);
  else
    memcpy(to + j->s, from, j->n * sizeof *to);
}

static void fill_planes(const job *j) {
  const float *from = GT_PTR(const float, j->t->x);
  if (j->t->padding) memset(j->x, 0, j->channels * j->plane * sizeof *j->x);
  for (size_t i = 0; i < (size_t)j->t->height * j->t->width; i++)
    for (size_t c = 0, index = pixel_of(j, i); c < j->channels; c++, index += j->plane, from += j->t->batch)
      read_block(j, from, &j->x[index]);
}

static void write_gradient(const job *j) {
  float *to = GT_PTR(float, j->t->y);
  for (size_t i = 0; i < (size_t)j->t->height * j->t->width; i++)
    for (size_t c = 0, index = pixel_of(j, i); c < j->channels; c++, index += j->plane, to += j->t->batch)
      write_block(j, &j->dx[index], to);
}

/* --- trees ---------------------------------------------------------------------------------------------- */

/* The values of a tree: pointers to leaves in the planes, then gates. Gate g reads values 2g and 2g + 1. */
typedef struct values {
  const block *value[2 * LEAVES];
  block gate[LEAVES];
} values;

GT_MATH void find_leaves(const job *j, const gate_tree *tree, size_t corner, values *v) {
  for (uint32_t l = 0; l < j->leaves; l++) v->value[l] = &j->x[corner + tree->leaf[l]];
}

/* Returns the value of the last gate. */
GT_MATH const block *evaluate(const job *j, const float *c, values *v) {
  for (uint32_t g = 0; g < j->gates; g++, c += 4) {
    const block *a = v->value[2 * g], *b = v->value[2 * g + 1];
    const float c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
    FOR_PARTS(p)
    v->gate[g].part[p] = (c0 + c1 * a->part[p]) + b->part[p] * (c2 + c3 * a->part[p]);
    v->value[j->leaves + g] = &v->gate[g];
  }
  return &v->gate[j->gates - 1];
}

/* Elementwise maximum; NaN is propagated. */
GT_MATH void update_maximum(const block *y, block *best) {
  FOR_PARTS(p) {
    const lanes a = y->part[p], b = best->part[p];
    const mask keep = (a <= b) | (b != b);
    pick(&keep, &b, &a, &best->part[p]);
  }
}

GT_CLONES static void forward(const job *j, const gate_tree *tree, float *to, size_t step) {
  values v;
  for (uint32_t window = 0; window < j->t->rows * j->columns; window++, to += step) {
    block best;
    for (uint32_t slot = 0; slot < j->pool * j->pool; slot++) {
      find_leaves(j, tree, corner_of(j, window, slot), &v);
      const block *y = evaluate(j, tree->c, &v);
      if (slot)
        update_maximum(y, &best);
      else
        best = *y;
    }
    write_block(j, &best, to);
  }
}

void gt_logic_conv_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_conv_args *t = args;
  const uint32_t blocks = gt_ceil_div(t->batch, BLOCK), first = tile / blocks * t->chunks;
  job j = read_job(t, spec, tile % blocks * BLOCK);
  const uint32_t remaining = j.kernels - first, end = remaining < t->chunks ? j.kernels : first + t->chunks;
  j.x = GT_PTR(block, t->leaves) + tile * j.channels * j.plane;
  fill_planes(&j);
  for (uint32_t kernel = first; kernel < end; kernel++) {
    gate_tree tree;
    read_tree(&j, kernel, &tree);
    forward(&j, &tree, GT_PTR(float, t->y) + (size_t)kernel * t->batch, (size_t)j.kernels * t->batch);
  }
}

/* --- gradient ------------------------------------------------------------------------------------------- */

typedef struct gate_sums { /* sums of g, g a, g b, g a b: the gradients of the coefficients */
  block of_1, of_a, of_b, of_ab;
} gate_sums;

typedef struct winners { /* the maximum of a window, per sample: value, number and leaves of the position */
  block best, leaf[LEAVES];
  mask slot[PARTS];
} winners;

/* Updates the winners with the values at position `slot`. */
GT_MATH void update_winners(const job *j, const values *v, uint32_t slot, winners *w) {
  FOR_PARTS(p) {
    const lanes y = v->gate[j->gates - 1].part[p];
    const mask better = y > w->best.part[p];
    pick(&better, &y, &w->best.part[p], &w->best.part[p]);
    w->slot[p] = (w->slot[p] & ~better) | ((int32_t)slot & better);
    for (uint32_t l = 0; l < j->leaves; l++)
      pick(&better, &v->value[l]->part[p], &w->leaf[l].part[p], &w->leaf[l].part[p]);
  }
}

/* Sets v to all values of the positions with the maximum. */
GT_MATH void find_winners(const job *j, const gate_tree *tree, uint32_t window, values *v, winners *w) {
  for (uint32_t slot = 0; slot < j->pool * j->pool; slot++) {
    find_leaves(j, tree, corner_of(j, window, slot), v);
    const block *y = evaluate(j, tree->c, v);
    if (slot) {
      update_winners(j, v, slot, w);
      continue;
    }
    w->best = *y;
    FOR_PARTS(p) w->slot[p] = (mask){0};
    for (uint32_t l = 0; l < j->leaves && j->pool > 1; l++) w->leaf[l] = *v->value[l];
  }
  if (j->pool == 1) return; /* v has the values of the only position */
  for (uint32_t l = 0; l < j->leaves; l++) v->value[l] = &w->leaf[l];
  evaluate(j, tree->c, v);
}

/* Backpropagation from the root to the leaves. d: gradients of leaves and gates; that of the root is the
 * input. */
GT_MATH void tree_gradient(const job *j, const float *c, const values *v, block *d, gate_sums *sums) {
  for (uint32_t g = j->gates; g-- > 0;) {
    const float c1 = c[4 * g + 1], c2 = c[4 * g + 2], c3 = c[4 * g + 3];
    gate_sums *sum = &sums[g];
    FOR_PARTS(p) {
      const lanes a = v->value[2 * g]->part[p], b = v->value[2 * g + 1]->part[p];
      const lanes dy = d[j->leaves + g].part[p], dy_a = dy * a;
      sum->of_1.part[p] += dy;
      sum->of_a.part[p] += dy_a;
      sum->of_b.part[p] += dy * b;
      sum->of_ab.part[p] += dy_a * b;
      d[2 * g].part[p] = dy * (c1 + c3 * b);
      d[2 * g + 1].part[p] = dy * (c2 + c3 * a);
    }
  }
}

/* Adds the gradients of the leaves to the gradients of the values that they read. */
GT_MATH void scatter(const job *j, const gate_tree *tree, uint32_t window, const mask *winner,
                     const block *d) {
  for (uint32_t slot = 0; slot < j->pool * j->pool; slot++) {
    block *to = j->dx + corner_of(j, window, slot);
    FOR_PARTS(p) {
      const mask here = winner[p] == (int32_t)slot;
      for (uint32_t l = 0; l < j->leaves; l++)
        to[tree->leaf[l]].part[p] += (lanes)(here & (mask)d[l].part[p]);
    }
  }
}

/* The gradients of one kernel over all windows. */
GT_CLONES static void gradient(const job *j, const gate_tree *tree, const float *dy, size_t step,
                               gate_sums *sums) {
  values v;
  winners w;
  block d[2 * LEAVES];
  for (uint32_t window = 0; window < j->t->rows * j->columns; window++, dy += step) {
    find_winners(j, tree, window, &v, &w);
    read_block(j, dy, &d[j->leaves + j->gates - 1]);
    tree_gradient(j, tree->c, &v, d, sums);
    if (j->t->has_dx) scatter(j, tree, window, w.slot, d);
  }
}

static float fold(const block *sum) {
  float lane[BLOCK];
  memcpy(lane, sum, sizeof lane);
  for (int half = BLOCK / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++) lane[i] += lane[i + half];
  return lane[0];
}

void gt_logic_conv_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_conv_args *t = args;
  job j = read_job(t, spec, tile * BLOCK);
  const size_t blocks = j.channels * j.plane;
  float *to = GT_PTR(float, t->sums) + 4 * (size_t)tile * j.kernels * j.gates;
  j.x = GT_PTR(block, t->leaves) + tile * blocks * (t->has_dx ? 2 : 1);
  j.dx = j.x + blocks;
  fill_planes(&j);
  if (t->has_dx) memset(j.dx, 0, blocks * sizeof *j.dx);
  for (uint32_t kernel = 0; kernel < j.kernels; kernel++) {
    gate_sums sums[LEAVES];
    gate_tree tree;
    read_tree(&j, kernel, &tree);
    memset(sums, 0, sizeof sums);
    gradient(&j, &tree, GT_PTR(const float, t->g) + (size_t)kernel * t->batch, (size_t)j.kernels * t->batch,
             sums);
    for (uint32_t g = 0; g < j.gates; g++, to += 4) {
      to[0] = fold(&sums[g].of_1);
      to[1] = fold(&sums[g].of_a);
      to[2] = fold(&sums[g].of_b);
      to[3] = fold(&sums[g].of_ab);
    }
  }
  if (t->has_dx) write_gradient(&j);
}

/* Slices are added one after the other, so that the loop over values is vector code. */
GT_CLONES static void add_slice(float *restrict y, const float *x, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) y[i] += x[i];
}

void gt_logic_conv_sums_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_conv_sums_args *t = args;
  const float *x = GT_PTR(const float, t->x);
  float *y = GT_PTR(float, t->y);
  (void)spec, (void)tile;
  memcpy(y, x, t->count * sizeof *y);
  for (size_t slice = 1; slice < t->slices; slice++) add_slice(y, x + slice * t->count, t->count);
}
