#include "op/one_hot.h"
#include "base/count.h"
#include "op/check.h"
#include "op/op.h"
#include "shaders/op/one_hot.h"
#include "step/lowering.h"
#include <math.h>
#include <stddef.h>

enum { TILE_VALUES = 8192, WORKGROUP = 256 };
static const gt_op op;

GT_DEFINE(op, one_hot) = {&op, 1};

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_node *x = gt_node_at(graph, node->input[0]), *features = gt_node_at(graph, node->input[1]);
  if (!gt_check_f32("one_hot", x, error)) return false;
  if (x->shape.rank != 2 || features->dtype != GT_I32 || features->shape.rank != 2 ||
      features->shape.dim[0] != 2) {
    char a[128], b[128];
    return gt_fail(error, GT_ERR_CONFIG, "one_hot needs x [B, S] and i32 features [2, F], not %s and %s",
                   gt_shape_text(x->shape, a), gt_shape_text(features->shape, b));
  }
  *shape = gt_shape_2(x->shape.dim[0], features->shape.dim[1]);
  *dtype = GT_F32;
  return gt_check_size("one_hot", *shape, error);
}

gt_id gt_one_hot(gt_graph *graph, gt_id x, gt_id features, bool bits) {
  return gt_node_add(graph, &op, (const gt_id[]){x, features}, 2, &bits, sizeof bits);
}

static bool are_bits(const gt_graph *graph, const gt_node *node) {
  (void)graph;
  return *(const bool *)node->attribute;
}

static uint32_t rows_per_tile(uint32_t width) { return TILE_VALUES / width + 1; }

static void one_hot_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_one_hot_args *a = args;
  const int32_t *column = GT_PTR(const int32_t, a->features), *code = column + a->width;
  const uint32_t per_tile = rows_per_tile(a->width), first = tile * per_tile;
  (void)spec;
  for (uint32_t r = first; r < first + per_tile && r < a->rows; r++) {
    const float *x = GT_PTR(const float, a->x) + (size_t)r * a->stored;
    float *y = GT_PTR(float, a->y) + (size_t)r * a->width;
    for (uint32_t f = 0; f < a->width; f++) {
      const float v = (uint32_t)column[f] < a->stored ? x[column[f]] : NAN;
      y[f] = code[f] < 0 ? v : (float)(v == (float)code[f]);
    }
  }
}

static const gt_kernel kernel = {"one_hot", one_hot_cpu};

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const struct gt_one_hot_args args = {.rows = (uint32_t)node->shape.dim[0],
                                       .width = (uint32_t)node->shape.dim[1],
                                       .stored = (uint32_t)gt_node_at(graph, node->input[0])->shape.dim[1]};
  gt_step *step = gt_lower_step(lowering, &kernel, &args, sizeof args);
  step->tiles = gt_ceil_div(args.rows, rows_per_tile(args.width));
  gt_lower_read(lowering, offsetof(struct gt_one_hot_args, x), node->input[0]);
  gt_lower_read(lowering, offsetof(struct gt_one_hot_args, features), node->input[1]);
  gt_lower_write(lowering, offsetof(struct gt_one_hot_args, y), group->leader);
  gt_lower_grid(lowering, (uint64_t)args.rows * args.width, WORKGROUP);
}

static const gt_op op = {.name = "one_hot",
                         .kind = GT_OP_KERNEL,
                         .min_inputs = 2,
                         .infer = infer,
                         .bits = are_bits,
                         .lower = lower};
