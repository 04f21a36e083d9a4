#include "op/recurrent/recurrent.h"
#include "op/check.h"
#include "op/core.h"
#include "op/matmul/matmul.h"
#include "op/move.h"
#include "op/op.h"
#include "op/recurrent/recurrent_plan.h"
#include "op/reduce.h"
#include <string.h>

enum { OP_LSTM, OP_GRU, OP_RNN, OP_LSTM_GRADIENT, OP_GRU_GRADIENT, OP_RNN_GRADIENT, OPS };
static const gt_op ops[OPS];

GT_DEFINE(op, recurrent) = {ops, OPS};

uint32_t gt_cell_gates(gt_cell cell) { return cell == GT_CELL_LSTM ? 4 : cell == GT_CELL_GRU ? 3 : 1; }

static int op_index_of(gt_cell cell) {
  return cell == GT_CELL_LSTM ? OP_LSTM : cell == GT_CELL_GRU ? OP_GRU : OP_RNN;
}

static const gt_recurrent_attribute *attribute_of(const gt_node *node) { return node->attribute; }

bool gt_recurrent_is_gated(const gt_recurrent_attribute *a) {
  return a->cell == GT_CELL_LSTM || a->cell == GT_CELL_GRU;
}

gt_recurrent_operands gt_recurrent_operands_of(const gt_node *node) {
  const gt_recurrent_attribute *a = node->attribute;
  const gt_id *input = node->input;
  gt_recurrent_operands o = {GT_NONE, GT_NONE, GT_NONE, GT_NONE, GT_NONE, GT_NONE, GT_NONE, GT_NONE, GT_NONE};
  if (a->is_gradient) {
    if (gt_recurrent_is_gated(a)) o.saved = *input++, o.extra = *input++;
    if (a->cell != GT_CELL_LSTM) o.y = *input++;
    o.dy = *input++;
    o.w_hh = *input++;
  } else {
    o.gates = *input++;
    o.w_hh = *input++;
    o.transposed = *input++;
    if (a->biased) o.bias = *input++;
  }
  if (a->has_lengths) o.lengths = *input;
  return o;
}

/* --- shapes --------------------------------------------------------------------------------------------- */

gt_recurrent_size gt_recurrent_size_of(const gt_graph *graph, const gt_node *node) {
  const gt_recurrent_operands o = gt_recurrent_operands_of(node);
  const gt_shape weight = gt_node_at(graph, o.w_hh)->shape;
  const bool from_y = o.gates == GT_NONE && o.saved == GT_NONE;
  const gt_shape shape = gt_node_at(graph, o.gates != GT_NONE ? o.gates : from_y ? o.y : o.saved)->shape;
  const uint32_t gates = gt_cell_gates(attribute_of(node)->cell);
  return (gt_recurrent_size){.steps = (uint32_t)(shape.dim[0] - from_y),
                             .batch = (uint32_t)shape.dim[1],
                             .hidden = (uint32_t)weight.dim[1],
                             .width = (uint32_t)weight.dim[1] * gates};
}

static gt_shape shape_3(int64_t a, int64_t b, int64_t c) { return (gt_shape){3, {a, b, c}}; }

static bool is_f32(const gt_graph *graph, gt_id id, gt_shape shape) {
  const gt_node *node = gt_node_at(graph, id);
  return node->dtype == GT_F32 && gt_shape_equal(node->shape, shape);
}

static bool fits(const gt_graph *graph, const gt_recurrent_operands *o, int64_t batch, int64_t width,
                 int64_t hidden) {
  if (!is_f32(graph, o->w_hh, gt_shape_2(width, hidden))) return false;
  if (o->transposed != GT_NONE && !is_f32(graph, o->transposed, shape_3(hidden, hidden, width / hidden)))
    return false;
  if (o->bias != GT_NONE && !is_f32(graph, o->bias, gt_shape_1(width))) return false;
  return o->lengths == GT_NONE || gt_is_i32(gt_node_at(graph, o->lengths), batch);
}

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_recurrent_operands o = gt_recurrent_operands_of(node);
  const gt_node *gates = gt_node_at(graph, o.gates);
  const gt_shape x = gates->shape;
  const uint32_t gates_per_unit = gt_cell_gates(attribute_of(node)->cell);
  char text[128], weight[128];
  if (!gt_check_f32(node->op->name, gates, error) || !gt_check_size(node->op->name, x, error)) return false;
  if (x.rank != 3 || x.dim[2] % gates_per_unit ||
      !fits(graph, &o, x.dim[1], x.dim[2], x.dim[2] / gates_per_unit))
    return gt_fail(error, GT_ERR_CONFIG, "%s of %s does not match a weight %s", node->op->name,
                   gt_shape_text(x, text), gt_shape_text(gt_node_at(graph, o.w_hh)->shape, weight));
  const int64_t hidden = x.dim[2] / gates_per_unit;
  const gt_shape y = shape_3(x.dim[0] + 1, x.dim[1], hidden);
  shape[0] = node->op->further ? x : y;
  dtype[0] = GT_F32;
  if (!node->op->further) return gt_check_size(node->op->name, y, error);
  shape[GT_RECURRENT_Y] = y;
  shape[GT_RECURRENT_EXTRA] = shape_3(x.dim[0], x.dim[1], hidden);
  dtype[GT_RECURRENT_Y] = dtype[GT_RECURRENT_EXTRA] = GT_F32;
  return gt_check_size(node->op->name, y, error);
}

static bool infer_gradient(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                           gt_error *error) {
  const gt_recurrent_attribute *a = node->attribute;
  const gt_recurrent_operands o = gt_recurrent_operands_of(node);
  const gt_recurrent_size n = gt_recurrent_size_of(graph, node);
  const gt_shape outputs = shape_3(n.steps, n.batch, n.hidden);
  bool fit = fits(graph, &o, n.batch, n.width, n.hidden);
  fit = fit && is_f32(graph, o.dy, a->last_only ? gt_shape_2(n.batch, n.hidden) : outputs);
  if (o.extra != GT_NONE) fit = fit && is_f32(graph, o.extra, outputs);
  if (!fit) return gt_fail(error, GT_ERR_INTERNAL, "%s: the inputs do not match", node->op->name);
  for (int k = 0; k <= node->op->further; k++) {
    shape[k] = shape_3(n.steps, n.batch, n.width);
    dtype[k] = GT_F32;
  }
  return true;
}

/* --- gradient ------------------------------------------------------------------------------------------- */

/* If the gradient is a flat value of `count` elements, padded with `before` zeros before it and others after
 * it (the gradient of a view), that value; else GT_NONE. */
static gt_id unpadded(const gt_graph *graph, gt_id gradient, int64_t before, int64_t count) {
  gradient = gt_reshape_origin(graph, gradient);
  const gt_node *node = gt_node_at(graph, gradient);
  if (node->shape.rank != 1 || gt_pad_before(graph, gradient, 0) != before) return GT_NONE;
  return gt_shape_count(gt_node_at(graph, node->input[0])->shape) == count ? node->input[0] : GT_NONE;
}

/* The gradient of the outputs, without that of the zeros before the first step. If only h after the last step
 * has a gradient, sets last_only and returns that gradient. This avoids computing the padded gradient that
 * autodiff makes for a view. */
static gt_id outputs_gradient(gt_graph *graph, gt_recurrent_attribute *a, gt_recurrent_size n,
                              gt_id gradient) {
  const int64_t step_size = (int64_t)n.batch * n.hidden, total = step_size * n.steps,
                begin = a->reverse ? 0 : step_size;
  const gt_id last = unpadded(graph, gradient, a->reverse ? 0 : total, step_size);
  a->last_only = last != GT_NONE && !(a->has_lengths && !a->reverse);
  if (a->last_only) return gt_reshape(graph, last, gt_shape_2(n.batch, n.hidden));
  const gt_shape outputs = shape_3(n.steps, n.batch, n.hidden);
  const gt_id unpadded_outputs = unpadded(graph, gradient, begin, total);
  return unpadded_outputs != GT_NONE ? gt_reshape(graph, unpadded_outputs, outputs)
                                     : gt_view(graph, gradient, begin, outputs);
}

static gt_id add_gradient(gt_graph *graph, gt_id id, gt_recurrent_attribute a, const gt_recurrent_operands *o,
                          gt_id y, gt_id gradient) {
  gt_id input[6];
  int inputs = 0;
  a.is_gradient = true;
  const gt_id dy = outputs_gradient(graph, &a, gt_recurrent_size_of(graph, gt_node_at(graph, id)), gradient);
  if (gt_recurrent_is_gated(&a)) {
    input[inputs++] = id;
    input[inputs++] = gt_result(graph, id, GT_RECURRENT_EXTRA);
  }
  if (a.cell != GT_CELL_LSTM) input[inputs++] = y;
  input[inputs++] = dy;
  input[inputs++] = o->w_hh;
  if (a.has_lengths) input[inputs++] = o->lengths;
  const gt_op *op = &ops[op_index_of(a.cell) + OP_LSTM_GRADIENT];
  return gt_node_add(graph, op, input, inputs, &a, sizeof a);
}

static void gradient(gt_graph *graph, gt_id id, const gt_id *output_gradient, const bool *wanted,
                     gt_id *input_gradient) {
  const gt_node node = *gt_node_at(graph, id); /* a copy: emitting nodes may move the array */
  const gt_recurrent_attribute a = *attribute_of(&node);
  const gt_recurrent_operands o = gt_recurrent_operands_of(&node);
  const gt_recurrent_size n = gt_recurrent_size_of(graph, &node);
  const int y_result = node.op->further ? GT_RECURRENT_Y : 0;
  const gt_id y = gt_result(graph, id, y_result);
  const gt_id d_gates = add_gradient(graph, id, a, &o, y, output_gradient[y_result]);
  const gt_id d_hidden = a.cell == GT_CELL_GRU ? gt_result(graph, d_gates, 1) : d_gates;
  const int64_t tokens = (int64_t)n.steps * n.batch;
  const gt_id rows = gt_reshape(graph, d_hidden, gt_shape_2(tokens, n.width));
  if (wanted[0]) input_gradient[0] = d_gates;
  if (wanted[1]) {
    const int64_t begin = a.reverse ? (int64_t)n.batch * n.hidden : 0; /* in y, of h before each step */
    const gt_id h = gt_view(graph, y, begin, gt_shape_2(tokens, n.hidden));
    input_gradient[1] = gt_matmul(graph, rows, h, true, false);
  }
  if (a.biased && wanted[3]) input_gradient[3] = gt_sum(graph, rows, 1, false);
}

/* --- builders ------------------------------------------------------------------------------------------- */

/* [G H, H] to [H of h, H of the unit, G]. */
static gt_id transpose_weight(gt_graph *graph, gt_id w_hh, int64_t gates) {
  const int64_t hidden = gt_node_at(graph, w_hh)->shape.dim[1];
  return gt_permute(graph, gt_reshape(graph, w_hh, shape_3(gates, hidden, hidden)), (const int[]){2, 1, 0});
}

/* The weight is transposed by a separate node, because the kernel reads the weights of all gates of a unit
 * together. The gradient of the weight is computed for the untransposed input. */
gt_id gt_recurrent(gt_graph *graph, const gt_recurrent_input *input) {
  if (input->gates == GT_NONE || input->w_hh == GT_NONE) return GT_NONE;
  const bool biased = input->bias != GT_NONE && input->cell == GT_CELL_GRU;
  gt_recurrent_attribute a = {.cell = input->cell,
                              .reverse = input->reverse,
                              .biased = biased,
                              .has_lengths = input->lengths != GT_NONE};
  gt_id in[5] = {input->gates, input->w_hh, transpose_weight(graph, input->w_hh, gt_cell_gates(input->cell))};
  int inputs = 3;
  if (biased) in[inputs++] = input->bias;
  if (a.has_lengths) in[inputs++] = input->lengths;
  const gt_op *op = &ops[op_index_of(a.cell)];
  const gt_id node = gt_node_add(graph, op, in, inputs, &a, sizeof a);
  const gt_id y = gt_result(graph, node, node != GT_NONE && op->further ? GT_RECURRENT_Y : 0);
  if (y == GT_NONE) return y;
  const gt_recurrent_size n = gt_recurrent_size_of(graph, gt_node_at(graph, node));
  return gt_view(graph, y, a.reverse ? 0 : (int64_t)n.batch * n.hidden, shape_3(n.steps, n.batch, n.hidden));
}

gt_id gt_recurrent_last(gt_graph *graph, gt_id outputs) {
  int64_t begin;
  if (outputs == GT_NONE) return GT_NONE;
  const gt_id y = gt_view_origin(graph, outputs, &begin);
  const gt_node *node = gt_node_at(graph, gt_producer(graph, y));
  const gt_shape shape = gt_node_at(graph, y)->shape;
  const int64_t step_size = shape.dim[1] * shape.dim[2];
  return gt_view(graph, y, attribute_of(node)->reverse ? 0 : step_size * (shape.dim[0] - 1),
                 gt_shape_2(shape.dim[1], shape.dim[2]));
}

/* --- ops ------------------------------------------------------------------------------------------------ */

static double flops(const gt_graph *graph, const gt_node *node) {
  const gt_recurrent_size n = gt_recurrent_size_of(graph, node);
  return 2.0 * n.steps * n.batch * n.width * n.hidden;
}

static double functions(const gt_graph *graph, const gt_node *node) {
  const gt_recurrent_attribute *a = node->attribute;
  const gt_recurrent_size n = gt_recurrent_size_of(graph, node);
  /* Per unit and step: an activation for each gate, and tanh(c) of an LSTM. The gradient repeats only
   * tanh(c). */
  const uint32_t of_gates = a->is_gradient ? 0 : gt_cell_gates(a->cell), of_state = a->cell == GT_CELL_LSTM;
  return (double)n.steps * n.batch * n.hidden * (of_gates + of_state);
}

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  const gt_recurrent_attribute *a = node->attribute;
  (void)graph;
  snprintf(buffer, size, "%s%s%s%s", a->cell == GT_CELL_RNN_RELU ? " relu" : "", a->reverse ? " reverse" : "",
           a->has_lengths ? " lengths" : "", a->last_only ? " last" : "");
}

#define OP(op_name, min, max, op_further, op_begins, op_infer, op_gradient, op_lower)                      \
  {                                                                                                        \
    .name = op_name, .kind = GT_OP_KERNEL, .min_inputs = min, .max_inputs = max, .further = op_further,    \
    .infer = op_infer, .gradient = op_gradient, .lower = op_lower, .flops = flops, .functions = functions, \
    .print = print, .begins_as = op_begins                                                                 \
  }

static const gt_op ops[OPS] = {
    [OP_LSTM] = OP("lstm", 3, 4, 2, 1, infer, gradient, gt_recurrent_lower),
    [OP_GRU] = OP("gru", 3, 5, 2, 1, infer, gradient, gt_recurrent_lower),
    [OP_RNN] = OP("rnn", 3, 4, 0, 0, infer, gradient, gt_recurrent_lower),
    [OP_LSTM_GRADIENT] = OP("lstm_gradient", 4, 5, 0, 1, infer_gradient, NULL, gt_recurrent_gradient_lower),
    [OP_GRU_GRADIENT] = OP("gru_gradient", 5, 6, 1, 1, infer_gradient, NULL, gt_recurrent_gradient_lower),
    [OP_RNN_GRADIENT] = OP("rnn_gradient", 3, 4, 0, 0, infer_gradient, NULL, gt_recurrent_gradient_lower),
};
