/* Logic gates on bits: logits to codes, samples to words and back, a layer of gates, and sums of groups. */
#include "op/logic/logic_bits.h"
#include "base/count.h"
#include "op/check.h"
#include "op/core.h"
#include "op/logic/logic_bits_cpu.h"
#include "op/op.h"
#include "shaders/op/logic/logic_bits.h"
#include "shaders/op/logic/logic_bits_sum.h"
#include "shaders/op/logic/logic_codes.h"
#include "shaders/op/logic/logic_pack.h"
#include "step/lowering.h"
#include <stddef.h>

enum { OP_CODES, OP_PACK, OP_UNPACK, OP_BITS, OP_SUM, OPS };
enum { WORKGROUP = 64, SUM_WORKGROUP = 256, FUNCTIONS = 16 /* of two bits */ };
static const gt_op ops[OPS];

GT_DEFINE(op, logic_bits) = {ops, OPS};

typedef struct bits_attribute {
  int64_t batch; /* unpack and sum: samples in the words; else 0 */
  int64_t groups;
  uint32_t order; /* gt_words_order */
  float scale;
} bits_attribute;

/* --- shapes --------------------------------------------------------------------------------------------- */

static bool refuse(const gt_node *node, const gt_node *x, const char *wanted, gt_error *error) {
  char text[128];
  return gt_fail(error, GT_ERR_CONFIG, "%s takes %s, not %s %s", node->op->name, wanted,
                 gt_dtype_name(x->dtype), gt_shape_text(x->shape, text));
}

static bool is_matrix(const gt_node *node, gt_dtype dtype) {
  return node->dtype == dtype && node->shape.rank == 2;
}

static bool infer_codes(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                        gt_error *error) {
  const gt_node *logits = gt_node_at(graph, node->input[0]);
  if (!is_matrix(logits, GT_F32) || logits->shape.dim[1] != FUNCTIONS)
    return refuse(node, logits, "float32 [gates, 16]", error);
  *shape = gt_shape_1(logits->shape.dim[0]);
  *dtype = GT_I32;
  return gt_check_size(node->op->name, logits->shape, error);
}

static bool infer_pack(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                       gt_error *error) {
  const bits_attribute *a = node->attribute;
  const gt_node *x = gt_node_at(graph, node->input[0]);
  if (!is_matrix(x, GT_F32)) return refuse(node, x, "float32 [batch, values]", error);
  const int64_t words = gt_logic_words(x->shape.dim[0]), values = x->shape.dim[1];
  *shape = a->order == GT_WORDS_BY_WORD ? gt_shape_2(words, values) : gt_shape_2(values, words);
  *dtype = GT_I32;
  return gt_check_size(node->op->name, x->shape, error);
}

static bool infer_unpack(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                         gt_error *error) {
  const bits_attribute *a = node->attribute;
  const gt_node *x = gt_node_at(graph, node->input[0]);
  const int axis = a->order == GT_WORDS_BY_WORD ? 0 : 1;
  if (!is_matrix(x, GT_I32) || a->batch < 1 || x->shape.dim[axis] != gt_logic_words(a->batch))
    return refuse(node, x, "int32 words of the batch", error);
  *shape = gt_shape_2(a->batch, x->shape.dim[1 - axis]);
  *dtype = GT_F32;
  return gt_check_size(node->op->name, *shape, error);
}

static bool infer_bits(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                       gt_error *error) {
  const gt_node *x = gt_node_at(graph, node->input[0]), *codes = gt_node_at(graph, node->input[1]),
                *wiring = gt_node_at(graph, node->input[2]);
  if (!is_matrix(x, GT_I32)) return refuse(node, x, "int32 words [values, words]", error);
  const int64_t gates = codes->shape.dim[0];
  if (codes->dtype != GT_I32 || codes->shape.rank != 1) return refuse(node, codes, "int32 codes", error);
  if (wiring->dtype != GT_I32 || !gt_shape_equal(wiring->shape, gt_shape_2(2, gates)))
    return refuse(node, wiring, "int32 [2, gates]", error);
  *shape = gt_shape_2(gates, x->shape.dim[1]);
  *dtype = GT_I32;
  return gt_check_size(node->op->name, *shape, error);
}

static bool infer_sum(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                      gt_error *error) {
  const bits_attribute *a = node->attribute;
  const gt_node *x = gt_node_at(graph, node->input[0]);
  if (!is_matrix(x, GT_I32) || a->batch < 1 || x->shape.dim[1] != gt_logic_words(a->batch) || a->groups < 1 ||
      x->shape.dim[0] % a->groups)
    return refuse(node, x, "int32 words of the batch, their rows in equal groups", error);
  *shape = gt_shape_2(a->batch, a->groups);
  *dtype = GT_F32;
  return gt_check_size(node->op->name, *shape, error);
}

/* --- lowering ------------------------------------------------------------------------------------------- */

static void lower_codes(gt_lowering *lowering, const gt_group *group) {
  static const gt_kernel kernel = {"logic_codes", gt_logic_codes_cpu};
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const struct gt_logic_codes_args args = {.gates = (uint32_t)node->shape.dim[0]};
  gt_step *step = gt_lower_step(lowering, &kernel, &args, sizeof args);
  step->tiles = gt_ceil_div(args.gates, GT_BITS_CODE_TILE);
  gt_lower_read(lowering, offsetof(struct gt_logic_codes_args, logits), node->input[0]);
  gt_lower_write(lowering, offsetof(struct gt_logic_codes_args, codes), group->leader);
  gt_lower_grid(lowering, args.gates, WORKGROUP);
}

/* Lowers pack and unpack. */
static void lower_pack(gt_lowering *lowering, const gt_group *group) {
  static const gt_kernel pack = {"logic_pack", gt_logic_pack_cpu},
                         unpack = {"logic_unpack", gt_logic_unpack_cpu};
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const bool is_pack = node->op == &ops[OP_PACK];
  const gt_shape x = is_pack ? gt_node_at(graph, node->input[0])->shape : node->shape;
  const struct gt_logic_pack_args args = {
      .batch = (uint32_t)x.dim[0], .values = (uint32_t)x.dim[1], .words = (uint32_t)gt_logic_words(x.dim[0])};
  const size_t at_x = offsetof(struct gt_logic_pack_args, x),
               at_words = offsetof(struct gt_logic_pack_args, packed);
  gt_step *step = gt_lower_step(lowering, is_pack ? &pack : &unpack, &args, sizeof args);
  step->spec[GT_LOGIC_PACK_SPEC_BY_WORD] =
      ((const bits_attribute *)node->attribute)->order == GT_WORDS_BY_WORD;
  step->tiles = args.words * gt_ceil_div(args.values, GT_BITS_VALUE_TILE);
  gt_lower_read(lowering, is_pack ? at_x : at_words, node->input[0]);
  gt_lower_write(lowering, is_pack ? at_words : at_x, group->leader);
  gt_lower_grid(lowering, (uint64_t)args.values * (is_pack ? args.words : args.batch), WORKGROUP);
}

static void lower_bits(gt_lowering *lowering, const gt_group *group) {
  static const gt_kernel kernel = {"logic_bits", gt_logic_bits_cpu};
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const gt_shape x = gt_node_at(graph, node->input[0])->shape;
  const struct gt_logic_bits_args args = {
      .inputs = (uint32_t)x.dim[0], .gates = (uint32_t)node->shape.dim[0], .words = (uint32_t)x.dim[1]};
  const uint32_t per_tile = gt_logic_bits_tile_gates(args.words);
  gt_step *step = gt_lower_step(lowering, &kernel, &args, sizeof args);
  step->tiles = gt_ceil_div(args.gates, per_tile);
  gt_lower_read(lowering, offsetof(struct gt_logic_bits_args, x), node->input[0]);
  gt_lower_read(lowering, offsetof(struct gt_logic_bits_args, codes), node->input[1]);
  gt_lower_read(lowering, offsetof(struct gt_logic_bits_args, wiring), node->input[2]);
  gt_lower_write(lowering, offsetof(struct gt_logic_bits_args, y), group->leader);
  gt_lower_grid(lowering, (uint64_t)args.gates * args.words, WORKGROUP);
}

static void lower_sum(gt_lowering *lowering, const gt_group *group) {
  static const gt_kernel kernel = {"logic_bits_sum", gt_logic_bits_sum_cpu};
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const bits_attribute *a = node->attribute;
  const gt_shape x = gt_node_at(graph, node->input[0])->shape;
  const struct gt_logic_bits_sum_args args = {.batch = (uint32_t)a->batch,
                                              .groups = (uint32_t)a->groups,
                                              .group_size = (uint32_t)(x.dim[0] / a->groups),
                                              .words = (uint32_t)x.dim[1],
                                              .scale = a->scale};
  const uint32_t local = gt_lower_workgroup(lowering, SUM_WORKGROUP, 32);
  gt_lower_step(lowering, &kernel, &args, sizeof args)->tiles = args.groups;
  gt_lower_read(lowering, offsetof(struct gt_logic_bits_sum_args, x), node->input[0]);
  gt_lower_write(lowering, offsetof(struct gt_logic_bits_sum_args, y), group->leader);
  gt_lower_grid(lowering, (uint64_t)args.groups * args.words * local, local);
}

/* --- ops ------------------------------------------------------------------------------------------------ */

static bool gives_bits(const gt_graph *graph, const gt_node *node) {
  (void)graph;
  return node->op == &ops[OP_UNPACK];
}

#define OP(op_name, count, op_infer, op_lower)                                                         \
  {                                                                                                    \
    .name = op_name, .kind = GT_OP_KERNEL, .min_inputs = count, .infer = op_infer, .bits = gives_bits, \
    .lower = op_lower                                                                                  \
  }

static const gt_op ops[OPS] = {
    [OP_CODES] = OP("logic_codes", 1, infer_codes, lower_codes),
    [OP_PACK] = OP("logic_pack", 1, infer_pack, lower_pack),
    [OP_UNPACK] = OP("logic_unpack", 1, infer_unpack, lower_pack),
    [OP_BITS] = OP("logic_bits", 3, infer_bits, lower_bits),
    [OP_SUM] = OP("logic_bits_sum", 1, infer_sum, lower_sum),
};

/* --- builders ------------------------------------------------------------------------------------------- */

static gt_id add_node(gt_graph *graph, int op_index, gt_id x, bits_attribute attribute) {
  return gt_node_add(graph, &ops[op_index], &x, 1, &attribute, sizeof attribute);
}

gt_id gt_logic_codes(gt_graph *graph, gt_id logits) {
  return gt_node_add(graph, &ops[OP_CODES], &logits, 1, NULL, 0);
}

gt_id gt_logic_pack(gt_graph *graph, gt_id x, gt_words_order order) {
  return add_node(graph, OP_PACK, x, (bits_attribute){.order = order});
}

gt_id gt_logic_unpack(gt_graph *graph, gt_id words, int64_t batch, gt_words_order order) {
  return add_node(graph, OP_UNPACK, words, (bits_attribute){.batch = batch, .order = order});
}

gt_id gt_logic_bits(gt_graph *graph, gt_id x, gt_id codes, gt_id wiring) {
  const gt_id input[3] = {x, codes, wiring};
  return gt_node_add(graph, &ops[OP_BITS], input, 3, NULL, 0);
}

gt_id gt_logic_bits_sum(gt_graph *graph, gt_id x, int64_t batch, int64_t groups, double scale) {
  return add_node(graph, OP_SUM, x,
                  (bits_attribute){.batch = batch, .groups = groups, .scale = (float)scale});
}

gt_id gt_logic_words_of(gt_graph *graph, gt_id x) {
  if (x == GT_NONE) return GT_NONE;
  const gt_shape shape = gt_node_at(graph, x)->shape;
  const gt_shape flat = gt_shape_2(shape.dim[0], gt_shape_count(shape) / shape.dim[0]);
  const gt_node *origin = gt_node_at(graph, gt_reshape_origin(graph, x));
  if (origin->op == &ops[OP_UNPACK] && gt_shape_equal(origin->shape, flat) &&
      ((const bits_attribute *)origin->attribute)->order == GT_WORDS_BY_VALUE)
    return origin->input[0];
  if (!gt_node_at(graph, x)->bits) return GT_NONE;
  return gt_logic_pack(graph, gt_reshape(graph, x, flat), GT_WORDS_BY_VALUE);
}
