/* The products of a KAN layer (kan.c), as what they are lowered to takes them. */
#ifndef GT_OP_KAN_PRODUCT_H
#define GT_OP_KAN_PRODUCT_H
#include "op/kan/kan.h"
#include "op/matmul/product.h"

typedef struct gt_kan_extents {
  const gt_kan_attribute *a;
  int64_t lines, inputs, outputs;
  gt_id scales; /* GT_NONE: none */
  uint32_t parts;
} gt_kan_extents;

typedef enum gt_kan_product_form {
  GT_KAN_FORWARD,      /* B(x) C */
  GT_KAN_COEFFICIENTS, /* B(x)ᵀ g */
  GT_KAN_INPUT         /* of g and C, drained by B'(x); on a device only */
} gt_kan_product_form;

/* The product that a node of that form with these extents is; it refers to these and to geometry. */
gt_product gt_kan_product(gt_lowering *lowering, const gt_node *node, gt_kan_product_form form,
                          const gt_kan_extents *extents, uint32_t geometry[GT_BASIS_WORDS]);
#endif
