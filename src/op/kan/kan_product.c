/* Lowers the forward, dgrad and wgrad of a KAN layer to GEMMs with computed operands. */
#include "op/kan/kan_product.h"
#include "base/count.h"
#include "op/kan/basis.h"
#include "op/kan/kan_scale.h"
#include "step/math.h"

/* Functions of an input, with the base. */
static uint32_t total(const gt_kan_attribute *a) { return a->terms + a->base; }

/* Upper bound on the magnitude of the inputs of the functions (which: 0), or of the base (1). */
static double limit_of(const gt_graph *graph, gt_id x, const gt_kan_attribute *a, int which) {
  const gt_node *node = gt_node_at(graph, gt_reshape_origin(graph, x));
  const bool has_two_parts = a->apart && node->op->kind == GT_OP_PACK && node->inputs == 2;
  return has_two_parts ? gt_node_at(graph, node->input[which])->limit : node->limit;
}

/* The loader multiplies coefficients by their scales. */
static void scale_loaded(const gt_kan_extents *e, gt_product *p) {
  if (p->shape.kind_b == GT_FACTOR_DENSE) p->shape.kind_b = GT_FACTOR_SCALED;
  p->own[GT_BASIS_SPEC_KIND - GT_FACTOR_SPEC_OWN] |= e->parts * GT_BASIS_SCALED;
  p->scales = e->scales;
}

/* For gt_product.scale: multiplies the coefficients by their scales, once the kernel is known. */
static void multiply_scales(gt_lowering *lowering, gt_product *p, bool packed) {
  const gt_kan_extents *e = p->scale_with;
  if (packed)
    scale_loaded(e, p);
  else
    p->b.scratch = 1 + gt_kan_lower_scaled(lowering, p->b.node, e->scales, e->a);
}

/* Makes coefficients times scales operand B. before: a step before the GEMM multiplies them, or the kernel
 * that packs B; otherwise the loader, which then cannot copy neighbours from memory as they are (run). */
static void scale(gt_id coefficients, const gt_kan_extents *e, bool before, gt_product *p) {
  p->b.node = coefficients;
  if (e->scales == GT_NONE) return;
  if (before) {
    p->scale = multiply_scales;
    p->scale_with = e;
  } else {
    scale_loaded(e, p);
    p->shape.run = 0;
  }
}

/* Makes the basis operand A; with `columns`, its transpose. */
static void multiply_basis(const gt_graph *graph, gt_id x, const gt_kan_extents *e, bool columns,
                           gt_product *p, uint32_t geometry[GT_BASIS_WORDS]) {
  const uint32_t lines = (uint32_t)e->lines, length = (uint32_t)e->inputs * total(e->a);
  p->shape.m = columns ? length : lines;
  p->shape.k = columns ? lines : length;
  p->shape.n = (uint32_t)e->outputs;
  p->shape.trans_a = columns;
  p->shape.kind_a = GT_FACTOR_BASIS;
  p->shape.run = e->a->block;
  const double limit[2] = {limit_of(graph, x, e->a, 0), limit_of(graph, x, e->a, 1)};
  p->shape.even_a = gt_basis_range(e->a, limit, columns, geometry, p->own);
  if (p->own[GT_BASIS_SPEC_KIND - GT_FACTOR_SPEC_OWN] & GT_BASIS_RAW_ONLY)
    p->measured_a = (gt_element_range){e->lines * e->inputs, e->lines * e->inputs};
  if (p->own[GT_BASIS_SPEC_KIND - GT_FACTOR_SPEC_OWN] & GT_BASIS_KNOWN)
    p->shape.known_a = gt_from_bits(geometry[GT_BASIS_PEAK_OF]);
  p->shape.heavy_a = e->a->basis != GT_BASIS_RBF && e->a->basis != GT_BASIS_PIECEWISE_LINEAR;
  p->shape.apart_a = e->a->apart;
  p->shape.inputs_a = e->a->order ? 0 : (uint32_t)e->inputs;
}

/* True if K segments get the length that matrix units need. */
static bool is_deep(const gt_target *target, const gt_kan_extents *e) {
  enum { LEAST_ON_UNITS = 32 };
  const bool units = target->matrix.half.m | target->matrix.bfloat.m;
  return units && (e->outputs >= LEAST_ON_UNITS || target->matrix.always);
}

/* A K segment for each function: g times its coefficients. deep: segments long enough for matrix units. */
static void multiply_segments(bool deep, const gt_kan_extents *e, gt_product *p) {
  const uint32_t outputs = (uint32_t)e->outputs, slice = deep ? GT_FACTOR_DEEP_SLICE : GT_FACTOR_SLICE,
                 segment = gt_ceil_div(outputs, slice) * slice;
  p->shape.m = (uint32_t)e->lines;
  p->shape.n = (uint32_t)e->inputs;
  p->shape.k = total(e->a) * segment;
  p->shape.trans_b = true;
  p->shape.kind_a = GT_FACTOR_REPEATED;
  p->shape.kind_b = GT_FACTOR_COEFFICIENTS;
  p->shape.segment = segment;
  p->shape.outputs = outputs;
  p->shape.run = outputs == segment && e->inputs % 4 == 0 ? outputs : 0;
}

gt_product gt_kan_product(gt_lowering *lowering, const gt_node *node, gt_kan_product_form form,
                          const gt_kan_extents *e, uint32_t geometry[GT_BASIS_WORDS]) {
  /* Loaders multiply coefficients by scales again for each tile of lines: with many lines it is faster to
   * multiply them before. In the gradient of the inputs on scalar units the gain is not worth the memory. */
  enum { MANY_LINES = 2048 };
  const gt_target *target = gt_lowering_target(lowering);
  const bool before = !target->device || e->lines > MANY_LINES, deep = is_deep(target, e);
  gt_product p = {.a = {.node = node->input[0]}, .b = {.node = node->input[1]}, .scales = GT_NONE};
  p.geometry = geometry;
  p.words = GT_BASIS_WORDS;
  p.shape.batch = 1;
  p.shape.plain_a = !gt_kan_parameter_rows(e->a);
  gt_basis_geometry(e->a, (uint32_t)e->lines, (uint32_t)e->inputs, (uint32_t)e->outputs, geometry, p.own);
  if (form == GT_KAN_INPUT) {
    p.a.node = node->input[1];
    p.drain = node->input[0];
    multiply_segments(deep, e, &p);
    scale(node->input[2], e, before && deep, &p);
    return p;
  }
  if (form == GT_KAN_FORWARD) scale(node->input[1], e, before, &p);
  multiply_basis(gt_lowering_graph(lowering), node->input[0], e, form == GT_KAN_COEFFICIENTS, &p, geometry);
  return p;
}
