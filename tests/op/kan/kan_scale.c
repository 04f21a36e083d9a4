/* Cases (op/case.h) of scales on the coefficients of KAN layers. */
#include "op/kan/kan.h"
#include "op/case.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/reduce.h"
#include <math.h>

GT_REGISTER(opcase, kan_scale)

/* Inputs: the gradient of scaled coefficients, coefficients, scales. p: inputs, functions, base, block. */
enum { INPUTS, TERMS, BASE, BLOCK };

typedef struct layer {
  gt_kan_attribute a;
  int64_t inputs, outputs;
  int64_t total;       /* functions of an input, with the base */
  int64_t edge_scales; /* 1, or 2 if the base has one of its own */
} layer;

static layer layer_of(const gt_case_view *v) {
  const int64_t *p = v->c->p;
  const gt_shape c = v->shape[1];
  layer l = {.inputs = p[INPUTS], .total = p[TERMS] + p[BASE], .outputs = c.dim[c.rank - 1]};
  l.edge_scales = gt_shape_count(v->shape[2]) / l.inputs / l.outputs;
  l.a = gt_kan_polynomials(GT_BASIS_CHEBYSHEV, (uint32_t)p[TERMS] - 1, 0, 0);
  l.a.base = (uint32_t)p[BASE];
  l.a.block = (uint32_t)(p[BLOCK] ? p[BLOCK] : l.inputs);
  return l;
}

/* The index of the first coefficient of an input's function. */
static int64_t first_coefficient(const layer *l, int64_t input, int64_t term) {
  return ((input / l->a.block * l->total + term) * l->a.block + input % l->a.block) * l->outputs;
}

/* The index of the first scale of an input's function; -1 if it has none. */
static int64_t first_scale(const layer *l, int64_t input, int64_t term) {
  const bool base = term == l->a.terms;
  if (base && l->edge_scales == 1) return -1;
  return ((input / l->a.block * l->edge_scales + base) * l->a.block + input % l->a.block) * l->outputs;
}

static gt_shape reference_coefficients(const gt_case_view *v, const double *const *x, double *y) {
  const layer l = layer_of(v);
  for (int64_t i = 0; y && i < l.inputs; i++)
    for (int64_t t = 0; t < l.total; t++)
      for (int64_t o = 0; o < l.outputs; o++) {
        const int64_t at = first_coefficient(&l, i, t) + o, scale = first_scale(&l, i, t);
        y[at] = x[0][at] * (scale < 0 ? 1 : x[2][scale + o]);
      }
  return gt_shape_2(l.inputs * l.total, l.outputs);
}

static gt_shape reference_scales(const gt_case_view *v, const double *const *x, double *y) {
  const layer l = layer_of(v);
  for (int64_t k = 0; y && k < gt_shape_count(v->shape[2]); k++) y[k] = 0;
  for (int64_t i = 0; y && i < l.inputs; i++)
    for (int64_t t = 0; t < l.total; t++)
      for (int64_t o = 0; first_scale(&l, i, t) >= 0 && o < l.outputs; o++)
        y[first_scale(&l, i, t) + o] +=
            x[0][first_coefficient(&l, i, t) + o] * x[1][first_coefficient(&l, i, t) + o];
  return v->shape[2];
}

static gt_shape reference_scaled(const gt_case_view *v, const double *const *x, double *y) {
  reference_coefficients(v, (const double *const[]){x[1], NULL, x[2]}, y);
  return v->shape[1];
}

static gt_id build_coefficients(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const layer l = layer_of(v);
  return gt_kan_scale(g, x[0], x[1], x[2], &l.a);
}
static gt_id build_scales(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_result(g, build_coefficients(g, v, x), 1);
}
static gt_id build_scaled(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const layer l = layer_of(v);
  return gt_kan_scaled(g, x[1], x[2], &l.a);
}

/* The result is computed in the memory of the input w (gt_op.begins_as). */
static gt_id build_in_place(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const layer l = layer_of(v);
  const gt_id w = gt_mul(g, x[0], x[0]), scaled_w = gt_kan_scale(g, w, x[1], x[2], &l.a);
  return gt_mul(g, scaled_w, gt_exp(g, x[1]));
}
static gt_shape reference_in_place(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape shape = reference_coefficients(v, x, y);
  for (int64_t k = 0; y && k < gt_shape_count(shape); k++) y[k] *= x[0][k] * exp(x[1][k]);
  return shape;
}

/* The check for finite values of a pack of both results. The logarithm is NaN where input 0 is below 0; the
 * result is minus input 3 if all values are finite, otherwise 0. */
static gt_id build_checked(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const layer l = layer_of(v);
  const gt_id coefficients = gt_kan_scale(g, gt_log(g, x[0]), x[1], x[2], &l.a);
  const gt_id part[] = {coefficients, gt_result(g, coefficients, 1)};
  const int64_t end = (gt_shape_count(v->shape[0]) + 63) / 64 * 64, offset[] = {0, end};
  const gt_id pack = gt_pack_at(g, part, offset, 2, end + gt_shape_count(v->shape[2]));
  return gt_all_finite(g, pack, gt_neg(g, x[3]));
}
static gt_shape reference_checked(const gt_case_view *v, const double *const *x, double *y) {
  bool finite = true;
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++) finite &= (bool)isfinite(log(x[0][i]));
  if (y) y[0] = finite ? -x[3][0] : 0;
  return v->shape[3];
}

#define RULE(title, what, gradients)                                                             \
  {                                                                                              \
    .name = title, .build = build_##what, .reference = reference_##what, .wrt = gradients,       \
    .tolerance = 2e-6, .gradient_tolerance = 4e-6, .reason = "rounding of a product and of sums" \
  }
static const gt_case_rule coefficients = RULE("kan_scale", coefficients, 5),
                          scales = RULE("kan_scale_scales", scales, 3),
                          scaled = RULE("kan_scaled", scaled, 6),
                          in_place = RULE("kan_scale_there", in_place, 7),
                          checked = RULE("kan_scale_checks", checked, 0);

static const gt_case cases[] = {
    {&coefficients, "15,2 15,2 3,2", {3, 5, 0}},
    {&coefficients, "18,4 3,6,4 3,4", {3, 5, 1}},
    {&coefficients, "18,4 1,6,3,4 1,2,3,4", {3, 5, 1}},
    {&coefficients, "288,8 2,9,16,8 2,1,16,8", {32, 8, 1, 16}},
    {&coefficients, "40,7 4,5,2,7 4,2,2,7", {8, 4, 1, 2}},
    {&scales, "15,2 15,2 3,2", {3, 5, 0}},
    {&scales, "1,1 1,1 1,1", {1, 1, 0}},
    {&scales, "18,4 3,6,4 3,4", {3, 5, 1}},
    {&scales, "18,4 1,6,3,4 1,2,3,4", {3, 5, 1}},
    {&scales, "288,8 2,9,16,8 2,1,16,8", {32, 8, 1, 16}},
    {&scales, "40,7 4,5,2,7 4,2,2,7", {8, 4, 1, 2}},
    {&scales, "624,9 6,104,9 6,9", {6, 103, 1}},
    {&scaled, "15,2 15,2 3,2", {3, 5, 0}},
    {&scaled, "18,4 18,4 3,4", {3, 5, 1}},
    {&scaled, "40,7 4,5,2,7 4,2,2,7", {8, 4, 1, 2}},
    {&checked, "18,4 18,4 3,4 -", {3, 5, 1}, 0, 0.5, 2},
    {&checked, "15,2 15,2 3,2 -", {3, 5, 0}, 0, -1, 2},
    {&checked, "18,4 18,4 3,4 -", {3, 5, 1}, 0, -0.1, 2},
    {&checked, "40,7 40,7 4,2,2,7 -", {8, 4, 1, 2}, 0, -0.02, 2},
    {&checked, "1,1 1,1 1,1 -", {1, 1, 0}, 0, -2, -1},
    {&in_place, "15,2 15,2 3,2", {3, 5, 0}},
    {&in_place, "18,4 18,4 3,4", {3, 5, 1}},
    {&in_place, "40,7 40,7 4,2,2,7", {8, 4, 1, 2}},
};
GT_CASES(kan_scale, cases);
