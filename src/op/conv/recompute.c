#include "op/conv/recompute.h"
#include "op/conv/conv.h"
#include "op/elementwise.h"
#include "op/op.h"

enum { MOST = 8, INPUTS = 3 }; /* nodes that are computed again; what an elementwise node reads at most */

typedef struct chain {
  const gt_graph *graph;
  int64_t count; /* elements of each of its nodes */
  gt_id node[MOST];
  int nodes;
  gt_id from; /* what it is made of, besides what is smaller */
  bool kept;  /* that is needed for a gradient anyway */
} chain;

/* Inputs come before what is made of them. */
static bool collect(chain *c, gt_id id) {
  const gt_node *node = gt_node_at(c->graph, id);
  if (gt_shape_count(node->shape) != c->count) return true;
  for (int i = 0; i < c->nodes; i++)
    if (c->node[i] == id) return true;
  if (node->op->kind != GT_OP_ELEMENTWISE) {
    if (c->from != GT_NONE && c->from != id) return false;
    c->from = id;
    return true;
  }
  if (node->op->clocked) return false;
  for (int i = 0; i < node->inputs; i++)
    if (!collect(c, node->input[i])) return false;
  if (c->nodes == MOST) return false;
  c->node[c->nodes++] = id;
  c->kept |= node->derivative && node->derivative->input[0] == c->from;
  return true;
}

/* The last node of the chain once more. */
static gt_id copy(gt_graph *graph, const chain *c) {
  gt_id again[MOST], input[INPUTS];
  const char *scope = graph->scope;
  for (int n = 0; n < c->nodes; n++) {
    const gt_node node = *gt_node_at(graph, c->node[n]);
    for (int i = 0; i < node.inputs; i++) {
      input[i] = node.input[i];
      for (int k = 0; k < n; k++)
        if (c->node[k] == node.input[i]) input[i] = again[k];
    }
    gt_graph_scope(graph, node.scope);
    again[n] = gt_node_add(graph, node.op, input, node.inputs, node.attribute, node.attribute_size);
  }
  gt_graph_scope(graph, scope);
  return again[c->nodes - 1];
}

/* --- derivatives that read the copy --------------------------------------------------------------------- */

typedef struct recomputed {
  gt_derivative derivative;
  gt_id input[2], again;
  const gt_conv_attribute *attribute;
} recomputed;

static void gradient_of_relu(gt_graph *graph, const gt_derivative *derivative, gt_id given,
                             const bool *wanted, gt_id *input_gradient) {
  const recomputed *r = derivative->context;
  if (wanted[0]) input_gradient[0] = gt_where(graph, r->again, given, gt_constant(graph, 0));
}

static void gradient_of_conv(gt_graph *graph, const gt_derivative *derivative, gt_id given,
                             const bool *wanted, gt_id *input_gradient) {
  const recomputed *r = derivative->context;
  if (wanted[0]) input_gradient[0] = gt_conv_input(graph, given, r->input[1], r->attribute);
  if (wanted[1]) input_gradient[1] = gt_conv_weight(graph, given, r->again, r->attribute);
}

static recomputed *derive(gt_graph *graph, gt_id id, gt_id again) {
  const gt_node *node = gt_node_at(graph, id);
  recomputed *r = GT_NEW(graph->arena, recomputed);
  *r = (recomputed){.again = again, .attribute = node->attribute};
  for (int i = 0; i < node->inputs; i++) r->input[i] = node->input[i];
  r->derivative = (gt_derivative){r->input, node->inputs, NULL, r};
  return r;
}

/* The copy of what a rectifier gives, which is made for the first that asks; GT_NONE: it had better be kept.
 */
static gt_id again(gt_graph *graph, gt_id x) {
  const gt_node *node = gt_node_at(graph, x);
  chain c = {.graph = graph, .count = gt_shape_count(node->shape), .from = GT_NONE};
  if (node->derivative && node->derivative->gradient == gradient_of_relu)
    return ((const recomputed *)node->derivative->context)->again;
  if (node->op != gt_op_find("relu") || node->derivative || !collect(&c, x) || !c.kept) return GT_NONE;
  recomputed *r = derive(graph, x, copy(graph, &c));
  r->derivative.gradient = gradient_of_relu;
  gt_graph_derive(graph, x, &r->derivative);
  return r->again;
}

void gt_conv_recompute(gt_graph *graph, gt_id y) {
  if (y == GT_NONE || gt_node_at(graph, y)->op != gt_op_find("conv")) return;
  const gt_id x = again(graph, gt_node_at(graph, y)->input[0]);
  if (x == GT_NONE) return;
  recomputed *r = derive(graph, y, x);
  r->derivative.gradient = gradient_of_conv;
  gt_graph_derive(graph, y, &r->derivative);
}
