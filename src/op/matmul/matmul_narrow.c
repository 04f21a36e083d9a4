/* Candidates of product_narrow: wgrad of a convolution with few input channels. */
#include "op/matmul/matmul_engines.h"
#include "base/count.h"
#include "shaders/op/matmul/product_narrow.h"

static const gt_kernel narrow = {.name = "product_narrow"};

enum {
  MOST_CHUNK = 4096,      /* elements of K per split-K part, so that sums stay short */
  MOST_PARTS = 65535,     /* of split-K */
  MOST_PARTIAL = 1 << 26, /* elements of all partial results */
  FULL_THREADS = 512,     /* that keep a multiprocessor busy */
  /* Cycles of a multiprocessor, from the number of instructions: */
  QUAD_CYCLES = 2,    /* a read of shared memory */
  ELEMENT_CYCLES = 4, /* an im2col element for each invocation of a warp */
  LINES_CYCLES = 15,  /* other work of a warp per K tile */
  WAIT_CYCLES = 1000, /* latency of im2col that a single workgroup on a multiprocessor does not hide */
  START_CYCLES = 4000 /* of a workgroup, with the sums of its sets at the end */
};

/* Number of groups of columns, a power of two: one if an invocation can hold all columns, else of at most 8
 * columns. */
static uint32_t group_count(uint32_t columns) {
  uint32_t groups = 1;
  while (gt_ceil_div(columns, groups) > (groups == 1 ? GT_NARROW_MOST_TAPS : 8)) groups *= 2;
  return groups;
}

/* Numbers of product_narrow.h, derived from a config with bm rows of a workgroup, K tiles of bk, and bn / tn
 * groups of tn columns of an invocation. elements: im2col elements that an invocation computes per K tile. */
typedef struct extents {
  uint32_t quads, groups, sets, taps, threads, elements;
} extents;

static extents extents_of(const gt_matmul_config *c, uint32_t columns) {
  extents e = {.quads = c->bm / 4, .groups = c->bn / c->tn, .taps = c->tn};
  e.threads = e.quads * c->bk / 4;
  e.sets = e.threads / (e.quads * e.groups);
  e.elements = gt_ceil_div(columns, e.quads / 4);
  return e;
}

static uint32_t shared_bytes(const extents *e) {
  const uint32_t lines = e->groups * e->sets, patches = e->groups * e->taps * (lines + 1);
  const uint32_t staged = patches + (e->groups > 1 ? 4 * lines * e->quads : 0);
  const uint32_t sums = e->threads / 2 * e->taps;
  return 16 * (gt_max_u32(staged, sums) + GT_STAGE_MOST_COLUMNS);
}

static double estimate(const gt_matmul_config *c, const gt_matmul_shape *s, const gt_target *target) {
  const extents e = extents_of(c, s->n);
  const double together = gt_max_u32(FULL_THREADS / e.threads, 1);
  const double warp =
      e.groups * (4.0 * e.taps + QUAD_CYCLES * (4.0 + e.taps)) + ELEMENT_CYCLES * e.elements + LINES_CYCLES;
  const double tile_cycles = (double)e.threads / GT_WARP * warp, k_tiles = gt_ceil_div(c->k_chunk, c->bk);
  const double alone = tile_cycles + WAIT_CYCLES, busy = tile_cycles * together;
  const double workgroup = k_tiles * (alone > busy ? alone : busy) + START_CYCLES; /* cycles */
  const double workgroups = (double)gt_ceil_div(s->m, c->bm) * c->split;
  return gt_matmul_cycles(s, c, target->units, workgroups / together, workgroup);
}

/* Offers split-K with `each` workgroups per multiprocessor, if K is long enough. */
static void offer_parts(gt_matmul_config c, const gt_matmul_shape *s, const gt_target *target, uint32_t each,
                        gt_matmul_offer *offer, void *context) {
  const uint64_t wanted = (uint64_t)each * gt_max_u32(target->units, 1);
  const uint32_t tiles = gt_ceil_div(s->m, c.bm);
  const uint32_t parts = gt_max_u32((uint32_t)gt_ceil_div((int64_t)wanted, tiles), 1);
  const uint32_t chunk = gt_min_u32(gt_ceil_div(s->k, parts), MOST_CHUNK);
  c.k_chunk = gt_ceil_div(chunk, c.bk) * c.bk;
  c.split = gt_ceil_div(s->k, c.k_chunk);
  if (c.split < 2 || c.split > MOST_PARTS || (uint64_t)c.split * s->m * s->n > MOST_PARTIAL ||
      (target->max_grid && tiles > target->max_grid))
    return;
  offer(context, c, estimate(&c, s, target));
}

void gt_matmul_offer_narrow(const gt_matmul_shape *s, const gt_target *target, gt_matmul_offer *offer,
                            void *context) {
  static const uint8_t quads[] = {16, 8, 4}, each[] = {1, 2, 3, 4, 6, 8, 12, 16};
  if (!s->trans_a || s->trans_b || s->kind_a != GT_FACTOR_DENSE || s->kind_b != GT_FACTOR_PATCHES ||
      s->batch != 1 || s->whole_k || s->segment || !s->k || s->n > GT_STAGE_MOST_COLUMNS)
    return;
  const uint32_t groups = group_count(s->n), taps = gt_ceil_div(s->n, groups);
  for (size_t q = 0; q < sizeof quads; q++)
    for (uint32_t threads = 256; threads >= 64; threads /= 2) {
      gt_matmul_config c = {.bm = (uint16_t)(4 * quads[q]),
                            .bn = (uint16_t)(groups * taps),
                            .bk = (uint16_t)(4 * threads / quads[q]),
                            .tm = 4,
                            .tn = (uint16_t)taps,
                            .engine = GT_ENGINE_NARROW};
      const extents e = extents_of(&c, s->n);
      if (!e.sets || threads > target->max_workgroup || shared_bytes(&e) > target->shared_bytes) continue;
      for (size_t i = 0; i < sizeof each; i++) offer_parts(c, s, target, each[i], offer, context);
    }
}

gt_matmul_cut gt_matmul_cut_narrow(const gt_matmul_config *c, const gt_matmul_shape *s) {
  const extents e = extents_of(c, s->n);
  const uint32_t batches = gt_ceil_div(e.elements, GT_STAGE_MOST_BATCH);
  return (gt_matmul_cut){.kernel = &narrow,
                         .bm = c->bm,
                         .bn = c->bn,
                         .threads = e.threads,
                         .split = c->split,
                         .k_chunk = c->k_chunk,
                         .spec = {[GT_NARROW_SPEC_QUADS] = e.quads,
                                  [GT_NARROW_SPEC_GROUPS] = e.groups,
                                  [GT_NARROW_SPEC_SETS] = e.sets,
                                  [GT_NARROW_SPEC_TAPS] = e.taps,
                                  [GT_NARROW_SPEC_CHUNK] = c->k_chunk,
                                  [GT_STAGE_SPEC_BATCH] = gt_ceil_div(e.elements, batches)}};
}
