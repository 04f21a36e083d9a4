/* The scalar engine, kernel "matmul": launch configurations on devices, and the tile grid of the CPU. */
#include "op/matmul/matmul_cpu.h"
#include "op/matmul/matmul_engines.h"
#include "base/count.h"
#include "shaders/op/matmul/matmul.h"
#include "shaders/op/matmul/range.h"

enum {
  MANY_UNITS = 16, /* multiprocessors of a GPU; a software device has fewer */
  RASTER = 8 /* rows of tiles that are processed together, so that the cache holds the operands they share */
};

static const gt_kernel kernel = {"matmul", gt_matmul_cpu, gt_matmul_prepare};

/* True if tiles divide the matrices exactly: the kernel then checks no bounds. */
static bool is_whole(const gt_matmul_shape *s, const gt_matmul_config *c) {
  const uint32_t chunk = c->split > 1 ? c->k_chunk : s->k;
  return s->m % c->bm == 0 && s->n % c->bn == 0 && chunk && s->k % chunk == 0 && chunk % c->bk == 0;
}

/* Depth of unrolled code. It is faster if it runs often; otherwise loading its instructions takes longer.
 * Software devices take long to compile it, but may end a loop after 65535 iterations. */
static uint32_t unroll(const gt_matmul_config *c, const gt_matmul_shape *s, const gt_target *target) {
  enum { SHORT = 8, SMALL_DEVICE = 4, FEW_SLICES = 16, SMALL_TILE = 64 * 64, BRIEF_DEPTH = 4096 };
  const uint32_t depth = gt_min_u32(s->k, c->split > 1 ? c->k_chunk : s->k), slices = depth / c->bk;
  if (target->brief && depth <= BRIEF_DEPTH) return 1;
  if (target->units < MANY_UNITS) return SMALL_DEVICE;
  return slices <= FEW_SLICES && c->bm * c->bn <= SMALL_TILE ? SHORT : c->bk / c->teams;
}

uint32_t gt_matmul_quads_of(const gt_matmul_shape *s) {
  return ((s->trans_a ? s->m : s->k) % 4 ? 0 : GT_MATMUL_QUADS_OF_A) |
         ((s->trans_b ? s->k : s->n) % 4 ? 0 : GT_MATMUL_QUADS_OF_B);
}

/* Bits of GT_MATMUL_SPEC_EXTENTS: GT_MATMUL_WHOLE … */
static uint32_t extents_of(const gt_matmul_shape *s, const gt_matmul_config *c) {
  /* Partial results are added as vec4s; without split-K an invocation must hold whole vec4s of columns. */
  const bool quads = s->n % 4 == 0 && (c->tn % 4 == 0 || c->split > 1);
  return (is_whole(s, c) ? GT_MATMUL_WHOLE : 0) | (quads ? GT_MATMUL_QUADS : 0) | gt_matmul_quads_of(s);
}

/* True if the K tiles in shared memory are large enough for the column reduction (columns.glsl). With
 * operands computed on load and split-K, AMD's compiler has no registers left for it. */
static bool joins_columns(const gt_matmul_config *c, const gt_matmul_shape *s, const gt_target *target) {
  const bool made = s->kind_a > GT_FACTOR_SIDE_BY_SIDE || s->kind_b > GT_FACTOR_SIDE_BY_SIDE;
  if (made && c->split > 1 && !target->matrix.fast) return false;
  const uint32_t down = c->bm / c->tm * c->teams, threads = down * (c->bn / c->tn), across = c->bn / 4;
  const uint32_t room_a = 2 * c->bk * (c->bm / 4 + 1), room_b = 2 * c->bk * (c->bn / 4 + 1);
  const uint32_t words = gt_max_u32(down * c->bn, 4 * threads), slots = gt_max_u32(down, threads / across);
  return threads % across == 0 && words + slots <= 4 * room_a && words <= 4 * room_b;
}

/* True if a tile of this many neighbouring rows or columns may have one scale (shaders/op/matmul/range.h). */
static bool is_part_of_depth(uint32_t tile) {
  return tile >= GT_RANGE_DEPTH / 4 && GT_RANGE_DEPTH % tile == 0;
}

/* True if the K tiles of A have room for the tile's rows, each padded (follow.glsl). */
static bool has_room_for_rows(const gt_matmul_config *c) {
  return c->bm * (c->bn + 1) <= 2 * c->bk * (c->bm + 4);
}

/* True if a tile holds full rows, with shared memory for a row program. */
static bool has_whole_rows(const gt_matmul_config *c, const gt_matmul_shape *s) {
  const uint32_t threads = c->bm / c->tm * (c->bn / c->tn) * c->teams, across = c->bn / 4;
  return s->n <= c->bn && (c->split > 1 || has_room_for_rows(c)) && threads % across == 0 &&
         threads <= 2u * c->bk * (across + 1);
}

bool gt_matmul_has_whole(const gt_matmul_config *c, const gt_matmul_shape *s, const gt_target *target) {
  if (!s->whole_rows && !s->whole_columns) return true;
  return c->engine == GT_ENGINE_SCALAR && s->batch == 1 &&
         (c->split == 1 || gt_matmul_arrives(s, c, target->units)) &&
         (!s->whole_rows || has_whole_rows(c, s)) &&
         (!s->whole_columns || (s->m <= c->bm && joins_columns(c, s, target)));
}

gt_matmul_cut gt_matmul_cut_scalar(const gt_matmul_config *c, const gt_matmul_shape *s,
                                   const gt_target *target) {
  gt_matmul_cut cut = {
      .kernel = &kernel,
      .scalar = true,
      .bm = c->bm,
      .bn = c->bn,
      .split = c->split,
      .k_chunk = c->k_chunk,
      .threads = target->device ? c->bm / c->tm * (c->bn / c->tn) * c->teams : 1,
      .spec = {[GT_MATMUL_SPEC_BM] = c->bm,
               [GT_MATMUL_SPEC_BN] = c->bn,
               [GT_MATMUL_SPEC_BK] = c->bk,
               [GT_MATMUL_SPEC_TM] = c->tm,
               [GT_MATMUL_SPEC_TN] = c->tn,
               [GT_MATMUL_SPEC_TRANS_A] = s->trans_a,
               [GT_MATMUL_SPEC_TRANS_B] = s->trans_b,
               [GT_MATMUL_SPEC_SPLIT] = c->split},
  };
  if (!target->device) {
    cut.spec[GT_MATMUL_SPEC_BK] = c->split > 1 ? c->k_chunk : s->k;
    return cut;
  }
  cut.arrives = gt_matmul_arrives(s, c, target->units);
  cut.columns = joins_columns(c, s, target);
  if (c->split == 1 && s->batch == 1 && s->n % 4 == 0 && is_part_of_depth(c->bm) && is_part_of_depth(c->bn))
    cut.measures = GT_MEASURED_ROWS | GT_MEASURED_COLUMNS;
  /* The loss is written to argument `range`, which split-K with segments uses for x (gt_product.drain). */
  cut.rows = s->n <= c->bn && (c->split == 1 || (cut.arrives && !s->segment)) && has_room_for_rows(c);
  cut.spec[GT_MATMUL_SPEC_UNROLL] = unroll(c, s, target);
  cut.spec[GT_MATMUL_SPEC_ARRIVE] = cut.arrives;
  cut.spec[GT_MATMUL_SPEC_EXTENTS] = extents_of(s, c);
  cut.spec[GT_MATMUL_SPEC_RASTER] = RASTER;
  return cut;
}
