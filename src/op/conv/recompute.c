#include "op/chain.h"
#include "op/conv/conv.h"
#include "op/elementwise.h"
#include "op/op.h"

/* True if the input of the chain is stored for a gradient anyway. */
static bool input_is_stored(const gt_graph *graph, const gt_chain *chain) {
  bool stored = false;
  for (int n = 0; n < chain->nodes; n++) {
    const gt_derivative *derivative = gt_node_at(graph, chain->node[n])->derivative;
    stored |= derivative && derivative->input[0] == chain->source;
  }
  return stored;
}

/* --- derivatives that read the recomputed relu ---------------------------------------------------------- */

typedef struct recomputed {
  gt_derivative derivative;
  gt_id input[2], copy; /* inputs of the node; copy: the recomputed relu */
  const gt_conv_attribute *attribute;
} recomputed;

static void gradient_of_relu(gt_graph *graph, const gt_derivative *derivative, gt_id output_gradient,
                             const bool *wanted, gt_id *input_gradient) {
  const recomputed *r = derivative->context;
  if (wanted[0]) input_gradient[0] = gt_where(graph, r->copy, output_gradient, gt_constant(graph, 0));
}

static void gradient_of_conv(gt_graph *graph, const gt_derivative *derivative, gt_id output_gradient,
                             const bool *wanted, gt_id *input_gradient) {
  const recomputed *r = derivative->context;
  if (wanted[0]) input_gradient[0] = gt_conv_input(graph, output_gradient, r->input[1], r->attribute);
  if (wanted[1]) input_gradient[1] = gt_conv_weight(graph, output_gradient, r->copy, r->attribute);
}

/* The data for a derivative of this node that reads `copy`; the caller sets derivative.gradient. */
static recomputed *derive(gt_graph *graph, gt_id id, gt_id copy) {
  const gt_node *node = gt_node_at(graph, id);
  recomputed *r = GT_NEW(graph->arena, recomputed);
  *r = (recomputed){.copy = copy, .attribute = node->attribute};
  for (int i = 0; i < node->inputs; i++) r->input[i] = node->input[i];
  r->derivative = (gt_derivative){r->input, node->inputs, NULL, r};
  return r;
}

/* The recomputed output of a relu, emitted on the first call; GT_NONE if storing it is better. */
static gt_id recompute(gt_graph *graph, gt_id x) {
  const gt_node *node = gt_node_at(graph, x);
  gt_chain chain;
  if (node->derivative && node->derivative->gradient == gradient_of_relu)
    return ((const recomputed *)node->derivative->context)->copy;
  if (node->op != gt_op_find("relu") || node->derivative || !gt_chain_of(graph, x, &chain) ||
      !input_is_stored(graph, &chain))
    return GT_NONE;
  recomputed *r = derive(graph, x, gt_chain_recompute(graph, &chain));
  r->derivative.gradient = gradient_of_relu;
  gt_graph_set_derivative(graph, x, &r->derivative);
  return r->copy;
}

void gt_conv_recompute(gt_graph *graph, gt_id y) {
  if (y == GT_NONE || gt_node_at(graph, y)->op != gt_op_find("conv")) return;
  const gt_id x = recompute(graph, gt_node_at(graph, y)->input[0]);
  if (x == GT_NONE) return;
  recomputed *r = derive(graph, y, x);
  r->derivative.gradient = gradient_of_conv;
  gt_graph_set_derivative(graph, y, &r->derivative);
}
