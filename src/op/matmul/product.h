/* Lowering of a GEMM ("product") to kernel launches. Its operands ("factors") can be dense or computed on
 * load: matmul, convolutions and KAN layers use it. */
#ifndef GT_OP_MATMUL_PRODUCT_H
#define GT_OP_MATMUL_PRODUCT_H
#include "op/matmul/matmul_config.h"

typedef struct gt_product_factor {
  gt_id node;
  uint32_t stride;  /* dense: elements from one entry of the batch to the next, 0: shared by all entries */
  uint32_t scratch; /* 1 + the scratch memory that holds the operand instead of a node's value; 0: none */
} gt_product_factor;

typedef struct gt_product { /* c[m, n] = op(a) op(b) for each entry of the batch */
  gt_matmul_shape shape;
  gt_product_factor a, b;
  uint32_t result; /* layout of the result's rows: GT_RESULT_… */
  /* With shape.segment: the node x. The sums of each K segment are multiplied by derivatives of the basis
   * functions at x ("drained", shaders/op/matmul/factor.h). */
  gt_id drain;
  gt_id scales; /* the node with the scales of a KAN's coefficients, or GT_NONE; with scales B is not dense */
  /* Not NULL: the coefficients (B) have not been multiplied by their scales yet. packed: the kernel that
   * packs B does it; otherwise the function emits a step that does. It updates the product to match. */
  void (*scale)(gt_lowering *lowering, struct gt_product *product, bool packed);
  const void *scale_with; /* data of that function */
  /* What the loader of the operand that is not dense reads: `words` words in memory. Two kinds of operands
   * have other data instead: `bytes`, what a byte represents; `numbers`, the node with the indices of table
   * rows. */
  const uint32_t *geometry;
  size_t words;
  gt_byte_form bytes;
  gt_id numbers;
  gt_element_range measured_a; /* elements of A whose amax is computed; count 0: all of them */
  /* Specialization constants of the operand that is not dense, from GT_FACTOR_SPEC_OWN on. */
  uint32_t own[GT_FACTOR_SPEC_END - GT_FACTOR_SPEC_OWN];
} gt_product;

/* Emits the steps of a group whose leader is a product; the group's program is its epilogue. */
void gt_product_lower(gt_lowering *lowering, const gt_group *group, const gt_product *product);
/* The amax values (GT_MEASURED_…) that such a product needs of operand A, or of B; called before lowering. */
uint32_t gt_product_measures(gt_lowering *lowering, const gt_product *product, gt_precision precision,
                             bool of_a);
typedef bool gt_product_question(gt_lowering *lowering, const gt_product *product, gt_precision precision);
/* gt_product_joins: true if the product's kernel can reduce the columns of its epilogue's result
 * (gt_group.columns). gt_product_rows: true if a row program as its epilogue makes the step faster
 * (gt_op.rows). gt_product_sums: true if complete column sums make the step faster (gt_op.sums). */
gt_product_question gt_product_joins, gt_product_rows, gt_product_sums;
/* Sets the storage format of operand A, or of B; false, without a change, if no loader reads this format. */
bool gt_product_take(const gt_graph *graph, gt_product *product, bool is_a, const gt_form *form);
/* True if the group's product is faster with the storage format that gt_product_take has set. */
bool gt_product_gains(const gt_lowering *lowering, const gt_group *group, const gt_product *product,
                      gt_precision precision);
/* Emits the reduction kernel of split-K, which runs the epilogue, too: it adds `parts` partial results of
 * `count` elements each in scratch memory. row: row length of the result. */
void gt_product_finish(gt_lowering *lowering, const gt_group *group, uint32_t count, uint32_t row,
                       uint32_t parts, uint32_t scratch);
#endif
