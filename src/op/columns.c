#include "op/columns.h"
#include "base/count.h"

enum {
  WORKGROUP = 256,
  RESIDENT = 1024, /* invocations that keep a unit busy */
  MAX_ACROSS = 64,
  MIN_ACROSS = 2,        /* vec4s of one memory transaction */
  LOADS = 4,             /* rows that an invocation loads at once */
  MIN_ROWS = 16,         /* rows per invocation; only with more are the rows divided into chunks */
  ONE_PASS = 2048,       /* with at most this number of rows, a workgroup may cover few columns */
  CACHED_QUADS = 1 << 20 /* vec4s that fit the cache, so that the order of reads does not matter */
};

/* For small matrices, such as the results of an earlier pass, a workgroup covers fewer columns, so that an
 * invocation reads only a few rows: there the latency of loads decides. */
gt_columns gt_columns_choose(const gt_lowering *lowering, uint32_t rows, uint32_t quads, bool is_partial) {
  gt_columns c = {.across = 1, .workgroup = gt_lower_workgroup(lowering, WORKGROUP, 1)};
  uint32_t most = gt_min_u32(MAX_ACROSS, c.workgroup);
  const bool is_small = is_partial || (rows <= ONE_PASS && (uint64_t)rows * quads <= CACHED_QUADS);
  while (is_small && most > MIN_ACROSS && c.workgroup / most * LOADS < rows) most /= 2;
  while (c.across < quads && c.across < most) c.across *= 2;
  c.down = c.workgroup / c.across;
  c.tiles = gt_ceil_div(quads, c.across);
  return c;
}

/* Enough chunks to keep the device busy, but at least MIN_ROWS rows per invocation. */
uint32_t gt_columns_chunk(const gt_target *target, const gt_columns *c, uint32_t rows, uint32_t outer) {
  const uint64_t units = target->units ? target->units : 16, tiles = (uint64_t)outer * c->tiles;
  const uint64_t wanted = gt_ceil_div(units * RESIDENT / c->workgroup, tiles);
  const uint64_t chunk = gt_max_i64(gt_ceil_div(rows, wanted), (uint64_t)c->down * MIN_ROWS);
  return wanted == 1 || chunk > rows ? rows : (uint32_t)chunk;
}
