/* Body of the vector kernels, for a file that has defined
 *   GT_TARGET  the instruction set, as an attribute      LANES    floats of a vector
 *   vector     its type, with zero, load, store, broadcast, fused, sum, load_part, store_part
 *   mask       which floats of a vector load_part and store_part use, with mask_of: the first n
 *   ROWS       most rows of c in registers               TILE     the function's name
 *   VECTORS    most vectors of a row in registers, 2, or 4 with half as many rows
 *   EACH_ROWS  (X, S): X(1) S X(2) S … X(ROWS)           COMMA    a comma, as S
 *   EACH_HALF  with 4 vectors: the same up to ROWS / 2
 *
 * A block of ROWS x 2 vectors of c, or ROWS/2 x 4, stays in registers for a whole GT_MATMUL_DEPTH of k. b is
 * copied panel by panel, each as wide as a block, so that a panel stays in near caches for all rows; a is
 * copied if its values are read often enough. */
#include "op/matmul/matmul_tile.h"
#include "base/count.h"
#include <string.h>

#define INLINE GT_TARGET static inline __attribute__((always_inline))

#define UNROLL _Pragma("GCC unroll 16")

enum {
  AHEAD = 8 /* distance of prefetches from b, in steps of k */,
  ROWS_AHEAD = 6 /* the same when copying, in rows */
};
enum {
  WIDTH = VECTORS * LANES,
  FEW = 12,         /* most columns for multiply_across */
  MADE_AT_ONCE = 16 /* lines of an operand that are computed at once */
};

INLINE __m256i lanes_below(uint32_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* Element (i, k) of op(a) for a block is at[i * row + k * step]. */
typedef struct rows_of_a {
  const float *at;
  size_t row, step;
} rows_of_a;

typedef struct panel_of_b { /* WIDTH or LANES columns at at[k * step] */
  const float *at;
  size_t step;
} panel_of_b;

/* Stores the product over `depth` of k to c[rows, columns] if `first`, otherwise adds it. Loops are unrolled,
 * because compilers keep an array that a loop indexes in memory. */
INLINE void block(const int rows, const int vectors, rows_of_a a, panel_of_b b, uint32_t depth, float *c,
                  size_t ldc, uint32_t columns, bool first) {
  vector total[ROWS][VECTORS], right[VECTORS];
  const float *at[ROWS / 3]; /* one pointer for three rows: the others are at + row and at + 2 row */
  UNROLL for (int i = 0; i < rows; i++) { UNROLL for (int v = 0; v < vectors; v++) total[i][v] = zero(); }
  UNROLL for (int g = 0; g * 3 < rows; g++) at[g] = a.at + (size_t)g * 3 * a.row;
  for (int i = 0; i < rows; i++)
    for (int v = 0; v < vectors; v++) __builtin_prefetch(c + i * ldc + v * LANES, 1);
  for (uint32_t k = 0; k < depth; k++, b.at += b.step) {
    UNROLL for (int v = 0; v < vectors; v++) {
      right[v] = load(b.at + v * LANES);
      if (vectors > VECTORS / 2) __builtin_prefetch(b.at + AHEAD * b.step + v * LANES);
    }
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

typedef void block_function(const rows_of_a *a, const panel_of_b *b, uint32_t depth, float *c, size_t ldc,
                            uint32_t columns, bool first);
#define BLOCK(rows, vectors)                                                                              \
  GT_TARGET static void block_##rows##_##vectors(const rows_of_a *a, const panel_of_b *b, uint32_t depth, \
                                                 float *c, size_t ldc, uint32_t columns, bool first) {    \
    block(rows, vectors, *a, *b, depth, c, ldc, columns, first);                                          \
  }
#define BLOCKS(rows) BLOCK(rows, 1) BLOCK(rows, 2)
#define NAMES(rows) \
  { block_##rows##_1, block_##rows##_2 }
EACH_ROWS(BLOCKS, )
static block_function *const blocks[ROWS][2] = {EACH_ROWS(NAMES, COMMA)};
#if VECTORS == 4
#define WIDE_BLOCKS(rows) BLOCK(rows, 3) BLOCK(rows, 4)
#define WIDE_NAMES(rows) \
  { block_##rows##_3, block_##rows##_4 }
EACH_HALF(WIDE_BLOCKS, )
static block_function *const wide_blocks[ROWS / 2][2] = {EACH_HALF(WIDE_NAMES, COMMA)};
#endif

INLINE void swap_corners(__m256 *x, __m256 *y) {
  const __m256 low = _mm256_permute2f128_ps(*x, *y, 0x20), high = _mm256_permute2f128_ps(*x, *y, 0x31);
  *x = low, *y = high;
}

/* to[k * step + i] = from[i * ld + k] for k < depth, i < rows, both at most 8; 0 for rows <= i < 8. */
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

/* Floats from row to row in a panel of b that starts with this many remaining columns: whole vectors, at most
 * WIDTH. */
static uint32_t step_of(uint32_t columns) { return gt_min_u32(gt_ceil_div(columns, LANES) * LANES, WIDTH); }

/* to[k * step + i] = from[i * ld + k] for i < rows, k < depth; 0 for rows <= i < step. */
GT_TARGET static void transpose(const float *from, size_t ld, uint32_t rows, uint32_t depth, float *to,
                                uint32_t step) {
  for (uint32_t i = 0; i < step; i += LANES) {
    for (uint32_t k = 0; k < depth; k += 8) {
      const uint32_t deep = gt_min_u32(depth - k, 8);
      for (uint32_t j = i; j < i + LANES; j += 8) {
        const uint32_t high = rows > j ? gt_min_u32(rows - j, 8) : 0;
        if (high == 8 && deep == 8)
          transpose_square(from + j * ld + k, ld, 8, 8, to + k * step + j, step);
        else
          transpose_square(from + j * ld + k, ld, high, deep, to + k * step + j, step);
      }
    }
  }
}

/* Division of c's rows into panels: the first `more` have rows + 1 of them, the others `rows`. */
typedef struct row_split {
  uint32_t panels, rows, more;
} row_split;

static uint32_t rows_of(row_split split, uint32_t panel) { return split.rows + (panel < split.more); }

/* Sizes in floats. A panel's size is no power of two: many panels are filled at once and must not share cache
 * sets. */
enum {
  A_PANEL = GT_MATMUL_DEPTH * LANES + LANES,
  A_ROW = GT_MATMUL_DEPTH + LANES, /* most from row to row, if whole rows of a are computed */
  B_PANEL = GT_MATMUL_DEPTH * WIDTH + WIDTH,
  A_PANELS = (GT_MATMUL_TILE + ROWS - 1) / ROWS,
  B_PANELS = (GT_MATMUL_TILE + WIDTH - 1) / WIDTH,
  A_FLOATS = A_PANELS * A_PANEL,
  B_FLOATS = B_PANELS * B_PANEL
};
_Static_assert(B_FLOATS + A_FLOATS <= GT_MATMUL_PACK, "copies of a and b fit");
_Static_assert(A_FLOATS >= GT_MATMUL_TILE * A_ROW,
               "rows of an a that is computed fit in place of its panels");
_Static_assert(A_FLOATS >= 2 * A_PANEL + FEW * GT_MATMUL_TILE,
               "the result of multiply_across fits after its two panels of a");

/* The first column of b that is copied. If c has few rows, each value of b is read once, which is not worth a
 * copy, except for the last panel if it ends within a vector. */
static uint32_t copied_from(const gt_matmul_operands *o) {
  if (o->made_b || o->trans_b || o->m > ROWS) return 0;
  return o->n % LANES ? o->n / WIDTH * WIDTH : o->n;
}

/* Copies `depth` rows of b, from row `first` on, to panels. It prefetches rows: the processor does not
 * foresee them. */
GT_TARGET static void pack_rows_of_b(const gt_matmul_operands *o, uint32_t first, uint32_t depth,
                                     uint32_t column, float *pack) {
  const float *from = o->b + first * o->ldb + column;
  const uint32_t whole = (o->n - column) / WIDTH, rest = o->n % WIDTH, step = step_of(rest);
  const mask part = mask_of(rest % LANES);
  float *last = pack + whole * B_PANEL;
  for (uint32_t k = 0; k < depth; k++, from += o->ldb, pack += WIDTH, last += step) {
    const float *at = from;
    float *to = pack;
    for (uint32_t p = 0; p < whole; p++, at += WIDTH, to += B_PANEL) {
      UNROLL for (int v = 0; v < VECTORS; v++) {
        __builtin_prefetch(at + ROWS_AHEAD * o->ldb + v * LANES);
        store(to + v * LANES, load(at + v * LANES));
      }
    }
    uint32_t j = 0;
    for (; j + LANES <= rest; j += LANES) store(last + j, load(at + j));
    if (j < rest) store(last + j, load_part(at + j, part));
  }
}

/* Computes the panels of b. The last panel is filled with zeros up to the end of a vector; sums of these are
 * not stored. */
static void make_b(const gt_matmul_operands *o, uint32_t first, uint32_t depth, float *pack) {
  for (uint32_t j = 0; j < o->n; j += WIDTH, pack += B_PANEL) {
    const uint32_t columns = gt_min_u32(o->n - j, WIDTH), step = step_of(columns);
    if (columns < step) memset(pack, 0, (size_t)depth * step * sizeof *pack);
    gt_factor_make(o->made_b, first, depth, j, columns, pack, step);
  }
}

GT_TARGET static void pack_b(const gt_matmul_operands *o, uint32_t first, uint32_t depth, uint32_t column,
                             float *pack) {
  pack += column / WIDTH * B_PANEL;
  if (o->made_b)
    make_b(o, first, depth, pack);
  else if (!o->trans_b)
    pack_rows_of_b(o, first, depth, column, pack);
  else
    for (uint32_t j = column; j < o->n; j += WIDTH, pack += B_PANEL)
      transpose(o->b + j * o->ldb + first, o->ldb, gt_min_u32(o->n - j, WIDTH), depth, pack,
                step_of(o->n - j));
}

/* True if a is copied: if it is computed, or transposed and read by more than one panel of b. */
static bool packs_a(const gt_matmul_operands *o) { return o->made_a || (o->trans_a && o->n > WIDTH); }

/* Floats from row to row of a copied a: as few as possible, so that many rows fit into a cache. */
static size_t row_of_a(uint32_t depth) { return (size_t)gt_ceil_div(depth, LANES) * LANES + LANES; }

/* The rows of op(a) for panel p, whose first row is i. packed: copy of a, or NULL. */
static rows_of_a rows_at(const gt_matmul_operands *o, const float *packed, uint32_t p, uint32_t i, uint32_t k,
                         uint32_t depth) {
  const size_t row = row_of_a(depth);
  if (packed)
    return o->trans_a ? (rows_of_a){packed + p * A_PANEL, 1, LANES} : (rows_of_a){packed + i * row, row, 1};
  return o->trans_a ? (rows_of_a){o->a + k * o->lda + i, 1, o->lda}
                    : (rows_of_a){o->a + i * o->lda + k, o->lda, 1};
}

GT_TARGET static void make_a(const gt_matmul_operands *o, row_split split, uint32_t first, uint32_t depth,
                             float *pack) {
  if (!o->trans_a) {
    gt_factor_make(o->made_a, 0, o->m, first, depth, pack, row_of_a(depth));
    return;
  }
  /* Lines are computed over the whole width of the tile, because panels are too narrow for that. They are
   * copied as vectors; elements after a panel's rows are not read. */
  float line[MADE_AT_ONCE][GT_MATMUL_TILE + LANES];
  for (uint32_t k = 0; k < depth; k += MADE_AT_ONCE) {
    const uint32_t lines = gt_min_u32(depth - k, MADE_AT_ONCE);
    gt_factor_make(o->made_a, first + k, lines, 0, o->m, line[0], GT_MATMUL_TILE + LANES);
    for (uint32_t p = 0, i = 0; p < split.panels; i += rows_of(split, p), p++)
      for (uint32_t j = 0; j < lines; j++) store(pack + p * A_PANEL + (k + j) * LANES, load(line[j] + i));
  }
}

GT_TARGET static void pack_a(const gt_matmul_operands *o, row_split split, uint32_t first, uint32_t depth,
                             float *pack) {
  if (o->made_a) {
    make_a(o, split, first, depth, pack);
    return;
  }
  const float *from = o->a + first * o->lda;
  const mask more = mask_of(split.rows + 1), rows = mask_of(split.rows);
  for (uint32_t k = 0; k < depth; k++, from += o->lda, pack += LANES) {
    const float *at = from;
    float *to = pack;
    uint32_t p = 0;
    for (uint32_t i = 0; i < o->m; i += LANES) __builtin_prefetch(from + ROWS_AHEAD * o->lda + i);
    for (; p < split.more; p++, at += split.rows + 1, to += A_PANEL) store(to, load_part(at, more));
    for (; p < split.panels; p++, at += split.rows, to += A_PANEL) store(to, load_part(at, rows));
  }
}

/* What a product of some rows of a with all columns of b reads, for elements k … k + depth of K. */
typedef struct strip {
  const gt_matmul_operands *o;
  const float *packed; /* panels of b, copied from column copied_from on */
  uint32_t copied_from, k, depth;
} strip;

INLINE panel_of_b panel_at(const strip *s, uint32_t j) {
  return j >= s->copied_from ? (panel_of_b){s->packed + j / WIDTH * B_PANEL, step_of(s->o->n - j)}
                             : (panel_of_b){s->o->b + s->k * s->o->ldb + j, s->o->ldb};
}

/* Multiplies a few rows with all panels of b: the rows stay in the first-level cache, even if their distance
 * is a power of two. */
GT_TARGET static void multiply_strip(const strip *s, uint32_t rows, rows_of_a a, float *c, size_t ldc) {
  uint32_t j = 0;
#if VECTORS == 4 /* panels of three or four vectors, for half of the rows at a time */
  const uint32_t rest = s->o->n % WIDTH, wide = rest > 2 * LANES ? s->o->n : s->o->n - rest;
  for (uint32_t i = 0, some = (rows + 1) / 2; i < rows && wide; i += some, some = rows - i) {
    const rows_of_a half = {a.at + i * a.row, a.row, a.step};
    for (j = 0; j < wide; j += WIDTH) {
      const uint32_t columns = gt_min_u32(s->o->n - j, WIDTH);
      const panel_of_b b = panel_at(s, j);
      wide_blocks[some - 1][columns > 3 * LANES](&half, &b, s->depth, c + i * ldc + j, ldc, columns,
                                                 s->k == 0);
    }
  }
#endif
  for (; j < s->o->n; j += WIDTH) {
    const uint32_t columns = gt_min_u32(s->o->n - j, WIDTH);
    const panel_of_b b = panel_at(s, j);
    blocks[rows - 1][columns > LANES](&a, &b, s->depth, c + j, ldc, columns, s->k == 0);
  }
}

/* Adds the product over one GT_MATMUL_DEPTH of K, from k on. */
GT_TARGET static void slab(const gt_matmul_operands *o, row_split split, uint32_t k, float *c, size_t ldc,
                           float *pack) {
  const bool copied_a = packs_a(o);
  const strip s = {o, pack, copied_from(o), k, gt_min_u32(o->k - k, GT_MATMUL_DEPTH)};
  float *const packed_a = pack + B_FLOATS;
  if (copied_a) pack_a(o, split, k, s.depth, packed_a);
  if (s.copied_from < o->n) pack_b(o, k, s.depth, s.copied_from, pack);
  for (uint32_t p = 0, i = 0; p < split.panels; i += rows_of(split, p), p++)
    multiply_strip(&s, rows_of(split, p), rows_at(o, copied_a ? packed_a : NULL, p, i, k, s.depth),
                   c + i * ldc, ldc);
}

GT_TARGET static void multiply(const gt_matmul_operands *o, float *c, size_t ldc, float *pack) {
  const uint32_t panels = gt_ceil_div(o->m, ROWS);
  const row_split split = {panels, o->m / panels, o->m % panels};
  for (uint32_t k = 0; k < o->k; k += GT_MATMUL_DEPTH) slab(o, split, k, c, ldc, pack);
}

/* Few columns, and a transposed a with many rows: computes the transpose of c, in whole vectors and with the
 * same sums. */
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
  if (o->trans_a && o->n <= FEW && o->m >= 2 * LANES)
    multiply_across(o, c, ldc, pack);
  else
    multiply(o, c, ldc, pack);
}
