/* CPU kernels of a KAN layer: the gradient of its inputs, and its basis as a value. */
#include "op/kan/kan_cpu.h"
#include "base/count.h"
#include "base/pool.h"
#include "op/blas.h"
#include "op/kan/basis.h"
#include "op/matmul/matmul_cpu.h"
#include "shaders/op/kan/kan_basis.h"
#include "step/math.h"
#include <assert.h>
#include <string.h>

/* A tile of the gradient: some rows by some inputs of one block. The product of g with the coefficients of a
 * few functions is stored in the thread's own memory, then multiplied by B' and added while in cache.
 *
 * MOST_ROWS: rows of a tile; FEW_ROWS: the same if there are fewer than MANY_ROWS rows in total; MAX_WIDTH:
 * inputs of a tile. */
enum { MOST_ROWS = 128, FEW_ROWS = 32, MANY_ROWS = 512, MAX_WIDTH = 256 };

typedef struct cut {    /* division of the gradient into tiles */
  uint32_t rows, width; /* of a tile; width: inputs */
  uint32_t across;      /* number of tiles for all inputs */
} cut;

static cut cut_of(uint32_t m, uint32_t inputs, uint32_t block) {
  const uint32_t block_tiles = gt_ceil_div(block, MAX_WIDTH);
  return (cut){m < MANY_ROWS ? FEW_ROWS : MOST_ROWS, gt_ceil_div(block, block_tiles),
               inputs / block * block_tiles};
}

uint32_t gt_kan_input_tiles(uint32_t m, uint32_t inputs, uint32_t block) {
  const cut c = cut_of(m, inputs, block);
  return gt_ceil_div(m, c.rows) * c.across;
}

bool gt_kan_input_prepare(const void *args, const uint32_t *spec, uint32_t threads, gt_error *error) {
  const struct gt_kan_input_args *a = args;
  (void)spec;
  return gt_matmul_own_tile(a->m) || gt_blas_reserve(threads, error);
}

/* total[row, i] += slope[row, i] * part[row, i]; part_step: floats from row to row of part. */
GT_CLONES static void add_products(const float *restrict slope, const float *restrict part, size_t part_step,
                                   uint32_t rows, uint32_t width, float *restrict total) {
  for (uint32_t r = 0; r < rows; r++, slope += width, part += part_step, total += width)
    for (uint32_t i = 0; i < width; i++) total[i] += slope[i] * part[i];
}

/* total[row, i] += sum over `terms` functions, from `term` on, of derivative(x[row, i]) * part[row, function,
 * i]. behind: parameters that follow the lines of x, or NULL. */
static void drain(const struct gt_kan_input_args *a, const uint32_t *spec, const float *x,
                  const float *behind, uint32_t inputs, uint32_t term, uint32_t terms, uint32_t rows,
                  uint32_t width, const float *part, float *total) {
  enum { AT_ONCE = 32 }; /* rows per call of gt_basis_fill: a call costs as much as computing some values */
  float slope[AT_ONCE * MAX_WIDTH];
  const size_t part_step = (size_t)terms * width;
  for (uint32_t row = 0; row < rows; row += AT_ONCE) {
    const uint32_t count = gt_min_u32(rows - row, AT_ONCE);
    for (uint32_t t = 0; t < terms; t++) {
      gt_basis_fill(GT_PTR(const uint32_t, a->geometry), spec, term + t, x + (size_t)row * inputs, behind,
                    count, width, slope);
      add_products(slope, part + row * part_step + t * width, part_step, count, width,
                   total + (size_t)row * width);
    }
  }
}

void gt_kan_input_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_kan_input_args *a = args;
  const uint32_t *geometry = GT_PTR(const uint32_t, a->geometry);
  const uint32_t inputs = geometry[GT_BASIS_INPUTS], outputs = geometry[GT_BASIS_OUTPUTS],
                 block = spec[GT_BASIS_SPEC_BLOCK], total_terms = gt_basis_total(spec);
  const cut c = cut_of(a->m, inputs, block);
  const uint32_t block_tiles = c.across / (inputs / block),
                 in_block = tile % c.across % block_tiles * c.width;
  const uint32_t block_number = tile % c.across / block_tiles, row = tile / c.across * c.rows;
  const uint32_t rows = gt_min_u32(a->m - row, c.rows), width = gt_min_u32(block - in_block, c.width);
  const uint32_t group = width == block ? gt_max_u32(MAX_WIDTH / width, 1) : 1; /* functions of a product */
  _Static_assert((2 * MOST_ROWS * MAX_WIDTH + GT_MATMUL_PACK) * sizeof(float) <= GT_POOL_SCRATCH,
                 "a tile fits");
  float *total = gt_pool_scratch(), *part = total + MOST_ROWS * MAX_WIDTH,
        *pack = part + MOST_ROWS * MAX_WIDTH;
  const uint32_t first = row * inputs + block_number * block + in_block;
  const float *x = GT_PTR(const float, a->x),
              *behind = gt_basis_has_parameter_rows(spec) ? x + (size_t)a->m * inputs + first % inputs : NULL;
  memset(total, 0, sizeof *total * rows * width);
  for (uint32_t term = 0; term < total_terms; term += group) {
    const uint32_t terms = gt_min_u32(total_terms - term, group);
    const size_t coefficient_row = ((size_t)block_number * total_terms + term) * block + in_block;
    const gt_matmul_operands o = {.a = GT_PTR(const float, a->g) + (size_t)row * outputs,
                                  .b = GT_PTR(const float, a->c) + coefficient_row * outputs,
                                  .lda = outputs,
                                  .ldb = outputs,
                                  .trans_b = true,
                                  .m = rows,
                                  .n = terms * width,
                                  .k = outputs};
    gt_matmul_multiply(&o, a->m, part, o.n, pack);
    drain(a, spec, x + first, behind, inputs, term, terms, rows, width, part, total);
  }
  const gt_matmul_ends ends = {a->in, a->y, a->clock, inputs};
  gt_matmul_finish_tile(&ends, spec, total, width, first, inputs, rows, width);
}

enum { BASIS_TILE = 16384 }; /* values of a tile, approximately */

static uint32_t lines_of_tile(uint32_t length) { return gt_max_u32(BASIS_TILE / length, 1); }

uint32_t gt_kan_basis_tiles(uint32_t lines, uint32_t length) {
  return gt_ceil_div(lines, lines_of_tile(length));
}

void gt_kan_basis_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_kan_basis_args *a = args;
  const uint32_t each = lines_of_tile(a->length), line = tile * each;
  const gt_factor factor = {
      .from = GT_PTR(const float, a->x), .geometry = GT_PTR(const uint32_t, a->geometry), .spec = spec};
  gt_basis_make(&factor, line, gt_min_u32(a->lines - line, each), 0, a->length,
                GT_PTR(float, a->y) + (size_t)line * a->length, a->length);
}
