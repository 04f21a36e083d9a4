/* Gradients of a KAN layer whose base activation reads other inputs than its splines. */
#include "op/kan/kan_product.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"

typedef struct parts {   /* the two halves of x */
  gt_id functions, base; /* the inputs of the functions, and those of the base */
  gt_shape each;         /* of each half, [batch…, inputs] */
  int64_t inputs, lines;
} parts;

static parts parts_of(gt_graph *graph, gt_id x) {
  parts p = {.each = gt_shape_without_first(gt_node_at(graph, x)->shape)};
  p.inputs = p.each.dim[p.each.rank - 1];
  p.lines = gt_shape_count(p.each) / p.inputs;
  p.functions = gt_view_or_input(graph, x, 0, p.each);
  p.base = gt_view_or_input(graph, x, gt_shape_count(p.each), p.each);
  return p;
}

/* The attribute of the functions without the base. */
static gt_kan_attribute functions_of(const gt_kan_attribute *a, uint32_t order) {
  gt_kan_attribute functions = *a;
  functions.base = functions.apart = 0;
  functions.order = order;
  return functions;
}

static int64_t outputs_of(const gt_graph *graph, gt_id g) {
  const gt_shape shape = gt_node_at(graph, g)->shape;
  return shape.dim[shape.rank - 1];
}

/* Derivative of silu, x s with s = sigmoid(x): s + x s (1 - s). */
static gt_id slope_of_base(gt_graph *graph, gt_id x) {
  const gt_id one = gt_constant(graph, 1), s = gt_sigmoid(graph, x), rest = gt_sub(graph, one, s);
  return gt_mul(graph, s, gt_add(graph, one, gt_mul(graph, x, rest)));
}

gt_id gt_kan_apart_inputs(gt_graph *graph, const gt_kan_attribute *a, gt_id x, gt_id g, gt_id c) {
  const parts p = parts_of(graph, x);
  const gt_kan_attribute slopes = functions_of(a, 1);
  const int64_t outputs = outputs_of(graph, g), rows = p.inputs * a->terms;
  const gt_id of_functions = gt_view_or_input(graph, c, 0, gt_shape_2(rows, outputs));
  const gt_id of_base = gt_view_or_input(graph, c, rows * outputs, gt_shape_2(p.inputs, outputs));
  const gt_id both[2] = {
      gt_kan_input(graph, p.functions, g, of_functions, GT_NONE, &slopes),
      gt_mul(graph, gt_matmul(graph, g, of_base, false, true), slope_of_base(graph, p.base))};
  return gt_reshape(graph, gt_pack(graph, both, 2), gt_node_at(graph, x)->shape);
}

/* With many lines of x the base gets a GEMM of its own: its tiles are bound by memory, those of the functions
 * by computation, and one GEMM for both is slower (docs/notes/thresholds.md). */
gt_id gt_kan_apart_coefficients(gt_graph *graph, const gt_kan_attribute *a, gt_id x, gt_id g) {
  enum { MANY_LINES = 2048 };
  const parts p = parts_of(graph, x);
  const gt_kan_attribute functions = functions_of(a, 0);
  if (p.lines <= MANY_LINES) return gt_kan_coefficients(graph, x, g, a);
  const int64_t outputs = outputs_of(graph, g);
  const gt_id lines = gt_reshape(graph, gt_silu(graph, p.base), gt_shape_2(p.lines, p.inputs));
  const gt_id flat = gt_reshape(graph, g, gt_shape_2(p.lines, outputs));
  const gt_id both[2] = {gt_kan_coefficients(graph, p.functions, g, &functions),
                         gt_matmul(graph, lines, flat, true, false)};
  return gt_reshape(graph, gt_pack(graph, both, 2), gt_shape_2(-1, outputs));
}
