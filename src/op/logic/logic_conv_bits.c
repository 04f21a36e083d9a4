#include "op/logic/logic_conv_bits.h"
#include "base/count.h"
#include "op/check.h"
#include "op/logic/logic_conv_bits_cpu.h"
#include "op/op.h"
#include "step/lowering.h"
#include <stddef.h>
#include <string.h>

enum { WORKGROUP = 256 };
static const gt_op ops[1];

GT_DEFINE(op, logic_conv_bits) = {ops, 1};

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_node *x = gt_node_at(graph, node->input[0]), *codes = gt_node_at(graph, node->input[1]),
                *wiring = gt_node_at(graph, node->input[2]);
  const int64_t gates = gt_logic_conv_gates(x->shape, wiring->shape);
  if (!gates || x->dtype != GT_I32 || !gt_is_i32(codes, gates) || wiring->dtype != GT_I32)
    return gt_fail(error, GT_ERR_INTERNAL, "logic_conv_bits: the words, codes or wiring do not match");
  *dtype = GT_I32;
  return gt_logic_conv_shape(node->op->name, node->attribute, x->shape, wiring->shape, shape, error);
}

/* --- lowering ------------------------------------------------------------------------------------------- */

typedef struct geometry {
  struct gt_logic_conv_bits_args args;
  uint32_t spec[GT_CONV_SPEC_COLUMNS + 1];
} geometry;

static geometry geometry_of(const gt_graph *graph, const gt_node *node) {
  const gt_logic_conv_attribute *a = node->attribute;
  const gt_shape x = gt_node_at(graph, node->input[0])->shape;
  geometry g = {.args = {.height = (uint32_t)x.dim[0],
                         .width = (uint32_t)x.dim[1],
                         .rows = (uint32_t)node->shape.dim[0],
                         .padding = a->padding,
                         .words = (uint32_t)x.dim[3]}};
  gt_logic_conv_spec(a, x, gt_node_at(graph, node->input[2])->shape, g.spec);
  return g;
}

static gt_step *emit_step(gt_lowering *lowering, const geometry *g, const gt_kernel *kernel) {
  return gt_logic_conv_step(lowering, kernel, &g->args, sizeof g->args, g->spec);
}

#define AT(field) offsetof(struct gt_logic_conv_bits_args, field)

/* For the CPU: emits the step that copies x to planes (op/logic/logic_conv_bits_cpu.h); returns their scratch
 * memory. */
static uint32_t lower_planes(gt_lowering *lowering, const geometry *g, gt_id x) {
  static const gt_kernel kernel = {"logic_conv_planes", gt_logic_conv_planes_cpu}; /* CPU only */
  const uint32_t channels = g->spec[GT_CONV_SPEC_CHANNELS];
  const uint64_t plane = gt_logic_conv_bits_plane(&g->args, g->spec[GT_CONV_SPEC_STRIDE]);
  const uint32_t planes = gt_lower_scratch(lowering, 4 * plane * channels * g->args.words);
  emit_step(lowering, g, &kernel)->tiles = channels * gt_logic_conv_bits_blocks(g->args.words);
  gt_lower_read(lowering, AT(x), x);
  gt_lower_use_scratch(lowering, AT(planes), planes, true);
  return planes;
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  static const gt_kernel kernel = {"logic_conv_bits", gt_logic_conv_bits_cpu};
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const geometry g = geometry_of(graph, node);
  const bool device = gt_lowering_target(lowering)->device;
  const uint32_t planes = device ? 0 : lower_planes(lowering, &g, node->input[0]),
                 kernels = g.spec[GT_CONV_SPEC_KERNELS];
  emit_step(lowering, &g, &kernel)->tiles =
      gt_logic_conv_bits_blocks(g.args.words) * gt_ceil_div(kernels, GT_CONV_BITS_KERNELS);
  if (device)
    gt_lower_read(lowering, AT(x), node->input[0]);
  else
    gt_lower_use_scratch(lowering, AT(planes), planes, false);
  gt_lower_read(lowering, AT(codes), node->input[1]);
  gt_lower_read(lowering, AT(wiring), node->input[2]);
  gt_lower_write(lowering, AT(y), group->leader);
  gt_lower_grid(lowering, (uint64_t)gt_shape_count(node->shape), WORKGROUP);
}

/* --- builder and op ------------------------------------------------------------------------------------- */

gt_id gt_logic_conv_bits(gt_graph *graph, gt_id x, gt_id codes, gt_id wiring,
                         const gt_logic_conv_attribute *attribute) {
  const gt_id input[3] = {x, codes, wiring};
  return gt_node_add(graph, &ops[0], input, 3, attribute, sizeof *attribute);
}

/* Seven operations on a word for each gate and position. */
static double flops(const gt_graph *graph, const gt_node *node) {
  const double pool = ((const gt_logic_conv_attribute *)node->attribute)->pool;
  const gt_shape wiring = gt_node_at(graph, node->input[2])->shape;
  return 7 * pool * pool * (double)(wiring.dim[1] - 1) * (double)gt_shape_count(node->shape);
}

static const gt_op ops[1] = {{.name = "logic_conv_bits",
                              .kind = GT_OP_KERNEL,
                              .min_inputs = 3,
                              .infer = infer,
                              .lower = lower,
                              .flops = flops,
                              .print = gt_logic_conv_print}};
