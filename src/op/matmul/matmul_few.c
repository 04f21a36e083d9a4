/* Candidates of product_few: skinny-N GEMM without staging. */
#include "op/matmul/matmul_engines.h"
#include "base/count.h"
#include "shaders/op/matmul/matmul.h"
#include "shaders/op/matmul/product_few.h"
#include <math.h>

static const gt_kernel few = {.name = "product_few"};

enum {
  LEAST_THREADS = 64, /* of a workgroup */
  MOST_THREADS = 256,
  MOST_LINES = 32, /* rows of the result per workgroup */
  /* Cycles of a multiprocessor for each warp: */
  COLUMN_CYCLES = 14,  /* to read a vec4 of B that all of the warp share, and to multiply it, */
  QUADS_CYCLES = 6,    /* and in addition if each invocation reads a vec4 of its own, */
  APART_CYCLES = 16,   /* or four elements one by one */
  LINE_CYCLES = 10,    /* to read a vec4 of A, */
  MADE_CYCLES = 80,    /* and to compute basis functions of it */
  JOIN_CYCLES = 12,    /* a round of the reduction tree */
  WAIT_CYCLES = 900,   /* latency of four elements along K of both operands */
  ROUND_CYCLES = 120,  /* latency of a round of the tree */
  FULL_THREADS = 1024, /* that keep a multiprocessor busy */
  START_CYCLES = 2500
};

static double estimate(const gt_matmul_config *c, const gt_matmul_shape *s, const gt_target *target) {
  const uint32_t shares = c->teams, threads = shares * c->bm, quads = gt_ceil_div(s->k, 4);
  const bool by_quads = (s->trans_b ? s->k : s->n) % 4 == 0;
  const double passes = gt_ceil_div(quads, shares), warps = (double)threads / GT_WARP;
  const double column = COLUMN_CYCLES + (by_quads ? QUADS_CYCLES : APART_CYCLES) / (double)c->bm;
  const double made = s->kind_a == GT_FACTOR_BASIS ? MADE_CYCLES : 0, rounds = log2(shares);
  const double quad = s->n * column * (s->kind_b == GT_FACTOR_SCALED ? 2 : 1) + LINE_CYCLES + made;
  const double of_unit = gt_workgroups_per_unit(gt_ceil_div(s->m, c->bm), target->units);
  const double waits = gt_waves(of_unit, gt_max_u32(FULL_THREADS / threads, 1));
  return of_unit * warps * ((double)quads / shares * quad + rounds * JOIN_CYCLES) +
         waits * (START_CYCLES + passes * WAIT_CYCLES + rounds * ROUND_CYCLES);
}

static bool has_few_columns(const gt_matmul_shape *s) {
  return !s->trans_a && s->n <= GT_FEW_MOST_COLUMNS && s->batch == 1 && !s->segment && s->k &&
         (s->kind_a == GT_FACTOR_BASIS || s->kind_a == GT_FACTOR_DENSE || s->kind_a == GT_FACTOR_ROWS) &&
         (s->kind_b == GT_FACTOR_DENSE || s->kind_b == GT_FACTOR_SCALED);
}

void gt_matmul_offer_few(const gt_matmul_shape *s, const gt_target *target, gt_matmul_offer *offer,
                         void *context) {
  if (!has_few_columns(s)) return;
  const uint32_t wide = gt_ceil_div(s->n, 4) * 4;
  for (uint32_t lines = 1; lines <= MOST_LINES; lines *= 2)
    for (uint32_t threads = LEAST_THREADS; threads <= MOST_THREADS; threads *= 2) {
      const gt_matmul_config c = {.bm = (uint16_t)lines,
                                  .bn = (uint16_t)wide,
                                  .bk = (uint16_t)(4 * threads / lines),
                                  .tm = 1,
                                  .tn = (uint16_t)wide,
                                  .teams = (uint16_t)(threads / lines),
                                  .engine = GT_ENGINE_FEW,
                                  .split = 1,
                                  .k_chunk = s->k};
      if (c.teams >= GT_FEW_LEAST_SHARES && threads <= target->max_workgroup)
        offer(context, c, estimate(&c, s, target));
    }
}

gt_matmul_cut gt_matmul_cut_few(const gt_matmul_config *c, const gt_matmul_shape *s) {
  return (gt_matmul_cut){.kernel = &few,
                         .bm = c->bm,
                         .bn = c->bn,
                         .threads = (uint32_t)c->bm * c->teams,
                         .split = 1,
                         .k_chunk = s->k,
                         .rows = true,
                         .spec = {[GT_FEW_SPEC_COLUMNS] = s->n,
                                  [GT_FEW_SPEC_SHARES] = c->teams,
                                  [GT_MATMUL_SPEC_EXTENTS] = gt_matmul_quads_of(s),
                                  [GT_MATMUL_SPEC_TRANS_B] = s->trans_b}};
}
