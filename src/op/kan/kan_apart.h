/* Gradients of a KAN layer whose base reads inputs of its own (op/kan/kan.h): those of the functions by
 * themselves, and those of the base, behind them. x is [2, batch…, inputs], g [batch…, outputs], c the
 * coefficients of both. */
#ifndef GT_OP_KAN_APART_H
#define GT_OP_KAN_APART_H
#include "op/kan/kan.h"
gt_id gt_kan_apart_inputs(gt_graph *graph, const gt_kan_attribute *attribute, gt_id x, gt_id g, gt_id c);
gt_id gt_kan_apart_coefficients(gt_graph *graph, const gt_kan_attribute *attribute, gt_id x, gt_id g);
#endif
