/* Forward-mode derivatives from two reverse-mode ones: the gradient of an op is linear in the output
 * gradient, so the derivative of this linear function, again in reverse mode, is the derivative along a
 * direction (the transpose of the transpose). So ops need no forward-mode rules. The nodes of the inner
 * gradient are unused and never computed. */
#include "op/tangent.h"
#include "base/memory.h"
#include "graph/op.h"
#include "op/autodiff.h"
#include "op/elementwise.h"
#include "op/move.h"
#include <stdlib.h>

struct gt_tangents {
  gt_graph *graph;
  gt_id wrt;
  int column;
  gt_id *tangent; /* for each node below `known`: its tangent; GT_NONE: not emitted, or zero */
  gt_id known;
};

/* Marks the nodes on paths from `wrt` to the value, including both. */
static bool *mark_between(const gt_graph *graph, gt_id wrt, gt_id value) {
  bool *between = gt_alloc(graph->count), *reached = gt_alloc(graph->count);
  if (wrt <= value) reached[wrt] = true;
  for (gt_id id = wrt; id <= value; id++)
    for (int k = 0; k < graph->node[id].inputs; k++) reached[id] |= reached[graph->node[id].input[k]];
  between[value] = reached[value];
  for (gt_id id = value + 1; id-- > wrt;)
    for (int k = 0; k < graph->node[id].inputs && between[id]; k++)
      between[graph->node[id].input[k]] |= reached[graph->node[id].input[k]];
  free(reached);
  return between;
}

/* True if `to` depends on `from` and every op between them has a gradient. */
static bool can_pull_back(const gt_graph *graph, gt_id from, gt_id to) {
  bool *between = mark_between(graph, from, to), ok = between[to];
  for (gt_id id = from + 1; id <= to; id++)
    if (between[id]) ok &= graph->node[id].op->gradient != NULL;
  free(between);
  return ok;
}

static void set_tangent(gt_tangents *t, gt_id id, gt_id tangent) {
  if (id >= t->known) {
    t->tangent = gt_realloc(t->tangent, sizeof *t->tangent * t->graph->count);
    while (t->known < t->graph->count) t->tangent[t->known++] = GT_NONE;
  }
  t->tangent[id] = tangent;
}

static gt_id tangent_of(const gt_tangents *t, gt_id id) { return id < t->known ? t->tangent[id] : GT_NONE; }

gt_tangents *gt_tangents_create(gt_graph *graph, gt_id wrt, gt_id direction, int column) {
  gt_tangents *t = gt_alloc(sizeof *t);
  *t = (gt_tangents){.graph = graph, .wrt = wrt, .column = column};
  set_tangent(t, wrt, direction);
  return t;
}

void gt_tangents_destroy(gt_tangents *t) {
  if (!t) return;
  free(t->tangent);
  free(t);
}

/* Adds the contributions of a node's inputs to *sum; false if the op has no such derivative. */
static bool add_contributions(const gt_tangents *t, gt_id id, const bool *wanted, gt_id *input_gradient,
                              gt_id *sum) {
  gt_graph *graph = t->graph;
  const gt_node node = graph->node[id]; /* a copy: emitting nodes may move the array */
  /* The tangent of an elementwise op without a gradient (less, sign) is zero. */
  if (!node.op->gradient || node.op->further) return !node.op->further && node.op->kind == GT_OP_ELEMENTWISE;
  graph->scope = node.scope;
  graph->precision = node.precision;
  const gt_id output_gradient = gt_expand(graph, gt_constant(graph, 0), node.shape);
  node.op->gradient(graph, id, &output_gradient, wanted, input_gradient);
  for (int k = 0; k < node.inputs; k++) {
    gt_id contribution;
    if (!wanted[k] || input_gradient[k] == GT_NONE) continue;
    if (!can_pull_back(graph, output_gradient, input_gradient[k])) return false;
    gt_pull_back(graph, input_gradient[k], tangent_of(t, node.input[k]), &output_gradient, 1, &contribution);
    *sum = *sum == GT_NONE ? contribution : gt_add(graph, *sum, contribution);
  }
  return true;
}

/* True if the node reads only columns of `wrt` in which the direction is 0. */
static bool reads_other_columns(const gt_tangents *t, gt_id id) {
  const gt_node *node = gt_node_at(t->graph, id);
  if (t->column < 0 || node->inputs != 1 || node->input[0] != t->wrt) return false;
  const int64_t first = gt_shrink_start(t->graph, id, 1);
  return first >= 0 && (t->column < first || t->column >= first + node->shape.dim[1]);
}

/* Emits the tangent of a node from those of its inputs. */
static bool emit_tangent(gt_tangents *t, gt_id id) {
  gt_graph *graph = t->graph;
  if (reads_other_columns(t, id)) return true;
  const int inputs = graph->node[id].inputs;
  const char *scope = graph->scope;
  const gt_precision precision = graph->precision;
  bool *wanted = gt_alloc(sizeof *wanted * (size_t)(inputs + 1)), any = false;
  gt_id *input_gradient = gt_alloc(sizeof *input_gradient * (size_t)(inputs + 1)), sum = GT_NONE;
  for (int k = 0; k < inputs; k++) {
    input_gradient[k] = GT_NONE;
    any |= wanted[k] = tangent_of(t, graph->node[id].input[k]) != GT_NONE;
  }
  const bool ok = !any || add_contributions(t, id, wanted, input_gradient, &sum);
  if (ok && sum != GT_NONE) set_tangent(t, id, sum);
  free(wanted);
  free(input_gradient);
  graph->scope = scope;
  graph->precision = precision;
  return ok && !graph->error.status;
}

gt_id gt_tangent(gt_tangents *t, gt_id value, gt_id *failed) {
  *failed = GT_NONE;
  if (value == GT_NONE) return GT_NONE;
  bool *between = mark_between(t->graph, t->wrt, value);
  for (gt_id id = t->wrt + 1; id <= value && *failed == GT_NONE; id++)
    if (between[id] && tangent_of(t, id) == GT_NONE && !emit_tangent(t, id)) *failed = id;
  free(between);
  return *failed == GT_NONE ? tangent_of(t, value) : GT_NONE;
}

gt_id gt_tangent_kink(const gt_graph *graph, gt_id wrt, gt_id value, int orders) {
  gt_id kink = GT_NONE;
  bool *between = mark_between(graph, wrt, value);
  for (gt_id id = wrt + 1; id <= value && kink == GT_NONE; id++) {
    const gt_node *node = &graph->node[id];
    if (between[id] && node->op->smooth && node->op->smooth(graph, node) < orders) kink = id;
  }
  free(between);
  return kink;
}

gt_id gt_tangent_first_mixing(const gt_graph *graph, gt_id wrt, gt_id value) {
  const int64_t rows = graph->node[wrt].shape.dim[0];
  gt_id mixture = GT_NONE;
  bool *between = mark_between(graph, wrt, value);
  for (gt_id id = wrt + 1; id <= value && mixture == GT_NONE; id++)
    if (between[id] && gt_shape_count(graph->node[id].shape) % rows) mixture = id;
  free(between);
  return mixture;
}
