#include "op/matmul/matmul_config.h"
#include "base/count.h"
#include "op/matmul/factor.h"
#include "op/matmul/matmul_tile.h"

/* So many tiles feed many threads when there is much work, and few when there is little; the shape alone
 * decides. */
static uint32_t tiles_wanted(const gt_matmul_shape *s) {
  const double work = 2.0 * s->m * s->n * s->k * s->batch;
  return work > 200e6 ? 16 : work > 20e6 ? 8 : work > 2e6 ? 4 : 1;
}

/* OpenBLAS gains with the tile: 64x64 reaches 2/3 of what 256x256 does. */
static gt_matmul_config choose_tiles(const gt_matmul_shape *s) {
  static const uint32_t tile[][2] = {{256, 256}, {128, 256}, {128, 128}, {64, 128}, {64, 64}};
  const int count = sizeof tile / sizeof *tile;
  for (int i = 0; i < count; i++) {
    const uint64_t tiles = (uint64_t)gt_ceil_div(s->m, tile[i][0]) * gt_ceil_div(s->n, tile[i][1]) * s->batch;
    if (tiles >= tiles_wanted(s) || i == count - 1)
      return (gt_matmul_config){.bm = tile[i][0], .bn = tile[i][1], .split = 1};
  }
  return (gt_matmul_config){.bm = 64, .bn = 64, .split = 1};
}

/* Our own tiles may have any edge; their bits do not depend on it. Even shares of m and n, as many as are
 * wanted, cut so that the least is copied: a tile copies its part of b, and of a if that is transposed or
 * made. */
static gt_matmul_config choose_own_tiles(const gt_matmul_shape *s) {
  enum { PANEL = 32, LEAST = 48 };
  const uint32_t wanted = gt_ceil_div(tiles_wanted(s), s->batch);
  const uint32_t least_down = gt_ceil_div(s->m, GT_MATMUL_TILE);
  const uint32_t most_down = gt_least_u32(gt_ceil_div(s->m, LEAST), least_down + wanted);
  const uint32_t least_across = gt_ceil_div(s->n, GT_MATMUL_TILE), most_across = gt_ceil_div(s->n, 2 * PANEL);
  const bool copies_a = s->trans_a || s->kind_a > GT_FACTOR_SIDE_BY_SIDE;
  gt_matmul_config best = {.split = 1};
  double best_cost = 0;
  for (uint32_t down = least_down; down <= most_down; down++) {
    const uint32_t across = gt_least_u32(gt_most_u32(gt_ceil_div(wanted, down), least_across), most_across);
    const uint32_t bm = gt_ceil_div(s->m, down), bn = gt_ceil_div(gt_ceil_div(s->n, across), PANEL) * PANEL;
    /* Fewer tiles than wanted: as many as there can be. */
    const double lacking = (uint64_t)down * across < wanted ? wanted - down * across : 0;
    const double cost = (s->trans_b ? 2.0 : 1.0) * s->n * down + (copies_a ? 1.0 : 0.0) * s->m * across +
                        lacking * ((double)s->m + s->n);
    if (best.bm && cost >= best_cost) continue;
    best_cost = cost;
    best.bm = bm, best.bn = bn;
  }
  return best;
}

/* Device tiles, with the share of a multiprocessor's peak that each reaches when it has enough to do. */
typedef struct candidate {
  uint32_t bm, bn, bk, tm, tn;
  double efficiency;
} candidate;

static const candidate candidates[] = {
    {128, 128, 16, 8, 8, 0.88}, {128, 128, 8, 8, 8, 0.75}, {128, 64, 16, 8, 4, 0.65},
    {64, 128, 16, 4, 8, 0.65},  {64, 64, 16, 8, 4, 0.70},  {64, 64, 16, 4, 4, 0.55},
    {64, 32, 16, 4, 2, 0.40},   {32, 64, 16, 2, 4, 0.40},  {32, 32, 16, 2, 2, 0.30},
};
/* For devices with little shared memory or small workgroups (128 threads and 16 KiB are all that Vulkan
 * promises). */
static const candidate last_resort = {32, 32, 16, 4, 4, 0.30};

enum {
  /* Both operands of A Bᵀ are turned while they are staged, which keeps fewer threads than these too busy. */
  FULL_GROUP = 256,
  /* Elements of a thread whose sums are drained: what they are added to takes as many registers again. */
  DRAINED = 32,
  SPLITS = 32,         /* at most */
  FMA_PER_CYCLE = 128, /* of one multiprocessor */
  SLICE_CYCLES = 400,  /* waiting for a slice of a and b, not hidden when a unit has one workgroup */
  /* The second pass: a dispatch and a barrier, behind which nothing else runs that could have run beside the
   * product. */
  FINISH_CYCLES = 6500
};

static uint32_t threads_of(const candidate *c) { return (c->bm / c->tm) * (c->bn / c->tn); }

static bool fits(const candidate *c, const gt_target *target) {
  const uint32_t threads = threads_of(c);
  /* Two slices for kernels that fetch one ahead, with a word of padding a row. */
  const uint32_t bytes = 2 * c->bk * (c->bm + c->bn + 8) * 4;
  return threads <= target->max_workgroup && bytes <= target->shared_bytes;
}

/* Estimated cycles of the whole product with this tile and this many parts of k. */
static double estimate(const candidate *c, const gt_matmul_shape *s, const gt_target *target, uint32_t split,
                       uint32_t k_chunk) {
  const double units = target->units ? target->units : 1;
  const double groups = (double)gt_ceil_div(s->m, c->bm) * gt_ceil_div(s->n, c->bn) * s->batch * split;
  const double slices = gt_ceil_div(k_chunk < s->k ? k_chunk : s->k, c->bk);
  const double slice = (double)c->bm * c->bn * c->bk / (FMA_PER_CYCLE * c->efficiency) + SLICE_CYCLES;
  const double waves = groups <= units       ? 1
                       : groups <= 8 * units ? (double)(uint64_t)((groups + units - 1) / units)
                                             : groups / units;
  double cycles = waves * slices * slice;
  if (split > 1) cycles += FINISH_CYCLES + 2.0 * split * s->m * s->n * s->batch / (8 * units);
  return cycles;
}

/* All ways to cut a product. */
typedef struct ways {
  gt_matmul_config config[SPLITS * sizeof candidates / sizeof *candidates];
  gt_candidate candidate[SPLITS * sizeof candidates / sizeof *candidates];
  uint32_t count;
} ways;

static void add_way(ways *w, gt_matmul_config c, double cost) {
  gt_candidate *way = &w->candidate[w->count];
  w->config[w->count++] = c;
  way->cost = cost;
  if (!c.tm)
    snprintf(way->text, sizeof way->text, "%ux%u", c.bm, c.bn);
  else
    snprintf(way->text, sizeof way->text, "%ux%ux%u by %ux%u, split %u", c.bm, c.bn, c.bk, c.tm, c.tn,
             c.split);
}

static void add_device_ways(ways *w, const gt_matmul_shape *s, const gt_target *target) {
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    const candidate *c = &candidates[i];
    const uint64_t tiles = (uint64_t)gt_ceil_div(s->m, c->bm) * gt_ceil_div(s->n, c->bn);
    if (!fits(c, target) || (!s->trans_a && s->trans_b && threads_of(c) < FULL_GROUP)) continue;
    if (s->segment && c->tm * c->tn > DRAINED) continue;
    for (uint32_t split = 1; split <= SPLITS; split++) {
      const uint32_t k_chunk = gt_ceil_div(gt_ceil_div(s->k, split), c->bk) * c->bk;
      if (split > 1 && s->segment) break;
      if (split > 1 && (k_chunk < 64 || gt_ceil_div(s->k, k_chunk) != split)) continue;
      if (split > 1 && (uint64_t)split * s->m * s->n * s->batch > 1u << 26) break;
      if (split > 1 && target->max_grid && tiles > target->max_grid)
        break; /* tiles are one line of the grid */
      add_way(w, (gt_matmul_config){c->bm, c->bn, c->bk, c->tm, c->tn, split, k_chunk},
              estimate(c, s, target, split, k_chunk));
    }
  }
  if (w->count) return;
  const candidate *c = &last_resort;
  add_way(w, (gt_matmul_config){c->bm, c->bn, c->bk, c->tm, c->tn, 1, gt_ceil_div(s->k, c->bk) * c->bk}, 0);
}

gt_matmul_config gt_matmul_choose(gt_lowering *lowering, const gt_matmul_shape *s) {
  const gt_target *target = gt_lowering_target(lowering);
  char key[160];
  ways w = {0};
  if (target->device)
    add_device_ways(&w, s, target);
  else
    add_way(&w, gt_matmul_own_tile(s->m) ? choose_own_tiles(s) : choose_tiles(s), 0);
  int end = snprintf(key, sizeof key, "product %ux%ux%u %c%c x%u", s->m, s->n, s->k, s->trans_a ? 't' : 'n',
                     s->trans_b ? 't' : 'n', s->batch);
  if (s->kind_a || s->kind_b)
    end += snprintf(key + end, sizeof key - (size_t)end, " of %s and %s", gt_factor_names[s->kind_a],
                    gt_factor_names[s->kind_b]);
  if (s->segment) snprintf(key + end, sizeof key - (size_t)end, " in segments of %u", s->segment);
  return w.config[gt_lower_choice(lowering, key, w.candidate, w.count)];
}
