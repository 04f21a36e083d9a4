#include "op/autodiff.h"
#include "base/memory.h"
#include "graph/op.h"
#include "op/elementwise.h"
#include "op/move.h"
#include <stdlib.h>

/* Marks the nodes up to the loss that depend on a wrt node: only they can have a gradient. */
static bool *mark_paths(const gt_graph *graph, gt_id loss, const gt_id *wrt, int count) {
  bool *active = gt_alloc(graph->count);
  for (int i = 0; i < count; i++)
    if (wrt[i] != GT_NONE) active[wrt[i]] = true;
  for (gt_id id = 0; id <= loss; id++)
    for (int k = 0; k < graph->node[id].inputs; k++) active[id] |= active[graph->node[id].input[k]];
  return active;
}

/* True if the loss depends on a result of the node. */
static bool has_gradient(const gt_graph *graph, gt_id id, const gt_id *gradient_of) {
  for (int k = 0; k <= graph->node[id].op->further; k++)
    if (gradient_of[id + (gt_id)k] != GT_NONE) return true;
  return false;
}

static void accumulate(gt_graph *graph, gt_id input, gt_id contribution, gt_id *sum) {
  if (*sum != GT_NONE && graph->node[*sum].dtype != GT_F32 && !graph->error.status)
    gt_fail(&graph->error, GT_ERR_CONFIG,
            "only one layer may read the output of layer '%s': its gradient is in %s, and gradients of "
            "several readers are only added in %s",
            graph->node[input].scope, gt_dtype_name(graph->node[*sum].dtype), gt_dtype_name(GT_F32));
  *sum = *sum == GT_NONE ? contribution : gt_add(graph, *sum, contribution);
}

/* Propagates the gradients of a node's results, which are consecutive in gradient_of, to its inputs. The
 * emitted nodes have the scope and the precision of the layer that they belong to. */
static void propagate(gt_graph *graph, gt_id id, const bool *active, gt_id *gradient_of) {
  const gt_node node = graph->node[id]; /* a copy: emitting nodes may move the array */
  const gt_derivative *derivative = node.derivative;
  const gt_id *input = derivative ? derivative->input : node.input;
  const int inputs = derivative ? derivative->inputs : node.inputs;
  bool *wanted = gt_alloc(sizeof *wanted * (size_t)(inputs + 1));
  gt_id *input_gradient = gt_alloc(sizeof *input_gradient * (size_t)(inputs + 1));
  bool any = false;
  for (int k = 0; k < inputs; k++) {
    input_gradient[k] = GT_NONE;
    any |= wanted[k] = active[input[k]];
  }
  if (any && (derivative || node.op->gradient)) {
    graph->scope = node.scope;
    graph->precision = node.precision;
    if (derivative)
      derivative->gradient(graph, derivative, gradient_of[id], wanted, input_gradient);
    else
      node.op->gradient(graph, id, &gradient_of[id], wanted, input_gradient);
    for (int k = 0; k < inputs; k++)
      if (wanted[k] && input_gradient[k] != GT_NONE)
        accumulate(graph, input[k], input_gradient[k], &gradient_of[input[k]]);
  }
  free(wanted);
  free(input_gradient);
}

void gt_pull_back(gt_graph *graph, gt_id value, gt_id output_gradient, const gt_id *wrt, int count,
                  gt_id *gradient) {
  const char *scope = graph->scope;
  const gt_precision precision = graph->precision;
  bool *active = mark_paths(graph, value, wrt, count);
  const gt_id id_count = value + GT_MAX_RESULTS; /* the node may have further results */
  gt_id *gradient_of = gt_alloc(sizeof *gradient_of * (size_t)id_count);
  for (gt_id id = 0; id < id_count; id++) gradient_of[id] = GT_NONE;
  gradient_of[value] = output_gradient;
  for (gt_id id = value + 1; id-- > 0;)
    if (active[id] && has_gradient(graph, id, gradient_of)) propagate(graph, id, active, gradient_of);
  for (int i = 0; i < count; i++)
    gradient[i] = wrt[i] != GT_NONE && wrt[i] <= value ? gradient_of[wrt[i]] : GT_NONE;
  free(gradient_of);
  free(active);
  graph->scope = scope;
  graph->precision = precision;
}

bool gt_autodiff(gt_graph *graph, gt_id loss, const gt_id *wrt, int count, gt_id *gradient, gt_error *error) {
  for (int i = 0; i < count; i++) gradient[i] = GT_NONE;
  if (loss == GT_NONE) return gt_fail(error, GT_ERR_INTERNAL, "no loss to differentiate");
  const gt_shape shape = graph->node[loss].shape;
  const gt_id one = gt_constant(graph, 1.0);
  gt_pull_back(graph, loss, shape.rank ? gt_expand(graph, one, shape) : one, wrt, count, gradient);
  if (graph->error.status) return gt_fail(error, graph->error.status, "gradient: %s", graph->error.message);
  return gt_graph_verify(graph, error);
}
