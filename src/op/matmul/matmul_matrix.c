#include "op/matmul/matmul_matrix.h"
#include "base/count.h"
#include "op/matmul/matmul_cpu.h"
#include "shaders/op/matmul/matmul.h"
#include "shaders/op/matmul/product_matrix.h"

static const gt_kernel half = {.name = "product_matrix", .needs = GT_NEEDS_MATRIX_UNITS},
                       bfloat = {.name = "product_matrix_bfloat", .needs = GT_NEEDS_MATRIX_UNITS},
                       emulated_half = {.name = "product_matrix_emulated"},
                       emulated_bfloat = {.name = "product_matrix_bfloat_emulated"},
                       range = {.name = "product_range"};

/* What factors become. */
typedef enum form { BFLOAT, SCALED, HALVES } form; /* bfloat16, float16 with a power of four, two of those */

/* Tiles of a workgroup and of a subgroup, larger ones first, with the multiply-adds a cycle of a
 * multiprocessor that an H200 makes of each form, in those cycles of which scalar units make 112; 0: too many
 * registers. */
typedef struct candidate {
  uint16_t bm, bn, bk, sm, sn;
  double rate[3];
} candidate;
static const candidate candidates[] = {
    {128, 128, 32, 64, 64, {530, 0, 0}},    {128, 128, 32, 64, 32, {350, 300, 225}},
    {64, 64, 32, 32, 32, {300, 190, 140}},  {64, 64, 32, 64, 32, {250, 150, 100}},
    {128, 32, 32, 32, 32, {220, 140, 100}}, {32, 32, 32, 32, 32, {150, 80, 50}}};
/* In how many parts k is cut, at most. Small results of long sums, such as the gradients of a convolution's
 * weights, need many to fill a device. */
static const uint8_t splits[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18,
                                 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 48, 64, 96, 128};
_Static_assert(sizeof splits * sizeof candidates / sizeof *candidates == GT_MATMUL_MATRIX_WAYS, "all fit");
/* Of those rates, where units are not many times as fast as scalar ones: a guess. */
static const double SLOW = 0.4;
enum {
  QUAD = 4,
  LEAST_BLOCKS = 1 << 22,   /* elements of patches that are measured by blocks, which takes two kernels */
  LEAST_RUN = 32,           /* of a block */
  LEAST_EXTENT = 32,        /* of each axis */
  MOST_EMULATED_SLABS = 32, /* of one: software devices bound a shader's length */
  FULL_THREADS = 384,       /* that keep a multiprocessor busy */
  START_CYCLES = 12000,     /* of a workgroup, and what it waits for at its end */
  RANGE_CYCLES = 6500,      /* a dispatch and a barrier */
  RANGE_ELEMENTS = 600,     /* of factors that are measured in a cycle */
  DRAINED = 3               /* sums of segments that are multiplied by derivatives in one, about */
};

static bool large_enough(const gt_matmul_shape *s) {
  return s->m >= LEAST_EXTENT && s->n >= LEAST_EXTENT && s->k >= LEAST_EXTENT;
}

static uint32_t threads(uint32_t bm, uint32_t bn, uint32_t sm, uint32_t sn, const gt_target *target) {
  return bm / sm * (bn / sn) * target->subgroup;
}

static uint32_t threads_of(const candidate *c, const gt_target *target) {
  return threads(c->bm, c->bn, c->sm, c->sn, target);
}

/* Slabs with eight elements of padding a line, and the powers of two of lines. */
static uint32_t shared_bytes(const candidate *c, form f) {
  const uint32_t slabs = 2 * (f == HALVES ? 2 : 1) * (c->bm + c->bn) * (c->bk + 8);
  return slabs + (f == BFLOAT ? 0 : 2 * 2 * 4 * (c->bm + c->bn) + 4);
}

static bool fits(const candidate *c, form f, const gt_target *target, gt_matrix_shape unit) {
  /* At the end, a matrix of sums of each subgroup takes the place of the slabs of A. */
  const uint32_t subgroups = threads_of(c, target) / target->subgroup;
  return c->rate[f] > 0 && c->sm % unit.m == 0 && c->sn % unit.n == 0 && c->bk % unit.k == 0 &&
         threads_of(c, target) <= target->max_workgroup && shared_bytes(c, f) <= target->shared_bytes &&
         subgroups * unit.m * unit.n * 4 <= 2u * c->bm * c->bk;
}

/* AMD's compiler keeps no more than so many sums and as many totals of a lane in registers. */
static bool spills(const candidate *c, form f, const gt_target *target) {
  enum { MOST_SUMS = 32 };
  const gt_matrix_units *units = &target->matrix;
  return f != BFLOAT && !units->fast && !units->emulated && c->sm * c->sn / target->subgroup > MOST_SUMS;
}

/* May k be cut into so many parts, of whole depths each? Software devices bound a shader's length. */
static bool may_split(const gt_matmul_shape *s, const gt_target *target, const candidate *c, uint32_t parts) {
  const uint64_t tiles = (uint64_t)gt_ceil_div(s->m, c->bm) * gt_ceil_div(s->n, c->bn);
  const uint32_t depths = (uint32_t)gt_ceil_div(s->k, GT_RANGE_DEPTH);
  const uint32_t chunk = (uint32_t)gt_ceil_div(depths, parts);
  if (target->matrix.emulated && chunk * GT_RANGE_DEPTH > MOST_EMULATED_SLABS * c->bk && chunk > 1)
    return false;
  return parts == 1 || (gt_ceil_div(depths, chunk) == parts &&
                        (uint64_t)parts * s->m * s->n * s->batch <= GT_MATMUL_MOST_PARTIAL &&
                        (!target->max_grid || tiles <= target->max_grid));
}

bool gt_matmul_by_blocks(const gt_matmul_shape *s, const gt_target *target) {
  const bool of_a = s->kind_a == GT_FACTOR_PATCHES;
  if ((!of_a && s->kind_b != GT_FACTOR_PATCHES) || !s->run) return false;
  const uint64_t elements = (uint64_t)(of_a ? s->m : s->n) * s->k;
  if ((of_a ? s->k : s->n) == s->run || (elements < LEAST_BLOCKS && !target->matrix.always)) return false;
  return of_a ? s->run % GT_RANGE_DEPTH == 0 || (GT_RANGE_DEPTH % s->run == 0 && s->run >= LEAST_RUN)
              : s->run % 4 == 0;
}

/* By blocks, an image is read once, but by one kernel more. */
static double range_cycles(const gt_matmul_shape *s, const gt_target *target) {
  const bool by_blocks = gt_matmul_by_blocks(s, target);
  double of_a = (double)s->m * s->k * s->batch, of_b = (double)s->n * s->k * s->batch;
  if (s->inputs_a) of_a = (double)s->inputs_a * (s->trans_a ? s->k : s->m);
  if (by_blocks && s->kind_a == GT_FACTOR_PATCHES) of_a /= s->k / s->run;
  if (by_blocks && s->kind_b == GT_FACTOR_PATCHES) of_b /= s->n / s->run;
  return (by_blocks ? 2 : 1) * RANGE_CYCLES + (of_a + of_b) / RANGE_ELEMENTS;
}

static double estimate(const candidate *c, form f, const gt_matmul_shape *s, const gt_target *target,
                       const gt_matmul_config *way) {
  const double groups = (double)gt_ceil_div(s->m, c->bm) * gt_ceil_div(s->n, c->bn) * s->batch * way->split;
  /* Small workgroups are quick only where a multiprocessor has several at once. */
  const double together = gt_most_u32(FULL_THREADS / threads_of(c, target), 1);
  const double rate = c->rate[f] * (target->matrix.fast ? 1 : SLOW);
  const double group =
      (double)c->bm * c->bn * gt_least_u32(way->k_chunk, s->k) * together / rate + START_CYCLES;
  const double drains = s->segment ? (double)(s->k / s->segment) * c->bm * c->bn * together / DRAINED : 0;
  const double cycles = gt_matmul_cycles(s, way, target->units, groups / together, group + drains);
  return f == BFLOAT ? cycles : cycles + range_cycles(s, target);
}

void gt_matmul_offer_matrix(const gt_matmul_shape *s, const gt_target *target, gt_precision precision,
                            gt_matmul_offer *offer, void *context) {
  const gt_matrix_units *units = &target->matrix;
  const bool is_half = precision == GT_PRECISION_HALF;
  const form f = !is_half ? HALVES : units->bfloat.m ? BFLOAT : SCALED;
  const gt_matrix_shape unit = f == BFLOAT ? units->bfloat : units->half;
  if (precision == GT_PRECISION_SCALAR || !unit.m || !s->k) return;
  if (f == HALVES && !units->fast && !units->emulated)
    return; /* three products take longer than one of floats */
  if (!units->always && !large_enough(s)) return;
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    const candidate *c = &candidates[i];
    if (!fits(c, f, target, unit) || spills(c, f, target) || s->segment % c->bk) continue;
    const uint32_t depths = (uint32_t)gt_ceil_div(s->k, GT_RANGE_DEPTH);
    for (size_t p = 0; p < sizeof splits; p++) {
      const uint32_t parts = (uint32_t)gt_ceil_div(depths, gt_ceil_div(depths, splits[p]));
      if (p && (s->whole_k || parts <= splits[p - 1])) continue;
      if (!may_split(s, target, c, parts)) continue;
      gt_matmul_config way = {.bm = c->bm,
                              .bn = c->bn,
                              .bk = c->bk,
                              .tm = c->sm,
                              .tn = c->sn,
                              .engine = is_half ? GT_ENGINE_HALF : GT_ENGINE_HALVES,
                              .split = parts,
                              .k_chunk = GT_MATMUL_PART(s->k, parts, GT_RANGE_DEPTH)};
      offer(context, way, estimate(c, f, s, target, &way));
    }
  }
}

static uint64_t padded(uint32_t lines) { return (uint64_t)gt_ceil_div(lines, GT_RANGE_PAD) * GT_RANGE_PAD; }

/* The powers of the factors' lines, one for each depth; of those of A that are the same in all segments,
 * once. */
static void measure(gt_matmul_cut *cut, const gt_matmul_shape *s, bool shared_a, bool shared_b) {
  const uint64_t of_one = (uint64_t)gt_ceil_div(s->segment ? s->segment : s->k, GT_RANGE_DEPTH),
                 depths = s->segment ? s->k / s->segment * of_one : of_one;
  const uint64_t of_a = s->even_a ? 1 : s->kind_a == GT_FACTOR_REPEATED ? of_one : depths;
  cut->range = &range;
  cut->powers_a = padded(s->m) * (shared_a ? 1 : s->batch) * of_a;
  cut->powers_b = padded(s->n) * (shared_b ? 1 : s->batch) * depths;
  cut->blocks_a = s->inputs_a && s->trans_a && !s->even_a ? gt_ceil_div(s->inputs_a, GT_RANGE_LINES) * depths
                                                          : cut->powers_a / GT_RANGE_LINES;
}

/* Can a factor's slabs be read four elements at a time, without a look at each? For patches that takes
 * registers that AMD's compiler has not left. */
static bool is_steady(uint32_t kind, bool k_lines, uint32_t length, const gt_matmul_shape *s, uint32_t bk,
                      const gt_matrix_units *units) {
  switch (kind) {
  case GT_FACTOR_DENSE: return length % QUAD == 0;
  case GT_FACTOR_PATCHES:
    return s->run && s->run % (k_lines ? QUAD : bk) == 0 && (units->fast || units->emulated);
  case GT_FACTOR_REPEATED:
  case GT_FACTOR_COEFFICIENTS: return s->run && s->run % bk == 0;
  case GT_FACTOR_BASIS: return s->run % QUAD == 0;
  case GT_FACTOR_SCALED: return length % QUAD == 0;
  default: return false;
  }
}

gt_matmul_cut gt_matmul_cut_matrix(const gt_matmul_config *c, const gt_matmul_shape *s, bool shared_a,
                                   bool shared_b, const gt_target *target) {
  const gt_matrix_units *units = &target->matrix;
  const bool is_bfloat = c->engine == GT_ENGINE_HALF && units->bfloat.m;
  const gt_matrix_shape unit = is_bfloat ? units->bfloat : units->half;
  gt_matmul_cut cut = {.bm = c->bm,
                       .bn = c->bn,
                       .threads = threads(c->bm, c->bn, c->tm, c->tn, target),
                       .split = c->split,
                       .k_chunk = c->k_chunk,
                       .arrives = gt_matmul_arrives(s, c, target->units)};
  cut.kernel = units->emulated ? is_bfloat ? &emulated_bfloat : &emulated_half : is_bfloat ? &bfloat : &half;
  const uint32_t part = c->split > 1 ? c->k_chunk : s->k;
  const bool steady = is_steady(s->kind_a, s->trans_a, s->trans_a ? s->m : s->k, s, c->bk, units) &&
                      is_steady(s->kind_b, !s->trans_b, s->trans_b ? s->k : s->n, s, c->bk, units);
  const bool whole = s->m % c->bm == 0 && s->n % c->bn == 0 && s->k % part == 0 && part % c->bk == 0;
  uint32_t *spec = cut.spec;
  spec[GT_MATRIX_SPEC_BM] = c->bm;
  spec[GT_MATRIX_SPEC_BN] = c->bn;
  spec[GT_MATRIX_SPEC_BK] = c->bk;
  spec[GT_MATRIX_SPEC_SM] = c->tm;
  spec[GT_MATRIX_SPEC_SN] = c->tn;
  spec[GT_MATRIX_SPEC_FORM] = (s->trans_a ? GT_MATRIX_TRANS_A : 0) | (s->trans_b ? GT_MATRIX_TRANS_B : 0) |
                              (s->k % c->bk ? GT_MATRIX_TAIL : 0) | (steady ? GT_MATRIX_STEADY : 0) |
                              (whole ? GT_MATRIX_WHOLE : 0) | (cut.arrives ? GT_MATRIX_ARRIVE : 0) |
                              (c->engine == GT_ENGINE_HALVES ? GT_MATRIX_HALVES : 0);
  spec[GT_MATRIX_SPEC_SPLIT] = c->split;
  spec[GT_MATRIX_SPEC_M] = unit.m;
  spec[GT_MATRIX_SPEC_N] = unit.n;
  spec[GT_MATRIX_SPEC_K] = unit.k;
  spec[GT_MATRIX_SPEC_SUBGROUP] = target->subgroup;
  if (!is_bfloat) measure(&cut, s, shared_a, shared_b);
  return cut;
}
