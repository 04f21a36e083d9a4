/* The GEMMs of a KAN layer (kan.c), in the form that gt_product_lower reads; and gradients in the graph. */
#ifndef GT_OP_KAN_PRODUCT_H
#define GT_OP_KAN_PRODUCT_H
#include "op/kan/kan.h"
#include "op/matmul/product.h"

typedef struct gt_kan_extents {
  const gt_kan_attribute *a;
  int64_t lines, inputs, outputs; /* lines: rows of x */
  gt_id scales;                   /* GT_NONE: none */
  uint32_t parts;                 /* scales per edge (gt_kan_scale_parts); 0: none */
} gt_kan_extents;

typedef enum gt_kan_product_form {
  GT_KAN_FORWARD,      /* B(x) C */
  GT_KAN_COEFFICIENTS, /* B(x)ᵀ g */
  /* On devices only: g Cᵀ, a K segment for each function, whose sums are multiplied by B'(x). */
  GT_KAN_INPUT
} gt_kan_product_form;

/* The GEMM of a node with this form. It holds pointers to extents and geometry. */
gt_product gt_kan_product(gt_lowering *lowering, const gt_node *node, gt_kan_product_form form,
                          const gt_kan_extents *extents, uint32_t geometry[GT_BASIS_WORDS]);

/* Gradients of a KAN layer whose base reads inputs of its own (apart, op/kan/kan.h): of the inputs, and of
 * the coefficients; first those of the functions, then those of the base. x is [2, batch…, inputs], g, the
 * gradient of the output, [batch…, outputs], c are the coefficients. */
gt_id gt_kan_apart_inputs(gt_graph *graph, const gt_kan_attribute *attribute, gt_id x, gt_id g, gt_id c);
gt_id gt_kan_apart_coefficients(gt_graph *graph, const gt_kan_attribute *attribute, gt_id x, gt_id g);
#endif
