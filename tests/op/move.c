/* Cases (op/case.h) of the ops that only move elements. */
#include "op/move.h"
#include "op/case.h"
#include "selftest/reference.h"

GT_REGISTER(opcase, move)

/* Each op is described by its result's shape and a function that gives, for an element of the result, the
 * index in the input, or -1 for the fill value. The comment of each op explains p. */
typedef int64_t origin_fn(const gt_case_view *v, gt_shape out, int64_t index);

static gt_shape gather(const gt_case_view *v, const double *x, double *y, gt_shape out, origin_fn *origin) {
  for (int64_t i = 0; y && i < gt_shape_count(out); i++) {
    const int64_t from = origin(v, out, i);
    y[i] = from < 0 ? v->c->v : x[from];
  }
  return out;
}

/* permute: p = axes */
static int64_t permute_origin(const gt_case_view *v, gt_shape out, int64_t index) {
  int64_t at[GT_MAX_RANK], from[GT_MAX_RANK];
  gt_reference_unravel(out, index, at);
  for (int d = 0; d < out.rank; d++) from[v->c->p[d]] = at[d];
  return gt_reference_ravel(v->shape[0], from);
}

static gt_shape reference_permute(const gt_case_view *v, const double *const *x, double *y) {
  gt_shape out = v->shape[0];
  for (int d = 0; d < out.rank; d++) out.dim[d] = v->shape[0].dim[v->c->p[d]];
  return gather(v, x[0], y, out, permute_origin);
}

static gt_id build_permute(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  int axes[GT_MAX_RANK] = {0};
  for (int d = 0; d < v->shape[0].rank; d++) axes[d] = (int)v->c->p[d];
  return gt_permute(g, x[0], axes);
}

/* permute_twice: p = axes of the first permutation, p + 8 = axes of the second */
static int64_t permute_twice_origin(const gt_case_view *v, gt_shape out, int64_t index) {
  int64_t at[GT_MAX_RANK], middle[GT_MAX_RANK], from[GT_MAX_RANK];
  gt_reference_unravel(out, index, at);
  for (int d = 0; d < out.rank; d++) middle[v->c->p[8 + d]] = at[d];
  for (int d = 0; d < out.rank; d++) from[v->c->p[d]] = middle[d];
  return gt_reference_ravel(v->shape[0], from);
}

static gt_shape reference_permute_twice(const gt_case_view *v, const double *const *x, double *y) {
  gt_shape out = v->shape[0];
  for (int d = 0; d < out.rank; d++) out.dim[d] = v->shape[0].dim[v->c->p[v->c->p[8 + d]]];
  return gather(v, x[0], y, out, permute_twice_origin);
}

static gt_id build_permute_twice(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  int axes[GT_MAX_RANK] = {0};
  for (int d = 0; d < v->shape[0].rank; d++) axes[d] = (int)v->c->p[8 + d];
  return gt_permute(g, build_permute(g, v, x), axes);
}

/* expand: to the shape p[1..], of rank p[0] */
static int64_t expand_origin(const gt_case_view *v, gt_shape out, int64_t index) {
  return gt_reference_broadcast(out, v->shape[0], index);
}

static gt_shape reference_expand(const gt_case_view *v, const double *const *x, double *y) {
  return gather(v, x[0], y, gt_shape_of((int)v->c->p[0], v->c->p + 1), expand_origin);
}

static gt_id build_expand(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_expand(g, x[0], gt_shape_of((int)v->c->p[0], v->c->p + 1));
}

/* pad: p = before of every axis, then after of every axis; v = the value */
static int64_t pad_origin(const gt_case_view *v, gt_shape out, int64_t index) {
  int64_t at[GT_MAX_RANK];
  gt_reference_unravel(out, index, at);
  for (int d = 0; d < out.rank; d++) {
    at[d] -= v->c->p[d];
    if (at[d] < 0 || at[d] >= v->shape[0].dim[d]) return -1;
  }
  return gt_reference_ravel(v->shape[0], at);
}

static gt_shape reference_pad(const gt_case_view *v, const double *const *x, double *y) {
  gt_shape out = v->shape[0];
  for (int d = 0; d < out.rank; d++) out.dim[d] += v->c->p[d] + v->c->p[out.rank + d];
  return gather(v, x[0], y, out, pad_origin);
}

static gt_id build_pad(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_pad(g, x[0], v->c->p, v->c->p + v->shape[0].rank, v->c->v);
}

/* shrink: p = start of every axis, then stop of every axis */
static int64_t shrink_origin(const gt_case_view *v, gt_shape out, int64_t index) {
  int64_t at[GT_MAX_RANK];
  gt_reference_unravel(out, index, at);
  for (int d = 0; d < out.rank; d++) at[d] += v->c->p[d];
  return gt_reference_ravel(v->shape[0], at);
}

static gt_shape reference_shrink(const gt_case_view *v, const double *const *x, double *y) {
  gt_shape out = v->shape[0];
  for (int d = 0; d < out.rank; d++) out.dim[d] = v->c->p[out.rank + d] - v->c->p[d];
  return gather(v, x[0], y, out, shrink_origin);
}

static gt_id build_shrink(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_shrink(g, x[0], v->c->p, v->c->p + v->shape[0].rank);
}

/* stride: p = step of every axis */
static int64_t stride_origin(const gt_case_view *v, gt_shape out, int64_t index) {
  int64_t at[GT_MAX_RANK];
  gt_reference_unravel(out, index, at);
  for (int d = 0; d < out.rank; d++) at[d] *= v->c->p[d];
  return gt_reference_ravel(v->shape[0], at);
}

static gt_shape reference_stride(const gt_case_view *v, const double *const *x, double *y) {
  gt_shape out = v->shape[0];
  for (int d = 0; d < out.rank; d++) out.dim[d] = (out.dim[d] + v->c->p[d] - 1) / v->c->p[d];
  return gather(v, x[0], y, out, stride_origin);
}

static gt_id build_stride(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_stride(g, x[0], v->c->p);
}

/* concatenate: p[0] = axis */
static gt_shape reference_concatenate(const gt_case_view *v, const double *const *x, double *y) {
  const int axis = (int)v->c->p[0];
  gt_shape out = v->shape[0];
  for (int k = 1; k < v->inputs; k++) out.dim[axis] += v->shape[k].dim[axis];
  int64_t before = 0;
  for (int k = 0; y && k < v->inputs; k++) {
    for (int64_t i = 0; i < gt_shape_count(v->shape[k]); i++) {
      int64_t at[GT_MAX_RANK];
      gt_reference_unravel(v->shape[k], i, at);
      at[axis] += before;
      y[gt_reference_ravel(out, at)] = x[k][i];
    }
    before += v->shape[k].dim[axis];
  }
  return out;
}

static gt_id build_concatenate(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_concatenate(g, x, v->inputs, (int)v->c->p[0]);
}

#define RULE(name_, wrt_, why)                                       \
  static const gt_case_rule name_ = {.name = #name_,                 \
                                     .build = build_##name_,         \
                                     .reference = reference_##name_, \
                                     .wrt = wrt_,                    \
                                     .tolerance = 0,                 \
                                     .reason = why};
RULE(permute, 1, "a copy")
RULE(permute_twice, 1, "a copy")
static const gt_case_rule permute_integers = {
    .name = "permute", .build = build_permute, .reference = reference_permute, .reason = "a copy"};
RULE(expand, 1, "a copy")
RULE(pad, 1, "a copy")
RULE(shrink, 1, "a copy")
RULE(stride, 1, "a copy")
RULE(concatenate, 255, "a copy")

static const gt_case cases[] = {
    {&permute, "7", {0}},
    {&permute, "5,9", {1, 0}},
    {&permute, "131,67", {1, 0}},
    {&permute, "2,3,4", {2, 0, 1}},
    {&permute, "3,40,50", {0, 2, 1}},
    {&permute, "3,4,5", {1, 2, 0}},
    {&permute, "300,301", {1, 0}},
    {&permute, "2,3,1,2,2,3,2,2", {7, 3, 5, 1, 0, 2, 6, 4}},
    {&permute_integers, "i4,5", {1, 0}, .v = 9},
    {&permute_twice, "5,9", {1, 0, [8] = 1, 0}},
    {&permute_twice, "2,3,4", {2, 0, 1, [8] = 0, 2, 1}},
    {&permute_twice, "2,3,4", {2, 0, 1, [8] = 1, 2, 0}},
    {&expand, "-", {1, 5}},
    {&expand, "-", {3, 2, 3, 4}},
    {&expand, "5,1", {2, 5, 7}},
    {&expand, "7", {2, 5, 7}},
    {&expand, "3,1", {3, 2, 3, 4}},
    {&expand, "1,300", {2, 301, 300}},
    {&expand, "4,5", {2, 4, 5}},
    {&expand, "2,1,3,1,2,1,2,1", {8, 2, 2, 3, 3, 2, 2, 2, 2}},
    {&pad, "5", {2, 3}},
    {&pad, "5", {0, 0}},
    {&pad, "3,4", {1, 0, 0, 2}, .v = 1.5},
    {&pad, "131,67", {3, 0, 1, 5}},
    {&pad, "2,3,4", {0, 1, 0, 2, 0, 1}, .v = -0.25},
    {&pad, "1,1,1,1,2,1,2,2", {1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1}},
    {&shrink, "9", {2, 7}},
    {&shrink, "9", {0, 9}},
    {&shrink, "5,6", {1, 2, 4, 3}},
    {&shrink, "131,67", {7, 9, 130, 66}},
    {&shrink, "3,4,5", {0, 1, 2, 3, 2, 3}},
    {&shrink, "2,2,2,2,2,2,2,3", {0, 1, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 3}},
    {&stride, "9", {2}},
    {&stride, "10", {3}},
    {&stride, "5,6", {2, 3}},
    {&stride, "5,6", {1, 1}},
    {&stride, "7", {9}},
    {&stride, "131,67", {2, 5}},
    {&stride, "3,4,5", {1, 2, 3}},
    {&stride, "2,2,2,2,2,2,2,3", {1, 2, 1, 1, 2, 1, 1, 2}},
    {&concatenate, "5 5", {0}},
    {&concatenate, "3,4 2,4", {0}},
    {&concatenate, "3,4 3,5 3,1", {1}},
    {&concatenate, "2,3,4 2,2,4", {1}},
    {&concatenate, "131,67 131,33", {1}},
    {&concatenate, "7", {0}},
    {&concatenate, "1 2 3 4 5 6 7 8", {0}},
    {&concatenate, "2,1,2,1,2,1,2,1 2,1,2,1,2,2,2,1", {5}},
};
GT_CASES(move, cases);
