/* Secondary outputs of a GEMM epilogue: scales of rows and columns for a following GEMM, column sums and
 * moments, a fused row epilogue or loss. Whatever the kernel cannot produce is computed by a kernel of its
 * own. */
#include "op/matmul/product_parts.h"
#include "base/count.h"
#include "lib/measured.h"
#include "op/cross_entropy.h"
#include "op/rows.h"
#include "shaders/op/matmul/matmul.h"
#include "shaders/op/matmul/product_matrix.h"
#include "shaders/op/matmul/range.h"
#include "step/math.h"
#include <stddef.h>

/* The step also writes the scales of its result's rows or columns (`which`, GT_MEASURED_…): there are `lines`
 * of them, each of `length` elements, with one scale for every `depth` elements, the extent of a tile. */
static void lower_roots(gt_lowering *lowering, const gt_group *group, gt_step *step, uint32_t which,
                        uint32_t lines, uint32_t length, uint32_t depth, const gt_matmul_cut *cut) {
  const bool rows = which == GT_MEASURED_ROWS;
  const uint64_t all = (uint64_t)gt_ceil_div(lines, GT_RANGE_PAD) * GT_RANGE_PAD * gt_ceil_div(length, depth);
  const gt_measured m = {gt_lower_scratch(lowering, 4 * all), lines, length, depth};
  if (cut->scalar) {
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

/* Scales that GEMMs need of the result (group->measured), as far as this kernel can compute them. */
static void lower_measures(gt_lowering *lowering, const gt_group *group, const gt_product *p,
                           const gt_matmul_cut *cut, gt_step *step) {
  const gt_matmul_shape *s = &p->shape;
  const uint32_t which = cut->measures & group->measured;
  if (p->result != GT_RESULT_DENSE) return;
  if (cut->scalar && (group->followers || group->program.inputs > GT_MATMUL_ROOTS_OF_ROWS)) return;
  if (which & GT_MEASURED_ROWS)
    lower_roots(lowering, group, step, GT_MEASURED_ROWS, s->m, s->n, cut->bn, cut);
  if (which & GT_MEASURED_COLUMNS)
    lower_roots(lowering, group, step, GT_MEASURED_COLUMNS, s->n, s->m, cut->bm, cut);
}

/* True if the kernel can reduce the columns of its result. */
static bool joins_columns(const gt_product *p, const gt_matmul_cut *cut) {
  return cut->columns && p->shape.batch == 1 && p->result == GT_RESULT_DENSE;
}

bool gt_product_joins(gt_lowering *lowering, const gt_product *p, gt_precision precision) {
  if (!gt_lowering_target(lowering)->device) return false;
  const gt_matmul_cut cut = gt_product_cut(lowering, p, precision);
  return joins_columns(p, &cut) && (cut.split == 1 || cut.arrives);
}

/* A single tile covers all rows, so the column sums are complete: they are written as the values of the fused
 * consumers, and the result itself is not stored. */
static void lower_whole_sums(gt_lowering *lowering, const gt_group *group, gt_step *step) {
  const size_t x = offsetof(struct gt_matmul_args, x), y = offsetof(struct gt_matmul_args, y);
  step->spec[GT_FACTOR_SPEC_COLUMNS] = group->columns | GT_COLUMNS_PASSING | GT_COLUMNS_WHOLE;
  gt_lower_passes(lowering, group);
  for (int i = 0; i < group->followers; i++)
    gt_lower_follows(lowering, group, i, group->follower[i] == group->joins[0] ? y + sizeof(uint64_t) : y);
  gt_lower_check(lowering, group, x + sizeof(uint64_t) * GT_COLUMNS_WHOLE_FLAG);
}

/* Column reductions for other groups, in addition to the result or instead of it. They are written to the
 * address of the second output, which is not stored then. */
static void lower_columns(gt_lowering *lowering, const gt_group *group, const gt_product *p,
                          const gt_matmul_cut *cut, gt_step *step) {
  if (!group->columns || !joins_columns(p, cut)) return;
  if (group->followers) {
    lower_whole_sums(lowering, group, step);
    return;
  }
  const uint32_t tiles = gt_ceil_div(p->shape.m, cut->bm);
  const uint64_t values = group->columns == GT_COLUMNS_SUM ? 1 : 2, bytes_each = 4ull * tiles * p->shape.n;
  gt_joined joined = {gt_lower_scratch(lowering, values * bytes_each), tiles, cut->bm, 0};
  step->spec[GT_FACTOR_SPEC_COLUMNS] = group->columns | (group->passing & 1 ? GT_COLUMNS_PASSING : 0);
  gt_lower_passes(lowering, group);
  gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_args, y) + 8, joined.scratch, true);
  for (int k = 0; k < GT_JOINING; k++) {
    if (group->joins[k] == GT_NONE) continue;
    gt_lower_joins(lowering, group, k, joined);
    joined.offset += bytes_each;
  }
}

/* True if `shape`, which requires full rows or columns per tile, makes the step faster. */
static bool gains(gt_lowering *lowering, const gt_product *p, gt_matmul_shape shape, gt_precision precision) {
  const gt_target *target = gt_lowering_target(lowering);
  return target->device && p->result == GT_RESULT_DENSE && shape.batch == 1 && !gt_matmul_has_bytes(&shape) &&
         gt_matmul_gains_by_whole(target, &shape, precision);
}

bool gt_product_rows(gt_lowering *lowering, const gt_product *p, gt_precision precision) {
  gt_matmul_shape shape = p->shape;
  shape.whole_rows = true;
  return !shape.segment && gains(lowering, p, shape, precision);
}

bool gt_product_sums(gt_lowering *lowering, const gt_product *p, gt_precision precision) {
  gt_matmul_shape shape = p->shape;
  shape.whole_columns = true;
  return gains(lowering, p, shape, precision);
}

/* Passes a row program to the kernel as its epilogue (group->width is not 0). */
static void lower_rows(gt_lowering *lowering, const gt_group *group, gt_step *step) {
  if (!group->width) return;
  const gt_row_passes passes = gt_rows_passes(&group->program);
  uint32_t bits = passes.count << GT_ROWS_BEHIND_PASSES | gt_rows_narrow(gt_lowering_graph(lowering), group)
                                                              << GT_ROWS_BEHIND_NARROW;
  for (int r = 0; r < GT_PROGRAM_REDUCTIONS; r++)
    if (passes.pass_of[r])
      bits |= (passes.pass_of[r] + GT_ROWS_BEHIND_OPCODE * (passes.opcode[r] - GT_I_ROW_SUM))
              << (r * GT_ROWS_BEHIND_REDUCTION_BITS);
  step->spec[GT_FACTOR_SPEC_FOLLOWED] = GT_FOLLOWED_BY_ROWS;
  step->spec[GT_FACTOR_SPEC_SMOOTHING] = bits;
  const size_t to[] = {offsetof(struct gt_matmul_args, range),
                       offsetof(struct gt_matmul_args, x) + sizeof(uint64_t) * GT_ROWS_BEHIND_Y};
  for (uint32_t k = GT_EPILOGUE_OUTPUTS; k < group->program.outputs; k++)
    gt_lower_write(lowering, to[k - GT_EPILOGUE_OUTPUTS], group->output[k]);
}

/* Fused consumers of the result's rows: a cross-entropy loss and its gradient ("slope"). Consumers that
 * differ from the first one in labels or smoothing get kernels of their own. */
static void lower_followers(gt_lowering *lowering, const gt_group *group, const gt_product *p,
                            const gt_matmul_cut *cut, gt_step *step) {
  if (!group->followers || group->columns || !cut->rows || group->flag || p->shape.batch > 1 ||
      p->result != GT_RESULT_DENSE)
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

void gt_product_lower_beside(gt_lowering *lowering, const gt_group *group, const gt_product *p,
                             const gt_matmul_cut *cut, gt_step *step) {
  lower_rows(lowering, group, step);
  lower_columns(lowering, group, p, cut, step);
  lower_followers(lowering, group, p, cut, step);
  lower_measures(lowering, group, p, cut, step);
}
