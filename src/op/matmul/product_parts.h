/* Internal interface between the files product*.c. */
#ifndef GT_OP_MATMUL_PRODUCT_PARTS_H
#define GT_OP_MATMUL_PRODUCT_PARTS_H
#include "op/matmul/matmul_engines.h"
#include "op/matmul/product.h"

enum { GT_PRODUCT_MOST_GROUPS = 65535 /* workgroups along an axis that every Vulkan device supports */ };

/* Starts a step of the product with this kernel. reads_a, reads_b: which operands it reads. */
gt_step *gt_product_start(gt_lowering *lowering, const gt_product *product, const gt_matmul_cut *cut,
                          const gt_kernel *kernel, bool reads_a, bool reads_b);

/* Chooses the product's kernel and launch configuration. */
gt_matmul_cut gt_product_cut(gt_lowering *lowering, const gt_product *product, gt_precision precision);

/* Scales ("roots") of an operand's rows or columns ("lines"), if they are known without a kernel that
 * computes their amax. */
typedef struct gt_known_lines {
  /* GT_MATRIX_KNOWN_A, with GT_MATRIX_EVEN_A if all have one scale, also for operand B, whose own flags are
   * twice these; 0: not known. */
  uint32_t form;
  uint32_t log2_parts; /* of the number of scales that GT_RANGE_DEPTH elements along K have */
  uint32_t scratch;    /* memory that holds the scales, unless all have one */
  float root;          /* the one scale, if all have one */
} gt_known_lines;

/* Scales that the product's kernel reads. */
typedef struct gt_product_ranges {
  gt_known_lines a, b;
  uint32_t form; /* GT_MATRIX_… of both; not 0: B's scales have a buffer of their own, else they follow A's */
} gt_product_ranges;

/* True if both operands are of kinds whose scales can be passed to the kernel instead of being computed. */
bool gt_product_may_be_known(const gt_matmul_shape *shape);
/* Emits the kernels that compute the scales that are not known. packed_b: 1 + the scratch memory in which the
 * packing kernel stores B's scales; 0: none. */
gt_product_ranges gt_product_lower_ranges(gt_lowering *lowering, const gt_group *group,
                                          const gt_product *product, const gt_matmul_cut *cut,
                                          uint32_t packed_b);
/* Passes the scales to the product's step. */
void gt_product_use_ranges(gt_lowering *lowering, const gt_product_ranges *ranges, gt_step *step);

/* Adds the secondary outputs that other groups need to the product's step (product_beside.c). */
void gt_product_lower_beside(gt_lowering *lowering, const gt_group *group, const gt_product *product,
                             const gt_matmul_cut *cut, gt_step *step);
#endif
