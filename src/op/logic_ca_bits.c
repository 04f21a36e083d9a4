#include "op/logic_ca_bits.h"
#include "base/philox.h"
#include "op/logic_ca_plan.h"
#include "op/op.h"
#include <string.h>

static const gt_op rows[1];

GT_REGISTER(op, logic_ca_bits)
const gt_op_family gt_op_logic_ca_bits;
const gt_op_family gt_op_logic_ca_bits = {rows, 1};

static bool is_words(const gt_node *node, int64_t count) {
  return node->dtype == GT_I32 && gt_shape_count(node->shape) == count;
}

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_logic_ca_attribute *a = node->attribute;
  const gt_node *state = gt_node_at(graph, node->input[0]);
  if (!gt_logic_ca_check(a, state->shape, error)) return false;
  if (state->dtype != GT_I32 || !is_words(gt_node_at(graph, node->input[1]), gt_logic_ca_gates(a)) ||
      !is_words(gt_node_at(graph, node->input[2]), 2 * gt_logic_ca_wires(a)))
    return gt_fail(error, GT_ERR_INTERNAL, "logic_ca_bits: the words, codes or wiring do not fit");
  if (node->inputs != (a->fire_rate < 1 ? 4 : 3))
    return gt_fail(error, GT_ERR_INTERNAL, "logic_ca_bits: a clock is needed where cells fire at random");
  *shape = state->shape;
  *dtype = GT_I32;
  return true;
}

gt_id gt_logic_ca_bits(gt_graph *graph, gt_id state, gt_id codes, gt_id wiring, gt_id clock,
                       const gt_logic_ca_attribute *attribute) {
  gt_logic_ca_attribute a;
  memset(&a, 0, sizeof a);
  a.steps = attribute->steps;
  a.kernels = attribute->kernels;
  a.periodic = attribute->periodic;
  a.fire_rate = attribute->fire_rate;
  a.perceptions = attribute->perceptions;
  a.updates = attribute->updates;
  memcpy(a.width, attribute->width, sizeof a.width);
  const bool fires = a.fire_rate < 1;
  if (fires) a.purpose = GT_PURPOSE_GRAPH + graph->next_purpose++;
  const gt_id input[4] = {state, codes, wiring, clock};
  return gt_node_add(graph, &rows[0], input, fires ? 4 : 3, &a, sizeof a);
}

/* Nine operations on a word for each gate, cell, channel and step. */
static double flops(const gt_graph *graph, const gt_node *node) {
  const gt_logic_ca_attribute *a = node->attribute;
  double gates = 0;
  (void)graph;
  for (uint32_t l = 0; l < a->perceptions + a->updates; l++)
    gates += (double)a->width[l] * (l < a->perceptions ? a->kernels * (double)node->shape.dim[3] : 1);
  return 9 * gates * (double)(node->shape.dim[0] * node->shape.dim[1] * node->shape.dim[2]) * a->steps;
}

static const gt_op rows[1] = {{.name = "logic_ca_bits",
                               .kind = GT_OP_KERNEL,
                               .min_inputs = 3,
                               .max_inputs = 4,
                               .infer = infer,
                               .lower = gt_logic_ca_bits_lower,
                               .flops = flops}};
