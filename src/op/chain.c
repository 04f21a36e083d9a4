#include "op/chain.h"
#include "graph/op.h"

enum { INPUTS = 3 }; /* maximum number of inputs of an elementwise node */

/* Adds a node and, before it, the nodes that it depends on; false as gt_chain_of. */
static bool collect(const gt_graph *graph, gt_id id, int64_t count, gt_chain *c) {
  const gt_node *node = gt_node_at(graph, id);
  if (gt_shape_count(node->shape) != count) return true;
  for (int i = 0; i < c->nodes; i++)
    if (c->node[i] == id) return true;
  if (node->op->kind != GT_OP_ELEMENTWISE) {
    if (c->source != GT_NONE && c->source != id) return false;
    c->source = id;
    return true;
  }
  if (node->op->clocked) return false;
  for (int i = 0; i < node->inputs; i++)
    if (!collect(graph, node->input[i], count, c)) return false;
  if (c->nodes == GT_CHAIN_NODES) return false;
  c->node[c->nodes++] = id;
  return true;
}

bool gt_chain_of(const gt_graph *graph, gt_id id, gt_chain *chain) {
  *chain = (gt_chain){.source = GT_NONE};
  return collect(graph, id, gt_shape_count(gt_node_at(graph, id)->shape), chain) && chain->nodes;
}

gt_id gt_chain_recompute(gt_graph *graph, const gt_chain *c) {
  gt_id copy[GT_CHAIN_NODES], input[INPUTS];
  const char *scope = graph->scope;
  for (int n = 0; n < c->nodes; n++) {
    const gt_node node = *gt_node_at(graph, c->node[n]);
    for (int i = 0; i < node.inputs; i++) {
      input[i] = node.input[i];
      for (int k = 0; k < n; k++)
        if (c->node[k] == node.input[i]) input[i] = copy[k];
    }
    gt_graph_set_scope(graph, node.scope);
    copy[n] = gt_node_add(graph, node.op, input, node.inputs, node.attribute, node.attribute_size);
  }
  gt_graph_set_scope(graph, scope);
  return copy[c->nodes - 1];
}

gt_id gt_recompute_if_smaller(gt_graph *graph, gt_id id) {
  gt_chain chain;
  if (id == GT_NONE || !gt_chain_of(graph, id, &chain) || chain.source != GT_NONE) return id;
  return gt_chain_recompute(graph, &chain);
}
