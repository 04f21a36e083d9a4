#include "op/logic/logic_conv_bits_cpu.h"
#include "step/math.h"
#include <string.h>

/* PIECE: words of a row of positions processed at once; a window of the widest pooling fits. */
enum { LEAVES = 1 << GT_LOGIC_CONV_DEPTH, PIECE = 256 };

/* The image of a block as planes, one per channel, with the padding. In a row, columns that are a stride
 * apart are adjacent (one phase after the other), so that the words that a leaf reads at neighboring
 * positions, n per position, are contiguous. */
typedef struct job {
  const struct gt_logic_conv_bits_args *t;
  uint32_t leaves, field, pool, stride, channels, kernels, columns;
  uint32_t first, n;           /* words of the block */
  size_t phase, width, height; /* columns in a phase and in a row, rows in a plane */
  uint32_t *planes;
} job;

static size_t phase_columns(const struct gt_logic_conv_bits_args *t, uint32_t stride) {
  return (t->width + 2 * (size_t)t->padding + stride - 1) / stride;
}

uint64_t gt_logic_conv_bits_plane(const struct gt_logic_conv_bits_args *t, uint32_t stride) {
  return (t->height + 2 * (uint64_t)t->padding) * stride * phase_columns(t, stride);
}

static job read_job(const struct gt_logic_conv_bits_args *t, const uint32_t *spec, uint32_t block) {
  const uint32_t stride = spec[GT_CONV_SPEC_STRIDE], channels = spec[GT_CONV_SPEC_CHANNELS],
                 first = block * GT_CONV_BITS_BLOCK, remaining = t->words - first;
  return (job){.t = t,
               .leaves = 1u << spec[GT_CONV_SPEC_DEPTH],
               .field = spec[GT_CONV_SPEC_FIELD],
               .pool = spec[GT_CONV_SPEC_POOL],
               .stride = stride,
               .channels = channels,
               .kernels = spec[GT_CONV_SPEC_KERNELS],
               .columns = spec[GT_CONV_SPEC_COLUMNS],
               .first = first,
               .n = remaining < GT_CONV_BITS_BLOCK ? remaining : GT_CONV_BITS_BLOCK,
               .phase = phase_columns(t, stride),
               .width = stride * phase_columns(t, stride),
               .height = t->height + 2 * (size_t)t->padding,
               .planes = GT_PTR(uint32_t, t->planes) +
                         (size_t)first * channels * gt_logic_conv_bits_plane(t, stride)};
}

/* The index of a position of the padded image in the planes. */
static size_t word_at(const job *j, size_t channel, size_t row, size_t column) {
  return ((channel * j->height + row) * j->width + column % j->stride * j->phase + column / j->stride) * j->n;
}

void gt_logic_conv_planes_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_conv_bits_args *t = args;
  const job j = read_job(t, spec, tile / spec[GT_CONV_SPEC_CHANNELS]);
  const uint32_t channel = tile % j.channels;
  const uint32_t *from = GT_PTR(const uint32_t, t->x) + (size_t)channel * t->words + j.first;
  if (t->padding) memset(j.planes + word_at(&j, channel, 0, 0), 0, j.height * j.width * j.n * sizeof *from);
  for (size_t row = 0; row < t->height; row++)
    for (size_t column = 0; column < t->width; column++, from += (size_t)j.channels * t->words) {
      uint32_t *to = j.planes + word_at(&j, channel, row + t->padding, column + t->padding);
      for (uint32_t i = 0; i < j.n; i++) to[i] = from[i];
    }
}

/* --- trees ---------------------------------------------------------------------------------------------- */

typedef struct gate_tree { /* one kernel */
  size_t leaf[LEAVES];     /* offset from the corner of the field in the first plane */
  const uint32_t *codes;
} gate_tree;

static void read_tree(const job *j, uint32_t kernel, gate_tree *tree) {
  const uint32_t *wiring = GT_PTR(const uint32_t, j->t->wiring) + (size_t)kernel * j->leaves;
  for (uint32_t l = 0; l < j->leaves; l++) {
    const uint32_t position = wiring[l] / j->channels;
    tree->leaf[l] = word_at(j, wiring[l] % j->channels, position / j->field, position % j->field);
  }
  tree->codes = GT_PTR(const uint32_t, j->t->codes) + (size_t)kernel * (j->leaves - 1);
}

GT_MATH void apply(uint32_t code, const uint32_t *a, const uint32_t *b, uint32_t *restrict y, uint32_t n) {
  const uint32_t c0 = -(code & 1), c1 = -(code >> 1 & 1), c2 = -(code >> 2 & 1), c3 = -(code >> 3 & 1);
  for (uint32_t i = 0; i < n; i++) y[i] = c0 ^ (a[i] & c1) ^ (b[i] & (c2 ^ (a[i] & c3)));
}

/* ORs the results of the tree, for n words from a corner on, into `ored`. */
GT_CLONES static void evaluate(const job *j, const gate_tree *tree, const uint32_t *corner,
                               uint32_t *restrict ored, uint32_t n) {
  const uint32_t *value[2 * LEAVES], gates = j->leaves - 1;
  uint32_t gate[LEAVES][PIECE];
  for (uint32_t l = 0; l < j->leaves; l++) value[l] = corner + tree->leaf[l];
  for (uint32_t g = 0; g < gates; g++) {
    apply(tree->codes[g], value[2 * g], value[2 * g + 1], gate[g], n);
    value[j->leaves + g] = gate[g];
  }
  for (uint32_t i = 0; i < n; i++) ored[i] |= gate[gates - 1][i];
}

/* Reduces some windows of a row; y: the result of the first window; step: distance to that of the next. */
static void pool_windows(const job *j, const uint32_t *ored, uint32_t windows, uint32_t *y, size_t step) {
  for (uint32_t w = 0; w < windows; w++, y += step) {
    memcpy(y, ored, j->n * sizeof *y);
    ored += j->n;
    for (uint32_t slot = 1; slot < j->pool; slot++, ored += j->n)
      for (uint32_t i = 0; i < j->n; i++) y[i] |= ored[i];
  }
}

/* Computes a row of windows of one kernel, piece by piece. */
static void evaluate_row(const job *j, const gate_tree *tree, uint32_t row, uint32_t *y) {
  const uint32_t max_windows = PIECE / (j->pool * j->n);
  const size_t step = (size_t)j->kernels * j->t->words;
  for (uint32_t window = 0, windows; window < j->columns; window += windows) {
    windows = j->columns - window < max_windows ? j->columns - window : max_windows;
    uint32_t ored[PIECE] = {0};
    for (uint32_t slot = 0; slot < j->pool; slot++) {
      const size_t row_index = ((size_t)row * j->pool + slot) * j->stride;
      const uint32_t *corner = j->planes + word_at(j, 0, row_index, (size_t)window * j->pool * j->stride);
      evaluate(j, tree, corner, ored, windows * j->pool * j->n);
    }
    pool_windows(j, ored, windows, y + window * step, step);
  }
}

void gt_logic_conv_bits_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_conv_bits_args *t = args;
  const uint32_t blocks = gt_logic_conv_bits_blocks(t->words);
  const job j = read_job(t, spec, tile % blocks);
  const uint32_t first = tile / blocks * GT_CONV_BITS_KERNELS, remaining = j.kernels - first,
                 end = remaining < GT_CONV_BITS_KERNELS ? j.kernels : first + GT_CONV_BITS_KERNELS;
  for (uint32_t kernel = first; kernel < end; kernel++) {
    uint32_t *y = GT_PTR(uint32_t, t->y) + (size_t)kernel * t->words + j.first;
    gate_tree tree;
    read_tree(&j, kernel, &tree);
    for (uint32_t row = 0; row < t->rows; row++)
      evaluate_row(&j, &tree, row, y + (size_t)row * j.columns * j.kernels * t->words);
  }
}
