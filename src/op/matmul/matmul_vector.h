/* Body of the vector kernels, for a file that has defined
 *   GT_TARGET  the instruction set, as an attribute      LANES    floats of a vector
 *   vector     its type, with load, store, broadcast, fused, sum, mask_of, load_part, store_part
 *   ROWS       most rows of c in registers               TILE     the function's name
 * A block of ROWS x 2 vectors of c stays in registers while k runs. b is copied panel by panel, as wide as a
 * block, so that it lies in the first cache while all rows pass; a is copied where it is read often enough.
 */
#include "op/matmul/matmul_tile.h"
#include "base/count.h"
#include <string.h>

#define INLINE GT_TARGET static inline __attribute__((always_inline))

#define UNROLL _Pragma("GCC unroll 16")

enum {
  WIDTH = 2 * LANES,
  FEW = 12,         /* columns that may be computed across */
  MADE_AT_ONCE = 16 /* lines of a factor that is made */
};

INLINE __m256i lanes_below(uint32_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* Where op(a)'s element (i, k) of a block lies: at[i * row + k * step]. */
typedef struct rows_of_a {
  const float *at;
  size_t row, step;
} rows_of_a;

typedef struct panel_of_b { /* WIDTH or LANES columns at at[k * step] */
  const float *at;
  size_t step;
} panel_of_b;

/* c[rows, columns] = or += the product over `depth` of k. Unrolled, for an array of sums that is indexed by a
 * loop lies in memory. */
INLINE void block(const int rows, const int vectors, rows_of_a a, panel_of_b b, uint32_t depth, float *c,
                  size_t ldc, uint32_t columns, bool first) {
  vector total[ROWS][2], right[2];
  const float *at[ROWS / 3];
  UNROLL for (int i = 0; i < rows; i++) { UNROLL for (int v = 0; v < vectors; v++) total[i][v] = zero(); }
  UNROLL for (int g = 0; g * 3 < rows; g++) at[g] = a.at + (size_t)g * 3 * a.row;
  for (int i = 0; i < rows; i++) {
    __builtin_prefetch(c + i * ldc, 1);
    __builtin_prefetch(c + i * ldc + (vectors - 1) * LANES, 1);
  }
  for (uint32_t k = 0; k < depth; k++, b.at += b.step) {
    UNROLL for (int v = 0; v < vectors; v++) right[v] = load(b.at + v * LANES);
    UNROLL for (int i = 0; i < rows; i++) {
      const vector left = broadcast(at[i / 3] + (size_t)(i % 3) * a.row);
      UNROLL for (int v = 0; v < vectors; v++) total[i][v] = fused(left, right[v], total[i][v]);
    }
    UNROLL for (int g = 0; g * 3 < rows; g++) at[g] += a.step;
  }
  const mask part = mask_of(columns - (uint32_t)(vectors - 1) * LANES);
  UNROLL for (int i = 0; i < rows; i++) {
    float *to = c + i * ldc;
    UNROLL for (int v = 0; v < vectors; v++, to += LANES) {
      if (v < vectors - 1 || columns == (uint32_t)vectors * LANES)
        store(to, first ? total[i][v] : sum(load(to), total[i][v]));
      else
        store_part(to, part, first ? total[i][v] : sum(load_part(to, part), total[i][v]));
    }
  }
}

typedef void block_function(rows_of_a a, panel_of_b b, uint32_t depth, float *c, size_t ldc, uint32_t columns,
                            bool first);
#define BLOCK(rows, vectors)                                                                          \
  GT_TARGET static void block_##rows##_##vectors(rows_of_a a, panel_of_b b, uint32_t depth, float *c, \
                                                 size_t ldc, uint32_t columns, bool first) {          \
    block(rows, vectors, a, b, depth, c, ldc, columns, first);                                        \
  }
#define BLOCKS(rows) BLOCK(rows, 1) BLOCK(rows, 2)
#define NAMES(rows) \
  { block_##rows##_1, block_##rows##_2 }
EACH_ROWS(BLOCKS, )
static block_function *const blocks[ROWS][2] = {EACH_ROWS(NAMES, COMMA)};

INLINE void swap_corners(__m256 *x, __m256 *y) {
  const __m256 low = _mm256_permute2f128_ps(*x, *y, 0x20), high = _mm256_permute2f128_ps(*x, *y, 0x31);
  *x = low, *y = high;
}

/* to[k * step + i] = from[i * ld + k] for k < depth, i < rows, both at most 8; i to 8 is zero. */
INLINE void transpose_square(const float *from, size_t ld, uint32_t rows, uint32_t depth, float *to,
                             size_t step) {
  __m256 r[8], t[8];
  const __m256i part = lanes_below(depth);
  UNROLL for (uint32_t i = 0; i < 8; i++) r[i] =
      i >= rows ? _mm256_setzero_ps()
                : (depth == 8 ? _mm256_loadu_ps(from + i * ld) : _mm256_maskload_ps(from + i * ld, part));
  UNROLL for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  UNROLL for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
    r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
  }
  UNROLL for (uint32_t i = 0; i < 4; i++) swap_corners(&r[i], &r[i + 4]);
  UNROLL for (uint32_t k = 0; k < 8; k++) {
    if (k < depth) _mm256_storeu_ps(to + k * step, r[k]);
  }
}

/* to[k * WIDTH + i] = from[i * ld + k], i < rows <= WIDTH, k < depth; i to the end of a vector is zero. */
GT_TARGET static void transpose(const float *from, size_t ld, uint32_t rows, uint32_t depth, float *to) {
  const uint32_t end = rows > LANES ? WIDTH : LANES;
  for (uint32_t i = 0; i < end; i += 8, from += 8 * ld, to += 8) {
    const uint32_t high = rows > i ? gt_least_u32(rows - i, 8) : 0;
    uint32_t k = 0;
    if (high == 8)
      for (; k + 8 <= depth; k += 8) transpose_square(from + k, ld, 8, 8, to + k * WIDTH, WIDTH);
    else
      for (; k + 8 <= depth; k += 8) transpose_square(from + k, ld, high, 8, to + k * WIDTH, WIDTH);
    if (k < depth) transpose_square(from + k, ld, high, depth - k, to + k * WIDTH, WIDTH);
  }
}

/* How c's rows are shared out to blocks: the first `more` have one more than `rows`. */
typedef struct row_split {
  uint32_t panels, rows, more;
} row_split;

static uint32_t rows_of(row_split split, uint32_t panel) { return split.rows + (panel < split.more); }

/* Panels lie apart by no power of two, for many are filled at once. */
enum {
  A_PANEL = GT_MATMUL_DEPTH * LANES + LANES,
  A_ROW = GT_MATMUL_DEPTH + LANES, /* where whole rows of a are copied */
  FAR_APART = 1024,
  B_PANEL = GT_MATMUL_DEPTH * WIDTH + WIDTH,
  A_PANELS = (GT_MATMUL_TILE + ROWS - 1) / ROWS,
  B_PANELS = (GT_MATMUL_TILE + WIDTH - 1) / WIDTH,
  A_FLOATS = A_PANELS * A_PANEL,
  B_FLOATS = B_PANELS * B_PANEL
};
_Static_assert(B_FLOATS + A_FLOATS <= GT_MATMUL_PACK, "copies of a and b fit");
_Static_assert(A_FLOATS >= GT_MATMUL_TILE * A_ROW, "rows of a too");
_Static_assert(A_FLOATS >= 2 * A_PANEL + FEW * GT_MATMUL_TILE, "and a result across");

/* Rows k … of b, row by row, as they lie in memory. */
GT_TARGET static void pack_rows_of_b(const gt_matmul_operands *o, uint32_t first, uint32_t depth,
                                     float *pack) {
  const float *from = o->b + first * o->ldb;
  const uint32_t whole = o->n / WIDTH, rest = o->n % WIDTH;
  const mask part = mask_of(rest % LANES);
  for (uint32_t k = 0; k < depth; k++, from += o->ldb, pack += WIDTH) {
    const float *at = from;
    float *to = pack;
    for (uint32_t p = 0; p < whole; p++, at += WIDTH, to += B_PANEL) {
      store(to, load(at));
      store(to + LANES, load(at + LANES));
    }
    if (rest >= LANES) store(to, load(at));
    if (rest % LANES) store(to + rest / LANES * LANES, load_part(at + rest / LANES * LANES, part));
  }
}

/* Few rows of c read each value of b once: not worth a copy, but the last panel needs one if it is narrow. */
static bool packs_b(const gt_matmul_operands *o) {
  return o->made_b || o->trans_b || o->m > ROWS || o->n % WIDTH;
}

/* What lies behind a panel's columns, up to a vector's end, is computed with, and thrown away. */
static void make_b(const gt_matmul_operands *o, uint32_t first, uint32_t depth, float *pack) {
  for (uint32_t j = 0; j < o->n; j += WIDTH, pack += B_PANEL) {
    const uint32_t columns = gt_least_u32(o->n - j, WIDTH);
    if (columns % LANES) memset(pack, 0, (size_t)depth * WIDTH * sizeof *pack);
    gt_factor_make(o->made_b, first, depth, j, columns, pack, WIDTH);
  }
}

GT_TARGET static void pack_b(const gt_matmul_operands *o, uint32_t first, uint32_t depth, float *pack) {
  if (o->made_b)
    make_b(o, first, depth, pack);
  else if (!o->trans_b)
    pack_rows_of_b(o, first, depth, pack);
  else
    for (uint32_t j = 0; j < o->n; j += WIDTH, pack += B_PANEL)
      transpose(o->b + j * o->ldb + first, o->ldb, gt_least_u32(o->n - j, WIDTH), depth, pack);
}

/* Columns are copied unless so few panels of b read them that it would not pay; rows are read where they are,
 * but for rows so far apart that each takes a page of its own. */
static bool packs_a(const gt_matmul_operands *o) {
  if (o->made_a) return true;
  return o->trans_a ? o->n > WIDTH : o->lda >= FAR_APART && o->n > 2 * WIDTH;
}

/* Where block p, whose first row is i, finds its rows of op(a). */
static rows_of_a rows_at(const gt_matmul_operands *o, const float *packed, uint32_t p, uint32_t i,
                         uint32_t k) {
  if (packed)
    return o->trans_a ? (rows_of_a){packed + p * A_PANEL, 1, LANES}
                      : (rows_of_a){packed + i * A_ROW, A_ROW, 1};
  return o->trans_a ? (rows_of_a){o->a + k * o->lda + i, 1, o->lda}
                    : (rows_of_a){o->a + i * o->lda + k, o->lda, 1};
}

static void make_a(const gt_matmul_operands *o, row_split split, uint32_t first, uint32_t depth,
                   float *pack) {
  if (!o->trans_a) {
    gt_factor_make(o->made_a, 0, o->m, first, depth, pack, A_ROW);
    return;
  }
  /* Lines are made a whole tile wide, for panels are narrower than what is made at once. */
  float line[MADE_AT_ONCE][GT_MATMUL_TILE];
  for (uint32_t k = 0; k < depth; k += MADE_AT_ONCE) {
    const uint32_t lines = gt_least_u32(depth - k, MADE_AT_ONCE);
    gt_factor_make(o->made_a, first + k, lines, 0, o->m, line[0], GT_MATMUL_TILE);
    for (uint32_t p = 0, i = 0; p < split.panels; i += rows_of(split, p), p++)
      for (uint32_t j = 0; j < lines; j++)
        memcpy(pack + p * A_PANEL + (k + j) * LANES, line[j] + i, rows_of(split, p) * sizeof *pack);
  }
}

GT_TARGET static void pack_a(const gt_matmul_operands *o, row_split split, uint32_t first, uint32_t depth,
                             float *pack) {
  if (o->made_a) {
    make_a(o, split, first, depth, pack);
    return;
  }
  if (!o->trans_a) {
    for (uint32_t i = 0; i < o->m; i++)
      memcpy(pack + i * A_ROW, o->a + i * o->lda + first, depth * sizeof *pack);
    return;
  }
  const float *from = o->a + first * o->lda;
  const mask more = mask_of(split.rows + 1), rows = mask_of(split.rows);
  for (uint32_t k = 0; k < depth; k++, from += o->lda, pack += LANES) {
    const float *at = from;
    float *to = pack;
    uint32_t p = 0;
    for (; p < split.more; p++, at += split.rows + 1, to += A_PANEL) store(to, load_part(at, more));
    for (; p < split.panels; p++, at += split.rows, to += A_PANEL) store(to, load_part(at, rows));
  }
}

/* One depth of k: all panels of b, each with all rows. */
GT_TARGET static void slab(const gt_matmul_operands *o, row_split split, uint32_t k, float *c, size_t ldc,
                           float *pack) {
  const uint32_t depth = gt_least_u32(o->k - k, GT_MATMUL_DEPTH);
  float *const packed_a = pack + B_FLOATS;
  const bool copied_a = packs_a(o), copied_b = packs_b(o);
  if (copied_a) pack_a(o, split, k, depth, packed_a);
  if (copied_b) pack_b(o, k, depth, pack);
  for (uint32_t j = 0; j < o->n; j += WIDTH) {
    const uint32_t columns = gt_least_u32(o->n - j, WIDTH);
    const panel_of_b b = copied_b ? (panel_of_b){pack + j / WIDTH * B_PANEL, WIDTH}
                                  : (panel_of_b){o->b + k * o->ldb + j, o->ldb};
    for (uint32_t p = 0, i = 0; p < split.panels; i += rows_of(split, p), p++) {
      const rows_of_a a = rows_at(o, copied_a ? packed_a : NULL, p, i, k);
      blocks[rows_of(split, p) - 1][columns > LANES](a, b, depth, c + i * ldc + j, ldc, columns, k == 0);
    }
  }
}

GT_TARGET static void multiply(const gt_matmul_operands *o, float *c, size_t ldc, float *pack) {
  const uint32_t panels = gt_ceil_div(o->m, ROWS);
  const row_split split = {panels, o->m / panels, o->m % panels};
  for (uint32_t k = 0; k < o->k; k += GT_MATMUL_DEPTH) slab(o, split, k, c, ldc, pack);
}

/* Few columns, of many rows that lie across: c's transpose is made of whole vectors, and of the same sums. */
GT_TARGET static void multiply_across(const gt_matmul_operands *o, float *c, size_t ldc, float *pack) {
  const gt_matmul_operands across = {.a = o->b,
                                     .b = o->a,
                                     .lda = o->ldb,
                                     .ldb = o->lda,
                                     .trans_a = !o->trans_b,
                                     .trans_b = false,
                                     .made_a = o->made_b,
                                     .made_b = o->made_a,
                                     .m = o->n,
                                     .n = o->m,
                                     .k = o->k};
  const size_t row = gt_ceil_div(o->m, 8) * 8;
  float *turned = pack + B_FLOATS + 2 * A_PANEL;
  multiply(&across, turned, row, pack);
  for (uint32_t i = 0; i < o->m; i++)
    for (uint32_t j = 0; j < o->n; j++) c[i * ldc + j] = turned[j * row + i];
}

void TILE(const gt_matmul_operands *o, float *c, size_t ldc, float *pack) {
  if (o->trans_a && o->n <= FEW && o->m >= WIDTH)
    multiply_across(o, c, ldc, pack);
  else
    multiply(o, c, ldc, pack);
}
