#include "op/window.h"
#include "base/count.h"
#include "op/batch_order.h"
#include "op/check.h"
#include "op/op.h"
#include "shaders/op/window.h"
#include "step/lowering.h"
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum { TILE_VALUES = 16384, WORKGROUP = 256, PER_LANE = 4 /* integers that an invocation copies */ };
static const gt_op op;

GT_DEFINE(op, window) = {&op, 1};

static bool has_members(const gt_node *node) { return node->inputs == 3; }

/* The length that the sequence, or a row of the ring, must have. */
static int64_t required_length(const gt_window_attribute *a) {
  const int64_t last = a->order.window ? 0 : (a->order.samples - 1) * a->stride;
  return last + a->begin + a->width;
}

static bool fits(const gt_node *data, const gt_window_attribute *a) {
  const gt_shape shape = data->shape;
  if (!a->order.window) return shape.rank == 1 && shape.dim[0] >= required_length(a);
  return shape.rank == 2 && shape.dim[0] >= a->order.window * a->order.batch &&
         shape.dim[1] >= required_length(a);
}

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_window_attribute *a = node->attribute;
  const gt_node *data = gt_node_at(graph, node->input[0]);
  char text[128];
  if (!gt_batch_check(&a->order, error)) return false;
  if (a->width < 1 || a->stride < 1 || a->begin < 0 || (data->dtype != GT_U8 && data->dtype != GT_I32) ||
      !fits(data, a) || gt_shape_count(data->shape) > INT32_MAX)
    return gt_fail(error, GT_ERR_CONFIG, "data %s does not hold windows of %" PRId64,
                   gt_shape_text(data->shape, text), a->width);
  if (has_members(node)) {
    const gt_node *members = gt_node_at(graph, node->input[2]);
    if (members->dtype != GT_I32 ||
        !gt_shape_equal(members->shape, gt_shape_1(gt_batch_member_count(&a->order))))
      return gt_fail(error, GT_ERR_INTERNAL, "window: the members of the classes have the wrong shape");
  }
  *shape = gt_shape_2(a->order.batch, a->width);
  *dtype = GT_I32;
  return gt_check_size("window", *shape, error);
}

static uint32_t tile_rows(uint32_t width) { return width >= TILE_VALUES ? 1 : TILE_VALUES / width; }

static void copy_row(const struct gt_window_args *a, bool is_bytes, uint32_t sample, uint32_t to) {
  const size_t from = (size_t)(sample == GT_NONE ? 0 : sample) * a->stride + a->begin;
  const uint8_t *bytes = GT_PTR(const uint8_t, a->data) + from;
  int32_t *y = GT_PTR(int32_t, a->y) + (size_t)to * a->width;
  if (!is_bytes) memcpy(y, GT_PTR(const int32_t, a->data) + from, (size_t)a->width * sizeof *y);
  for (uint32_t i = 0; is_bytes && i < a->width; i++) y[i] = bytes[i];
}

static void window_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  enum { AT_ONCE = 256 };
  const struct gt_window_args *a = args;
  const uint32_t first = tile * tile_rows(a->width), end = gt_min_u32(first + tile_rows(a->width), a->batch);
  uint32_t sample[AT_ONCE];
  for (uint32_t from_row = first; from_row < end; from_row += AT_ONCE) {
    const uint32_t count = gt_min_u32(end - from_row, AT_ONCE);
    GT_BATCH_FIND_SAMPLES(a, spec[GT_WINDOW_SPEC_ORDER], from_row, count, sample);
    for (uint32_t i = 0; i < count; i++) copy_row(a, spec[GT_WINDOW_SPEC_NARROW], sample[i], from_row + i);
  }
}

static const gt_kernel kernel = {"window", window_cpu};

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader), *data = gt_node_at(graph, node->input[0]);
  const gt_window_attribute *attribute = node->attribute;
  struct gt_window_args args = {.width = (uint32_t)attribute->width,
                                .stride = (uint32_t)attribute->stride,
                                .begin = (uint32_t)attribute->begin};
  if (attribute->order.window) args.stride = (uint32_t)data->shape.dim[1];
  GT_BATCH_SET_ARGS(&args, &attribute->order);
  gt_step *step = gt_lower_step(lowering, &kernel, &args, sizeof args);
  step->spec[GT_WINDOW_SPEC_ORDER] = gt_batch_order_of(&attribute->order);
  step->spec[GT_WINDOW_SPEC_NARROW] = data->dtype == GT_U8;
  step->touched = (uint64_t)args.batch * args.width * (gt_dtype_size(data->dtype) + sizeof(int32_t));
  step->tiles = gt_ceil_div(args.batch, tile_rows(args.width));
  gt_lower_read(lowering, offsetof(struct gt_window_args, data), node->input[0]);
  gt_lower_read(lowering, offsetof(struct gt_window_args, batch_clock), node->input[1]);
  if (has_members(node)) gt_lower_read(lowering, offsetof(struct gt_window_args, members), node->input[2]);
  gt_lower_write(lowering, offsetof(struct gt_window_args, y), group->leader);
  const uint32_t local = gt_lower_workgroup(lowering, WORKGROUP, 1);
  const uint32_t rows = gt_max_u32(PER_LANE * local / args.width, 1);
  step->spec[GT_WINDOW_SPEC_ROWS] = rows;
  gt_lower_grid(lowering, (uint64_t)gt_ceil_div(args.batch, rows) * local, local);
}

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  const gt_window_attribute *a = node->attribute;
  snprintf(buffer, size, "%" PRId64 " of %" PRId64 "%s, %" PRId64 " from s*%" PRId64 "+%" PRId64 "%s",
           a->order.batch, a->order.samples, a->order.sequential ? " in order" : "", a->width, a->stride,
           a->begin, a->order.window ? ", in a ring" : "");
}

gt_id gt_window(gt_graph *graph, gt_id data, gt_id clock, gt_id members, gt_window_attribute attribute) {
  const gt_id input[] = {data, clock, members};
  gt_window_attribute copy;
  memset(&copy, 0, sizeof copy);
  copy.order = gt_batch_clean(attribute.order);
  copy.width = attribute.width;
  copy.stride = attribute.stride;
  copy.begin = attribute.begin;
  return gt_node_add(graph, &op, input, 2 + (members != GT_NONE), &copy, sizeof copy);
}

static const gt_op op = {.name = "window",
                         .kind = GT_OP_KERNEL,
                         .min_inputs = 2,
                         .max_inputs = 3,
                         .infer = infer,
                         .lower = lower,
                         .print = print};
