/* Candidates of product_shallow: forward convolution with few input channels. */
#include "op/matmul/matmul_engines.h"
#include "base/count.h"
#include "shaders/op/matmul/product_shallow.h"

static const gt_kernel shallow = {.name = "product_shallow"};

enum {
  FULL_THREADS = 768, /* that keep a multiprocessor busy */
  /* Cycles of a multiprocessor, from the number of instructions: */
  QUAD_CYCLES = 2,    /* a read of shared memory */
  ELEMENT_CYCLES = 4, /* an im2col element for each invocation of a warp */
  WRITE_CYCLES = 8,   /* to write a vec4 */
  LINES_CYCLES = 15,  /* other work of a warp for its rows */
  WAIT_CYCLES = 1000, /* latency of im2col that a single workgroup on a multiprocessor does not hide */
  START_CYCLES = 2000 /* of a workgroup */
};

/* Numbers of product_shallow.h, derived from a config with bm rows of a workgroup, bk of them at a time, bn
 * columns, and tn columns of an invocation. elements: im2col elements that an invocation computes at a time;
 * rows: k, padded for unrolled code. */
typedef struct extents {
  uint32_t quads, wide, sets, threads, chunks, elements, unroll, rows;
} extents;

/* Length of unrolled code: the one that pads k least. */
static uint32_t unroll_of(uint32_t k) {
  uint32_t best = gt_min_u32(k, GT_SHALLOW_MOST_UNROLL);
  for (uint32_t u = best; u >= 3; u--)
    if (gt_ceil_div(k, u) * u < gt_ceil_div(k, best) * best) best = u;
  return best;
}

static extents extents_of(const gt_matmul_config *c, uint32_t k) {
  extents e = {.quads = c->bn / 4, .wide = c->tn / 4, .sets = c->bk / 4, .chunks = c->bm / c->bk};
  e.threads = e.quads / e.wide * e.sets;
  e.elements = gt_ceil_div(k, e.quads / e.wide / 4);
  e.unroll = unroll_of(k);
  e.rows = gt_ceil_div(k, e.unroll) * e.unroll;
  return e;
}

static uint32_t shared_bytes(const extents *e) {
  return 16 * (e->rows * (e->sets + 1 + e->quads) + GT_STAGE_MOST_COLUMNS);
}

static double estimate(const gt_matmul_config *c, const gt_matmul_shape *s, const gt_target *target) {
  const extents e = extents_of(c, s->k);
  const double together = gt_max_u32(FULL_THREADS / e.threads, 1);
  const double warp = e.rows * (4.0 * e.wide + QUAD_CYCLES * (1.0 + e.wide)) + ELEMENT_CYCLES * e.elements +
                      4.0 * WRITE_CYCLES * e.wide + LINES_CYCLES;
  const double chunk = (double)e.threads / GT_WARP * warp, alone = chunk + WAIT_CYCLES,
               busy = chunk * together;
  const double group = e.chunks * (alone > busy ? alone : busy) + START_CYCLES;
  const double groups = (double)gt_ceil_div(s->m, c->bm) * gt_ceil_div(s->n, c->bn);
  return gt_matmul_cycles(s, c, target->units, groups / together, group);
}

void gt_matmul_offer_shallow(const gt_matmul_shape *s, const gt_target *target, gt_matmul_offer *offer,
                             void *context) {
  static const struct { uint8_t quads, wide; } columns[] = {{16, 2}, {8, 2}, {8, 1}, {4, 1}};
  if (s->trans_a || !s->trans_b || s->kind_a != GT_FACTOR_PATCHES || s->kind_b != GT_FACTOR_DENSE ||
      s->batch != 1 || s->segment || !s->k || s->k > GT_STAGE_MOST_COLUMNS)
    return;
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    for (uint32_t threads = 256; threads >= 64; threads /= 2)
      for (uint32_t chunks = 8; chunks; chunks /= 2) {
        const uint32_t lines = 4 * threads * columns[i].wide / columns[i].quads;
        const gt_matmul_config c = {.bm = (uint16_t)(chunks * lines),
                                    .bn = (uint16_t)(4 * columns[i].quads),
                                    .bk = (uint16_t)lines,
                                    .tm = 4,
                                    .tn = (uint16_t)(4 * columns[i].wide),
                                    .engine = GT_ENGINE_SHALLOW,
                                    .split = 1,
                                    .k_chunk = s->k};
        const extents e = extents_of(&c, s->k);
        if (threads <= target->max_workgroup && shared_bytes(&e) <= target->shared_bytes)
          offer(context, c, estimate(&c, s, target));
      }
}

gt_matmul_cut gt_matmul_cut_shallow(const gt_matmul_config *c, const gt_matmul_shape *s) {
  const extents e = extents_of(c, s->k);
  const uint32_t batches = gt_ceil_div(e.elements, GT_STAGE_MOST_BATCH);
  return (gt_matmul_cut){.kernel = &shallow,
                         .bm = c->bm,
                         .bn = c->bn,
                         .threads = e.threads,
                         .split = 1,
                         .k_chunk = s->k,
                         .spec = {[GT_SHALLOW_SPEC_QUADS] = e.quads,
                                  [GT_SHALLOW_SPEC_WIDE] = e.wide,
                                  [GT_SHALLOW_SPEC_SETS] = e.sets,
                                  [GT_SHALLOW_SPEC_CHUNKS] = e.chunks,
                                  [GT_STAGE_SPEC_BATCH] = gt_ceil_div(e.elements, batches),
                                  [GT_SHALLOW_SPEC_UNROLL] = e.unroll,
                                  [GT_SHALLOW_SPEC_ROWS] = e.rows}};
}
