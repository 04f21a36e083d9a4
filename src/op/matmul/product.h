/* Lowering of a GEMM with dense or computed operands to kernel launches.
 *
 * A product as steps: what matmul lowers to, and with factors that are not dense other families, too. */
#ifndef GT_OP_MATMUL_PRODUCT_H
#define GT_OP_MATMUL_PRODUCT_H
#include "op/matmul/matmul_config.h"

typedef struct gt_product_factor {
  gt_id node;
  uint32_t stride;  /* dense: elements from one entry of the batch to the next, 0: shared */
  uint32_t scratch; /* not 0: it is no node's value, but lies in scratch memory of one less */
} gt_product_factor;

typedef struct gt_product { /* c[m, n] = op(a) op(b) for each entry of the batch */
  gt_matmul_shape shape;
  gt_product_factor a, b;
  uint32_t result; /* GT_RESULT_… */
  gt_id drain;     /* what the segments of k are drained with, where shape.segment is not 0 */
  gt_id scales;    /* factors of coefficients, where there are some: then no operand is dense */
  /* Not NULL: coefficients are still to be multiplied by them, if `packed` by the kernel that packs them,
   * else before, in a step that this emits. It makes of the product what is left to be done. */
  void (*scale)(gt_lowering *lowering, struct gt_product *product, bool packed);
  const void *scale_with; /* what it needs */
  /* What the factor that is not dense is told: words in memory, and its own specialization constants. */
  const uint32_t *geometry;
  size_t words;
  gt_byte_form bytes;    /* what those of a factor of bytes stand for, instead */
  gt_id numbers;         /* those of a factor of table rows, instead */
  gt_stretch measured_a; /* what of A is measured, where that is not all of it; else no elements */
  uint32_t own[GT_FACTOR_SPEC_END - GT_FACTOR_SPEC_OWN];
} gt_product;

/* Emits the steps of a group that is led by a product: its epilogue is the group's program. */
void gt_product_lower(gt_lowering *lowering, const gt_group *group, const gt_product *product);
/* What such a product asks of the lines of factor A, or of B, before it is lowered: GT_MEASURED_… */
uint32_t gt_product_measures(gt_lowering *lowering, const gt_product *product, gt_precision precision,
                             bool of_a);
typedef bool gt_product_question(gt_lowering *lowering, const gt_product *product, gt_precision precision);
/* True if its kernel can reduce the columns of its epilogue's result as requested (gt_group.columns); if a
 * row program as its epilogue makes the step faster (gt_op.rows); if complete column sums do (gt_op.sums). */
gt_product_question gt_product_joins, gt_product_rows, gt_product_sums;
/* Has factor A, or B, take the form that its value is left in; false, with nothing changed, where products do
 * not know it. */
bool gt_product_take(const gt_graph *graph, gt_product *product, bool is_a, const gt_form *form);
/* True if the group's product is faster with the storage format that one of its operands has taken. */
bool gt_product_gains(const gt_lowering *lowering, const gt_group *group, const gt_product *product,
                      gt_precision precision);
/* The step that adds up parts of such sums, `count` elements each, in scratch memory; row: length of the
 * result's rows. */
void gt_product_finish(gt_lowering *lowering, const gt_group *group, uint32_t count, uint32_t row,
                       uint32_t parts, uint32_t scratch);
#endif
