#include "op/matmul/product.h"
#include "base/count.h"
#include "graph/op.h"
#include "lib/measured.h"
#include "op/cross_entropy.h"
#include "op/matmul/matmul_cpu.h"
#include "op/matmul/matmul_edges.h"
#include "op/matmul/matmul_few.h"
#include "op/matmul/matmul_matrix.h"
#include "op/matmul/matmul_narrow.h"
#include "op/matmul/matmul_shallow.h"
#include "shaders/op/matmul/matmul.h"
#include "shaders/op/matmul/matmul_finish.h"
#include "shaders/op/matmul/packed.h"
#include "shaders/op/matmul/patches_blocks.h"
#include "shaders/op/matmul/product_matrix.h"
#include "step/math.h"
#include <assert.h>
#include <stddef.h>

enum {
  MOST_GROUPS = 65535, /* along an axis, what Vulkan promises */
  MANY_UNITS = 16,     /* a GPU rather than a CPU */
  RASTER = 8           /* rows of tiles that are walked at a time, so that the cache holds what they share */
};

static const gt_kernel matmul_kernel = {"matmul", gt_matmul_cpu, gt_matmul_prepare};
static const gt_kernel finish_kernel = {"matmul_finish", gt_matmul_finish_cpu};
static const gt_kernel blocks_kernel = {.name = "patches_blocks"}, patches_kernel = {.name = "patches_range"};

/* As many sets as keep the device busy, where there are parts enough for them. */
static uint32_t sets_of(const gt_target *target, uint32_t quads, uint32_t parts) {
  enum { BUSY = 512, MOST = 32 }; /* BUSY: invocations of a multiprocessor */
  uint32_t sets = 1;
  while (sets < MOST && sets * GT_FINISH_AT_ONCE < parts && (uint64_t)quads * sets < BUSY * target->units)
    sets *= 2;
  return sets;
}

void gt_product_finish(gt_lowering *lowering, const gt_group *group, uint32_t count, uint32_t row,
                       uint32_t parts, uint32_t scratch) {
  const struct gt_matmul_finish_args args = {.count = count, .row = row, .split = parts};
  gt_step *step = gt_lower_step(lowering, &finish_kernel, &args, sizeof args);
  step->tiles = gt_ceil_div(args.count, GT_MATMUL_FINISH_TILE);
  gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_finish_args, partial), scratch, false);
  gt_lower_program(lowering, group, offsetof(struct gt_matmul_finish_args, x),
                   offsetof(struct gt_matmul_finish_args, y), offsetof(struct gt_matmul_finish_args, clock),
                   -1);
  const uint32_t quads = gt_ceil_div(count, 4), sets = sets_of(gt_lowering_target(lowering), quads, parts);
  const uint32_t local = gt_lower_workgroup(lowering, 256, sets);
  step->spec[GT_FINISH_SPEC_SETS] = sets;
  step->spec[GT_FINISH_SPEC_QUADS] = count % 4 == 0 && row % 4 == 0;
  gt_lower_grid(lowering, (uint64_t)gt_ceil_div(quads, local / sets) * local, local);
}

/* Does no tile reach over the end of the matrices? Then the kernel checks no edge. */
static bool is_whole(const gt_matmul_shape *s, const gt_matmul_config *c) {
  const uint32_t chunk = c->split > 1 ? c->k_chunk : s->k;
  return s->m % c->bm == 0 && s->n % c->bn == 0 && chunk && s->k % chunk == 0 && chunk % c->bk == 0;
}

/* Straight code is faster where it runs often; where it does not, its instructions are waited for. Software
 * devices take long to compile it, but may leave a loop after 65535 passes. */
static uint32_t unroll(const gt_matmul_config *c, const gt_matmul_shape *s, const gt_target *target) {
  enum { SHORT = 8, SMALL_DEVICE = 4, FEW_SLICES = 16, SMALL_TILE = 64 * 64, BRIEF_DEPTH = 4096 };
  const uint32_t depth = gt_least_u32(s->k, c->split > 1 ? c->k_chunk : s->k), slices = depth / c->bk;
  if (target->brief && depth <= BRIEF_DEPTH) return 1;
  if (target->units < MANY_UNITS) return SMALL_DEVICE;
  return slices <= FEW_SLICES && c->bm * c->bn <= SMALL_TILE ? SHORT : c->bk / c->teams;
}

/* Are the slices in shared memory large enough for what is joined of columns (columns.glsl)? Where factors
 * are made and parts of k added, AMD's compiler has no registers left for it. */
static bool joins_columns(const gt_matmul_config *c, const gt_matmul_shape *s, const gt_target *target) {
  const bool made = s->kind_a > GT_FACTOR_SIDE_BY_SIDE || s->kind_b > GT_FACTOR_SIDE_BY_SIDE;
  if (made && c->split > 1 && !target->matrix.fast) return false;
  const uint32_t down = c->bm / c->tm * c->teams, threads = down * (c->bn / c->tn), across = c->bn / 4;
  const uint32_t room_a = 2 * c->bk * (c->bm / 4 + 1), room_b = 2 * c->bk * (c->bn / 4 + 1);
  const uint32_t words = gt_most_u32(down * c->bn, 4 * threads), slots = gt_most_u32(down, threads / across);
  return threads % across == 0 && words + slots <= 4 * room_a && words <= 4 * room_b;
}

/* May lines have one root for each tile of so many neighbours? */
static bool is_part_of_depth(uint32_t tile) {
  return tile >= GT_RANGE_DEPTH / 4 && GT_RANGE_DEPTH % tile == 0;
}

/* Has a tile room in its slices of A for its rows, each padded (follow.glsl)? */
static bool has_room_for_rows(const gt_matmul_config *c) {
  return c->bm * (c->bn + 1) <= 2 * c->bk * (c->bm + 4);
}

/* On scalar units, or on the CPU. */
static gt_matmul_cut cut_scalar(const gt_matmul_config *c, const gt_matmul_shape *s,
                                const gt_target *target) {
  gt_matmul_cut cut = {
      .kernel = &matmul_kernel,
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
  cut.measures =
      c->split == 1 && s->batch == 1 && s->n % 4 == 0 && is_part_of_depth(c->bm) && is_part_of_depth(c->bn);
  /* A loss goes where parts of segments have what they are drained with. */
  cut.rows = s->n <= c->bn && (c->split == 1 || (cut.arrives && !s->segment)) && has_room_for_rows(c);
  cut.spec[GT_MATMUL_SPEC_UNROLL] = unroll(c, s, target);
  cut.spec[GT_MATMUL_SPEC_ARRIVE] = cut.arrives;
  /* Parts are joined by quads; else an invocation's columns are to be some. */
  const bool quads = s->n % 4 == 0 && (c->tn % 4 == 0 || c->split > 1);
  cut.spec[GT_MATMUL_SPEC_EXTENTS] = (is_whole(s, c) ? GT_MATMUL_WHOLE : 0) | (quads ? GT_MATMUL_QUADS : 0);
  cut.spec[GT_MATMUL_SPEC_RASTER] = RASTER;
  return cut;
}

/* The specialization constants of factors, which have the same numbers in all kernels of products. */
static void set_factors(gt_step *step, const gt_product *p) {
  step->spec[GT_FACTOR_SPEC_A] = p->shape.kind_a;
  step->spec[GT_FACTOR_SPEC_B] = p->shape.kind_b;
  step->spec[GT_FACTOR_SPEC_RESULT] = p->result;
  step->spec[GT_FACTOR_SPEC_SEGMENT] = p->shape.segment;
  for (int i = GT_FACTOR_SPEC_OWN; i < GT_FACTOR_SPEC_END; i++)
    step->spec[i] = p->own[i - GT_FACTOR_SPEC_OWN];
}

static void read_factor(gt_lowering *lowering, size_t argument, const gt_product_factor *factor) {
  if (factor->scratch)
    gt_lower_use_scratch(lowering, argument, factor->scratch - 1, false);
  else
    gt_lower_read(lowering, argument, factor->node);
}

static bool has_scales(const gt_product *p) {
  const uint32_t kind = p->shape.kind_b;
  return kind == GT_FACTOR_SCALED || (kind == GT_FACTOR_COEFFICIENTS && p->scales != GT_NONE);
}

/* The next step, with those of its factors that it reads. */
static gt_step *start_reading(gt_lowering *lowering, const gt_product *p, const gt_matmul_cut *cut,
                              const gt_kernel *kernel, bool reads_a, bool reads_b) {
  const gt_matmul_shape *s = &p->shape;
  const struct gt_matmul_args args = {
      .m = s->m, .n = s->n, .k = s->k, .batch = s->batch, .stride_a = p->a.stride, .stride_b = p->b.stride};
  gt_step *step = gt_lower_step(lowering, kernel, &args, sizeof args);
  for (int i = GT_SPEC_OWN; i < GT_SPEC_ALIGNED; i++) step->spec[i] = cut->spec[i];
  set_factors(step, p);
  if (reads_a) read_factor(lowering, offsetof(struct gt_matmul_args, a), &p->a);
  if (reads_b) read_factor(lowering, offsetof(struct gt_matmul_args, b), &p->b);
  if (has_scales(p)) /* load_scaled.glsl */
    gt_lower_read(lowering, offsetof(struct gt_matmul_args, stride_a), p->scales);
  if (p->words)
    gt_lower_constants(lowering, offsetof(struct gt_matmul_args, geometry), p->geometry, 4 * p->words);
  return step;
}

static gt_step *start_step(gt_lowering *lowering, const gt_product *p, const gt_matmul_cut *cut,
                           const gt_kernel *kernel) {
  return start_reading(lowering, p, cut, kernel, true, true);
}

/* The largest elements of blocks of the images that a factor of patches is made of. */
static uint32_t lower_blocks(gt_lowering *lowering, const gt_product *p, uint32_t block) {
  const bool of_a = p->shape.kind_a == GT_FACTOR_PATCHES;
  const gt_id image = of_a ? p->a.node : p->b.node;
  const gt_shape shape = gt_node_at(gt_lowering_graph(lowering), image)->shape;
  const uint32_t all = (uint32_t)shape.dim[shape.rank - 1], places = (uint32_t)(gt_shape_count(shape) / all);
  const struct gt_patches_blocks_args args = {.places = places, .all_channels = all, .channels = block};
  const uint64_t blocks =
      block ? (uint64_t)places * (all / block) : (uint64_t)gt_ceil_div(places, GT_RANGE_PLACES) * all;
  const uint32_t scratch = gt_lower_scratch(lowering, 4 * blocks);
  gt_step *step = gt_lower_step(lowering, &blocks_kernel, &args, sizeof args);
  step->prepares = true;
  step->spec[GT_BLOCKS_SPEC_ALONG] = !block;
  gt_lower_read(lowering, offsetof(struct gt_patches_blocks_args, image), image);
  gt_lower_use_scratch(lowering, offsetof(struct gt_patches_blocks_args, blocks), scratch, true);
  const uint64_t invocations = block ? blocks * GT_BLOCKS_SHARES : blocks / 4;
  gt_lower_groups(lowering, (uint64_t)gt_ceil_div(invocations, GT_BLOCKS_GROUP), GT_BLOCKS_GROUP);
  return scratch;
}

/* What is known of a factor's lines before it is measured. */
typedef struct known {
  uint32_t form;    /* GT_MATRIX_KNOWN_A and _EVEN_A; 0: nothing is */
  uint32_t parts;   /* 2 ^ so many roots to a depth */
  uint32_t scratch; /* where their roots lie, or … */
  float root;       /* … the one of all of them */
} known;

/* Where what the product reads of its factors' ranges lies, if it does. */
typedef struct ranges {
  known a, b;
  uint32_t form; /* of both; not 0: B's lie by themselves */
} ranges;

/* The root for elements that are at most so large. */
static float root_of(float most) {
  const uint32_t exponent = gt_bits(most) >> 23;
  return gt_from_bits(GT_RANGE_ROOT(gt_most_u32(exponent, GT_RANGE_LEAST)) << 23);
}

static known known_evenly(float most) {
  return (known){GT_MATRIX_KNOWN_A | GT_MATRIX_EVEN_A, 0, 0, root_of(most)};
}

/* Can what is known of a factor be told, as the kernel does without the other's geometry for that? */
static bool may_be_known(const gt_matmul_shape *s) {
  return (s->kind_a == GT_FACTOR_DENSE || s->kind_a == GT_FACTOR_BASIS) && s->kind_b == GT_FACTOR_DENSE;
}

/* Of a dense factor: from the op that makes it, or from the kernel that has written it. */
static known known_of(const gt_lowering *lowering, const gt_product *p, const gt_product_factor *factor,
                      bool columns, uint32_t lines) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  gt_measured m;
  if (factor->scratch) return (known){0};
  const gt_node *origin = gt_node_at(graph, gt_reshape_origin(graph, factor->node));
  const double even = origin->op->even ? origin->op->even(graph, origin) : 0;
  if (even > 0) return known_evenly((float)even);
  if (p->shape.batch > 1 ||
      !gt_lower_measured(lowering, factor->node, columns ? GT_MEASURED_COLUMNS : GT_MEASURED_ROWS, &m) ||
      m.lines != lines || m.length != p->shape.k)
    return (known){0};
  return (known){GT_MATRIX_KNOWN_A, m.depth < GT_RANGE_DEPTH / 2 ? 2 : m.depth < GT_RANGE_DEPTH, m.scratch,
                 0};
}

/* Of both factors, where B's may lie by themselves: in the place of an input that the epilogue has not. */
static ranges known_before(const gt_lowering *lowering, const gt_group *group, const gt_product *p) {
  const gt_matmul_shape *s = &p->shape;
  ranges r = {.form = 0};
  if (!may_be_known(s) || group->program.inputs > GT_MATRIX_ROOTS_B) return r;
  if (s->kind_a == GT_FACTOR_DENSE)
    r.a = known_of(lowering, p, &p->a, s->trans_a, s->m);
  else if (s->known_a > 0)
    r.a = known_evenly(s->known_a);
  r.b = known_of(lowering, p, &p->b, !s->trans_b, s->n);
  r.form = r.a.form | r.b.form << 1 | r.a.parts * GT_MATRIX_PARTS_A | r.b.parts * GT_MATRIX_PARTS_B;
  return r;
}

/* Those of patches, from the largest elements of blocks of their images. */
static void lower_patches(gt_lowering *lowering, const gt_product *p, const gt_matmul_cut *cut,
                          uint32_t scratch) {
  const bool of_a = p->shape.kind_a == GT_FACTOR_PATCHES;
  const uint32_t block = of_a ? gt_least_u32(p->shape.run, GT_RANGE_DEPTH) : 0;
  const uint32_t blocks = lower_blocks(lowering, p, block);
  gt_step *step = start_reading(lowering, p, cut, &patches_kernel, false, false);
  step->prepares = true;
  step->spec[GT_MATRIX_SPEC_BLOCK] = block;
  gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_args, partial), blocks, false);
  gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_args, range), scratch, true);
  const uint64_t powers = of_a ? cut->powers_a : cut->powers_b;
  gt_lower_groups(lowering, (uint64_t)gt_ceil_div(powers, GT_RANGE_GROUP), GT_RANGE_GROUP);
}

/* What is not known is measured, as soon as it is there. */
static ranges lower_range(gt_lowering *lowering, const gt_group *group, const gt_product *p,
                          const gt_matmul_cut *cut) {
  if (!cut->range) return (ranges){0};
  ranges r = known_before(lowering, group, p);
  const bool by_blocks = gt_matmul_by_blocks(&p->shape, gt_lowering_target(lowering)),
             of_a = p->shape.kind_a == GT_FACTOR_PATCHES;
  const bool known_a = r.a.form, known_b = r.b.form;
  if (known_a && known_b) return r;
  const uint64_t powers = (known_a ? 0 : cut->powers_a) + (known_b ? 0 : cut->powers_b);
  const uint32_t scratch = gt_lower_scratch(lowering, 4 * powers);
  const bool reads_a = !known_a && !(by_blocks && of_a), reads_b = !known_b && !(by_blocks && !of_a);
  gt_step *step = start_reading(lowering, p, cut, cut->range, reads_a, reads_b);
  step->prepares = true;
  step->spec[GT_MATRIX_SPEC_FORM] |= r.form | (by_blocks ? GT_MATRIX_BLOCKS : 0);
  gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_args, range), scratch, true);
  const uint64_t groups = (reads_a ? cut->blocks_a : 0) + (reads_b ? cut->powers_b / GT_RANGE_LINES : 0);
  gt_lower_groups(lowering, gt_least(groups, MOST_GROUPS), GT_RANGE_GROUP); /* it loops over the rest */
  if (by_blocks) lower_patches(lowering, p, cut, scratch);
  (known_a ? &r.b : &r.a)->scratch = scratch;
  return r;
}

static void use_range(gt_lowering *lowering, size_t argument, const known *of) {
  if (of->form & GT_MATRIX_EVEN_A)
    gt_lower_constants(lowering, argument, &of->root, sizeof of->root);
  else
    gt_lower_use_scratch(lowering, argument, of->scratch, false);
}

/* Tells the step of the product. */
static void use_ranges(gt_lowering *lowering, const ranges *r, gt_step *step) {
  step->spec[GT_MATRIX_SPEC_FORM] |= r->form;
  use_range(lowering, offsetof(struct gt_matmul_args, range), &r->a);
  if (r->form) use_range(lowering, offsetof(struct gt_matmul_args, x) + 8 * GT_MATRIX_ROOTS_B, &r->b);
}

/* The factors, packed, and their powers, if they are scaled. */
static uint32_t lower_pack(gt_lowering *lowering, const gt_product *p, const gt_matmul_cut *cut,
                           uint32_t *range) {
  const uint32_t scratch = gt_lower_scratch(lowering, cut->packed);
  const bool scaled = cut->powers_a;
  if (scaled) *range = gt_lower_scratch(lowering, 4 * (cut->powers_a + cut->powers_b));
  gt_step *step = start_step(lowering, p, cut, cut->pack);
  step->prepares = true;
  gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_args, geometry), scratch, true);
  if (scaled) gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_args, range), *range, true);
  gt_lower_groups(lowering, gt_least(cut->pack_groups, MOST_GROUPS),
                  GT_PACKED_GROUP); /* it loops over the rest */
  return scratch;
}

static gt_matmul_cut cut_product(gt_lowering *lowering, const gt_product *p, gt_precision precision) {
  const gt_target *target = gt_lowering_target(lowering);
  const gt_matmul_shape *s = &p->shape;
  const gt_matmul_config c = gt_matmul_choose(lowering, s, precision);
  if (c.engine == GT_ENGINE_SCALAR) return cut_scalar(&c, s, target);
  if (c.engine == GT_ENGINE_NARROW) return gt_matmul_cut_narrow(&c, s);
  if (c.engine == GT_ENGINE_SHALLOW) return gt_matmul_cut_shallow(&c, s);
  if (c.engine == GT_ENGINE_EDGES) return gt_matmul_cut_edges(&c, s);
  if (c.engine == GT_ENGINE_FEW) return gt_matmul_cut_few(&c, s);
  return gt_matmul_cut_matrix(&c, s, s->kind_a == GT_FACTOR_DENSE && !p->a.stride,
                              s->kind_b == GT_FACTOR_DENSE && !p->b.stride, target);
}

uint32_t gt_product_measures(gt_lowering *lowering, const gt_product *p, gt_precision precision, bool of_a) {
  const gt_matmul_shape *s = &p->shape;
  const bool dense = (of_a ? s->kind_a : s->kind_b) == GT_FACTOR_DENSE;
  if (s->batch > 1 || !dense || !may_be_known(s) || !cut_product(lowering, p, precision).range) return 0;
  return (of_a ? s->trans_a : !s->trans_b) ? GT_MEASURED_COLUMNS : GT_MEASURED_ROWS;
}

/* The roots of `lines` lines of the result, one for each tile of `depth` along them. */
static void lower_roots(gt_lowering *lowering, const gt_group *group, gt_step *step, uint32_t which,
                        uint32_t lines, uint32_t length, uint32_t depth, const gt_matmul_cut *cut) {
  const bool rows = which == GT_MEASURED_ROWS;
  const uint64_t all = (uint64_t)gt_ceil_div(lines, GT_RANGE_PAD) * GT_RANGE_PAD * gt_ceil_div(length, depth);
  const gt_measured m = {gt_lower_scratch(lowering, 4 * all), lines, length, depth};
  if (cut->kernel == &matmul_kernel) {
    const int to = rows ? GT_MATMUL_ROOTS_OF_ROWS : GT_MATMUL_ROOTS_OF_COLUMNS;
    step->spec[GT_MATMUL_SPEC_EXTENTS] |= rows ? GT_MATMUL_MEASURES_ROWS : GT_MATMUL_MEASURES_COLUMNS;
    gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_args, x) + 8 * (size_t)to, m.scratch, true);
  } else {
    step->spec[GT_MATRIX_SPEC_FORM] |= rows ? GT_MATRIX_MEASURES_ROWS : GT_MATRIX_MEASURES_COLUMNS;
    gt_lower_use_scratch(
        lowering, rows ? offsetof(struct gt_matmul_args, partial) : offsetof(struct gt_matmul_args, arrivals),
        m.scratch, true);
  }
  gt_lower_measures(lowering, group, which, m);
}

/* Beside the result, what products that read it ask of its lines. */
static void lower_measures(gt_lowering *lowering, const gt_group *group, const gt_product *p,
                           const gt_matmul_cut *cut, gt_step *step) {
  const gt_matmul_shape *s = &p->shape;
  const bool on_scalar = cut->kernel == &matmul_kernel;
  if (!cut->measures || p->result != GT_RESULT_DENSE) return;
  if (on_scalar && (group->followers || group->program.inputs > GT_MATMUL_ROOTS_OF_ROWS)) return;
  if (group->measured & GT_MEASURED_ROWS)
    lower_roots(lowering, group, step, GT_MEASURED_ROWS, s->m, s->n, cut->bn, cut);
  if (group->measured & GT_MEASURED_COLUMNS)
    lower_roots(lowering, group, step, GT_MEASURED_COLUMNS, s->n, s->m, cut->bm, cut);
}

/* Beside the result, what another group wants of its columns. */
static void lower_columns(gt_lowering *lowering, const gt_group *group, const gt_product *p,
                          const gt_matmul_cut *cut, gt_step *step) {
  const gt_matmul_shape *s = &p->shape;
  if (!group->columns || !cut->columns || s->batch > 1 || p->result != GT_RESULT_DENSE) return;
  const uint64_t values = group->columns == GT_COLUMNS_MOMENTS ? 2 : 1;
  const uint32_t tiles = gt_ceil_div(s->m, cut->bm);
  const gt_joined made = {gt_lower_scratch(lowering, 4 * values * tiles * s->n), tiles, cut->bm};
  step->spec[GT_FACTOR_SPEC_COLUMNS] = group->columns;
  gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_args, y) + 8, made.scratch, true);
  gt_lower_joins(lowering, group, made);
}

/* Behind each row of the result, what follows it: of one loss. */
static void lower_followers(gt_lowering *lowering, const gt_group *group, const gt_product *p,
                            const gt_matmul_cut *cut, gt_step *step) {
  if (!group->followers || !cut->rows || group->flag || p->shape.batch > 1 || p->result != GT_RESULT_DENSE)
    return;
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *first = gt_node_at(graph, group->follower[0]);
  const uint32_t smoothing = gt_bits(gt_cross_entropy_smoothing(first));
  const size_t x = offsetof(struct gt_matmul_args, x), y = offsetof(struct gt_matmul_args, y);
  uint32_t *followed = &step->spec[GT_FACTOR_SPEC_FOLLOWED];
  step->spec[GT_FACTOR_SPEC_SMOOTHING] = smoothing;
  gt_lower_read(lowering, x + 8 * GT_FOLLOW_LABELS, first->input[1]);
  for (int i = 0; i < group->followers; i++) {
    const gt_node *node = gt_node_at(graph, group->follower[i]);
    const bool is_slope = node->inputs == 3;
    const uint32_t bit = is_slope ? GT_FOLLOWED_BY_SLOPE : GT_FOLLOWED_BY_LOSS;
    const bool other = gt_bits(gt_cross_entropy_smoothing(node)) != smoothing || *followed & bit;
    if (other || node->input[1] != first->input[1]) continue;
    *followed |= bit;
    if (is_slope) gt_lower_read(lowering, x + 8 * GT_FOLLOW_ROW_GRADIENT, node->input[2]);
    gt_lower_follows(lowering, group, i,
                     is_slope ? y + 8 * GT_FOLLOW_Y : offsetof(struct gt_matmul_args, range));
  }
}

void gt_product_lower(gt_lowering *lowering, const gt_group *group, const gt_product *p) {
  const gt_target *target = gt_lowering_target(lowering);
  const gt_matmul_shape *s = &p->shape;
  assert(target->device || s->kind_b <= GT_FACTOR_SIDE_BY_SIDE || !s->trans_b);
  assert(!s->segment || (target->device && s->segment % GT_FACTOR_SLICE == 0));
  const gt_precision precision = gt_node_at(gt_lowering_graph(lowering), group->leader)->precision;
  const gt_matmul_cut cut = cut_product(lowering, p, precision);
  const uint32_t down = gt_ceil_div(s->m, cut.bm), across = gt_ceil_div(s->n, cut.bn);
  ranges range = lower_range(lowering, group, p, &cut);
  const uint32_t packed = cut.pack ? lower_pack(lowering, p, &cut, &range.a.scratch) : 0;
  gt_step *step = start_step(lowering, p, &cut, cut.kernel);
  step->tiles = down * across * s->batch * cut.split;
  if (cut.powers_a) use_ranges(lowering, &range, step);
  if (cut.pack) gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_args, geometry), packed, false);
  uint32_t scratch = 0;
  if (s->segment)
    gt_lower_read(lowering,
                  cut.split > 1 ? offsetof(struct gt_matmul_args, range)
                                : offsetof(struct gt_matmul_args, partial),
                  p->drain);
  if (cut.split > 1) {
    scratch = gt_lower_scratch(lowering, (uint64_t)cut.split * s->batch * s->m * s->n * 4);
    gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_args, partial), scratch, true);
  }
  if (cut.arrives)
    gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_args, arrivals),
                         gt_lower_lasting(lowering, 4ull * down * across * s->batch), true);
  if (cut.split == 1 || cut.arrives) {
    gt_lower_program(lowering, group, offsetof(struct gt_matmul_args, x), offsetof(struct gt_matmul_args, y),
                     offsetof(struct gt_matmul_args, clock), -1);
    if (p->result == GT_RESULT_PLACED) gt_lower_writes_part(lowering);
    lower_columns(lowering, group, p, &cut, step);
    lower_followers(lowering, group, p, &cut, step);
    lower_measures(lowering, group, p, &cut, step);
  }
  if (target->device) {
    gt_lower_groups(lowering, (uint64_t)down * across, cut.threads);
    if (cut.split > 1) step->grid[1] = cut.split;                    /* a split product's tiles are few */
    step->grid[2] = s->batch < MOST_GROUPS ? s->batch : MOST_GROUPS; /* the kernel loops over the rest */
  }
  if (cut.split > 1 && !cut.arrives)
    gt_product_finish(lowering, group, s->batch * s->m * s->n,
                      p->result == GT_RESULT_DENSE ? s->n : s->n * s->batch, cut.split, scratch);
}
