/* Chooses a GEMM's kernel and launch configuration: collects candidates ("ways") of all engines, estimates
 * their time, and chooses the one that tuning found fastest, otherwise the cheapest. */
#include "op/matmul/matmul_config.h"
#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "op/matmul/factor.h"
#include "op/matmul/matmul_engines.h"
#include "op/matmul/matmul_tile.h"
#include "shaders/op/matmul/matmul.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of tiles on a CPU, which its threads share: more for more work. It depends only on the shape, so
 * that results do not depend on the number of threads. */
static uint32_t tiles_wanted(const gt_matmul_shape *s) {
  const double work = 2.0 * s->m * s->n * s->k * s->batch;
  return work > 200e6 ? 16 : work > 20e6 ? 8 : work > 2e6 ? 4 : 1;
}

/* True if operand elements are computed on load (im2col, basis functions), not copied. */
static bool is_made(uint32_t kind) { return kind > GT_FACTOR_SIDE_BY_SIDE && kind != GT_FACTOR_ROWS; }

/* Split-K on a CPU: if B is computed on load and K is long, as in the gradient of a convolution's weights, K
 * is split into as many parts as tiles are wanted. Returns the number of parts; 1: K is not split. */
static uint32_t parts_of_made(const gt_matmul_shape *s, uint32_t tiles) {
  enum { LEAST = 4 * GT_MATMUL_DEPTH, MOST_PARTIAL = 1 << 22 };
  const uint32_t parts = gt_min_u32(gt_ceil_div(tiles_wanted(s), tiles), s->k / LEAST);
  const bool fits = (uint64_t)parts * s->m * s->n * s->batch <= MOST_PARTIAL;
  return is_made(s->kind_b) && parts > 1 && fits ? parts : 1;
}

static void split_made(const gt_matmul_shape *s, gt_matmul_config *c) {
  const uint32_t parts = parts_of_made(s, gt_ceil_div(s->m, c->bm) * gt_ceil_div(s->n, c->bn) * s->batch);
  if (parts < 2) return;
  c->k_chunk = gt_ceil_div(gt_ceil_div(s->k, parts), GT_MATMUL_DEPTH) * GT_MATMUL_DEPTH;
  c->split = gt_ceil_div(s->k, c->k_chunk);
}

/* Tiles for OpenBLAS, which is faster with larger ones: 64x64 reaches 2/3 of the speed of 256x256. */
static gt_matmul_config choose_tiles(const gt_matmul_shape *s) {
  static const uint16_t tile[][2] = {{256, 256}, {128, 256}, {128, 128}, {64, 128}, {64, 64}};
  const int count = sizeof tile / sizeof *tile;
  for (int i = 0; i < count; i++) {
    const uint64_t tiles = (uint64_t)gt_ceil_div(s->m, tile[i][0]) * gt_ceil_div(s->n, tile[i][1]) * s->batch;
    if (tiles >= tiles_wanted(s) || i == count - 1)
      return (gt_matmul_config){.bm = tile[i][0], .bn = tile[i][1], .split = 1};
  }
  return (gt_matmul_config){.bm = 64, .bn = 64, .split = 1};
}

/* Tiles of our own CPU kernels, which may have any size: results do not depend on it. m and n are divided
 * evenly into as many tiles as wanted, so that the least is copied: a tile copies its part of B, and its part
 * of A if that is transposed or computed on load. */
static gt_matmul_config choose_own_tiles(const gt_matmul_shape *s) {
  enum { PANEL = 32, LEAST = 48 }; /* columns are a multiple of PANEL; LEAST: rows */
  const uint32_t wanted = parts_of_made(s, s->batch) > 1 ? 1 : gt_ceil_div(tiles_wanted(s), s->batch);
  const uint32_t least_down = gt_ceil_div(s->m, GT_MATMUL_TILE);
  const uint32_t most_down = gt_min_u32(gt_ceil_div(s->m, LEAST), least_down + wanted);
  const uint32_t least_across = gt_ceil_div(s->n, GT_MATMUL_TILE), most_across = gt_ceil_div(s->n, 2 * PANEL);
  enum { COMPUTED = 4 }; /* cost of computing an element, if a copy costs 1 */
  const double of_a = is_made(s->kind_a) ? COMPUTED : s->trans_a || s->kind_a == GT_FACTOR_ROWS;
  const double of_b = is_made(s->kind_b) ? COMPUTED : s->trans_b ? 2 : 1;
  gt_matmul_config best = {.split = 1};
  double best_cost = 0;
  for (uint32_t down = least_down; down <= most_down; down++) {
    const uint32_t across = gt_min_u32(gt_max_u32(gt_ceil_div(wanted, down), least_across), most_across);
    const uint32_t bm = gt_ceil_div(s->m, down), bn = gt_ceil_div(gt_ceil_div(s->n, across), PANEL) * PANEL;
    const double lacking = (uint64_t)down * across < wanted ? wanted - down * across : 0;
    /* Per element along K: the copies; and for each tile that is lacking, as much as a copy of A and of B. */
    const double cost = of_b * s->n * down + of_a * s->m * across + lacking * ((double)s->m + s->n);
    if (best.bm && cost >= best_cost) continue;
    best_cost = cost;
    best.bm = (uint16_t)bm, best.bn = (uint16_t)bn;
  }
  return best;
}

/* Scalar engine on devices: tiles of a workgroup and of a thread (GT_MATMUL_SPEC_BM …); teams: slice-K. */
typedef struct candidate {
  uint32_t bm, bn, bk, tm, tn, teams;
} candidate;

static const candidate candidates[] = {
    {128, 128, 16, 8, 8, 1}, {128, 128, 8, 8, 8, 1}, {128, 64, 16, 8, 4, 1}, {64, 128, 16, 4, 8, 1},
    {64, 64, 16, 8, 4, 1},   {64, 64, 16, 4, 4, 1},  {64, 64, 16, 8, 4, 2},  {32, 32, 32, 4, 4, 4},
    {64, 32, 32, 4, 2, 1},   {64, 32, 16, 4, 2, 1},  {32, 64, 16, 2, 4, 1},  {32, 32, 32, 2, 2, 1},
    {32, 32, 16, 2, 2, 1},   {64, 16, 64, 8, 4, 8},
};
/* Only for shapes with whole_rows. */
static const candidate of_rows = {16, 64, 32, 4, 4, 4};
/* For devices with little shared memory or small workgroups (128 threads and 16 KiB are all that Vulkan
 * promises). */
static const candidate last_resort = {32, 32, 16, 4, 4, 1};

/* Ratio of the measured time to the time of the multiplications or of the reads of shared memory. */
static const double BUSY = 1.15;
/* Cycles to compute an operand's element on load, and to scale and accumulate a sum at the end of a K
 * segment. */
static const double MADE = 0.3, DRAINED = 0.25;
enum {
  /* Threads of a workgroup. Both operands of A Bᵀ are transposed as they are staged, which is too much work
   * for fewer threads. */
  FULL_GROUP = 256,
  /* Most sums of a thread for products with K segments, as the totals take as many registers again. Also for
   * im2col unless matrix units are fast: AMD's compiler spills. */
  FEW = 32,
  LEAST_WIDE = 32,     /* columns of a tile; fewer pay only for transposed basis functions, if n is small */
  LEAST_DEEP = 16,     /* of a K tile; below it, barriers take a sixth of the time */
  START_CYCLES = 1500, /* until the first K tile is in shared memory */
  SLICE_CYCLES = 300,  /* latency of a K tile that a single workgroup of 256 threads does not hide */
  TEAM_CYCLES = 200,   /* slice-K: to add the sums of each further group */
  /* Per vec4 that a thread writes: latency of the epilogue's inputs, or of partial results, */
  WRITE_CYCLES = 600,
  STORE_CYCLES = 300, /* or of the store alone, if another kernel adds the partial results */
  /* Reduction kernel of split-K: a dispatch and a barrier, during which nothing else runs. */
  FINISH_CYCLES = 10000,
  /* Last-block reduction of split-K: */
  ARRIVE_CYCLES = 2000, /* to store partial results and to count the workgroup */
  ARRIVE_WAIT = 2900,   /* latency per vec4 of a thread: partial results and the epilogue's inputs */
  ARRIVE_PAIR = 1250,   /* the same for two parts on matrix units */
  ARRIVE_BYTES = 60,    /* of partial results, read per cycle */
  ARRIVE_THREADS = 256, /* of a workgroup, about */
  WHOLE_PART = 100      /* per part, for complete column sums, which only the last workgroup can compute */
};

static uint32_t threads_of(const candidate *c) { return c->bm / c->tm * (c->bn / c->tn) * c->teams; }

/* Two K tiles, as the kernel loads one ahead, with four elements of padding per row. */
static uint32_t shared_bytes(const candidate *c) { return 2 * c->bk * (c->bm + c->bn + 8) * 4; }

static bool fits(const candidate *c, const gt_target *target) {
  return threads_of(c) <= target->max_workgroup && shared_bytes(c) <= target->shared_bytes;
}

/* Cycles of a separate kernel and of the elements that it needs in memory: written, then read, 8 bytes per
 * cycle of a multiprocessor. */
static double apart_cycles(double elements, double units) {
  return FINISH_CYCLES + 2 * 4.0 * elements / (8 * units);
}

/* Cycles of the reduction kernel. */
static double finish_cycles(const gt_matmul_shape *s, const gt_matmul_config *c, double units) {
  return apart_cycles((double)c->split * s->m * s->n * s->batch, units);
}

static bool is_on_units(const gt_matmul_config *c) {
  return c->engine == GT_ENGINE_HALF || c->engine == GT_ENGINE_HALVES;
}

/* Cycles of the last-block reduction: the last workgroup of each tile waits for the partial results of one
 * vec4 of a thread after another. */
static double arrive_cycles(const gt_matmul_shape *s, const gt_matmul_config *c, double units) {
  const double tiles = (double)gt_ceil_div(s->m, c->bm) * gt_ceil_div(s->n, c->bn) * s->batch;
  const double elements = (double)c->bm * c->bn;
  const bool pair = c->split == 2 && is_on_units(c);
  const double one = ARRIVE_CYCLES + (pair ? ARRIVE_PAIR : ARRIVE_WAIT) * elements / (4 * ARRIVE_THREADS) +
                     4 * elements * c->split / ARRIVE_BYTES;
  return one * (tiles > units ? tiles / units : 1);
}

bool gt_matmul_arrives(const gt_matmul_shape *s, const gt_matmul_config *c, uint32_t units) {
  return c->split > 1 && c->split <= GT_MATMUL_SPLITS && c->engine != GT_ENGINE_NARROW &&
         arrive_cycles(s, c, gt_max_u32(units, 1)) < finish_cycles(s, c, gt_max_u32(units, 1));
}

double gt_matmul_ending_cycles(const gt_matmul_shape *s, const gt_matmul_config *c, uint32_t units) {
  if (c->split < 2) return 0;
  const double all = gt_max_u32(units, 1);
  return gt_matmul_arrives(s, c, units) ? arrive_cycles(s, c, all) : finish_cycles(s, c, all);
}

uint64_t gt_matmul_groups(const gt_matmul_shape *s, const gt_matmul_config *c) {
  return (uint64_t)gt_ceil_div(s->m, c->bm) * gt_ceil_div(s->n, c->bn) * s->batch * c->split;
}

double gt_matmul_cycles(const gt_matmul_shape *s, const gt_matmul_config *c, uint32_t units, double groups,
                        double cycles_of_group) {
  return gt_workgroups_per_unit(groups, units) * cycles_of_group + gt_matmul_ending_cycles(s, c, units);
}

/* Cycles in which a K tile keeps a multiprocessor busy: with multiplications or with reads of shared memory,
 * whichever takes longer, with operands that are computed on load, and with the sums of segments. */
static double busy_cycles(const candidate *c, const gt_matmul_shape *s) {
  const double area = (double)c->bm * c->bn, multiply = area / GT_FMA_PER_CYCLE;
  const double quads = gt_ceil_div(c->tm, 4) + gt_ceil_div(c->tn, 4); /* that a thread reads */
  const double read = GT_SHARED_CYCLES * quads * area / (c->tm * c->tn) / GT_WARP;
  const double made =
      (s->kind_a > GT_FACTOR_SIDE_BY_SIDE ? c->bm : 0) + (s->kind_b > GT_FACTOR_SIDE_BY_SIDE ? c->bn : 0);
  const double drained = s->segment ? area * c->teams / s->segment : 0;
  return c->bk * (BUSY * (multiply > read ? multiply : read) + MADE * made + DRAINED * drained);
}

/* Latency of a workgroup, in cycles. runs_epilogue: this kernel does, not a reduction kernel. unhidden: how
 * many times as long the latency of a K tile is, because the workgroup has few threads. */
static double waiting_cycles(const candidate *c, double slices, bool runs_epilogue) {
  const double threads = threads_of(c), unhidden = threads < FULL_GROUP ? FULL_GROUP / threads : 1;
  const double quads = (double)c->bm * c->bn / 4 / threads; /* that a thread writes */
  return START_CYCLES + slices * SLICE_CYCLES * unhidden + (c->teams - 1) * TEAM_CYCLES +
         quads * (runs_epilogue ? WRITE_CYCLES : STORE_CYCLES);
}

/* Estimated cycles of the whole product with this tile and the split-K of `way`. */
static double estimate(const candidate *c, const gt_matmul_shape *s, const gt_target *target,
                       const gt_matmul_config *way) {
  const double groups = (double)gt_matmul_groups(s, way);
  const double slices = gt_ceil_div(gt_min_u32(way->k_chunk, s->k), c->bk);
  const double of_unit = gt_workgroups_per_unit(groups, target->units);
  enum { MOST = 4 };
  const double waits = gt_waves(of_unit, gt_resident_workgroups(shared_bytes(c), MOST, target));
  const bool runs_epilogue = way->split < 2 || gt_matmul_arrives(s, way, target->units);
  const double sums = s->whole_columns && way->split > 1 ? WHOLE_PART * way->split : 0;
  return of_unit * slices * busy_cycles(c, s) + waits * waiting_cycles(c, slices, runs_epilogue) +
         gt_matmul_ending_cycles(s, way, target->units) + sums;
}

/* All candidates for a product. */
typedef struct ways {
  gt_candidate *items; /* to be freed */
  size_t count, capacity;
  const gt_matmul_shape *shape;
  const gt_target *target;
  uint32_t most; /* workgroups; candidates with more cost LAST times as much, but tuning tries them */
} ways;

_Static_assert(sizeof(gt_matmul_config) <= sizeof((gt_candidate *)0)->what, "a candidate holds a config");

enum { LAST = 64 }; /* factor on the cost of candidates with too many workgroups */

static void add_way(void *context, gt_matmul_config config, double cost) {
  ways *w = context;
  if (!gt_matmul_has_whole(&config, w->shape, w->target)) return;
  if (gt_matmul_groups(w->shape, &config) > w->most) cost *= LAST;
  gt_candidate *way = GT_PUSH(w);
  const uint32_t tile[] = {config.bm, config.bn,    config.bk,     config.tm,
                           config.tn, config.teams, config.engine, config.packed};
  *way = (gt_candidate){.cost = cost, .family = (uint32_t)gt_hash(GT_HASH_START, tile, sizeof tile)};
  memcpy(way->what, &config, sizeof config);
}

static gt_matmul_config config_of(const gt_candidate *way) {
  gt_matmul_config config;
  memcpy(&config, way->what, sizeof config);
  return config;
}

static const char *const engine_names[] = {
    [GT_ENGINE_SCALAR] = "",         [GT_ENGINE_HALF] = ", half",       [GT_ENGINE_HALVES] = ", halves",
    [GT_ENGINE_NARROW] = ", narrow", [GT_ENGINE_SHALLOW] = ", shallow", [GT_ENGINE_EDGES] = ", edges",
    [GT_ENGINE_FEW] = ", few"};

static void way_text(const gt_candidate *way, char *text, size_t size) {
  const gt_matmul_config c = config_of(way);
  if (!c.tm)
    snprintf(text, size, "%ux%u", c.bm, c.bn);
  else
    snprintf(text, size, "%ux%ux%u by %ux%u%s, split %u%s%s", c.bm, c.bn, c.bk, c.tm, c.tn,
             c.teams > 1 ? " in teams" : "", c.split, engine_names[c.engine], c.packed ? ", packed" : "");
}

static gt_matmul_config scalar_config(const candidate *c, uint32_t split, uint32_t k_chunk) {
  return (gt_matmul_config){.bm = (uint16_t)c->bm,
                            .bn = (uint16_t)c->bn,
                            .bk = (uint16_t)c->bk,
                            .tm = (uint16_t)c->tm,
                            .tn = (uint16_t)c->tn,
                            .teams = (uint16_t)c->teams,
                            .split = split,
                            .k_chunk = k_chunk};
}

/* True if the tile size makes sense for the product's shape. */
static bool suits(const candidate *c, const gt_matmul_shape *s, const gt_target *target) {
  const bool has_patches = s->kind_a == GT_FACTOR_PATCHES || s->kind_b == GT_FACTOR_PATCHES;
  if (!fits(c, target) || (!s->trans_a && s->trans_b && threads_of(c) < FULL_GROUP)) return false;
  if (c->bn < LEAST_WIDE && !(s->trans_a && s->kind_a == GT_FACTOR_BASIS && s->n <= c->bn)) return false;
  if (s->segment % c->bk || (target->brief && c->teams > 1)) return false;
  return !(s->segment || (has_patches && !target->matrix.fast)) || c->tm * c->tn <= FEW;
}

/* Candidates with this tile: without split-K, and with each number of parts that suits K. */
static void add_tile_ways(ways *w, const candidate *c, const gt_matmul_shape *s, const gt_target *target) {
  const uint64_t tiles = (uint64_t)gt_ceil_div(s->m, c->bm) * gt_ceil_div(s->n, c->bn);
  for (uint32_t split = 1; split <= GT_MATMUL_SPLITS; split++) {
    const uint32_t k_chunk = GT_MATMUL_PART(s->k, split, s->segment ? s->segment : c->bk);
    if (split > 1 && (s->whole_k || k_chunk < 64 || gt_ceil_div(s->k, k_chunk) != split)) continue;
    if (split > 1 && (uint64_t)split * s->m * s->n * s->batch > GT_MATMUL_MOST_PARTIAL) break;
    if (split > 1 && target->max_grid && tiles > target->max_grid)
      break; /* the parts are along y, so all tiles must be along x */
    const gt_matmul_config way = scalar_config(c, split, k_chunk);
    add_way(w, way, estimate(c, s, target, &way));
  }
}

static void add_device_ways(ways *w, const gt_matmul_shape *s, const gt_target *target) {
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    const candidate *c = &candidates[i];
    if (c->bk < LEAST_DEEP && fits(c - 1, target)) continue; /* the one before has a deeper K tile */
    if (suits(c, s, target)) add_tile_ways(w, c, s, target);
  }
  if (s->whole_rows && suits(&of_rows, s, target)) add_tile_ways(w, &of_rows, s, target);
  if (w->count) return;
  const candidate *c = &last_resort;
  add_way(w, scalar_config(c, 1, gt_ceil_div(s->k, c->bk) * c->bk), 0);
}

static void add_ways(ways *w, const gt_matmul_shape *s, const gt_target *target, gt_precision precision) {
  *w = (ways){.shape = s, .target = target, .most = s->shares ? target->units / 2 : UINT32_MAX};
  if (target->device) gt_matmul_offer_matrix(s, target, precision, add_way, w);
  /* Byte operands are used only on matrix units (gt_matmul_gains_by_bytes). */
  if (w->count && (target->matrix.always || gt_matmul_has_bytes(s))) return;
  if (target->device) {
    gt_matmul_offer_narrow(s, target, add_way, w);
    gt_matmul_offer_shallow(s, target, add_way, w);
    gt_matmul_offer_edges(s, target, add_way, w);
    gt_matmul_offer_few(s, target, add_way, w);
    add_device_ways(w, s, target);
    return;
  }
  gt_matmul_config c = gt_matmul_own_tile(s->m) ? choose_own_tiles(s) : choose_tiles(s);
  split_made(s, &c);
  add_way(w, c, 0);
}

/* Lowest cost of all candidates, and of those that use at most half of the multiprocessors; and whether these
 * two candidates use matrix units. */
typedef struct best {
  double whole, half;
  bool on_units, half_on_units;
} best;

static best best_of(const gt_matmul_shape *s, const gt_target *target, gt_precision precision) {
  best b = {.whole = INFINITY, .half = INFINITY};
  ways w;
  add_ways(&w, s, target, precision);
  for (size_t i = 0; i < w.count; i++) {
    const gt_matmul_config c = config_of(&w.items[i]);
    const double cost = w.items[i].cost;
    const bool leaves_half = gt_matmul_groups(s, &c) <= target->units / 2;
    if (cost < b.whole) b.whole = cost, b.on_units = is_on_units(&c);
    if (leaves_half && cost < b.half) b.half = cost, b.half_on_units = is_on_units(&c);
  }
  free(w.items);
  return b;
}

bool gt_matmul_side_by_side(const gt_target *target, const gt_matmul_shape *one, const gt_matmul_shape *other,
                            gt_precision precision) {
  if (!target->matrix.fast) return false;
  const best a = best_of(one, target, precision), b = best_of(other, target, precision);
  return a.half_on_units && b.half_on_units && fmax(a.half, b.half) < a.whole + b.whole;
}

bool gt_matmul_gains_by_bytes(const gt_target *target, const gt_matmul_shape *s, gt_precision precision) {
  gt_matmul_shape floats = *s;
  floats.kind_a = floats.kind_b = GT_FACTOR_DENSE;
  const best of_bytes = best_of(s, target, precision), of_floats = best_of(&floats, target, precision);
  return of_bytes.on_units && of_bytes.whole < of_floats.whole;
}

bool gt_matmul_gains_by_whole(const gt_target *target, const gt_matmul_shape *s, gt_precision precision) {
  enum { SPARED_CYCLES = 5000 }; /* a dispatch and a barrier, less what this kernel does instead */
  gt_matmul_shape any = *s;
  any.whole_rows = any.whole_columns = false;
  return best_of(s, target, precision).whole < best_of(&any, target, precision).whole + SPARED_CYCLES;
}

bool gt_matmul_gains_by_rows(const gt_target *target, const gt_matmul_shape *s, gt_precision precision) {
  enum { SHARING = 2 }; /* products that read the gathered rows: a layer's and its weights' gradient */
  gt_matmul_shape floats = *s;
  floats.kind_a = floats.kind_b = GT_FACTOR_DENSE;
  const double gathered = (double)(s->kind_a == GT_FACTOR_ROWS ? s->m : s->n) * s->k;
  const best as_rows = best_of(s, target, precision), of_floats = best_of(&floats, target, precision);
  return as_rows.whole <= of_floats.whole + apart_cycles(gathered, gt_max_u32(target->units, 1)) / SHARING;
}

enum { KEY = 512 }; /* bytes of the longest key */

/* Appends ", NAME VALUE" to the key, or ", NAME" for a flag, if the trait is not 0. */
static void add_trait(char *key, const char *name, double value, bool is_flag) {
  const size_t end = strlen(key);
  if (value == 0) return;
  if (is_flag)
    snprintf(key + end, KEY - end, ", %s", name);
  else
    snprintf(key + end, KEY - end, ", %s %.9g", name, value);
}

static void write_key(char key[KEY], const gt_matmul_shape *s, gt_precision precision) {
  static const char *const rounding[] = {
      [GT_PRECISION_AUTO] = "", [GT_PRECISION_SCALAR] = " scalar", [GT_PRECISION_HALF] = " half"};
  const int end = snprintf(key, KEY, "product %ux%ux%u %c%c x%u%s", s->m, s->n, s->k, s->trans_a ? 't' : 'n',
                           s->trans_b ? 't' : 'n', s->batch, rounding[precision]);
  if (s->kind_a || s->kind_b)
    snprintf(key + end, KEY - (size_t)end, " of %s and %s", gt_factor_names[s->kind_a],
             gt_factor_names[s->kind_b]);
#define ADD_TRAIT(type, name) add_trait(key, #name, s->name, _Generic(s->name, bool : true, default : false));
  GT_MATMUL_TRAITS(ADD_TRAIT)
#undef ADD_TRAIT
}

gt_matmul_config gt_matmul_choose(gt_lowering *lowering, const gt_matmul_shape *s, gt_precision precision) {
  char key[KEY];
  write_key(key, s, precision);
  const gt_candidate *taken = gt_lower_reuse_choice(lowering, key);
  if (!taken) {
    ways w;
    add_ways(&w, s, gt_lowering_target(lowering), precision);
    taken = gt_lower_choice(lowering, key, way_text, w.items, (uint32_t)w.count);
    free(w.items);
  }
  return config_of(taken);
}
