/* The CPU's own GEMM tiles read nothing outside their operands, write nothing outside c, and give the same
 * bits with each instruction set and for any size of the tile. Operands are placed before an inaccessible
 * page, so that a read past their end crashes. */
#include "op/matmul/matmul_tile.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <cmocka.h>

#if defined __x86_64__

enum { ROOM = 1 << 20, PAGE = 4096, MARK = 12345 };

typedef struct fence {
  float *end; /* of ROOM bytes, before an inaccessible page */
} fence;

static fence fence_make(void) {
  float *values = aligned_alloc(PAGE, ROOM + PAGE);
  assert_non_null(values);
  assert_int_equal(mprotect(values + ROOM / 4, PAGE, PROT_NONE), 0);
  for (int i = 0; i < ROOM / 4; i++) values[i] = (float)((i * 2654435761u >> 8) % 2001) * 0x1p-10f - 1;
  return (fence){values + ROOM / 4};
}

static void fence_free(fence f) {
  assert_int_equal(mprotect(f.end, PAGE, PROT_READ | PROT_WRITE), 0);
  free(f.end - ROOM / 4);
}

static bool can_run(gt_matmul_tile *tile) {
  return __builtin_cpu_supports("fma") &&
         (tile == gt_matmul_tile_avx2 ? __builtin_cpu_supports("avx2") : __builtin_cpu_supports("avx512f"));
}

typedef struct memory { /* of one product */
  fence a, b, c;
  float *pack; /* working memory of the tile */
} memory;

static memory memory_make(void) {
  return (memory){fence_make(), fence_make(), fence_make(),
                  aligned_alloc(64, GT_MATMUL_PACK * sizeof(float))};
}

static void memory_free(const memory *t) {
  free(t->pack);
  fence_free(t->a);
  fence_free(t->b);
  fence_free(t->c);
}

/* transposed: bits, 1: operand a, 2: operand b. */
static gt_matmul_operands operands(const memory *t, uint32_t m, uint32_t n, uint32_t k, int transposed) {
  const bool trans_a = transposed & 1, trans_b = transposed & 2;
  return (gt_matmul_operands){.a = t->a.end - (size_t)m * k,
                              .b = t->b.end - (size_t)k * n,
                              .lda = trans_a ? m : k,
                              .ldb = trans_b ? k : n,
                              .trans_a = trans_a,
                              .trans_b = trans_b,
                              .m = m,
                              .n = n,
                              .k = k};
}

/* Element (i, j) of the product by the chain of multiply-adds that a tile guarantees. */
static float element(const gt_matmul_operands *o, uint32_t i, uint32_t j) {
  float total = 0;
  for (uint32_t start = 0; start < o->k; start += GT_MATMUL_DEPTH) {
    float sum = 0;
    for (uint32_t k = start; k < o->k && k < start + GT_MATMUL_DEPTH; k++)
      sum = fmaf(o->a[o->trans_a ? k * o->lda + i : i * o->lda + k],
                 o->b[o->trans_b ? j * o->ldb + k : k * o->ldb + j], sum);
    total = start ? total + sum : sum;
  }
  return total;
}

/* A loader (gt_factor.make) that copies elements from memory; its geometry is the distance between lines. */
static void make_lines(const gt_factor *factor, uint32_t line, uint32_t lines, uint32_t position,
                       uint32_t positions, float *to, size_t step) {
  assert_true(positions <= step);
  for (uint32_t i = 0; i < lines; i++)
    for (uint32_t j = 0; j < positions; j++)
      to[i * step + j] = factor->from[(size_t)(line + i) * *factor->geometry + position + j];
}

/* Compares the tile's result. computed: bits of the operands that are computed on load, 1: a, 2: b. */
static void check_computed(const memory *t, gt_matmul_tile *tile, uint32_t m, uint32_t n, uint32_t k,
                           int transposed, int computed) {
  const gt_matmul_operands o = operands(t, m, n, k, transposed);
  const uint32_t lda = (uint32_t)o.lda, ldb = (uint32_t)o.ldb;
  const gt_factor a = {.make = make_lines, .from = o.a, .geometry = &lda},
                  b = {.make = make_lines, .from = o.b, .geometry = &ldb};
  gt_matmul_operands computed_o = o;
  if (computed & 1) computed_o.made_a = &a, computed_o.a = NULL;
  if (computed & 2) computed_o.made_b = &b, computed_o.b = NULL;
  const size_t ld = n + 3;
  float *c = t->c.end - (size_t)(m - 1) * ld - n;
  for (float *p = c; p < t->c.end; p++) *p = MARK;
  tile(&computed_o, c, ld, t->pack);
  for (uint32_t i = 0; i < m; i++) {
    for (uint32_t j = 0; j < n; j++) assert_memory_equal(&(float){element(&o, i, j)}, c + i * ld + j, 4);
    for (size_t j = n; j < ld && i < m - 1; j++) assert_true(c[i * ld + j] == MARK);
  }
}

static void check(const memory *t, gt_matmul_tile *tile, uint32_t m, uint32_t n, uint32_t k, int transposed) {
  check_computed(t, tile, m, n, k, transposed, 0);
}

static void shapes(const memory *t, gt_matmul_tile *tile, int transposed) {
  static const uint32_t rows[] = {1, 2, 5, 6, 7, 11, 12, 13, 24, 25, 31, 36, 40, 256};
  static const uint32_t columns[] = {1, 7, 8, 9, 10, 12, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 113};
  static const uint32_t depths[] = {1, 3, 8, 21, 255, 256, 259, 520};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
      for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
        if (rows[r] * depths[d] < 1 << 16) check(t, tile, rows[r], columns[c], depths[d], transposed);
}

static void every_shape(void **state) {
  gt_matmul_tile *const tiles[] = {gt_matmul_tile_avx2, gt_matmul_tile_avx512};
  const memory t = memory_make();
  (void)state;
  for (int i = 0; i < 2; i++) {
    if (!can_run(tiles[i])) continue;
    for (int transposed = 0; transposed < 4; transposed++) shapes(&t, tiles[i], transposed);
    check(&t, tiles[i], 256, 256, 300, 0);
    check(&t, tiles[i], 255, 249, 257, 3);
    check(&t, tiles[i], 512, 380, 300, 0);
    check(&t, tiles[i], 500, 512, 257, 3);
    check(&t, tiles[i], 30, 97, 1050, 0); /* rows far apart */
    check(&t, tiles[i], 17, 100, 1030, 2);
  }
  memory_free(&t);
}

static void computed_operands(void **state) {
  static const uint32_t rows[] = {1, 7, 12, 13, 40, 129}, columns[] = {1, 12, 17, 48, 63, 65, 113, 130};
  gt_matmul_tile *const tiles[] = {gt_matmul_tile_avx2, gt_matmul_tile_avx512};
  const memory t = memory_make();
  (void)state;
  for (int i = 0; i < 2; i++) {
    if (!can_run(tiles[i])) continue;
    for (int computed = 1; computed < 4; computed++) {
      const int forms = computed & 2 ? 2 : 4; /* a computed b must not be transposed */
      for (int transposed = 0; transposed < forms; transposed++) {
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
          for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
            check_computed(&t, tiles[i], rows[r], columns[c], 19, transposed, computed);
            check_computed(&t, tiles[i], rows[r], columns[c], 260, transposed, computed);
          }
        check_computed(&t, tiles[i], 512, 500, 258, transposed, computed);
        check_computed(&t, tiles[i], 511, 9, 258, transposed, computed);
      }
    }
  }
  memory_free(&t);
}

#else
static void every_shape(void **state) { (void)state; }
static void computed_operands(void **state) { (void)state; }
#endif

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_shape), cmocka_unit_test(computed_operands)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
