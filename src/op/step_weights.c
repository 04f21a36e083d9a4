#include "op/step_weights.h"
#include "op/check.h"
#include "op/op.h"
#include "shaders/op/step_weights.h"
#include "step/lowering.h"
#include <stddef.h>

_Static_assert(GT_STEPS_COUNTED == GT_WEIGHT_COUNTED && GT_STEPS_MEAN == GT_WEIGHT_MEAN &&
                   GT_STEPS_LAST == GT_WEIGHT_LAST,
               "the shader uses the same numbers");

enum { TILE = 16384, WORKGROUP = 256 };
static const gt_op ops[1];

GT_DEFINE(op, step_weights) = {ops, 1};

typedef struct weights_attribute {
  int64_t steps;
  uint32_t kind, time_major;
} weights_attribute;

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const weights_attribute *a = node->attribute;
  const gt_node *lengths = gt_node_at(graph, node->input[0]);
  char text[128];
  if (lengths->dtype != GT_I32 || lengths->shape.rank != 1)
    return gt_fail(error, GT_ERR_CONFIG, "%s takes lengths [batch], integers, not %s %s", node->op->name,
                   gt_dtype_name(lengths->dtype), gt_shape_text(lengths->shape, text));
  const int64_t batch = lengths->shape.dim[0];
  *shape = a->time_major ? gt_shape_2(a->steps, batch) : gt_shape_2(batch, a->steps);
  *dtype = GT_F32;
  return gt_check_size(node->op->name, *shape, error);
}

static bool is_bits(const gt_graph *graph, const gt_node *node) {
  (void)graph;
  return ((const weights_attribute *)node->attribute)->kind != GT_STEPS_MEAN;
}

static double limit(const gt_graph *graph, const gt_node *node) { return (void)graph, (void)node, 1; }

static void weights_cpu(const void *arguments, const uint32_t *spec, uint32_t tile) {
  const struct gt_step_weights_args *args = arguments;
  const int32_t *lengths = GT_PTR(const int32_t, args->lengths);
  float *y = GT_PTR(float, args->y);
  const uint32_t count = args->steps * args->batch, kind = spec[GT_STEP_WEIGHTS_SPEC_KIND];
  for (uint32_t i = tile * TILE; i < count && i < (tile + 1) * TILE; i++) {
    const bool time_major = spec[GT_STEP_WEIGHTS_SPEC_TIME_MAJOR];
    const int32_t step = (int32_t)(time_major ? i / args->batch : i % args->steps);
    const int32_t length = lengths[time_major ? i % args->batch : i / args->steps];
    const bool has_weight = kind == GT_STEPS_LAST ? step == length - 1 : step < length;
    y[i] = !has_weight ? 0.0f : kind == GT_STEPS_MEAN ? 1.0f / (float)length : 1.0f;
  }
}

static const gt_kernel kernel = {"step_weights", weights_cpu};

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const weights_attribute *a = node->attribute;
  const uint64_t count = (uint64_t)gt_shape_count(node->shape);
  const struct gt_step_weights_args args = {.steps = (uint32_t)a->steps,
                                            .batch = (uint32_t)(count / (uint64_t)a->steps)};
  gt_step *step = gt_lower_step(lowering, &kernel, &args, sizeof args);
  step->spec[GT_STEP_WEIGHTS_SPEC_KIND] = a->kind;
  step->spec[GT_STEP_WEIGHTS_SPEC_TIME_MAJOR] = a->time_major;
  gt_lower_read(lowering, offsetof(struct gt_step_weights_args, lengths), node->input[0]);
  gt_lower_write(lowering, offsetof(struct gt_step_weights_args, y), group->leader);
  gt_lower_grid(lowering, count, WORKGROUP);
  step->tiles = (uint32_t)((count + TILE - 1) / TILE);
}

gt_id gt_step_weights(gt_graph *graph, gt_id lengths, int64_t steps, gt_step_weight kind, bool time_major) {
  const weights_attribute a = {.steps = steps, .kind = kind, .time_major = time_major};
  return gt_node_add(graph, &ops[0], &lengths, 1, &a, sizeof a);
}

static const gt_op ops[1] = {{.name = "step_weights",
                              .kind = GT_OP_KERNEL,
                              .min_inputs = 1,
                              .infer = infer,
                              .bits = is_bits,
                              .limit = limit,
                              .lower = lower}};
