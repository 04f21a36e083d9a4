#include "op/slice_rows.h"
#include "base/count.h"
#include "op/check.h"
#include "op/op.h"
#include "shaders/op/slice_rows.h"
#include "step/lowering.h"
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { TILE_VALUES = 16384, WORKGROUP = 256 };
static const gt_op op;

GT_DEFINE(op, slice_rows) = {&op, 1};

typedef struct slice_attribute {
  int64_t begin, count;
} slice_attribute;

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const slice_attribute *a = node->attribute;
  const gt_node *data = gt_node_at(graph, node->input[0]), *start = gt_node_at(graph, node->input[1]);
  if ((data->dtype != GT_F32 && data->dtype != GT_I32) || data->shape.rank < 1 ||
      data->shape.rank >= GT_MAX_RANK || start->dtype != GT_I32 || start->shape.rank != 1 || a->count < 1) {
    char x[128], y[128];
    return gt_fail(error, GT_ERR_CONFIG,
                   "slice_rows needs data [R, D…] of f32 or i32 and i32 starts [B], not %s %s and %s %s",
                   gt_dtype_name(data->dtype), gt_shape_text(data->shape, x), gt_dtype_name(start->dtype),
                   gt_shape_text(start->shape, y));
  }
  *shape = gt_shape_2(start->shape.dim[0], a->count);
  for (int d = 1; d < data->shape.rank; d++) shape->dim[shape->rank++] = data->shape.dim[d];
  *dtype = data->dtype;
  return gt_check_size("slice_rows", data->shape, error) && gt_check_size("slice_rows", *shape, error);
}

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  const slice_attribute *a = node->attribute;
  snprintf(buffer, size, "from %" PRId64 ", %" PRId64 " rows", a->begin, a->count);
}

gt_id gt_slice_rows(gt_graph *graph, gt_id data, gt_id start, int64_t begin, int64_t count) {
  if (data == GT_NONE || start == GT_NONE) return GT_NONE;
  const slice_attribute a = {begin, count};
  return gt_node_add(graph, &op, (const gt_id[]){data, start}, 2, &a, sizeof a);
}

static uint32_t slices_per_tile(const struct gt_slice_rows_args *a) {
  return TILE_VALUES / (a->count * a->width) + 1;
}

/* The row of the data at which the slice begins; the end of the data if the start is outside. */
static int64_t first_row(const struct gt_slice_rows_args *a, uint32_t slice) {
  const int32_t start = GT_PTR(const int32_t, a->start)[slice];
  return start < 0 || (uint32_t)start >= a->rows ? (int64_t)a->rows : (int64_t)start + a->begin;
}

static void slice_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_slice_rows_args *a = args;
  const uint32_t per_tile = slices_per_tile(a), first = tile * per_tile, values = a->count * a->width;
  (void)spec;
  for (uint32_t b = first; b < first + per_tile && b < a->slices; b++) {
    const int64_t from = first_row(a, b),
                  inside = gt_max_i64(0, gt_min_i64(a->count, (int64_t)a->rows - from)) * a->width;
    uint32_t *y = GT_PTR(uint32_t, a->y) + (size_t)b * values;
    if (inside) memcpy(y, GT_PTR(const uint32_t, a->data) + (size_t)from * a->width, (size_t)inside * 4);
    for (int64_t i = inside; i < values; i++) y[i] = a->outside;
  }
}

static const gt_kernel kernel = {"slice_rows", slice_cpu};

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader), *data = gt_node_at(graph, node->input[0]);
  const slice_attribute *attribute = node->attribute;
  const struct gt_slice_rows_args args = {.slices = (uint32_t)node->shape.dim[0],
                                          .count = (uint32_t)attribute->count,
                                          .width =
                                              (uint32_t)(gt_shape_count(data->shape) / data->shape.dim[0]),
                                          .rows = (uint32_t)data->shape.dim[0],
                                          .begin = (uint32_t)attribute->begin,
                                          .outside = node->dtype == GT_F32 ? 0x7FC00000u : UINT32_MAX};
  gt_step *step = gt_lower_step(lowering, &kernel, &args, sizeof args);
  step->tiles = gt_ceil_div(args.slices, slices_per_tile(&args));
  gt_lower_read(lowering, offsetof(struct gt_slice_rows_args, data), node->input[0]);
  gt_lower_read(lowering, offsetof(struct gt_slice_rows_args, start), node->input[1]);
  gt_lower_write(lowering, offsetof(struct gt_slice_rows_args, y), group->leader);
  gt_lower_grid(lowering, (uint64_t)gt_shape_count(node->shape), WORKGROUP);
}

static bool copies_bits(const gt_graph *graph, const gt_node *node) {
  return gt_node_at(graph, node->input[0])->bits;
}

static const gt_op op = {.name = "slice_rows",
                         .kind = GT_OP_KERNEL,
                         .min_inputs = 2,
                         .infer = infer,
                         .bits = copies_bits,
                         .lower = lower,
                         .flops = gt_no_flops,
                         .print = print};
