/* Scales of GEMM operands on matrix units ("roots", "powers"; shaders/op/matmul/range.h): which are known
 * without a kernel, and the kernels that compute the others. */
#include "op/matmul/product_parts.h"
#include "base/count.h"
#include "graph/op.h"
#include "lib/measured.h"
#include "shaders/op/matmul/matmul.h"
#include "shaders/op/matmul/patches_blocks.h"
#include "shaders/op/matmul/product_matrix.h"
#include "shaders/op/matmul/range.h"
#include "step/math.h"
#include <math.h>
#include <stddef.h>

static const gt_kernel blocks_kernel = {.name = "patches_blocks"}, patches_kernel = {.name = "patches_range"};

/* Emits the kernel that computes the amax of blocks of an im2col operand's images. block: channels of a
 * block, at one place; 0: blocks are GT_RANGE_PLACES places of one channel. Returns the scratch memory. */
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
  gt_lower_workgroups(lowering, (uint64_t)gt_ceil_div(invocations, GT_BLOCKS_GROUP), GT_BLOCKS_GROUP);
  return scratch;
}

/* The scale for elements whose magnitude is at most `most`. */
static float root_of(float most) {
  const uint32_t exponent = gt_bits(most) >> 23;
  return gt_from_bits(GT_RANGE_ROOT(gt_max_u32(exponent, GT_RANGE_LEAST)) << 23);
}

/* One known scale serves the whole operand. */
static gt_known_lines known_evenly(float root) {
  return (gt_known_lines){GT_MATRIX_KNOWN_A | GT_MATRIX_EVEN_A, 0, 0, root};
}

bool gt_product_may_be_known(const gt_matmul_shape *s) {
  return (gt_matmul_is_dense(s->kind_a) || s->kind_a == GT_FACTOR_BASIS || s->kind_a == GT_FACTOR_ROWS) &&
         (gt_matmul_is_dense(s->kind_b) || s->kind_b == GT_FACTOR_ROWS);
}

/* Scales of an operand that is dense, or bytes: from the op that computes it (gt_op.even), or from the kernel
 * that writes it (gt_lower_measured), if its rows or columns are those of the operand. */
static gt_known_lines known_of(const gt_lowering *lowering, const gt_product *p,
                               const gt_product_factor *factor, uint32_t kind, bool columns, uint32_t lines) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  gt_measured m;
  if (factor->scratch || kind == GT_FACTOR_ROWS) return (gt_known_lines){0};
  if (kind == GT_FACTOR_BYTES) return known_evenly(sqrtf(p->bytes.scale));
  const gt_node *origin = gt_node_at(graph, gt_reshape_origin(graph, factor->node));
  const double even = origin->op->even ? origin->op->even(graph, origin) : 0;
  if (even > 0) return known_evenly(root_of((float)even));
  if (p->shape.batch > 1 ||
      !gt_lower_measured(lowering, factor->node, columns ? GT_MEASURED_COLUMNS : GT_MEASURED_ROWS, &m) ||
      m.lines != lines || m.length != p->shape.k)
    return (gt_known_lines){0};
  return (gt_known_lines){GT_MATRIX_KNOWN_A, m.depth < GT_RANGE_DEPTH / 2 ? 2 : m.depth < GT_RANGE_DEPTH,
                          m.scratch, 0};
}

/* Scales of both operands that are known without the kernels below. B's are passed at the address of an
 * epilogue input, which must be free: GT_MATRIX_ROOTS_B. */
static gt_product_ranges known_before(const gt_lowering *lowering, const gt_group *group, const gt_product *p,
                                      uint32_t packed_b) {
  const gt_matmul_shape *s = &p->shape;
  gt_product_ranges r = {.form = 0};
  if (!(packed_b || gt_product_may_be_known(s)) || group->program.inputs > GT_MATRIX_ROOTS_B) return r;
  if (s->kind_a != GT_FACTOR_BASIS)
    r.a = known_of(lowering, p, &p->a, s->kind_a, s->trans_a, s->m);
  else if (s->known_a > 0)
    r.a = known_evenly(root_of(s->known_a));
  if (packed_b)
    r.b = (gt_known_lines){GT_MATRIX_KNOWN_A, 0, packed_b - 1, 0};
  else
    r.b = known_of(lowering, p, &p->b, s->kind_b, !s->trans_b, s->n);
  r.form = r.a.form | r.b.form << 1 | r.a.log2_parts * GT_MATRIX_PARTS_A | r.b.log2_parts * GT_MATRIX_PARTS_B;
  return r;
}

/* Emits the kernels that compute the scales of an im2col operand from the amax of its images' blocks. */
static void lower_patches(gt_lowering *lowering, const gt_product *p, const gt_matmul_cut *cut,
                          uint32_t scratch) {
  const bool of_a = p->shape.kind_a == GT_FACTOR_PATCHES;
  const uint32_t block = of_a ? gt_min_u32(p->shape.run, GT_RANGE_DEPTH) : 0;
  const uint32_t blocks = lower_blocks(lowering, p, block);
  gt_step *step = gt_product_start(lowering, p, cut, &patches_kernel, false, false);
  step->prepares = true;
  step->spec[GT_MATRIX_SPEC_BLOCK] = block;
  gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_args, partial), blocks, false);
  gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_args, range), scratch, true);
  const uint64_t powers = of_a ? cut->powers_a : cut->powers_b;
  gt_lower_workgroups(lowering, (uint64_t)gt_ceil_div(powers, GT_RANGE_GROUP), GT_RANGE_GROUP);
}

gt_product_ranges gt_product_lower_ranges(gt_lowering *lowering, const gt_group *group, const gt_product *p,
                                          const gt_matmul_cut *cut, uint32_t packed_b) {
  if (!cut->range) return (gt_product_ranges){0};
  gt_product_ranges r = known_before(lowering, group, p, packed_b);
  const bool by_blocks = gt_matmul_by_blocks(&p->shape, gt_lowering_target(lowering)),
             of_a = p->shape.kind_a == GT_FACTOR_PATCHES;
  const bool known_a = r.a.form, known_b = r.b.form;
  if (known_a && known_b) return r;
  const uint64_t powers = (known_a ? 0 : cut->powers_a) + (known_b ? 0 : cut->powers_b);
  const uint32_t scratch = gt_lower_scratch(lowering, 4 * powers);
  const bool reads_a = !known_a && !(by_blocks && of_a), reads_b = !known_b && !(by_blocks && !of_a);
  const bool part_of_a = reads_a && p->measured_a.count;
  gt_step *step = gt_product_start(lowering, p, cut, cut->range, reads_a && !part_of_a, reads_b);
  if (part_of_a) gt_lower_read_range(lowering, offsetof(struct gt_matmul_args, a), p->a.node, p->measured_a);
  step->prepares = true;
  step->spec[GT_MATRIX_SPEC_FORM] |= r.form | (by_blocks ? GT_MATRIX_BLOCKS : 0);
  gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_args, range), scratch, true);
  const uint64_t groups = (reads_a ? cut->blocks_a : 0) + (reads_b ? cut->powers_b / GT_RANGE_LINES : 0);
  gt_lower_workgroups(lowering, gt_min_i64(groups, GT_PRODUCT_MOST_GROUPS),
                      GT_RANGE_GROUP); /* the kernel loops over the rest */
  if (by_blocks) lower_patches(lowering, p, cut, scratch);
  (known_a ? &r.b : &r.a)->scratch = scratch;
  return r;
}

static void use_range(gt_lowering *lowering, size_t argument, const gt_known_lines *of) {
  if (of->form & GT_MATRIX_EVEN_A)
    gt_lower_constants(lowering, argument, &of->root, sizeof of->root);
  else
    gt_lower_use_scratch(lowering, argument, of->scratch, false);
}

void gt_product_use_ranges(gt_lowering *lowering, const gt_product_ranges *r, gt_step *step) {
  step->spec[GT_MATRIX_SPEC_FORM] |= r->form;
  use_range(lowering, offsetof(struct gt_matmul_args, range), &r->a);
  if (r->form) use_range(lowering, offsetof(struct gt_matmul_args, x) + 8 * GT_MATRIX_ROOTS_B, &r->b);
}
