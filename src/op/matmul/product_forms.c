/* Storage formats ("forms") that GEMM operands accept (bytes, table rows), and whether they make the GEMM
 * faster. */
#include "op/matmul/matmul_tile.h"
#include "op/matmul/product.h"
#include "shaders/op/matmul/product_matrix.h"
#include "shaders/op/matmul/table_rows.h"

enum { QUAD = 4, LEAST_WIDTH = 32 /* of a table's rows on a CPU */ };

static void take_bytes(gt_product *p, bool is_a, gt_byte_form form) {
  *(is_a ? &p->shape.kind_a : &p->shape.kind_b) = GT_FACTOR_BYTES;
  p->shape.shifted = form.shift != 0;
  p->bytes = form;
}

/* The operand becomes rows of a table, if each of its own rows in memory consists of whole table rows. */
static bool take_rows(const gt_graph *graph, gt_product *p, bool is_a, const gt_form *form) {
  gt_matmul_shape *s = &p->shape;
  const gt_shape table = gt_node_at(graph, form->table)->shape;
  const uint32_t count = (uint32_t)table.dim[0], width = (uint32_t)(gt_shape_count(table) / count);
  const uint32_t length = is_a ? s->trans_a ? s->m : s->k : s->n;
  if (s->batch != 1 || (!is_a && s->trans_b) || length % width) return false;
  *(is_a ? &s->kind_a : &s->kind_b) = GT_FACTOR_ROWS;
  s->run = width;
  (is_a ? &p->a : &p->b)->node = form->table;
  p->numbers = form->index;
  p->own[GT_TABLE_ROWS_SPEC_WIDTH - GT_FACTOR_SPEC_OWN] = width;
  p->own[GT_TABLE_ROWS_SPEC_EACH - GT_FACTOR_SPEC_OWN] = length / width;
  p->own[GT_TABLE_ROWS_SPEC_COUNT - GT_FACTOR_SPEC_OWN] = count;
  return true;
}

bool gt_product_take(const gt_graph *graph, gt_product *p, bool is_a, const gt_form *form) {
  if (form->kind == GT_FORM_ROWS) return take_rows(graph, p, is_a, form);
  take_bytes(p, is_a, form->bytes);
  return true;
}

/* The epilogue must leave the input free by which the scales of B are passed (GT_MATRIX_ROOTS_B). */
static bool gains_by_bytes(const gt_target *target, const gt_group *group, const gt_product *p,
                           gt_precision precision) {
  return target->device && precision == GT_PRECISION_AUTO && p->shape.batch == 1 && !group->width &&
         group->program.inputs <= GT_MATRIX_ROOTS_B && gt_matmul_gains_by_bytes(target, &p->shape, precision);
}

/* On a CPU only with our own tiles, which copy operands anyway, and if table rows are long enough to be
 * copied for every tile (docs/notes/thresholds.md). OpenBLAS is called once for all of K, but with an operand
 * that is computed on load for each GT_MATMUL_DEPTH of K, so the rounding would differ. */
static bool gains_by_rows(const gt_target *target, const gt_product *p, gt_precision precision) {
  if (!target->device) return p->shape.run >= LEAST_WIDTH && gt_matmul_own_tile(p->shape.m);
  return p->shape.run % QUAD == 0 && gt_matmul_gains_by_rows(target, &p->shape, precision);
}

bool gt_product_gains(const gt_lowering *lowering, const gt_group *group, const gt_product *p,
                      gt_precision precision) {
  const gt_target *target = gt_lowering_target(lowering);
  return gt_matmul_has_rows(&p->shape) ? gains_by_rows(target, p, precision)
                                       : gains_by_bytes(target, group, p, precision);
}
