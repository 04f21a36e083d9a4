/* The parts of a product's lowering (product.c): for files of this folder. */
#ifndef GT_OP_MATMUL_PRODUCT_PARTS_H
#define GT_OP_MATMUL_PRODUCT_PARTS_H
#include "op/matmul/matmul_engines.h"
#include "op/matmul/product.h"

enum { GT_PRODUCT_MOST_GROUPS = 65535 /* along an axis, what Vulkan promises */ };

/* The next step, with those of its factors that it reads. */
gt_step *gt_product_start(gt_lowering *lowering, const gt_product *product, const gt_matmul_cut *cut,
                          const gt_kernel *kernel, bool reads_a, bool reads_b);

/* How the product is made, which is chosen here. */
gt_matmul_cut gt_product_cut(gt_lowering *lowering, const gt_product *product, gt_precision precision);

/* What is known of a factor's lines before it is measured. */
typedef struct gt_known_lines {
  uint32_t form;    /* GT_MATRIX_KNOWN_A and _EVEN_A; 0: nothing is */
  uint32_t parts;   /* 2 ^ so many roots to a depth */
  uint32_t scratch; /* where their roots lie, or … */
  float root;       /* … the one of all of them */
} gt_known_lines;

/* Where what the product reads of its factors' ranges lies, if it does. */
typedef struct gt_product_ranges {
  gt_known_lines a, b;
  uint32_t form; /* of both; not 0: B's lie by themselves */
} gt_product_ranges;

/* True if known facts about an operand can be passed to the kernel, which then does without the other
 * operand's geometry. */
bool gt_product_may_be_known(const gt_matmul_shape *shape);
/* What is not known is measured, as soon as it is there. packed_b: where packing has left B's roots, and one;
 * or 0. */
gt_product_ranges gt_product_lower_ranges(gt_lowering *lowering, const gt_group *group,
                                          const gt_product *product, const gt_matmul_cut *cut,
                                          uint32_t packed_b);
/* Tells the step of the product. */
void gt_product_use_ranges(gt_lowering *lowering, const gt_product_ranges *ranges, gt_step *step);

/* What others asked of the group, beside the result (product_beside.c). */
void gt_product_lower_beside(gt_lowering *lowering, const gt_group *group, const gt_product *product,
                             const gt_matmul_cut *cut, gt_step *step);
#endif
