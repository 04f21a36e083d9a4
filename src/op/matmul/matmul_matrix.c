#include "op/matmul/matmul_matrix.h"
#include "base/count.h"
#include "op/matmul/matmul_cpu.h"
#include "shaders/op/matmul/product_matrix.h"

static const gt_kernel half = {.name = "product_matrix", .needs = GT_NEEDS_MATRIX_UNITS},
                       bfloat = {.name = "product_matrix_bfloat", .needs = GT_NEEDS_MATRIX_UNITS},
                       emulated_half = {.name = "product_matrix_emulated"},
                       emulated_bfloat = {.name = "product_matrix_bfloat_emulated"};

/* Tiles of a workgroup and of a subgroup, larger ones first. */
typedef struct candidate {
  uint32_t bm, bn, bk, sm, sn;
  bool plain; /* only for factors that are not scaled: it has no registers left */
} candidate;
static const candidate candidates[] = {{128, 128, 32, 64, 64, true},
                                       {128, 128, 32, 64, 32, false},
                                       {64, 64, 32, 32, 32, false},
                                       {64, 64, 32, 64, 32, false},
                                       {32, 32, 32, 32, 32, false}};
enum {
  LEAST_EXTENT = 32,        /* of each axis */
  LEAST_SLABS = 4,          /* of a part of k */
  MOST_EMULATED_SLABS = 32, /* of one: software devices bound a shader's length */
  MOST_PARTS = 32,          /* of k */
  MOST_PARTIAL = 1 << 26    /* elements of all parts' sums */
};

/* Multiply-adds: less is done sooner by scalar units (an H200: 0.8 times as fast at 1024, 1.3 times at 2048).
 */
static const double least_work = 0x1p32;

static bool pays(const gt_matmul_shape *s) {
  return s->m >= LEAST_EXTENT && s->n >= LEAST_EXTENT && s->k >= LEAST_EXTENT &&
         (double)s->m * s->n * s->k * s->batch >= least_work;
}

static uint32_t threads(const candidate *c, const gt_target *target) {
  return c->bm / c->sm * (c->bn / c->sn) * target->subgroup;
}

/* Slabs with a word of padding a line of eight, sums on their way out, scales. */
static uint32_t shared_bytes(const candidate *c, const gt_target *target, gt_matrix_shape unit) {
  const uint32_t slabs = 2 * (c->bm + c->bn) * (c->bk + 8) + 16 * c->bk;
  return slabs + threads(c, target) / target->subgroup * unit.m * unit.n * 4 + 8 * (c->bm + c->bn);
}

static bool fits(const candidate *c, const gt_target *target, gt_matrix_shape unit) {
  return c->sm % unit.m == 0 && c->sn % unit.n == 0 && c->bk % unit.k == 0 &&
         threads(c, target) <= target->max_workgroup && shared_bytes(c, target, unit) <= target->shared_bytes;
}

/* The largest tile that gives every multiprocessor one, or else the smallest; NULL: none fits. */
static const candidate *choose(const gt_matmul_shape *s, const gt_target *target, gt_matrix_shape unit,
                               bool scaled) {
  const candidate *best = NULL;
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    const candidate *c = &candidates[i];
    if (!fits(c, target, unit) || (scaled && c->plain)) continue;
    best = c;
    if ((uint64_t)gt_ceil_div(s->m, c->bm) * gt_ceil_div(s->n, c->bn) * s->batch >= target->units) break;
  }
  return best;
}

/* Parts of k, where tiles are too few. */
static void split(const gt_matmul_shape *s, const gt_target *target, const candidate *c, gt_matmul_cut *cut) {
  const uint64_t tiles = (uint64_t)gt_ceil_div(s->m, c->bm) * gt_ceil_div(s->n, c->bn);
  const uint32_t slabs = (uint32_t)gt_ceil_div(s->k, c->bk);
  uint32_t parts = 1;
  if (tiles * s->batch < target->units && (!target->max_grid || tiles <= target->max_grid))
    parts = (uint32_t)gt_ceil_div(target->units, (int64_t)(tiles * s->batch));
  parts = gt_least_u32(gt_least_u32(parts, slabs / LEAST_SLABS), MOST_PARTS);
  if (target->matrix.emulated) parts = gt_most_u32(parts, (uint32_t)gt_ceil_div(slabs, MOST_EMULATED_SLABS));
  if (parts < 2 || (uint64_t)parts * s->m * s->n * s->batch > MOST_PARTIAL) parts = 1;
  cut->k_chunk = (uint32_t)gt_ceil_div(slabs, parts) * c->bk;
  cut->split = (uint32_t)gt_ceil_div(s->k, cut->k_chunk);
}

bool gt_matmul_cut_matrix(const gt_matmul_shape *s, const gt_target *target, gt_precision precision,
                          gt_matmul_cut *cut) {
  const gt_matrix_units *units = &target->matrix;
  const bool is_half = !units->bfloat.m; /* which costs no search for the largest of each row */
  const gt_matrix_shape unit = is_half ? units->half : units->bfloat;
  if (precision != GT_PRECISION_HALF || !unit.m || !(units->always || pays(s))) return false;
  const candidate *c = choose(s, target, unit, is_half);
  if (!c) return false;
  *cut = (gt_matmul_cut){.bm = c->bm, .bn = c->bn, .threads = threads(c, target)};
  cut->kernel = units->emulated ? is_half ? &emulated_half : &emulated_bfloat : is_half ? &half : &bfloat;
  split(s, target, c, cut);
  uint32_t *spec = cut->spec;
  spec[GT_MATRIX_SPEC_BM] = c->bm;
  spec[GT_MATRIX_SPEC_BN] = c->bn;
  spec[GT_MATRIX_SPEC_BK] = c->bk;
  spec[GT_MATRIX_SPEC_SM] = c->sm;
  spec[GT_MATRIX_SPEC_SN] = c->sn;
  spec[GT_MATRIX_SPEC_TRANS_A] = s->trans_a;
  spec[GT_MATRIX_SPEC_TRANS_B] = s->trans_b;
  spec[GT_MATRIX_SPEC_SPLIT] = cut->split;
  spec[GT_MATRIX_SPEC_M] = unit.m;
  spec[GT_MATRIX_SPEC_N] = unit.n;
  spec[GT_MATRIX_SPEC_K] = unit.k;
  spec[GT_MATRIX_SPEC_SUBGROUP] = target->subgroup;
  return true;
}
