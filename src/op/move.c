/* Each op of this family is a box of axes: for every axis of the result, the axis of the input that it
 * traverses and how (shaders/op/move.h). Lowering writes this description as layout words for the single
 * kernel. */
#include "op/move.h"
#include "base/count.h"
#include "op/check.h"
#include "op/core.h"
#include "op/move_cpu.h"
#include "op/op.h"
#include "op/reduce.h"
#include "shaders/op/move.h"
#include "step/lowering.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { OP_PERMUTE, OP_EXPAND, OP_EXPAND_I32, OP_PAD, OP_SHRINK, OP_STRIDE, OP_DILATE, OP_CONCATENATE, OPS };
static const gt_op ops[OPS];

GT_DEFINE(op, move) = {ops, OPS};

/* One attribute for all ops; unused fields are zero.
 *   permute: a = axes           expand: out = shape          pad: a = before, b = after, value
 *   shrink: a = start, b = stop stride: a = step             dilate: a = step, out = shape
 *   concatenate: a[0] = axis */
typedef struct move_attribute {
  int64_t a[GT_MAX_RANK], b[GT_MAX_RANK], out[GT_MAX_RANK];
  int64_t rank; /* of out */
  double value;
} move_attribute;

/* --- shapes --------------------------------------------------------------------------------------------- */

static gt_shape attribute_shape(const move_attribute *m) {
  gt_shape shape = {.rank = (int)m->rank};
  memcpy(shape.dim, m->out, sizeof m->out);
  return shape;
}

static bool refuse(const gt_node *node, gt_shape x, int axis, gt_error *error) {
  char text[128];
  return gt_fail(error, GT_ERR_CONFIG, "%s does not fit axis %d of %s", node->op->name, axis,
                 gt_shape_text(x, text));
}

static bool infer_permute(const gt_node *node, gt_shape x, gt_shape *out, gt_error *error) {
  const move_attribute *m = node->attribute;
  uint32_t seen = 0;
  out->rank = x.rank;
  for (int d = 0; d < x.rank; d++) {
    if (m->a[d] < 0 || m->a[d] >= x.rank || seen >> m->a[d] & 1) return refuse(node, x, d, error);
    seen |= 1u << m->a[d];
    out->dim[d] = x.dim[m->a[d]];
  }
  return true;
}

static bool infer_expand(const gt_node *node, gt_shape x, gt_shape *out, gt_error *error) {
  gt_shape broadcast;
  char from[128], to[128];
  *out = attribute_shape(node->attribute);
  if (gt_shape_broadcast(x, *out, &broadcast) && gt_shape_equal(broadcast, *out)) return true;
  return gt_fail(error, GT_ERR_CONFIG, "%s does not broadcast to %s", gt_shape_text(x, from),
                 gt_shape_text(*out, to));
}

static bool infer_pad(const gt_node *node, gt_shape x, gt_shape *out, gt_error *error) {
  const move_attribute *m = node->attribute;
  *out = x;
  for (int d = 0; d < x.rank; d++) {
    if (m->a[d] < 0 || m->b[d] < 0 || m->a[d] > INT32_MAX || m->b[d] > INT32_MAX)
      return refuse(node, x, d, error);
    out->dim[d] += m->a[d] + m->b[d];
  }
  return true;
}

static bool infer_shrink(const gt_node *node, gt_shape x, gt_shape *out, gt_error *error) {
  const move_attribute *m = node->attribute;
  *out = x;
  for (int d = 0; d < x.rank; d++) {
    if (m->a[d] < 0 || m->b[d] <= m->a[d] || m->b[d] > x.dim[d]) return refuse(node, x, d, error);
    out->dim[d] = m->b[d] - m->a[d];
  }
  return true;
}

static bool infer_stride(const gt_node *node, gt_shape x, gt_shape *out, gt_error *error) {
  const move_attribute *m = node->attribute;
  *out = x;
  for (int d = 0; d < x.rank; d++) {
    if (m->a[d] < 1 || m->a[d] > INT32_MAX) return refuse(node, x, d, error);
    out->dim[d] = (x.dim[d] + m->a[d] - 1) / m->a[d];
  }
  return true;
}

static bool infer_dilate(const gt_node *node, gt_shape x, gt_shape *out, gt_error *error) {
  const move_attribute *m = node->attribute;
  *out = attribute_shape(m);
  for (int d = 0; d < x.rank; d++)
    if (out->rank != x.rank || m->a[d] < 1 || m->a[d] > INT32_MAX || (x.dim[d] - 1) * m->a[d] >= out->dim[d])
      return refuse(node, x, d, error);
  return true;
}

static bool infer_concatenate(const gt_graph *graph, const gt_node *node, gt_shape *out, gt_error *error) {
  const move_attribute *m = node->attribute;
  const gt_node *first = gt_node_at(graph, node->input[0]);
  char a[128], b[128];
  *out = first->shape;
  if (m->a[0] < 0 || m->a[0] >= out->rank) return refuse(node, *out, (int)m->a[0], error);
  for (int i = 1; i < node->inputs; i++) {
    const gt_node *next = gt_node_at(graph, node->input[i]);
    bool fits = next->shape.rank == out->rank && next->dtype == first->dtype;
    for (int d = 0; fits && d < out->rank; d++) fits = d == m->a[0] || next->shape.dim[d] == out->dim[d];
    if (!fits)
      return gt_fail(error, GT_ERR_CONFIG, "concatenate along axis %d: %s %s does not match %s %s",
                     (int)m->a[0], gt_dtype_name(next->dtype), gt_shape_text(next->shape, a),
                     gt_dtype_name(first->dtype), gt_shape_text(first->shape, b));
    out->dim[m->a[0]] += next->shape.dim[m->a[0]];
  }
  return true;
}

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  static bool (*const one_input[OPS])(const gt_node *, gt_shape, gt_shape *, gt_error *) = {
      [OP_PERMUTE] = infer_permute, [OP_EXPAND] = infer_expand, [OP_EXPAND_I32] = infer_expand,
      [OP_PAD] = infer_pad,         [OP_SHRINK] = infer_shrink, [OP_STRIDE] = infer_stride,
      [OP_DILATE] = infer_dilate};
  const int op_index = (int)(node->op - ops);
  const gt_node *x = gt_node_at(graph, node->input[0]);
  if (!gt_check_words(node->op->name, x, error)) return false;
  *shape = (gt_shape){.rank = 0};
  *dtype = x->dtype;
  const bool ok = one_input[op_index] ? one_input[op_index](node, x->shape, shape, error)
                                      : infer_concatenate(graph, node, shape, error);
  return ok && gt_check_size(node->op->name, *shape, error);
}

/* --- printing ------------------------------------------------------------------------------------------- */

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  const move_attribute *m = node->attribute;
  const int op_index = (int)(node->op - ops);
  size_t used = 0;
  buffer[0] = 0;
  if (op_index == OP_EXPAND || op_index == OP_EXPAND_I32) return; /* the shape is printed anyway */
  if (op_index == OP_CONCATENATE) {
    snprintf(buffer, size, "axis %d", (int)m->a[0]);
    return;
  }
  const bool has_range = op_index == OP_PAD || op_index == OP_SHRINK;
  for (int d = 0; d < node->shape.rank && used < size; d++) {
    used += (size_t)snprintf(buffer + used, size - used, "%s%lld", d ? " " : "", (long long)m->a[d]);
    if (has_range && used < size)
      used += (size_t)snprintf(buffer + used, size - used, ":%lld", (long long)m->b[d]);
  }
}

/* --- builders ------------------------------------------------------------------------------------------- */

static gt_id add_node(gt_graph *graph, int op_index, gt_id x, const move_attribute *attribute) {
  return gt_node_add(graph, &ops[op_index], &x, 1, attribute, sizeof *attribute);
}

static int rank_of(const gt_graph *graph, gt_id x) { return gt_node_at(graph, x)->shape.rank; }

/* An attribute with one or two lists of one entry per axis of x; b NULL: zeros. */
static move_attribute list_attribute(const gt_graph *graph, gt_id x, const int64_t *a, const int64_t *b) {
  move_attribute m = {.rank = 0};
  for (int d = 0; x != GT_NONE && d < rank_of(graph, x); d++) {
    m.a[d] = a[d];
    if (b) m.b[d] = b[d];
  }
  return m;
}

static void set_shape(move_attribute *m, gt_shape shape) {
  m->rank = shape.rank;
  for (int d = 0; d < shape.rank; d++) m->out[d] = shape.dim[d];
}

static bool is_permutation(const int *axes, int rank) {
  uint32_t seen = 0;
  for (int d = 0; d < rank; d++)
    if (axes[d] >= 0 && axes[d] < rank) seen |= 1u << axes[d];
  return seen == (1u << rank) - 1;
}

/* If x is a reshape of a permute, and this permute of x is equivalent to a permute of the value before the
 * reshape: writes the axes of the latter to `out` and returns their number. Else 0. */
static int axes_before_reshape(const gt_graph *graph, gt_id x, const int *axes, int *out) {
  const gt_node *node = gt_node_at(graph, x);
  int run[GT_MAX_RANK + 1], count = 0;
  if (!gt_is_reshape(graph, x) || gt_node_at(graph, node->input[0])->op != &ops[OP_PERMUTE] ||
      !gt_shape_runs(gt_node_at(graph, node->input[0])->shape, node->shape, run))
    return 0;
  for (int d = 0; d < node->shape.rank; d++)
    for (int k = run[axes[d]]; k < run[axes[d] + 1]; k++) out[count++] = k;
  return count;
}

/* A permute of a permute becomes one permute of the original value, or that value itself, so there are no
 * copies between layers that permute their input and output. This also works through a reshape that merges
 * axes which the permutes move together. */
gt_id gt_permute(gt_graph *graph, gt_id x, const int *axes) {
  move_attribute m = {.rank = 0};
  int combined[GT_MAX_RANK];
  bool is_identity = true;
  if (x == GT_NONE) return GT_NONE;
  const gt_node *inner = gt_node_at(graph, x);
  const int rank = inner->shape.rank;
  for (int d = 0; d < rank; d++) {
    m.a[d] = axes[d];
    is_identity &= axes[d] == d;
  }
  if (!is_permutation(axes, rank)) return add_node(graph, OP_PERMUTE, x, &m); /* reports the error */
  if (inner->op == &ops[OP_PERMUTE]) {
    const move_attribute *first = inner->attribute;
    for (int d = 0; d < rank; d++) combined[d] = (int)first->a[axes[d]];
    return gt_permute(graph, inner->input[0], combined);
  }
  if (axes_before_reshape(graph, x, axes, combined)) {
    gt_shape shape = inner->shape;
    for (int d = 0; d < rank; d++) shape.dim[d] = inner->shape.dim[axes[d]];
    return gt_reshape(graph, gt_permute(graph, inner->input[0], combined), shape);
  }
  return is_identity ? x : add_node(graph, OP_PERMUTE, x, &m);
}

gt_id gt_expand(gt_graph *graph, gt_id x, gt_shape shape) {
  move_attribute m = {.rank = 0};
  if (x == GT_NONE || gt_shape_equal(gt_node_at(graph, x)->shape, shape)) return x;
  set_shape(&m, shape);
  return add_node(graph, gt_node_at(graph, x)->dtype == GT_F32 ? OP_EXPAND : OP_EXPAND_I32, x, &m);
}

gt_id gt_pad(gt_graph *graph, gt_id x, const int64_t *before, const int64_t *after, double value) {
  move_attribute m = list_attribute(graph, x, before, after);
  m.value = value;
  return add_node(graph, OP_PAD, x, &m);
}

int64_t gt_pad_before(const gt_graph *graph, gt_id node, int axis) {
  const gt_node *pad = gt_node_at(graph, node);
  if (pad->op != &ops[OP_PAD]) return -1;
  const move_attribute *m = pad->attribute;
  return m->value == 0 ? m->a[axis] : -1;
}

gt_id gt_shrink(gt_graph *graph, gt_id x, const int64_t *start, const int64_t *stop) {
  const move_attribute m = list_attribute(graph, x, start, stop);
  return add_node(graph, OP_SHRINK, x, &m);
}

int64_t gt_shrink_start(const gt_graph *graph, gt_id node, int axis) {
  const gt_node *shrink = gt_node_at(graph, node);
  return shrink->op == &ops[OP_SHRINK] ? ((const move_attribute *)shrink->attribute)->a[axis] : -1;
}

gt_id gt_stride(gt_graph *graph, gt_id x, const int64_t *step) {
  const move_attribute m = list_attribute(graph, x, step, NULL);
  return add_node(graph, OP_STRIDE, x, &m);
}

gt_id gt_dilate(gt_graph *graph, gt_id x, const int64_t *step, gt_shape shape) {
  move_attribute m = list_attribute(graph, x, step, NULL);
  set_shape(&m, shape);
  return add_node(graph, OP_DILATE, x, &m);
}

gt_id gt_concatenate(gt_graph *graph, const gt_id *x, int count, int axis) {
  move_attribute m = {.rank = 0};
  if (x[0] == GT_NONE) return GT_NONE;
  m.a[0] = axis < 0 ? axis + rank_of(graph, x[0]) : axis;
  return gt_node_add(graph, &ops[OP_CONCATENATE], x, count, &m, sizeof m);
}

/* --- gradients ------------------------------------------------------------------------------------------ */

static gt_shape input_shape(const gt_graph *graph, gt_id node, int i) {
  return gt_node_at(graph, gt_node_at(graph, node)->input[i])->shape;
}

static gt_id gradient_of_one(gt_graph *graph, gt_id node, gt_id gradient) {
  const gt_shape x = input_shape(graph, node, 0);
  const move_attribute *m = gt_node_at(graph, node)->attribute;
  int64_t low[GT_MAX_RANK] = {0}, high[GT_MAX_RANK] = {0};
  int inverse[GT_MAX_RANK];
  switch (gt_node_at(graph, node)->op - ops) {
  case OP_PERMUTE:
    for (int d = 0; d < x.rank; d++) inverse[m->a[d]] = d;
    return gt_permute(graph, gradient, inverse);
  case OP_EXPAND: return gt_sum_to(graph, gradient, x);
  case OP_PAD:
    for (int d = 0; d < x.rank; d++) high[d] = m->a[d] + x.dim[d];
    return gt_shrink(graph, gradient, m->a, high);
  case OP_SHRINK:
    for (int d = 0; d < x.rank; d++) high[d] = x.dim[d] - m->b[d];
    return gt_pad(graph, gradient, m->a, high, 0.0);
  case OP_STRIDE: return gt_dilate(graph, gradient, m->a, x);
  default: /* OP_DILATE: only the positions with an element of x; all after the last one are zero */
    for (int d = 0; d < x.rank; d++) high[d] = (x.dim[d] - 1) * m->a[d] + 1;
    return gt_stride(graph, gt_shrink(graph, gradient, low, high), m->a);
  }
}

static void gradient_one(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                         gt_id *input_gradient) {
  if (wanted[0]) input_gradient[0] = gradient_of_one(graph, node, output_gradient[0]);
}

static void gradient_concatenate(gt_graph *graph, gt_id node, const gt_id *output_gradient,
                                 const bool *wanted, gt_id *input_gradient) {
  const int axis = (int)((const move_attribute *)gt_node_at(graph, node)->attribute)->a[0];
  int64_t start[GT_MAX_RANK] = {0}, stop[GT_MAX_RANK] = {0};
  for (int i = 0; i < gt_node_at(graph, node)->inputs; i++) {
    const gt_shape x = input_shape(graph, node, i);
    for (int d = 0; d < x.rank; d++) stop[d] = start[d] + x.dim[d];
    if (wanted[i]) input_gradient[i] = gt_shrink(graph, output_gradient[0], start, stop);
    start[axis] = stop[axis];
  }
}

/* --- lowering ------------------------------------------------------------------------------------------- */

typedef struct box { /* the iteration box as layout words */
  uint32_t rank, word[GT_MAX_RANK][GT_MOVE_WORDS];
} box;

/* True if every element of the axis is read, in order; adjacent axes of this kind can be merged. */
static bool is_plain(const uint32_t *w) {
  return w[GT_MOVE_MUL] == 1 && w[GT_MOVE_ADD] == 0 && w[GT_MOVE_DIV] == 1 &&
         w[GT_MOVE_LIMIT] >= w[GT_MOVE_DIM];
}

/* Drops plain axes of length 1 and merges adjacent axes that are traversed as one. */
static void simplify(box *b) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < b->rank; d++) {
    const uint32_t *w = b->word[d];
    uint32_t *last = n ? b->word[n - 1] : NULL;
    if (w[GT_MOVE_DIM] == 1 && is_plain(w)) continue;
    if (last && is_plain(last) && is_plain(w) && last[GT_MOVE_STRIDE] == w[GT_MOVE_STRIDE] * w[GT_MOVE_DIM] &&
        last[GT_MOVE_OUT] == w[GT_MOVE_OUT] * w[GT_MOVE_DIM]) {
      last[GT_MOVE_DIM] *= w[GT_MOVE_DIM];
      last[GT_MOVE_LIMIT] = last[GT_MOVE_DIM];
      last[GT_MOVE_STRIDE] = w[GT_MOVE_STRIDE];
      last[GT_MOVE_OUT] = w[GT_MOVE_OUT];
      continue;
    }
    if (n != d) memcpy(b->word[n], w, sizeof b->word[n]);
    n++;
  }
  if (n == 0) { /* a single element; words in the order of GT_MOVE_DIM, … */
    const uint32_t one[GT_MOVE_WORDS] = {1, 1, 0, 1, 1, 0, 0};
    memcpy(b->word[n++], one, sizeof one);
  }
  b->rank = n;
}

static void strides_of(gt_shape shape, uint32_t stride[GT_MAX_RANK]) {
  uint32_t next = 1;
  for (int d = shape.rank - 1; d >= 0; d--) {
    stride[d] = next;
    next *= (uint32_t)shape.dim[d];
  }
}

/* The box of shape `dims` that is written with the strides of `out` and reads x, whose axes are aligned from
 * the last one, unchanged. */
static box plain_box(gt_shape dims, gt_shape x, gt_shape out) {
  box b = {.rank = (uint32_t)dims.rank};
  uint32_t stride[GT_MAX_RANK], out_stride[GT_MAX_RANK];
  const int missing = dims.rank - x.rank;
  strides_of(x, stride);
  strides_of(out, out_stride);
  for (int d = 0; d < dims.rank; d++) {
    const int axis = d - missing;
    uint32_t *w = b.word[d];
    w[GT_MOVE_DIM] = (uint32_t)dims.dim[d];
    w[GT_MOVE_MUL] = w[GT_MOVE_DIV] = 1;
    w[GT_MOVE_LIMIT] = axis < 0 ? w[GT_MOVE_DIM] : (uint32_t)x.dim[axis];
    w[GT_MOVE_STRIDE] = axis < 0 ? 0 : stride[axis];
    w[GT_MOVE_OUT] = out_stride[d];
  }
  return b;
}

/* The box of an op: how its result traverses the input. */
static box box_of(const gt_node *node, gt_shape x) {
  const move_attribute *m = node->attribute;
  box b = plain_box(node->shape, x, node->shape);
  uint32_t stride[GT_MAX_RANK];
  strides_of(x, stride);
  for (int d = 0; d < node->shape.rank; d++) {
    uint32_t *w = b.word[d];
    switch (node->op - ops) {
    case OP_PERMUTE:
      w[GT_MOVE_LIMIT] = w[GT_MOVE_DIM];
      w[GT_MOVE_STRIDE] = stride[m->a[d]];
      break;
    case OP_PAD: w[GT_MOVE_ADD] = 0u - (uint32_t)m->a[d]; break;
    case OP_SHRINK: w[GT_MOVE_ADD] = (uint32_t)m->a[d]; break;
    case OP_STRIDE: w[GT_MOVE_MUL] = (uint32_t)m->a[d]; break;
    case OP_DILATE: w[GT_MOVE_DIV] = (uint32_t)m->a[d]; break;
    default: /* expand: an axis of length 1 is read repeatedly */
      if (w[GT_MOVE_LIMIT] != w[GT_MOVE_DIM]) {
        w[GT_MOVE_LIMIT] = w[GT_MOVE_DIM];
        w[GT_MOVE_STRIDE] = 0;
      }
    }
  }
  return b;
}

/* Emits one step, which moves the value `input` through box b; is_part: other steps write the rest of the
 * node's value. */
static void lower_box(gt_lowering *lowering, gt_id node, gt_id input, box b, struct gt_move_args args,
                      bool is_part) {
  args.count = 1;
  for (uint32_t d = 0; d < b.rank; d++) args.count *= b.word[d][GT_MOVE_DIM];
  simplify(&b);
  gt_step *step = gt_lower_step(lowering, &gt_move_kernel, &args, sizeof args);
  gt_lower_read(lowering, offsetof(struct gt_move_args, x), input);
  if (is_part)
    gt_lower_write_part(lowering, offsetof(struct gt_move_args, y), node);
  else
    gt_lower_write(lowering, offsetof(struct gt_move_args, y), node);
  gt_lower_constants(lowering, offsetof(struct gt_move_args, layout_), &b,
                     (1 + b.rank * (size_t)GT_MOVE_WORDS) * sizeof(uint32_t));
  gt_lower_grid(lowering, args.count, 256);
  step->tiles = gt_ceil_div(args.count, GT_MOVE_TILE);
}

static void lower_one(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const move_attribute *m = node->attribute;
  struct gt_move_args args = {.fill = 0};
  const float value = (float)m->value;
  if (node->dtype == GT_F32)
    memcpy(&args.fill, &value, sizeof value);
  else
    args.fill = (uint32_t)(int32_t)m->value;
  lower_box(lowering, group->leader, node->input[0], box_of(node, input_shape(graph, group->leader, 0)), args,
            false);
}

static void lower_concatenate(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const int axis = (int)((const move_attribute *)node->attribute)->a[0];
  uint32_t out_stride[GT_MAX_RANK];
  struct gt_move_args args = {.out_offset = 0};
  strides_of(node->shape, out_stride);
  for (int i = 0; i < node->inputs; i++) {
    const gt_shape x = input_shape(graph, group->leader, i);
    lower_box(lowering, group->leader, node->input[i], plain_box(x, x, node->shape), args, true);
    args.out_offset += (uint32_t)x.dim[axis] * out_stride[axis];
  }
}

/* --- ops ------------------------------------------------------------------------------------------------ */

/* The values are 0 or 1 if those of the inputs are and the fill value is 0 (only pad can have another). */
static bool keeps_bits(const gt_graph *graph, const gt_node *node) {
  const bool padded = node->op == &ops[OP_PAD] && ((const move_attribute *)node->attribute)->value != 0;
  return !padded && gt_inputs_are_bits(graph, node);
}

static double value_limit(const gt_graph *graph, const gt_node *node) {
  return fmax(fabs(((const move_attribute *)node->attribute)->value), gt_inputs_limit(graph, node));
}

#define OP(op_name, op_kind, op_inputs, op_gradient, op_lower)                                            \
  {                                                                                                       \
    .name = op_name, .kind = op_kind, .min_inputs = 1, .max_inputs = op_inputs, .opcode = GT_I_MOVE,      \
    .infer = infer, .bits = keeps_bits, .limit = value_limit, .gradient = op_gradient, .lower = op_lower, \
    .flops = gt_no_flops, .print = print                                                                  \
  }

static const gt_op ops[OPS] = {
    [OP_PERMUTE] = OP("permute", GT_OP_KERNEL, 1, gradient_one, lower_one),
    [OP_EXPAND] = OP("expand", GT_OP_ELEMENTWISE, 1, gradient_one, NULL),
    [OP_EXPAND_I32] = OP("expand_i32", GT_OP_KERNEL, 1, NULL, lower_one),
    [OP_PAD] = OP("pad", GT_OP_KERNEL, 1, gradient_one, lower_one),
    [OP_SHRINK] = OP("shrink", GT_OP_KERNEL, 1, gradient_one, lower_one),
    [OP_STRIDE] = OP("stride", GT_OP_KERNEL, 1, gradient_one, lower_one),
    [OP_DILATE] = OP("dilate", GT_OP_KERNEL, 1, gradient_one, lower_one),
    [OP_CONCATENATE] = OP("concatenate", GT_OP_KERNEL, -1, gradient_concatenate, lower_concatenate),
};
