/* GEMM on the CPU: a fixed grid of tiles. One thread computes a tile over all of K, or over a part of it for
 * split-K, and runs the epilogue row by row while the tile is in cache. The product's shape and the processor
 * decide what computes a tile: our own vector instructions (matmul_tile.h), or a serial call of OpenBLAS,
 * which is faster with few rows, and the only choice on other processors. Both give the same bits for the
 * same call. */
#include "op/matmul/matmul_cpu.h"
#include "base/count.h"
#include "base/pool.h"
#include "op/blas.h"
#include "op/matmul/factor.h"
#include "op/matmul/patches.h"
#include "op/matmul/matmul_tile.h"
#include "shaders/op/matmul/matmul.h"
#include "shaders/op/matmul/matmul_finish.h"
#include "step/program.h"
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { TINY = 1024 }; /* multiply-adds below which a call of OpenBLAS costs more than it saves */

static bool is_tiny(uint32_t m, uint32_t n, uint32_t k) { return (uint64_t)m * n * k <= TINY; }

bool gt_matmul_prepare(const void *args, const uint32_t *spec, uint32_t threads, gt_error *error) {
  const struct gt_matmul_args *a = args;
  const uint32_t m = a->m < spec[GT_MATMUL_SPEC_BM] ? a->m : spec[GT_MATMUL_SPEC_BM],
                 n = a->n < spec[GT_MATMUL_SPEC_BN] ? a->n : spec[GT_MATMUL_SPEC_BN];
  return gt_matmul_own_tile(a->m) || is_tiny(m, n, a->k) || gt_blas_reserve(threads, error);
}

/* c = op(a) op(b), or added to c, without our own vector instructions. is_small: by loops instead of
 * OpenBLAS. */
static void multiply_dense(const gt_matmul_operands *o, bool is_small, bool add, float *c, size_t ldc) {
  if (!is_small) {
    gt_blas_sgemm(CblasRowMajor, o->trans_a ? CblasTrans : CblasNoTrans,
                  o->trans_b ? CblasTrans : CblasNoTrans, (int)o->m, (int)o->n, (int)o->k, 1.0f, o->a,
                  (int)o->lda, o->b, (int)o->ldb, add ? 1.0f : 0.0f, c, (int)ldc);
    return;
  }
  const size_t a_row = o->trans_a ? 1 : o->lda, a_k = o->trans_a ? o->lda : 1;
  const size_t b_k = o->trans_b ? 1 : o->ldb, b_column = o->trans_b ? o->ldb : 1;
  for (uint32_t i = 0; i < o->m; i++) {
    for (uint32_t j = 0; j < o->n; j++) {
      float sum = 0;
      for (uint32_t k = 0; k < o->k; k++) sum += o->a[i * a_row + k * a_k] * o->b[k * b_k + j * b_column];
      c[i * ldc + j] = add ? c[i * ldc + j] + sum : sum;
    }
  }
}

/* The same with operands that are computed on load: GT_MATMUL_DEPTH of K at a time. */
static void multiply_made(const gt_matmul_operands *o, bool is_small, float *c, size_t ldc, float *pack) {
  enum { SLAB = GT_MATMUL_TILE * GT_MATMUL_DEPTH };
  _Static_assert(2 * SLAB <= GT_MATMUL_PACK, "slabs of a and b fit");
  for (uint32_t k = 0; k < o->k; k += GT_MATMUL_DEPTH) {
    gt_matmul_operands part = *o;
    part.k = gt_min_u32(o->k - k, GT_MATMUL_DEPTH);
    if (o->made_a) {
      part.a = pack, part.lda = o->trans_a ? o->m : part.k;
      gt_factor_make(o->made_a, o->trans_a ? k : 0, o->trans_a ? part.k : o->m, o->trans_a ? 0 : k,
                     (uint32_t)part.lda, pack, part.lda);
    } else {
      part.a += k * (o->trans_a ? o->lda : 1);
    }
    if (o->made_b) {
      part.b = pack + SLAB, part.ldb = o->n;
      gt_factor_make(o->made_b, k, part.k, 0, o->n, pack + SLAB, o->n);
    } else {
      part.b += k * (o->trans_b ? 1 : o->ldb);
    }
    multiply_dense(&part, is_small, k > 0, c, ldc);
  }
}

void gt_matmul_multiply(const gt_matmul_operands *o, uint32_t m, float *c, size_t ldc, float *pack) {
  gt_matmul_tile *const own_tile = gt_matmul_own_tile(m);
  const bool is_small = is_tiny(o->m, o->n, o->k);
  if (own_tile)
    own_tile(o, c, ldc, pack);
  else if (o->made_a || o->made_b)
    multiply_made(o, is_small, c, ldc, pack);
  else
    multiply_dense(o, is_small, false, c, ldc);
}

/* The epilogue of a step. */
typedef struct epilogue {
  gt_program program;
  gt_program_context context;
  const uint64_t *y;
} epilogue;

static void read_epilogue(epilogue *e, const gt_matmul_ends *ends, const uint32_t *spec) {
  gt_program_from_spec(spec, &e->program);
  e->context = (gt_program_context){
      .program = &e->program, .clock = GT_PTR(const uint32_t, ends->clock), .row_length = ends->length};
  for (uint32_t i = 0; i < e->program.inputs; i++) e->context.x[i] = GT_PTR(const float, ends->x[i]);
  e->y = ends->y;
}

/* Runs the epilogue on `rows` rows of `columns` elements of a tile with row length ld. In the result they
 * begin at element `first`, with `apart` elements from row to row. */
static void run_epilogue(const epilogue *e, const float *tile, size_t ld, uint32_t first, uint32_t apart,
                         uint32_t rows, uint32_t columns) {
  enum { NARROW = 128 }; /* columns below which all rows are evaluated as a single one */
  float *out[GT_PROGRAM_OUTPUTS] = {0};
  for (uint32_t o = 0; o < e->program.outputs; o++) out[o] = GT_PTR(float, e->y[o]) + first;
  if (columns == ld && columns == apart && columns < NARROW) /* rows without gaps */
    gt_program_evaluate_rows(&e->context, first, 0, 1, rows * columns, tile, 0, out);
  else
    gt_program_evaluate_rows(&e->context, first, apart, rows, columns, tile, ld, out);
}

void gt_matmul_finish_tile(const gt_matmul_ends *ends, const uint32_t *spec, const float *tile, size_t ld,
                           uint32_t first, uint32_t apart, uint32_t rows, uint32_t columns) {
  epilogue e;
  read_epilogue(&e, ends, spec);
  run_epilogue(&e, tile, ld, first, apart, rows, columns);
}

/* True if the epilogue only stores the product. */
static bool plain(const uint32_t *spec) {
  return spec[GT_SPEC_CODE_COUNT] == 0 && spec[GT_SPEC_OUTPUT_COUNT] == 1 &&
         spec[GT_SPEC_OUTPUT] == GT_OPERAND_LEADER;
}

/* Finds the part of an operand (`which`: GT_FACTOR_SPEC_A or _B) that a tile reads, from row (column) `at` of
 * the result and element k of K on: its address *from and row length *ld. If it is computed on load, fills
 * and returns *made, else returns NULL. */
static const gt_factor *take_factor(const struct gt_matmul_args *a, const uint32_t *spec, uint32_t which,
                                    uint32_t entry, uint32_t at, uint32_t k, const float **from, size_t *ld,
                                    gt_factor *made) {
  const bool is_a = which == GT_FACTOR_SPEC_A;
  const bool k_lines = is_a ? spec[GT_MATMUL_SPEC_TRANS_A] : !spec[GT_MATMUL_SPEC_TRANS_B];
  const uint32_t wide = k_lines ? is_a ? a->m : a->n : a->k, kind = spec[which];
  gt_factor_maker *const make = kind < GT_FACTORS ? gt_factor_makers[kind] : NULL;
  *from = GT_PTR(const float, is_a ? a->a : a->b);
  *ld = wide;
  if (make) {
    *made = (gt_factor){.make = make,
                        .from = *from,
                        .geometry = GT_PTR(const uint32_t, a->geometry),
                        .spec = spec,
                        .entry = entry,
                        .wide = wide,
                        .stride = is_a ? a->stride_a : a->stride_b,
                        .first_line = k_lines ? k : at,
                        .first_position = k_lines ? at : k};
    return made;
  }
  if (kind == GT_FACTOR_SIDE_BY_SIDE) {
    *ld = (size_t)wide * a->batch;
    *from += (size_t)entry * wide;
  } else {
    *from += (size_t)entry * (is_a ? a->stride_a : a->stride_b);
  }
  *from += k_lines ? at + k * *ld : at * *ld + k;
  return NULL;
}

/* Position of a tile: its first row and column in the result, batch entry and split-K part. */
typedef struct tile_place {
  uint32_t row, column, entry, part;
} tile_place;

static tile_place place_of(const struct gt_matmul_args *a, const uint32_t *spec, uint32_t tile) {
  const uint32_t across = (uint32_t)gt_ceil_div(a->n, spec[GT_MATMUL_SPEC_BN]),
                 down = (uint32_t)gt_ceil_div(a->m, spec[GT_MATMUL_SPEC_BM]);
  return (tile_place){.column = tile % across * spec[GT_MATMUL_SPEC_BN],
                      .row = tile / across % down * spec[GT_MATMUL_SPEC_BM],
                      .entry = tile / across / down % a->batch,
                      .part = tile / across / down / a->batch};
}

void gt_matmul_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_matmul_args *a = args;
  assert(spec[GT_MATMUL_SPEC_BM] <= GT_MATMUL_TILE && spec[GT_MATMUL_SPEC_BN] <= GT_MATMUL_TILE);
  const tile_place at = place_of(a, spec, tile);
  const uint32_t result = spec[GT_FACTOR_SPEC_RESULT];
  const uint32_t part_length = spec[GT_MATMUL_SPEC_BK], k = at.part * part_length;
  gt_factor made_a, made_b;
  gt_matmul_operands o = {.trans_a = spec[GT_MATMUL_SPEC_TRANS_A], .trans_b = spec[GT_MATMUL_SPEC_TRANS_B]};
  o.m = gt_min_u32(a->m - at.row, spec[GT_MATMUL_SPEC_BM]);
  o.n = gt_min_u32(a->n - at.column, spec[GT_MATMUL_SPEC_BN]);
  o.k = gt_min_u32(a->k - k, part_length);
  o.made_a = take_factor(a, spec, GT_FACTOR_SPEC_A, at.entry, at.row, k, &o.a, &o.lda, &made_a);
  o.made_b = take_factor(a, spec, GT_FACTOR_SPEC_B, at.entry, at.column, k, &o.b, &o.ldb, &made_b);
  const uint32_t length = result == GT_RESULT_DENSE ? a->n : a->n * a->batch; /* row length of the result */
  uint32_t first = at.entry * a->n + at.column, rows = o.m, apart = length;
  first += result == GT_RESULT_DENSE ? (at.entry * (a->m - 1) + at.row) * a->n : at.row * length;
  /* The tile is not stored into y: an epilogue may update a buffer in place that it also reads. */
  _Static_assert((GT_MATMUL_TILE * GT_MATMUL_TILE + GT_MATMUL_PACK) * sizeof(float) <= GT_POOL_SCRATCH,
                 "a tile fits");
  float *buffer = gt_pool_scratch(), *pack = buffer + GT_MATMUL_TILE * GT_MATMUL_TILE;
  if (spec[GT_MATMUL_SPEC_SPLIT] > 1) {
    float *partial = GT_PTR(float, a->partial) + (size_t)at.part * a->batch * a->m * a->n;
    gt_matmul_multiply(&o, a->m, partial + first, length, pack);
    return;
  }
  if (result != GT_RESULT_PLACED && plain(spec)) {
    gt_matmul_multiply(&o, a->m, GT_PTR(float, a->y[0]) + first, length, pack);
    return;
  }
  if (o.k)
    gt_matmul_multiply(&o, a->m, buffer, o.n, pack);
  else
    memset(buffer, 0, (size_t)o.m * o.n * sizeof *buffer);
  epilogue e;
  read_epilogue(&e, &(gt_matmul_ends){a->x, a->y, a->clock, length}, spec);
  for (uint32_t done = 0; done < o.m; done += rows) {
    if (result == GT_RESULT_PLACED) {
      rows = gt_patches_rows(GT_PTR(const uint32_t, a->geometry), spec[GT_PATCHES_SPEC_RANK], at.row + done,
                             o.m - done, &first, &apart);
      first = first * length + at.entry * a->n + at.column;
      apart *= length;
    }
    run_epilogue(&e, buffer + (size_t)done * o.n, o.n, first, apart, rows, o.n);
  }
}

void gt_matmul_finish_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_matmul_finish_args *a = args;
  const uint32_t first = tile * GT_MATMUL_FINISH_TILE;
  const uint32_t count = a->count - first < GT_MATMUL_FINISH_TILE ? a->count - first : GT_MATMUL_FINISH_TILE;
  float sum[GT_MATMUL_FINISH_TILE];
  memcpy(sum, GT_PTR(const float, a->partial) + first, count * sizeof *sum);
  for (uint32_t s = 1; s < a->split; s++) {
    const float *partial = GT_PTR(const float, a->partial) + (size_t)s * a->count + first;
    for (uint32_t i = 0; i < count; i++) sum[i] += partial[i];
  }
  const gt_matmul_ends ends = {a->x, a->y, a->clock, a->row_length};
  gt_matmul_finish_tile(&ends, spec, sum, count, first, 0, 1, count);
}
