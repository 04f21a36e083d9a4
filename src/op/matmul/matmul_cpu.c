/* The product on the CPU: a fixed grid of tiles, each computed over the whole of k by one thread, then the
 * epilogue row by row while the tile is hot. By what a tile is computed depends on the product's shape and
 * the processor only: vector instructions of our own (matmul_tile.h) or a serial call of OpenBLAS, which is
 * faster at a few rows and all there is on other processors; it keeps the same bits for the same call. */
#include "op/matmul/matmul_cpu.h"
#include "base/pool.h"
#include "op/blas.h"
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

static void multiply(const gt_matmul_operands *o, gt_matmul_tile *own, float *c, size_t ldc, float *pack) {
  if (own) {
    own(o, c, ldc, pack);
    return;
  }
  if (!is_tiny(o->m, o->n, o->k)) {
    gt_blas_sgemm(CblasRowMajor, o->trans_a ? CblasTrans : CblasNoTrans,
                  o->trans_b ? CblasTrans : CblasNoTrans, (int)o->m, (int)o->n, (int)o->k, 1.0f, o->a,
                  (int)o->lda, o->b, (int)o->ldb, 0.0f, c, (int)ldc);
    return;
  }
  const size_t a_row = o->trans_a ? 1 : o->lda, a_k = o->trans_a ? o->lda : 1;
  const size_t b_k = o->trans_b ? 1 : o->ldb, b_column = o->trans_b ? o->ldb : 1;
  for (uint32_t i = 0; i < o->m; i++) {
    for (uint32_t j = 0; j < o->n; j++) {
      float sum = 0;
      for (uint32_t k = 0; k < o->k; k++) sum += o->a[i * a_row + k * a_k] * o->b[k * b_k + j * b_column];
      c[i * ldc + j] = sum;
    }
  }
}

/* Runs the epilogue on `rows` rows of `columns` finished elements (row length ld) that start at logical
 * `first`. */
static void run_epilogue(const gt_program_context *context, const float *tile, size_t ld, uint64_t y[2],
                         uint32_t first, uint32_t rows, uint32_t columns) {
  float *out[GT_PROGRAM_OUTPUTS] = {0};
  for (uint32_t o = 0; o < context->program->outputs; o++) out[o] = GT_PTR(float, y[o]) + first;
  gt_program_evaluate_rows(context, first, rows, columns, tile, ld, out);
}

static bool plain(const uint32_t *spec) {
  return spec[GT_SPEC_CODE_COUNT] == 0 && spec[GT_SPEC_OUTPUT_COUNT] == 1 &&
         spec[GT_SPEC_OUTPUT] == GT_OPERAND_LEADER;
}

void gt_matmul_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_matmul_args *a = args;
  assert(a->split <= 1 && spec[GT_MATMUL_SPEC_BM] <= GT_MATMUL_TILE &&
         spec[GT_MATMUL_SPEC_BN] <= GT_MATMUL_TILE);
  const uint32_t across = (a->n + spec[GT_MATMUL_SPEC_BN] - 1) / spec[GT_MATMUL_SPEC_BN],
                 down = (a->m + spec[GT_MATMUL_SPEC_BM] - 1) / spec[GT_MATMUL_SPEC_BM];
  const uint32_t column = tile % across * spec[GT_MATMUL_SPEC_BN],
                 row = tile / across % down * spec[GT_MATMUL_SPEC_BM];
  const uint32_t batch = tile / across / down;
  const bool trans_a = spec[GT_MATMUL_SPEC_TRANS_A], trans_b = spec[GT_MATMUL_SPEC_TRANS_B];
  gt_matmul_operands o = {
      .lda = trans_a ? a->m : a->k, .ldb = trans_b ? a->k : a->n, .trans_a = trans_a, .trans_b = trans_b};
  o.a = GT_PTR(const float, a->a) + (size_t)batch * a->stride_a + (trans_a ? row : row * o.lda);
  o.b = GT_PTR(const float, a->b) + (size_t)batch * a->stride_b + (trans_b ? column * o.ldb : column);
  o.m = a->m - row < spec[GT_MATMUL_SPEC_BM] ? a->m - row : spec[GT_MATMUL_SPEC_BM];
  o.n = a->n - column < spec[GT_MATMUL_SPEC_BN] ? a->n - column : spec[GT_MATMUL_SPEC_BN];
  o.k = a->k;
  const uint32_t first = (batch * a->m + row) * a->n + column;
  /* Not into y: an epilogue may update in place a buffer that it also reads. */
  _Static_assert((GT_MATMUL_TILE * GT_MATMUL_TILE + GT_MATMUL_PACK) * sizeof(float) <= GT_POOL_SCRATCH,
                 "a tile fits");
  float *buffer = gt_pool_scratch(), *pack = buffer + GT_MATMUL_TILE * GT_MATMUL_TILE;
  if (plain(spec)) {
    multiply(&o, gt_matmul_own_tile(a->m), GT_PTR(float, a->y[0]) + first, a->n, pack);
    return;
  }
  multiply(&o, gt_matmul_own_tile(a->m), buffer, o.n, pack);
  gt_program program;
  gt_program_from_spec(spec, &program);
  gt_program_context context = {.program = &program, .clock = GT_PTR(const uint32_t, a->clock), .row = a->n};
  for (uint32_t i = 0; i < program.inputs; i++) context.x[i] = GT_PTR(const float, a->x[i]);
  run_epilogue(&context, buffer, o.n, (uint64_t[2]){a->y[0], a->y[1]}, first, o.m, o.n);
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
  gt_program program;
  gt_program_from_spec(spec, &program);
  gt_program_context context = {
      .program = &program, .clock = GT_PTR(const uint32_t, a->clock), .row = a->row};
  for (uint32_t i = 0; i < program.inputs; i++) context.x[i] = GT_PTR(const float, a->x[i]);
  run_epilogue(&context, sum, count, (uint64_t[2]){a->y[0], a->y[1]}, first, 1, count);
}
