/* Candidates of product_thin: skinny-N GEMM with B staged. */
#include "op/matmul/matmul_engines.h"
#include "base/count.h"
#include "shaders/op/matmul/matmul.h"
#include "shaders/op/matmul/product_thin.h"

static const gt_kernel thin = {.name = "product_thin"};

enum {
  LEAST_LINES = 64, /* rows of the result; with fewer, product_few reads B from memory directly */
  LEAST_SHARES = 8, /* invocations per row of the result */
  MOST_SHARES = 32,
  THREADS = 256,          /* of a workgroup */
  MOST_STAGED = 24 << 10, /* bytes of B in shared memory */
  /* Cycles of a multiprocessor for each warp: */
  COLUMN_CYCLES = 2,  /* to read a vec4 of B and to multiply it */
  QUAD_CYCLES = 3,    /* to load a vec4 of A, */
  MADE_CYCLES = 10,   /* and to compute basis functions of it */
  STAGE_CYCLES = 40,  /* to stage a vec4 of B */
  WAIT_CYCLES = 850,  /* latency per step of GT_THIN_AT_ONCE vec4s: operands and dependent arithmetic, */
  MADE_WAIT = 500,    /* and basis functions */
  FULL_THREADS = 512, /* that keep a multiprocessor busy */
  START_CYCLES = 4450 /* with the time to stage B and to add the shares of a row */
};

static double estimate(const gt_matmul_config *c, const gt_matmul_shape *s, const gt_target *target) {
  const uint32_t shares = c->teams, quads = gt_ceil_div(s->k, 4);
  const double steps = gt_ceil_div(quads, shares * GT_THIN_AT_ONCE), warps = THREADS / GT_WARP;
  const bool made = s->kind_a == GT_FACTOR_BASIS;
  const double quad = s->n * COLUMN_CYCLES + QUAD_CYCLES + (made ? MADE_CYCLES : 0);
  const double staged = (double)gt_ceil_div((int64_t)quads * s->n, THREADS) * STAGE_CYCLES;
  const double of_unit = gt_workgroups_per_unit(gt_ceil_div(s->m, c->bm), target->units);
  const double waits = gt_waves(of_unit, FULL_THREADS / THREADS);
  return of_unit * warps * (steps * GT_THIN_AT_ONCE * quad + staged) +
         waits * (START_CYCLES + steps * (WAIT_CYCLES + (made ? MADE_WAIT : 0)));
}

/* vec4s along K whose B is staged at a time: as many as fit into shared memory, in whole steps. */
static uint32_t chunk_of(const gt_matmul_shape *s, uint32_t shares, const gt_target *target) {
  const uint32_t step = shares * GT_THIN_AT_ONCE;
  const uint32_t room = gt_min_u32(target->shared_bytes / 2, MOST_STAGED) / (16 * s->n * step);
  return gt_min_u32(gt_max_u32(room, 1), gt_ceil_div(gt_ceil_div(s->k, 4), step)) * step;
}

void gt_matmul_offer_thin(const gt_matmul_shape *s, const gt_target *target, gt_matmul_offer *offer,
                          void *context) {
  if (!gt_matmul_has_few_columns(s) || s->m < LEAST_LINES || target->max_workgroup < THREADS) return;
  for (uint32_t shares = LEAST_SHARES; shares <= MOST_SHARES; shares *= 2) {
    const gt_matmul_config c = {.bm = (uint16_t)(THREADS / shares),
                                .bn = (uint16_t)(gt_ceil_div(s->n, 4) * 4),
                                .bk = (uint16_t)(4 * chunk_of(s, shares, target)),
                                .tm = 1,
                                .tn = (uint16_t)(gt_ceil_div(s->n, 4) * 4),
                                .teams = (uint16_t)shares,
                                .engine = GT_ENGINE_THIN,
                                .split = 1,
                                .k_chunk = s->k};
    offer(context, c, estimate(&c, s, target));
  }
}

gt_matmul_cut gt_matmul_cut_thin(const gt_matmul_config *c, const gt_matmul_shape *s) {
  return (gt_matmul_cut){.kernel = &thin,
                         .bm = c->bm,
                         .bn = c->bn,
                         .threads = THREADS,
                         .split = 1,
                         .k_chunk = s->k,
                         .rows = true,
                         .spec = {[GT_THIN_SPEC_COLUMNS] = s->n,
                                  [GT_THIN_SPEC_SHARES] = c->teams,
                                  [GT_THIN_SPEC_CHUNK] = c->bk / 4,
                                  [GT_MATMUL_SPEC_EXTENTS] = gt_matmul_quads_of(s),
                                  [GT_MATMUL_SPEC_TRANS_B] = s->trans_b}};
}
