/* Gradients of a KAN layer whose base reads inputs of its own (apart, op/kan/kan.h): of the inputs, and of
 * the coefficients; first those of the functions, then those of the base. x is [2, batch…, inputs], g, the
 * gradient of the output, [batch…, outputs], c are the coefficients. */
#ifndef GT_OP_KAN_APART_H
#define GT_OP_KAN_APART_H
#include "op/kan/kan.h"
gt_id gt_kan_apart_inputs(gt_graph *graph, const gt_kan_attribute *attribute, gt_id x, gt_id g, gt_id c);
gt_id gt_kan_apart_coefficients(gt_graph *graph, const gt_kan_attribute *attribute, gt_id x, gt_id g);
#endif
