/* Lowers a GEMM to steps: scales, packing, the kernel itself, and a split-K reduction if needed. */
#include "op/matmul/product.h"
#include "base/count.h"
#include "lib/measured.h"
#include "op/matmul/matmul_cpu.h"
#include "op/matmul/product_parts.h"
#include "shaders/op/matmul/matmul.h"
#include "shaders/op/matmul/matmul_finish.h"
#include "shaders/op/matmul/packed.h"
#include "shaders/op/matmul/product_matrix.h"
#include <assert.h>
#include <stddef.h>

static const gt_kernel finish_kernel = {"matmul_finish", gt_matmul_finish_cpu};

/* In how many sets the partial results are added in parallel. The number is doubled until the invocations for
 * `quads` vec4s of the result fill the device, or a set has at most GT_FINISH_AT_ONCE parts. */
static uint32_t sets_of(const gt_target *target, uint32_t quads, uint32_t parts) {
  enum { BUSY = 512, MOST = 32 }; /* BUSY: invocations that keep a multiprocessor busy */
  uint32_t sets = 1;
  while (sets < MOST && sets * GT_FINISH_AT_ONCE < parts && (uint64_t)quads * sets < BUSY * target->units)
    sets *= 2;
  return sets;
}

void gt_product_finish(gt_lowering *lowering, const gt_group *group, uint32_t count, uint32_t row,
                       uint32_t parts, uint32_t scratch) {
  const struct gt_matmul_finish_args args = {.count = count, .row_length = row, .split = parts};
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

/* Sets the specialization constants of the operands, which have the same ids in all GEMM kernels. */
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

/* Bytes of a table that a step does not read: its operand has fewer elements than the table. */
static uint64_t spared_of_table(const gt_lowering *lowering, const gt_product *p) {
  const bool of_a = p->shape.kind_a == GT_FACTOR_ROWS;
  const uint64_t table = gt_node_bytes(gt_lowering_graph(lowering), of_a ? p->a.node : p->b.node);
  const uint64_t read = 4ull * (of_a ? p->shape.m : p->shape.n) * p->shape.k;
  return table > read ? table - read : 0;
}

gt_step *gt_product_start(gt_lowering *lowering, const gt_product *p, const gt_matmul_cut *cut,
                          const gt_kernel *kernel, bool reads_a, bool reads_b) {
  const gt_matmul_shape *s = &p->shape;
  const struct gt_matmul_args args = {
      .m = s->m, .n = s->n, .k = s->k, .batch = s->batch, .stride_a = p->a.stride, .stride_b = p->b.stride};
  gt_step *step = gt_lower_step(lowering, kernel, &args, sizeof args);
  for (int i = GT_SPEC_OWN; i < GT_SPEC_ALIGNED; i++) step->spec[i] = cut->spec[i];
  set_factors(step, p);
  if (reads_a) read_factor(lowering, offsetof(struct gt_matmul_args, a), &p->a);
  if (reads_b) read_factor(lowering, offsetof(struct gt_matmul_args, b), &p->b);
  if (reads_b && has_scales(p)) /* load_scaled.glsl */
    gt_lower_read(lowering, offsetof(struct gt_matmul_args, stride_a), p->scales);
  if (p->words)
    gt_lower_constants(lowering, offsetof(struct gt_matmul_args, geometry), p->geometry, 4 * p->words);
  if (gt_matmul_has_bytes(s))
    gt_lower_constants(lowering, offsetof(struct gt_matmul_args, geometry), &p->bytes, sizeof p->bytes);
  if (gt_matmul_has_rows(s)) {
    gt_lower_read(lowering, offsetof(struct gt_matmul_args, geometry), p->numbers);
    if (s->kind_a == GT_FACTOR_ROWS ? reads_a : reads_b) step->spared = spared_of_table(lowering, p);
  }
  return step;
}

/* Byte offset of the argument that holds the address of packed operands: shaders/op/matmul/packed.glsl. */
static size_t packed_argument(const gt_product *p) {
  if (has_scales(p)) return offsetof(struct gt_matmul_args, x) + sizeof(uint64_t) * GT_PACKED_X;
  return p->words ? offsetof(struct gt_matmul_args, stride_a) : offsetof(struct gt_matmul_args, geometry);
}

/* Multiplies coefficients by their scales, if that is still to be done: in the packing kernel if the epilogue
 * leaves an input address free for the scales, otherwise in a step before. */
static void settle_scales(gt_lowering *lowering, const gt_group *group, gt_product *p,
                          const gt_matmul_cut *cut) {
  if (p->scale) p->scale(lowering, p, cut->pack && group->program.inputs <= GT_PACKED_X);
}

/* 1 + the scratch memory of packed operands, and 1 + that of their scales; 0: none. */
typedef struct packed_factors {
  uint32_t scratch, range;
} packed_factors;

static packed_factors lower_pack(gt_lowering *lowering, const gt_product *p, const gt_matmul_cut *cut) {
  packed_factors packed = {.scratch = 1 + gt_lower_scratch(lowering, cut->packed)};
  const uint64_t powers = (cut->makes_a ? 0 : cut->powers_a) + cut->powers_b;
  if (powers) packed.range = 1 + gt_lower_scratch(lowering, 4 * powers);
  gt_step *step = gt_product_start(lowering, p, cut, cut->pack, !cut->makes_a, true);
  step->prepares = true;
  if (cut->makes_a) step->spec[GT_MATRIX_SPEC_FORM] |= GT_MATRIX_KNOWN_B; /* B's scales have their buffer */
  gt_lower_use_scratch(lowering, packed_argument(p), packed.scratch - 1, true);
  if (powers) gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_args, range), packed.range - 1, true);
  gt_lower_workgroups(lowering, gt_min_i64(cut->pack_groups, GT_PRODUCT_MOST_GROUPS),
                      GT_PACKED_GROUP); /* the kernel loops over the rest */
  return packed;
}

gt_matmul_cut gt_product_cut(gt_lowering *lowering, const gt_product *p, gt_precision precision) {
  const gt_target *target = gt_lowering_target(lowering);
  const gt_matmul_shape *s = &p->shape;
  const gt_matmul_config c = gt_matmul_choose(lowering, s, precision);
  if (c.engine == GT_ENGINE_SCALAR) return gt_matmul_cut_scalar(&c, s, target);
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
  if (s->batch > 1 || !dense || !gt_product_may_be_known(s)) return 0;
  const gt_matmul_cut cut = gt_product_cut(lowering, p, precision);
  if (!cut.range || cut.pack) return 0;
  return (of_a ? s->trans_a : !s->trans_b) ? GT_MEASURED_COLUMNS : GT_MEASURED_ROWS;
}

void gt_product_lower(gt_lowering *lowering, const gt_group *group, const gt_product *given) {
  const gt_target *target = gt_lowering_target(lowering);
  const gt_precision precision = gt_node_at(gt_lowering_graph(lowering), group->leader)->precision;
  gt_product product = *given;
  product.shape.whole_rows = group->width != 0;
  product.shape.whole_columns = group->columns && group->followers;
  const gt_matmul_cut cut = gt_product_cut(lowering, &product, precision);
  settle_scales(lowering, group, &product, &cut);
  const gt_product *p = &product;
  const gt_matmul_shape *s = &p->shape;
  assert(target->device || s->kind_b <= GT_FACTOR_SIDE_BY_SIDE || !s->trans_b);
  assert(!s->segment || (target->device && s->segment % GT_FACTOR_SLICE == 0));
  const uint32_t down = gt_ceil_div(s->m, cut.bm), across = gt_ceil_div(s->n, cut.bn);
  const packed_factors packed = cut.pack ? lower_pack(lowering, p, &cut) : (packed_factors){0};
  gt_product_ranges range = gt_product_lower_ranges(lowering, group, p, &cut, packed.range);
  if (packed.range && !cut.makes_a) range.a.scratch = packed.range - 1;
  gt_step *step = gt_product_start(lowering, p, &cut, cut.kernel, true, true);
  step->tiles = down * across * s->batch * cut.split;
  if (cut.powers_a) gt_product_use_ranges(lowering, &range, step);
  step->cached = cut.pack && s->segment;
  if (cut.pack) gt_lower_use_scratch(lowering, packed_argument(p), packed.scratch - 1, false);
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
                         gt_lower_persistent(lowering, 4ull * down * across * s->batch), true);
  if (cut.split == 1 || cut.arrives) {
    gt_lower_program(lowering, group, offsetof(struct gt_matmul_args, x), offsetof(struct gt_matmul_args, y),
                     offsetof(struct gt_matmul_args, clock), -1);
    if (p->result == GT_RESULT_PLACED) gt_lower_mark_partial_writes(lowering);
    gt_product_lower_beside(lowering, group, p, &cut, step);
  }
  if (target->device) {
    gt_lower_workgroups(lowering, (uint64_t)down * across, cut.threads);
    if (cut.split > 1) step->grid[1] = cut.split;                 /* then all tiles are along x */
    step->grid[2] = gt_min_u32(s->batch, GT_PRODUCT_MOST_GROUPS); /* the kernel loops over the rest */
  }
  if (cut.split > 1 && !cut.arrives)
    gt_product_finish(lowering, group, s->batch * s->m * s->n,
                      p->result == GT_RESULT_DENSE ? s->n : s->n * s->batch, cut.split, scratch);
}
