#include "support/three.h"
#include "graph/op.h"
#include "lib/args.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "step/lowering.h"
#include <stddef.h>
#include <string.h>

gt_id three_gradients[3];

typedef struct three_args {
  uint64_t x, square, triple, negative;
  uint64_t loaded[4], stored[2]; /* addresses of the inputs and outputs of an epilogue */
  uint32_t count;
} three_args;

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_shape x = gt_node_at(graph, node->input[0])->shape;
  if (x.rank != 1) return gt_fail(error, GT_ERR_CONFIG, "three takes a vector");
  shape[0] = shape[2] = x;
  shape[1] = gt_shape_2(1, x.dim[0]);
  dtype[0] = dtype[1] = GT_F32;
  dtype[2] = GT_I32;
  return true;
}

static void gradient(gt_graph *graph, gt_id node, const gt_id *given, const bool *wanted,
                     gt_id *input_gradient) {
  const gt_id x = gt_node_at(graph, node)->input[0];
  const gt_shape shape = gt_node_at(graph, x)->shape;
  gt_id sum = GT_NONE;
  memcpy(three_gradients, given, sizeof three_gradients);
  if (!wanted[0]) return;
  if (given[0] != GT_NONE) sum = gt_mul(graph, given[0], gt_mul(graph, x, gt_constant(graph, 2)));
  if (given[1] != GT_NONE) {
    const gt_id term = gt_mul(graph, gt_reshape(graph, given[1], shape), gt_constant(graph, 3));
    sum = sum == GT_NONE ? term : gt_add(graph, sum, term);
  }
  input_gradient[0] = sum;
}

static void three_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  (void)spec, (void)tile;
  const three_args *a = args;
  const float *x = GT_PTR(const float, a->x);
  for (uint32_t i = 0; i < a->count; i++) {
    GT_PTR(float, a->square)[i] = x[i] * x[i];
    GT_PTR(float, a->triple)[i] = 3 * x[i];
    GT_PTR(int32_t, a->negative)[i] = x[i] < 0;
  }
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  static const gt_kernel kernel = {"three", three_cpu};
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const three_args args = {.count = (uint32_t)gt_shape_count(node->shape)};
  gt_lower_step(lowering, &kernel, &args, sizeof args);
  gt_lower_read(lowering, offsetof(three_args, x), node->input[0]);
  if (node->op->epilogue)
    gt_lower_program(lowering, group, offsetof(three_args, loaded), offsetof(three_args, stored), -1, -1);
  else
    gt_lower_write(lowering, offsetof(three_args, square), group->leader);
  gt_lower_write(lowering, offsetof(three_args, triple), gt_result(graph, group->leader, 1));
  gt_lower_write(lowering, offsetof(three_args, negative), gt_result(graph, group->leader, 2));
}

#define THREE(op_name, op_epilogue)                                                                        \
  {                                                                                                        \
    .name = op_name, .kind = GT_OP_KERNEL, .min_inputs = 1, .max_inputs = 1, .further = 2, .infer = infer, \
    .gradient = gradient, .lower = lower, .epilogue = op_epilogue                                          \
  }
static const gt_op plain = THREE("three", false), fusable = THREE("three_fusable", true);

gt_id three(gt_graph *graph, gt_id x) { return gt_node_add(graph, &plain, &x, 1, NULL, 0); }
gt_id three_fusable(gt_graph *graph, gt_id x) { return gt_node_add(graph, &fusable, &x, 1, NULL, 0); }
