/* Scales of the coefficients of a KAN layer, one for all functions of an edge, a pair of input and output.
 * This op computes the gradients of coefficients and scales from that of their product, in one pass. GEMMs
 * multiply them on load (op/kan/kan_product.c); on the CPU and for penalties the product is stored. */
#include "op/kan/kan_scale.h"
#include "base/count.h"
#include "op/check.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/kan/kan.h"
#include "op/move.h"
#include "op/op.h"
#include "shaders/op/kan/kan_scale.h"
#include "shaders/op/kan/kan_scaled.h"
#include <stddef.h>
#include <string.h>
#include "step/math.h"

static const gt_op ops[1];

GT_DEFINE(op, kan_scale) = {ops, 1};

/* MOST_SHARES: invocations among which the functions of an edge are divided; TILE: edges of a CPU tile. */
enum { WORKGROUP = 256, MOST_SHARES = 16, TILE = 8192 };

/* Functions of an input, with the base. */
static uint32_t total(const gt_kan_attribute *a) { return a->terms + a->base; }

static int64_t last_dim(gt_shape shape) { return shape.rank ? shape.dim[shape.rank - 1] : 0; }

uint32_t gt_kan_scale_parts(gt_shape scales, int64_t inputs, int64_t outputs, const gt_kan_attribute *a) {
  const int64_t count = gt_shape_count(scales), edges = inputs * outputs;
  if (last_dim(scales) != outputs) return 0;
  return count == edges ? 1 : a->base && count == 2 * edges ? 2 : 0;
}

/* --- shapes, builders and gradient ---------------------------------------------------------------------- */

/* Number of inputs, given the shape of coefficients or of their gradient. */
static int64_t inputs_of(gt_shape coefficients, const gt_kan_attribute *a) {
  return gt_shape_count(coefficients) / total(a) / last_dim(coefficients);
}

/* In this file w is the gradient of the product, c the coefficients and f their scales (factors). */
static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_kan_attribute *a = node->attribute;
  for (int i = 0; i < node->inputs; i++)
    if (!gt_check_f32(node->op->name, gt_node_at(graph, node->input[i]), error)) return false;
  const gt_shape w = gt_node_at(graph, node->input[0])->shape, c = gt_node_at(graph, node->input[1])->shape,
                 f = gt_node_at(graph, node->input[2])->shape;
  const int64_t outputs = last_dim(c), inputs = outputs > 0 ? inputs_of(c, a) : 0;
  char text[128];
  if (outputs < 1 || last_dim(w) != outputs || inputs < 1 || !a->block || inputs % a->block ||
      gt_shape_count(c) != inputs * total(a) * outputs || gt_shape_count(w) != gt_shape_count(c) ||
      !gt_kan_scale_parts(f, inputs, outputs, a))
    return gt_fail(error, GT_ERR_CONFIG, "%s: %s does not match coefficients for %u functions",
                   node->op->name, gt_shape_text(f, text), total(a));
  shape[0] = gt_shape_2(inputs * total(a), outputs);
  shape[1] = f;
  dtype[0] = dtype[1] = GT_F32;
  return gt_check_size(node->op->name, shape[0], error);
}

gt_id gt_kan_scale(gt_graph *graph, gt_id w, gt_id coefficients, gt_id scales, const gt_kan_attribute *a) {
  return gt_node_add(graph, &ops[0], (const gt_id[]){w, coefficients, scales}, 3, a, sizeof *a);
}

/* Expands scales to the order of coefficients, [blocks, total, block, outputs]: repeats each one for all of
 * its functions. beyond: the value for a base without scales. */
static gt_id spread(gt_graph *graph, gt_id scales, const gt_kan_attribute *a, int64_t inputs, double beyond) {
  static const int64_t none[4] = {0}, behind[4] = {0, 1, 0, 0};
  const gt_shape shape = gt_node_at(graph, scales)->shape;
  const int64_t outputs = last_dim(shape), blocks = inputs / a->block,
                parts = gt_shape_count(shape) / inputs / outputs;
  const gt_shape of_terms = {.rank = 4, .dim = {blocks, a->terms, a->block, outputs}};
  const gt_id all =
      gt_reshape(graph, scales, (gt_shape){.rank = 4, .dim = {blocks, parts, (int64_t)a->block, outputs}});
  if (parts == 1) {
    const gt_id each = gt_expand(graph, all, of_terms);
    return a->base ? gt_pad(graph, each, none, behind, beyond) : each;
  }
  const int64_t base_start[4] = {0, 1, 0, 0}, base_stop[4] = {blocks, 2, a->block, outputs},
                terms_stop[4] = {blocks, 1, a->block, outputs};
  const gt_id of_base = gt_shrink(graph, all, base_start, base_stop);
  const gt_id each = gt_expand(graph, gt_shrink(graph, all, none, terms_stop), of_terms);
  return gt_concatenate(graph, (const gt_id[]){each, of_base}, 2, 1);
}

/* x, in the order of coefficients, times the expanded scales; in x's shape. */
static gt_id times_spread(gt_graph *graph, gt_id x, gt_id scales, const gt_kan_attribute *a, double beyond) {
  if (x == GT_NONE || scales == GT_NONE) return GT_NONE;
  const gt_shape shape = gt_node_at(graph, x)->shape;
  const gt_id by = spread(graph, scales, a, inputs_of(shape, a), beyond);
  return gt_mul(graph, x, gt_reshape(graph, by, shape));
}

gt_id gt_kan_scaled(gt_graph *graph, gt_id coefficients, gt_id scales, const gt_kan_attribute *a) {
  return scales == GT_NONE ? coefficients : times_spread(graph, coefficients, scales, a, 1);
}

static void gradient(gt_graph *graph, gt_id node, const gt_id *given, const bool *wanted,
                     gt_id *input_gradient) {
  const gt_node n = *gt_node_at(graph, node);
  const gt_kan_attribute *a = n.attribute;
  const gt_id w = n.input[0], c = n.input[1], f = n.input[2];
  const gt_shape of_w = gt_node_at(graph, w)->shape, of_c = gt_node_at(graph, c)->shape;
  if (wanted[0]) {
    const gt_id by_c = times_spread(graph, gt_reshape(graph, c, of_w), given[1], a, 0);
    const gt_id by_f =
        given[0] == GT_NONE ? GT_NONE : gt_kan_scaled(graph, gt_reshape(graph, given[0], of_w), f, a);
    input_gradient[0] = by_c == GT_NONE ? by_f : by_f == GT_NONE ? by_c : gt_add(graph, by_c, by_f);
  }
  if (wanted[1] && given[1] != GT_NONE)
    input_gradient[1] = times_spread(graph, gt_reshape(graph, w, of_c), given[1], a, 0);
  if (wanted[2] && given[0] != GT_NONE) /* sums of w * given[0] over the functions of an edge */
    input_gradient[2] = gt_result(graph, gt_kan_scale(graph, w, given[0], f, a), 1);
}

/* --- CPU kernels ---------------------------------------------------------------------------------------- */

/* A tile: some neighbouring inputs of a block, whose coefficients for one function are contiguous. */
typedef struct cut {
  uint32_t each, across; /* inputs of a tile, tiles of a block */
} cut;

static cut cut_of(uint32_t block, uint32_t outputs) {
  const uint32_t each = gt_min_u32(gt_max_u32(TILE / outputs, 1), block);
  return (cut){each, gt_ceil_div(block, each)};
}

/* Elements of a tile: at: its first coefficient, at_f: its first scale; count: coefficients for one function;
 * apart: distance from one function to the next. */
typedef struct place {
  size_t at, at_f, count, apart;
} place;

static place place_of(uint32_t tile, uint32_t outputs, const uint32_t *spec) {
  const uint32_t block = spec[GT_KAN_SCALE_SPEC_BLOCK];
  const uint32_t functions = spec[GT_KAN_SCALE_SPEC_TERMS] + spec[GT_KAN_SCALE_SPEC_BASE];
  const cut c = cut_of(block, outputs);
  const size_t number = tile / c.across, first = (size_t)(tile % c.across) * c.each;
  return (place){.at = (number * functions * block + first) * outputs,
                 .at_f = (number * spec[GT_KAN_SCALE_SPEC_PARTS] * block + first) * outputs,
                 .count = (first + c.each <= block ? c.each : block - first) * outputs,
                 .apart = (size_t)block * outputs};
}

GT_CLONES static void multiply(const float *x, const float *by, size_t count, float *y) {
  GT_VECTOR_LOOP for (size_t i = 0; i < count; i++) y[i] = x[i] * by[i];
}

/* dc may be the same array as w. */
GT_CLONES static void multiply_and_add(const float *w, const float *c, const float *f, size_t count,
                                       float *dc, float *sum) {
  GT_VECTOR_LOOP for (size_t i = 0; i < count; i++) {
    const float slope = w[i];
    sum[i] += slope * c[i];
    dc[i] = slope * f[i];
  }
}

static void scale_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_kan_scale_args *a = args;
  const uint32_t terms = spec[GT_KAN_SCALE_SPEC_TERMS];
  const place p = place_of(tile, a->outputs, spec);
  const float *w = GT_PTR(const float, a->w) + p.at, *c = GT_PTR(const float, a->c) + p.at,
              *f = GT_PTR(const float, a->f) + p.at_f;
  float *dc = GT_PTR(float, a->dc) + p.at, *df = GT_PTR(float, a->df) + p.at_f;
  memset(df, 0, p.count * sizeof *df);
  for (uint32_t t = 0; t < terms; t++, w += p.apart, c += p.apart, dc += p.apart)
    multiply_and_add(w, c, f, p.count, dc, df);
  if (!spec[GT_KAN_SCALE_SPEC_BASE]) return;
  if (spec[GT_KAN_SCALE_SPEC_PARTS] == 2) {
    multiply(w, c, p.count, df + p.apart);
    multiply(w, f + p.apart, p.count, dc);
  } else if (dc != w) {
    memcpy(dc, w, p.count * sizeof *dc);
  }
}

static void scaled_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_kan_scaled_args *a = args;
  const place p = place_of(tile, a->outputs, spec);
  const float *c = GT_PTR(const float, a->c) + p.at, *f = GT_PTR(const float, a->f) + p.at_f;
  float *y = GT_PTR(float, a->y) + p.at;
  for (uint32_t t = 0; t < spec[GT_KAN_SCALE_SPEC_TERMS]; t++, c += p.apart, y += p.apart)
    multiply(c, f, p.count, y);
  if (!spec[GT_KAN_SCALE_SPEC_BASE]) return;
  if (spec[GT_KAN_SCALE_SPEC_PARTS] == 2)
    multiply(c, f + p.apart, p.count, y);
  else
    memcpy(y, c, p.count * sizeof *y);
}

/* --- lowering ------------------------------------------------------------------------------------------- */

static const gt_kernel scale_kernel = {"kan_scale", scale_cpu}, scaled_kernel = {"kan_scaled", scaled_cpu};

static void set_spec(gt_step *step, const gt_kan_attribute *a, uint32_t parts, uint32_t inputs,
                     uint32_t outputs) {
  step->spec[GT_KAN_SCALE_SPEC_TERMS] = a->terms;
  step->spec[GT_KAN_SCALE_SPEC_BASE] = a->base;
  step->spec[GT_KAN_SCALE_SPEC_BLOCK] = a->block;
  step->spec[GT_KAN_SCALE_SPEC_PARTS] = parts;
  step->tiles = inputs / a->block * cut_of(a->block, outputs).across;
}

uint32_t gt_kan_lower_scaled(gt_lowering *lowering, gt_id coefficients, gt_id scales,
                             const gt_kan_attribute *a) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_shape shape = gt_node_at(graph, coefficients)->shape;
  const uint32_t outputs = (uint32_t)last_dim(shape), inputs = (uint32_t)inputs_of(shape, a),
                 parts = gt_kan_scale_parts(gt_node_at(graph, scales)->shape, inputs, outputs, a);
  const struct gt_kan_scaled_args args = {.lines = inputs * total(a), .outputs = outputs};
  const uint32_t scratch = gt_lower_scratch(lowering, 4 * (uint64_t)gt_shape_count(shape));
  gt_step *step = gt_lower_step(lowering, &scaled_kernel, &args, sizeof args);
  step->prepares = true;
  set_spec(step, a, parts, inputs, outputs);
  step->spec[GT_KAN_SCALE_SPEC_QUADS] = outputs % 4 == 0;
  gt_lower_read(lowering, offsetof(struct gt_kan_scaled_args, c), coefficients);
  gt_lower_read(lowering, offsetof(struct gt_kan_scaled_args, f), scales);
  gt_lower_use_scratch(lowering, offsetof(struct gt_kan_scaled_args, y), scratch, true);
  gt_lower_grid(lowering, (uint64_t)args.lines * outputs / (outputs % 4 ? 1 : 4), WORKGROUP);
  return scratch;
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const gt_kan_attribute *a = node->attribute;
  const struct gt_kan_scale_args args = {.inputs = (uint32_t)inputs_of(node->shape, a),
                                         .outputs = (uint32_t)last_dim(node->shape)};
  const gt_shape f = gt_node_at(graph, node->input[2])->shape;
  const bool quads = args.outputs % 4 == 0;
  const uint64_t edges = (uint64_t)args.inputs * (quads ? args.outputs / 4 : args.outputs);
  const uint32_t local = gt_lower_workgroup(lowering, WORKGROUP, MOST_SHARES);
  uint32_t shares = 1;
  while (2 * shares <= gt_min_u32(a->terms, MOST_SHARES)) shares *= 2;
  gt_step *step = gt_lower_step(lowering, &scale_kernel, &args, sizeof args);
  set_spec(step, a, gt_kan_scale_parts(f, args.inputs, args.outputs, a), args.inputs, args.outputs);
  step->spec[GT_KAN_SCALE_SPEC_QUADS] = quads;
  step->spec[GT_KAN_SCALE_SPEC_SHARES] = shares;
  step->spec[GT_KAN_SCALE_SPEC_THERE] = gt_lower_is_in_place(lowering);
  gt_lower_read(lowering, offsetof(struct gt_kan_scale_args, w), node->input[0]);
  gt_lower_read(lowering, offsetof(struct gt_kan_scale_args, c), node->input[1]);
  gt_lower_read(lowering, offsetof(struct gt_kan_scale_args, f), node->input[2]);
  gt_lower_write(lowering, offsetof(struct gt_kan_scale_args, dc), group->leader);
  gt_lower_write(lowering, offsetof(struct gt_kan_scale_args, df), gt_result(graph, group->leader, 1));
  gt_lower_check(lowering, group, offsetof(struct gt_kan_scale_args, flag));
  gt_lower_grid(lowering, gt_ceil_div(edges, local / shares) * local, local);
}

static const gt_op ops[1] = {{.name = "kan_scale",
                              .kind = GT_OP_KERNEL,
                              .min_inputs = 3,
                              .further = 1,
                              .infer = infer,
                              .gradient = gradient,
                              .lower = lower,
                              .begins_as = 1}};
