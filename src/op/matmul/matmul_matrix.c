/* Candidates of GEMM on matrix units, staged and packed: tile sizes, split-K, formats, and their estimated
 * time. */
#include "op/matmul/matmul_engines.h"
#include "base/count.h"
#include "op/matmul/matmul_cpu.h"
#include "shaders/op/matmul/matmul.h"
#include "shaders/op/matmul/packed.h"
#include "shaders/op/matmul/product_matrix.h"
#include <math.h>

static const gt_kernel range = {.name = "product_range"};
/* [emulated][bfloat16]: each kernel on matrix units and emulated, for float16 and for bfloat16. */
#define KERNELS(name)                                                                               \
  {                                                                                                 \
    {{#name, .needs = GT_NEEDS_MATRIX_UNITS}, {#name "_bfloat", .needs = GT_NEEDS_MATRIX_UNITS}}, { \
      {#name "_emulated"}, { #name "_bfloat_emulated" }                                             \
    }                                                                                               \
  }
static const gt_kernel staged[2][2] = KERNELS(product_matrix), packed[2][2] = KERNELS(product_packed),
                       pack[2][2] = KERNELS(product_pack);

/* Format of operands on matrix units: bfloat16; float16 with scales; a sum of two such float16. */
typedef enum form { BFLOAT, SCALED, HALVES } form;

/* Larger tiles come first. */
typedef struct candidate {
  uint16_t bm, bn, bk; /* workgroup tile, depth of a K tile */
  uint16_t sm, sn;     /* tile of a subgroup */
  double rate[3]; /* by form: multiply-adds per cycle of an H200's multiprocessor, where scalar units do 112;
                     0: the kernel would need too many registers */
  double full;    /* workgroups that keep a multiprocessor busy: fewer take as long as these */
  bool packed;
  bool by_k;      /* only for dense operands whose lines have constant k, as in weight gradients; */
  bool heavy;     /* then also for an A of expensive basis functions */
  uint16_t start; /* cycles of a workgroup in addition to START_CYCLES */
  bool pairs;     /* two workgroups are resident, whatever their shared memory */
  bool segments;  /* packed: for products with K segments instead of dense operands */
  bool made;      /* packed: for an A of basis functions, which lanes compute, instead of a dense A */
} candidate;
static const candidate candidates[] = {
    {128, 128, 32, 64, 64, {530, 0, 0}, 1.4},
    {128, 128, 32, 64, 32, {350, 300, 220}, 1},
    {128, 64, 32, 32, 32, {0, 0, 172}, 1},
    {128, 64, 32, 64, 32, {0, 0, 200}, 1.5, .by_k = true, .heavy = true, .start = 6500, .pairs = true},
    {64, 64, 64, 32, 32, {330, 0, 0}, 1.8},
    {64, 64, 32, 32, 32, {300, 190, 170}, 2},
    {64, 64, 16, 32, 32, {0, 0, 155}, 2.5},
    {64, 64, 32, 16, 32, {0, 0, 150}, 1, .by_k = true},
    {64, 64, 32, 64, 32, {250, 150, 100}, 2},
    {128, 32, 32, 32, 32, {220, 140, 126}, 1.8},
    {128, 32, 16, 32, 32, {0, 0, 115}, 1.5},
    {32, 32, 32, 32, 32, {150, 80, 60}, 3.5},
    {128, 128, 32, 64, 64, {900, 0, 0}, 1, true},
    {128, 128, 32, 64, 32, {750, 650, 270}, 1, true},
    {128, 64, 32, 64, 32, {750, 650, 240}, 1.4, true},
    {64, 64, 32, 32, 32, {500, 400, 180}, 1.4, true},
    {128, 32, 32, 32, 32, {0, 0, 240}, 2, true, .segments = true},
    {64, 64, 32, 32, 32, {0, 0, 240}, 2, true, .segments = true},
    {64, 32, 32, 32, 32, {0, 0, 240}, 2, true, .segments = true},
    {128, 64, 32, 32, 64, {0, 0, 190}, 2, true, .made = true},
    {64, 64, 32, 32, 64, {0, 0, 160}, 4, true, .made = true}};
/* Split-K: numbers of parts that are tried. Small results of long sums, such as the gradients of a
 * convolution's weights, need many to fill a device. */
static const uint8_t splits[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18,
                                 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 48, 64, 96, 128};
/* Factor on the rates if matrix units are not many times as fast as scalar ones; a guess. */
static const double SLOW = 0.4;
/* Cycles per sum of a packed workgroup that nothing hides. */
static const double PACKED_SUM = 0.9;
/* Speedup of HALVES by an operand of bytes: two products instead of three, and the same other work. */
static const double OF_BYTES = 1.25;
/* Factor on the rate if scalar units compute an A of functions that is not transposed, and fewer than SOME
 * workgroups are resident to hide that. */
static const double UNHIDDEN = 0.8;
enum {
  QUAD = 4,
  LEAST_BLOCKS = 1 << 22, /* im2col elements from which on amax is found by blocks, which takes two kernels */
  LEAST_RUN = 32,         /* channels of a block */
  LEAST_EXTENT = 32,      /* of m, n and k */
  MOST_EMULATED_SLABS = 32,     /* K tiles of a workgroup: software devices limit the length of a shader */
  MOST_EMULATED_PASSES = 65535, /* loop iterations of a shader on such a device */
  EMULATED_PASSES = 7,          /* iterations per vec4 of sums and element along K */
  MOST_EMULATED_LINES = 64,     /* rows of a packed tile */
  FULL_THREADS = 384,           /* threads resident on a multiprocessor: each takes many registers, */
  FULL_PACKED = 256,            /* and more in packed kernels */
  SOME = 3,                     /* resident workgroups that hide the computation of operands */
  START_CYCLES = 3600,          /* of a workgroup, including latency at its end */
  START_PACKED = 6000,          /* the same for the first workgroup of a packed kernel */
  RANGE_CYCLES = 6500,          /* a dispatch and a barrier */
  RANGE_ELEMENTS = 600,         /* elements per cycle whose amax is computed */
  PACK_ELEMENTS = 220,          /* elements per cycle that are packed */
  DRAINED = 2                   /* sums of K segments per cycle that are multiplied by derivatives, about */
};

static bool large_enough(const gt_matmul_shape *s) {
  return s->m >= LEAST_EXTENT && s->n >= LEAST_EXTENT && s->k >= LEAST_EXTENT;
}

static uint32_t threads_of(const candidate *c, const gt_target *target) {
  return c->bm / c->sm * (c->bn / c->sn) * target->subgroup;
}

/* Number of 16 bit parts of an element; bytes are exact in one. */
static uint32_t planes(form f, uint32_t kind) { return f == HALVES && kind != GT_FACTOR_BYTES ? 2 : 1; }

/* Size of an operand's K tile in groups of eight 16 bit elements (half8), with one of padding per line. */
static uint32_t octets_of_a(const candidate *c, form f, const gt_matmul_shape *s) {
  return planes(f, s->kind_a) * (s->trans_a ? c->bk * (c->bm / 8 + 1) : c->bm * (c->bk / 8 + 1));
}
static uint32_t octets_of_b(const candidate *c, form f, const gt_matmul_shape *s) {
  return planes(f, s->kind_b) * (s->trans_b ? c->bn * (c->bk / 8 + 1) : c->bk * (c->bn / 8 + 1));
}

/* Shared memory through which the sums are written, in uvec4s: the K tile of A, or in packed kernels, which
 * have no such tile, an array of this size. */
static uint32_t room_for_sums(const candidate *c, form f, const gt_matmul_shape *s) {
  enum { PACKED_ROOM = 1280, MADE_ROOM = 640 };
  if (c->packed) return c->made ? MADE_ROOM : PACKED_ROOM;
  return octets_of_a(c, f, s);
}

/* How many matrices of sums a subgroup writes side by side, and the length of a row of these in uvec4s, with
 * two of padding against bank conflicts if there is room. 0 matrices: there is no room for one. */
typedef struct piece {
  uint32_t matrices, row;
} piece;
static piece piece_of(const candidate *c, form f, const gt_matmul_shape *s, const gt_target *target,
                      gt_matrix_shape unit) {
  const uint32_t room = room_for_sums(c, f, s) / (threads_of(c, target) / target->subgroup * unit.m);
  for (uint32_t matrices = c->sn / unit.n; matrices; matrices--) {
    const uint32_t quads = matrices * unit.n / QUAD;
    if (c->sn / unit.n % matrices || target->subgroup % quads || quads > room) continue;
    return (piece){matrices, quads + 2 <= room ? quads + 2 : quads};
  }
  return (piece){0};
}

/* K tiles with eight elements of padding per line, or the buffers of a packed kernel; and the scales of
 * lines. In bytes. */
static uint32_t shared_bytes(const candidate *c, form f, const gt_matmul_shape *s, const gt_target *target) {
  const uint32_t threads = threads_of(c, target);
  const uint32_t slabs = 2 * (planes(f, s->kind_a) * c->bm + planes(f, s->kind_b) * c->bn) * (c->bk + 8);
  return (c->packed ? 16 * (room_for_sums(c, f, s) + threads + threads / 4) : slabs) +
         (f == BFLOAT ? 0 : 2 * 2 * 4 * (c->bm + c->bn) + 4);
}

/* True if the kernel with this candidate can compute the product on this device. */
static bool fits(const candidate *c, form f, const gt_matmul_shape *s, const gt_target *target,
                 gt_matrix_shape unit) {
  const bool accepts_a =
      gt_matmul_is_dense(s->kind_a) || (c->heavy && s->kind_a == GT_FACTOR_BASIS && s->heavy_a);
  const bool by_k = s->trans_a && !s->trans_b && accepts_a && gt_matmul_is_dense(s->kind_b);
  return c->rate[f] > 0 && (by_k || !c->by_k) && c->sm % unit.m == 0 && c->sn % unit.n == 0 &&
         c->bk % unit.k == 0 && threads_of(c, target) <= target->max_workgroup &&
         shared_bytes(c, f, s, target) <= target->shared_bytes && piece_of(c, f, s, target, unit).matrices;
}

/* Elements of a matrix of operand A (left) or B (right) that each lane holds. Emulated, a lane holds whole
 * rows of the left matrix, and all of the right one. */
static uint32_t left_elements(gt_matrix_shape unit, const gt_target *target) {
  return target->matrix.emulated ? gt_ceil_div(unit.m, target->subgroup) * unit.k
                                 : unit.m * unit.k / target->subgroup;
}
static uint32_t right_elements(gt_matrix_shape unit, const gt_target *target) {
  return unit.k * unit.n / (target->matrix.emulated ? 1 : target->subgroup);
}

/* True if the operands of a product with K segments can be packed: each segment is a whole number of pairs of
 * K steps. */
static bool packs_segments(const gt_matmul_shape *s, gt_matrix_shape unit, form f) {
  return f == HALVES && s->kind_a == GT_FACTOR_REPEATED && s->kind_b == GT_FACTOR_COEFFICIENTS && s->run &&
         s->segment % (2 * unit.k) == 0;
}

/* True if lanes can compute fragments of A from inputs, each K step being one function of them. Indices of a
 * fragment's elements must be exact in float16, which integers up to MOST_NUMBERS are. */
static bool makes_left(const gt_matmul_shape *s, gt_matrix_shape unit, form f) {
  enum { MOST_NUMBERS = 2048 };
  return f == HALVES && s->kind_a == GT_FACTOR_BASIS && !s->trans_a && s->plain_a &&
         s->kind_b == GT_FACTOR_DENSE && s->batch == 1 && s->run % unit.k == 0 && s->m % unit.m == 0 &&
         (s->even_a || !s->apart_a) && /* columns of a base that is apart are in another order */
         (uint32_t)unit.m * unit.k <= MOST_NUMBERS;
}

/* True if operands may be packed for these units: the fast devices are known to keep the same elements of a
 * fragment in the same lanes, whichever kernel loads it. */
static bool packs(const gt_matmul_shape *s, const gt_target *target, gt_matrix_shape unit, form f) {
  const gt_matrix_units *units = &target->matrix;
  const bool dense = s->kind_a == GT_FACTOR_DENSE && s->kind_b == GT_FACTOR_DENSE;
  return (units->fast || units->emulated) &&
         (dense || packs_segments(s, unit, f) || makes_left(s, unit, f)) && GT_RANGE_LINES % unit.m == 0 &&
         GT_RANGE_LINES % unit.n == 0 && GT_RANGE_DEPTH % (2 * unit.k) == 0 &&
         left_elements(unit, target) % 8 == 0 && right_elements(unit, target) % 8 == 0 &&
         GT_PACKED_GROUP % target->subgroup == 0 && GT_PACKED_GROUP <= target->max_workgroup;
}

/* True if AMD's compiler would spill. Per lane it keeps at most MOST_SUMS sums, the same number of totals,
 * and MOST_FETCHED elements of the next K tile in registers, or MOST_MADE if basis functions are computed of
 * these. */
static bool spills(const candidate *c, form f, const gt_matmul_shape *s, const gt_target *target) {
  enum { MOST_SUMS = 32, MOST_FETCHED = 48, MOST_MADE = 32 };
  const gt_matrix_units *units = &target->matrix;
  return f != BFLOAT && !units->fast && !units->emulated &&
         (c->sm * c->sn / target->subgroup > MOST_SUMS ||
          (c->bm + c->bn) * c->bk / threads_of(c, target) >
              (s->kind_a == GT_FACTOR_BASIS ? MOST_MADE : MOST_FETCHED));
}

/* True if emulation of this tile over k elements of K stays within the loop iterations that software devices
 * allow. A tile that holds an infinity or NaN takes the most, in plain_tile (product_matrix.glsl); that is
 * ignored if K must not be split. */
static bool keeps_within_passes(const candidate *c, const gt_target *target, uint32_t k, bool whole_k) {
  const uint32_t quads = c->bm * c->bn / QUAD / threads_of(c, target);
  return k <= MOST_EMULATED_SLABS * c->bk && (whole_k || quads * k * EMULATED_PASSES <= MOST_EMULATED_PASSES);
}

/* True if K must not be split; on matrix units one workgroup processes all segments. */
static bool has_whole_k(const gt_matmul_shape *s) { return s->whole_k || s->segment; }

/* True if K can be split into this many parts, each of whole scale blocks (GT_RANGE_DEPTH). */
static bool may_split(const gt_matmul_shape *s, const gt_target *target, const candidate *c, uint32_t parts) {
  const uint64_t tiles = (uint64_t)gt_ceil_div(s->m, c->bm) * gt_ceil_div(s->n, c->bn);
  const uint32_t depths = (uint32_t)gt_ceil_div(s->k, GT_RANGE_DEPTH);
  const uint32_t chunk = (uint32_t)gt_ceil_div(depths, parts);
  if (target->matrix.emulated && chunk > 1 &&
      !keeps_within_passes(c, target, chunk * GT_RANGE_DEPTH, has_whole_k(s)))
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

/* Cycles of the kernels that compute scales. By blocks, an image is read once instead of once per filter tap,
 * but by one kernel more. */
static double range_cycles(const gt_matmul_shape *s, const gt_target *target) {
  const bool by_blocks = gt_matmul_by_blocks(s, target);
  double of_a = (double)s->m * s->k * s->batch, of_b = (double)s->n * s->k * s->batch;
  if (s->inputs_a) of_a = (double)s->inputs_a * (s->trans_a ? s->k : s->m);
  if (s->kind_a == GT_FACTOR_BYTES) of_a = 0;
  if (s->kind_b == GT_FACTOR_BYTES) of_b = 0;
  if (by_blocks && s->kind_a == GT_FACTOR_PATCHES) of_a /= s->k / s->run;
  if (by_blocks && s->kind_b == GT_FACTOR_PATCHES) of_b /= s->n / s->run;
  return (by_blocks ? 2 : 1) * RANGE_CYCLES + (of_a + of_b) / RANGE_ELEMENTS;
}

/* How many workgroups' work takes as long as `count` workgroups on one multiprocessor, in waves of `at_once`:
 * those that do not fill it take as long as c->full. */
static double busy_with(const candidate *c, double count, double at_once) {
  const double full = c->full > at_once ? c->full : at_once;
  if (count > GT_MANY_WORKGROUPS) return count / at_once * full;
  const double whole = floor(count / at_once), rest = count - whole * at_once;
  return whole * full + (rest > c->full ? rest : rest > 0 ? c->full : 0);
}

static double packed_elements(const gt_matmul_shape *s) {
  const double of_a = s->kind_a == GT_FACTOR_BASIS ? 0 : (double)s->m * (s->segment ? s->segment : s->k);
  return (of_a + (double)s->n * s->k) * s->batch;
}

static double estimate(const candidate *c, form f, const gt_matmul_shape *s, const gt_target *target,
                       const gt_matmul_config *way) {
  const double groups = (double)gt_matmul_groups(s, way);
  const double of_unit = gt_workgroups_per_unit(groups, target->units);
  const uint32_t most = (c->packed ? FULL_PACKED : FULL_THREADS) / threads_of(c, target);
  const double at_once = c->pairs ? 2 : gt_resident_workgroups(shared_bytes(c, f, s, target), most, target);
  const double waves = gt_waves(of_unit, at_once);
  const bool hides = at_once >= SOME || c->packed, makes = s->kind_a == GT_FACTOR_BASIS && !s->trans_a;
  const double speed = (target->matrix.fast ? 1 : SLOW) * (makes && !hides ? UNHIDDEN : 1);
  const double area = (double)c->bm * c->bn;
  const double rate = c->rate[f] * (gt_matmul_has_bytes(s) ? OF_BYTES : 1);
  const double group = area * gt_min_u32(way->k_chunk, s->k) / rate / speed;
  const double drains = s->segment ? (double)(s->k / s->segment) * area / DRAINED : 0;
  const double drained = of_unit * drains * (hides ? 1 : SOME / at_once);
  const double starts =
      c->packed ? START_PACKED + of_unit * area * PACKED_SUM : waves * (START_CYCLES + c->start);
  const double cycles = busy_with(c, of_unit, at_once) * group + drained + starts +
                        gt_matmul_ending_cycles(s, way, target->units);
  if (c->packed) return cycles + RANGE_CYCLES + packed_elements(s) / PACK_ELEMENTS;
  return f == BFLOAT ? cycles : cycles + range_cycles(s, target);
}

void gt_matmul_offer_matrix(const gt_matmul_shape *s, const gt_target *target, gt_precision precision,
                            gt_matmul_offer *offer, void *context) {
  const gt_matrix_units *units = &target->matrix;
  const bool is_half = precision == GT_PRECISION_HALF;
  const form f = !is_half ? HALVES : units->bfloat.m ? BFLOAT : SCALED;
  const gt_matrix_shape unit = f == BFLOAT ? units->bfloat : units->half;
  if (precision == GT_PRECISION_SCALAR || !unit.m || !s->k) return;
  if (f != HALVES && gt_matmul_has_bytes(s)) return;
  if (f == HALVES && !units->fast && !units->emulated)
    return; /* three products take longer than one of floats */
  if (!units->always && !large_enough(s)) return;
  const bool can_pack = packs(s, target, unit, f);
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    const candidate *c = &candidates[i];
    if (!fits(c, f, s, target, unit) || spills(c, f, s, target) || s->segment % c->bk) continue;
    if (c->packed &&
        (!can_pack || c->segments != (s->segment > 0) || c->made != (s->kind_a == GT_FACTOR_BASIS)))
      continue;
    if (s->segment && units->emulated &&
        (c->bk < GT_FACTOR_SLICE || (c->packed && c->bm > MOST_EMULATED_LINES)))
      continue; /* too many passes */
    if (units->always && c->packed != (units->packed && can_pack)) continue;
    const uint32_t depths = (uint32_t)gt_ceil_div(s->k, GT_RANGE_DEPTH);
    for (size_t p = 0; p < sizeof splits; p++) {
      const uint32_t parts = (uint32_t)gt_ceil_div(depths, gt_ceil_div(depths, splits[p]));
      if (p && (has_whole_k(s) || parts <= splits[p - 1])) continue;
      if (!may_split(s, target, c, parts)) continue;
      gt_matmul_config way = {.bm = c->bm,
                              .bn = c->bn,
                              .bk = c->bk,
                              .tm = c->sm,
                              .tn = c->sn,
                              .engine = is_half ? GT_ENGINE_HALF : GT_ENGINE_HALVES,
                              .packed = c->packed,
                              .split = parts,
                              .k_chunk = GT_MATMUL_PART(s->k, parts, GT_RANGE_DEPTH)};
      offer(context, way, estimate(c, f, s, target, &way));
    }
  }
}

static uint64_t padded(uint32_t lines, uint32_t to) { return (uint64_t)gt_ceil_div(lines, to) * to; }

/* Number of scale blocks along K, range.h; those of a segment do not reach into the next one. */
static uint64_t depths_of_segment(const gt_matmul_shape *s) {
  return (uint64_t)gt_ceil_div(s->segment ? s->segment : s->k, GT_RANGE_DEPTH);
}
static uint64_t depths_of(const gt_matmul_shape *s) {
  return (s->segment ? s->k / s->segment : 1) * depths_of_segment(s);
}

/* Sets the number of scales of each operand: one per line and scale block, but only once for an A that all
 * segments share (GT_FACTOR_REPEATED). */
static void count_scales(gt_matmul_cut *cut, const gt_matmul_shape *s, bool shared_a, bool shared_b) {
  const uint64_t depths = depths_of(s);
  const uint64_t of_a = s->even_a ? 1 : s->kind_a == GT_FACTOR_REPEATED ? depths_of_segment(s) : depths;
  const bool of_inputs = s->inputs_a && s->trans_a && !s->even_a;
  const uint64_t lines_a =
      of_inputs ? (s->apart_a ? 2 : 1) * padded(s->inputs_a, GT_RANGE_PAD) : padded(s->m, GT_RANGE_PAD);
  cut->powers_a = lines_a * (shared_a ? 1 : s->batch) * of_a;
  cut->powers_b = padded(s->n, GT_RANGE_PAD) * (shared_b ? 1 : s->batch) * depths;
  cut->blocks_a =
      of_inputs ? gt_ceil_div(s->inputs_a, GT_RANGE_LINES) * depths : cut->powers_a / GT_RANGE_LINES;
}

/* Sets the size of the packed operands (packed.h), with one K step of padding after B, and the number of
 * workgroups that pack them. */
static void set_packed_size(gt_matmul_cut *cut, const gt_matmul_shape *s, bool shared_a, bool shared_b,
                            form f, gt_matrix_shape unit, const gt_target *target) {
  const uint64_t steps = 2ull * gt_ceil_div(s->k, 2 * unit.k), depths = depths_of(s);
  const uint64_t entries_a = cut->makes_a ? 0 : shared_a ? 1 : s->batch, entries_b = shared_b ? 1 : s->batch;
  const uint64_t steps_a = s->segment ? s->segment / unit.k : steps,
                 depths_a = s->segment ? depths_of_segment(s) : depths;
  /* Bytes per line and K step. */
  const uint64_t left = 2ull * left_elements(unit, target) * target->subgroup / unit.m,
                 right = 2ull * right_elements(unit, target) * target->subgroup / unit.n;
  cut->packed = planes(f, GT_FACTOR_DENSE) *
                (steps_a * entries_a * padded(s->m, GT_PACKED_LINES) * left +
                 steps * entries_b * padded(s->n, GT_PACKED_LINES) * right + GT_PACKED_LINES * right);
  cut->pack_groups =
      (depths_a * entries_a * padded(s->m, GT_RANGE_PAD) + depths * entries_b * padded(s->n, GT_RANGE_PAD)) /
      GT_RANGE_LINES;
}

/* True if K tiles of an operand can be read as vec4 without bounds checks. For im2col and table rows AMD's
 * compiler has no registers left for that. */
static bool is_steady(uint32_t kind, bool k_lines, uint32_t length, const gt_matmul_shape *s, uint32_t bk,
                      const gt_matrix_units *units) {
  switch (kind) {
  case GT_FACTOR_DENSE:
  case GT_FACTOR_BYTES: return length % QUAD == 0;
  case GT_FACTOR_PATCHES:
    return s->run && s->run % (k_lines ? QUAD : bk) == 0 && (units->fast || units->emulated);
  case GT_FACTOR_ROWS: return s->run % QUAD == 0 && (units->fast || units->emulated);
  case GT_FACTOR_REPEATED:
  case GT_FACTOR_COEFFICIENTS: return s->run && s->run % bk == 0;
  case GT_FACTOR_BASIS: return s->run % QUAD == 0;
  case GT_FACTOR_SCALED: return length % QUAD == 0;
  default: return false;
  }
}

/* True if shared memory holds the column reduction (columns.glsl) and each invocation owns four columns. */
static bool joins_columns(const candidate *c, form f, const gt_matmul_shape *s, piece writes,
                          gt_matrix_shape unit, const gt_target *target) {
  const uint32_t across = c->bn / QUAD, count = threads_of(c, target);
  const uint32_t room_b = c->packed ? count + count / 4 : octets_of_b(c, f, s);
  const uint32_t slots =
      gt_max_u32(c->bm / c->sm * (target->subgroup / (writes.matrices * unit.n / QUAD)), count / across);
  return count % across == 0 && count <= room_for_sums(c, f, s) && count + gt_ceil_div(slots, QUAD) <= room_b;
}

/* True if the kernel can compute the amax of its result: it is a single matrix, complete in one workgroup per
 * tile, of whole vec4s, and tiles are whole scale blocks or halves of them. */
static bool can_measure(const gt_matmul_config *c, const gt_matmul_shape *s) {
  return c->split == 1 && !s->segment && s->batch == 1 && s->n % QUAD == 0 && c->bm >= GT_RANGE_DEPTH / 2 &&
         c->bn >= GT_RANGE_DEPTH / 2;
}

/* True if C is a whole number of cooperative matrices and each lane holds groups of four consecutive
 * elements. */
static bool has_matrices(const gt_matmul_shape *s, gt_matrix_shape unit, const gt_target *target) {
  return s->m % unit.m == 0 && s->n % unit.n == 0 && unit.m * unit.n / target->subgroup % QUAD == 0;
}

gt_matmul_cut gt_matmul_cut_matrix(const gt_matmul_config *c, const gt_matmul_shape *s, bool shared_a,
                                   bool shared_b, const gt_target *target) {
  const gt_matrix_units *units = &target->matrix;
  const form f = c->engine == GT_ENGINE_HALVES ? HALVES : units->bfloat.m ? BFLOAT : SCALED;
  const bool is_bfloat = f == BFLOAT;
  const gt_matrix_shape unit = is_bfloat ? units->bfloat : units->half;
  const candidate tile = {.bm = c->bm,
                          .bn = c->bn,
                          .bk = c->bk,
                          .sm = c->tm,
                          .sn = c->tn,
                          .packed = c->packed,
                          .made = c->packed && s->kind_a == GT_FACTOR_BASIS};
  gt_matmul_cut cut = {.bm = c->bm,
                       .bn = c->bn,
                       .threads = threads_of(&tile, target),
                       .split = c->split,
                       .k_chunk = c->k_chunk,
                       .arrives = gt_matmul_arrives(s, c, target->units)};
  cut.kernel = &(c->packed ? packed : staged)[units->emulated][is_bfloat];
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
  spec[GT_MATRIX_SPEC_FORM] =
      (s->trans_a ? GT_MATRIX_TRANS_A : 0) | (s->trans_b ? GT_MATRIX_TRANS_B : 0) |
      (s->k % c->bk ? GT_MATRIX_TAIL : 0) | (steady ? GT_MATRIX_STEADY : 0) | (whole ? GT_MATRIX_WHOLE : 0) |
      (s->n % QUAD ? 0 : GT_MATRIX_QUADS) | (cut.arrives ? GT_MATRIX_ARRIVE : 0) |
      (f == HALVES ? GT_MATRIX_HALVES : 0) | (target->brief ? GT_MATRIX_BRIEF : 0) |
      (has_matrices(s, unit, target) ? GT_MATRIX_MATRICES : 0) | (s->shifted ? GT_MATRIX_SHIFTED : 0);
  spec[GT_MATRIX_SPEC_SPLIT] = c->split;
  spec[GT_MATRIX_SPEC_M] = unit.m;
  spec[GT_MATRIX_SPEC_N] = unit.n;
  spec[GT_MATRIX_SPEC_K] = unit.k;
  spec[GT_MATRIX_SPEC_SUBGROUP] = target->subgroup;
  const piece writes = piece_of(&tile, f, s, target, unit);
  spec[GT_MATRIX_SPEC_WRITE] = writes.matrices | writes.row << 8;
  cut.columns = joins_columns(&tile, f, s, writes, unit, target);
  if (!is_bfloat && can_measure(c, s)) cut.measures = GT_MEASURED_ROWS | GT_MEASURED_COLUMNS;
  if (!is_bfloat) count_scales(&cut, s, shared_a, shared_b);
  if (c->packed) {
    cut.pack = &pack[units->emulated][is_bfloat];
    cut.makes_a = s->kind_a == GT_FACTOR_BASIS;
    set_packed_size(&cut, s, shared_a, shared_b, f, unit, target);
  }
  if (!is_bfloat && (!c->packed || cut.makes_a)) cut.range = &range;
  return cut;
}
