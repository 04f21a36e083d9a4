/* Cases (op/case.h) of convolutions, transposed convolutions, and the gradient of the weights. */
#include "op/conv/conv.h"
#include "base/memory.h"
#include "op/case.h"
#include "op/elementwise.h"
#include <math.h>
#include <stdlib.h>

GT_REGISTER(opcase, conv)

/* p: number of axes, groups, then for each axis kernel, stride, dilation, padding before, padding after. For
 * a transposed convolution, AFTER is its output padding minus the padding after. */
enum { RANK, GROUPS, AXES, KERNEL = 0, STRIDE, DILATION, BEFORE, AFTER, PER_AXIS };

static int64_t axis_parameter(const gt_case_view *v, int axis, int which) {
  return v->c->p[AXES + PER_AXIS * axis + which];
}

/* Sizes of the output along an axis, as PyTorch computes them: of a convolution, and of a transposed one. */
static int64_t conv_output_size(const gt_case_view *v, int axis, int64_t in) {
  const int64_t whole = in + axis_parameter(v, axis, BEFORE) + axis_parameter(v, axis, AFTER);
  return (whole - axis_parameter(v, axis, DILATION) * (axis_parameter(v, axis, KERNEL) - 1) - 1) /
             axis_parameter(v, axis, STRIDE) +
         1;
}
static int64_t transposed_output_size(const gt_case_view *v, int axis, int64_t out) {
  return (out - 1) * axis_parameter(v, axis, STRIDE) - axis_parameter(v, axis, BEFORE) +
         axis_parameter(v, axis, AFTER) +
         axis_parameter(v, axis, DILATION) * (axis_parameter(v, axis, KERNEL) - 1) + 1;
}

typedef struct image { /* [batch, extent[0], extent[1], extent[2], channels] */
  int64_t batch, extent[3], channels;
} image;

static image image_of(const gt_case_view *v, gt_shape s) {
  image i = {s.dim[0], {1, 1, 1}, s.dim[s.rank - 1]};
  for (int d = 0; d < v->c->p[RANK]; d++) i.extent[d] = s.dim[1 + d];
  return i;
}

static gt_shape shape_of(const gt_case_view *v, const image *i) {
  gt_shape s = {.rank = (int)v->c->p[RANK] + 2, .dim = {i->batch}};
  for (int d = 0; d < v->c->p[RANK]; d++) s.dim[1 + d] = i->extent[d];
  s.dim[s.rank - 1] = i->channels;
  return s;
}

static int64_t index_of(const image *i, int64_t b, const int64_t *at, int64_t c) {
  return (((b * i->extent[0] + at[0]) * i->extent[1] + at[1]) * i->extent[2] + at[2]) * i->channels + c;
}

/* A convolution with its two images and its weights. */
typedef struct conv {
  const gt_case_view *v;
  image x, y, w; /* the batch dimension of w is the output channels */
} conv;

typedef void visitor(double *to, const double *left, const double *right, int64_t x, int64_t y, int64_t w);

/* The element of x that output position o reads through tap t; false if there is none. */
static bool find_element(const conv *c, const int64_t *o, const int64_t *t, int64_t *at) {
  for (int d = 0; d < 3; d++) {
    at[d] = 0;
    if (d >= c->v->c->p[RANK]) continue;
    at[d] = o[d] * axis_parameter(c->v, d, STRIDE) + t[d] * axis_parameter(c->v, d, DILATION) -
            axis_parameter(c->v, d, BEFORE);
    if (at[d] < 0 || at[d] >= c->x.extent[d]) return false;
  }
  return true;
}

/* Advances to the next position; false after the last one. */
static bool advance(const int64_t *extent, int64_t *at) {
  for (int d = 2; d >= 0; d--) {
    if (++at[d] < extent[d]) return true;
    at[d] = 0;
  }
  return false;
}

/* Calls visit(to, left, right, x, y, w) for each triple of elements that the convolution multiplies. */
static void for_each_product(const conv *c, visitor *visit, double *to, const double *left,
                             const double *right) {
  const int64_t groups = c->v->c->p[GROUPS], in = c->x.channels / groups, out = c->y.channels / groups;
  int64_t o[3] = {0}, t[3] = {0}, at[3];
  do {
    do {
      if (!find_element(c, o, t, at)) continue;
      for (int64_t b = 0; b < c->x.batch; b++)
        for (int64_t k = 0; k < c->y.channels; k++)
          for (int64_t i = 0; i < in; i++)
            visit(to, left, right, index_of(&c->x, b, at, k / out * in + i), index_of(&c->y, b, o, k),
                  index_of(&c->w, k, t, i));
    } while (advance(c->w.extent, t));
  } while (advance(c->y.extent, o));
}

static void to_y(double *to, const double *left, const double *right, int64_t x, int64_t y, int64_t w) {
  to[y] += left[x] * right[w];
}
static void to_x(double *to, const double *left, const double *right, int64_t x, int64_t y, int64_t w) {
  to[x] += left[y] * right[w];
}
static void to_w(double *to, const double *left, const double *right, int64_t x, int64_t y, int64_t w) {
  to[w] += left[y] * right[x];
}

static conv forward(const gt_case_view *v) {
  conv c = {v, .x = image_of(v, v->shape[0]), .w = image_of(v, v->shape[1])};
  c.y = (image){c.x.batch, {1, 1, 1}, c.w.batch};
  for (int d = 0; d < v->c->p[RANK]; d++) c.y.extent[d] = conv_output_size(v, d, c.x.extent[d]);
  return c;
}

static conv transposed(const gt_case_view *v) {
  conv c = {v, .y = image_of(v, v->shape[0]), .w = image_of(v, v->shape[1])};
  c.x = (image){c.y.batch, {1, 1, 1}, c.w.channels * v->c->p[GROUPS]};
  for (int d = 0; d < v->c->p[RANK]; d++) c.x.extent[d] = transposed_output_size(v, d, c.y.extent[d]);
  return c;
}

/* The convolution whose weights' gradient is computed; inputs: the gradient of its output, and its input. */
static conv weight_gradient(const gt_case_view *v) {
  conv c = {v, .y = image_of(v, v->shape[0]), .x = image_of(v, v->shape[1])};
  c.w = (image){c.y.channels, {1, 1, 1}, c.x.channels / v->c->p[GROUPS]};
  for (int d = 0; d < v->c->p[RANK]; d++) c.w.extent[d] = axis_parameter(v, d, KERNEL);
  return c;
}

static gt_conv_attribute attribute_of(const conv *c) {
  gt_conv_attribute a = {.rank = (uint32_t)c->v->c->p[RANK], .groups = (uint32_t)c->v->c->p[GROUPS]};
  for (int d = 0; d < (int)a.rank; d++) {
    a.kernel[d] = (uint32_t)axis_parameter(c->v, d, KERNEL);
    a.stride[d] = (uint32_t)axis_parameter(c->v, d, STRIDE);
    a.dilation[d] = (uint32_t)axis_parameter(c->v, d, DILATION);
    a.before[d] = (uint32_t)axis_parameter(c->v, d, BEFORE);
    a.in[d] = (uint32_t)c->x.extent[d];
    a.out[d] = (uint32_t)c->y.extent[d];
  }
  return a;
}

/* Computes y, which is `result`, one of the images or the weights of c, from the case's inputs. */
static gt_shape compute(const conv *c, const image *result, visitor *visit, const double *const *x,
                        double *y) {
  const gt_shape shape = shape_of(c->v, result);
  for (int64_t i = 0; y && i < gt_shape_count(shape); i++) y[i] = 0;
  if (y) for_each_product(c, visit, y, x[0], x[1]);
  return shape;
}

static gt_shape reference_conv(const gt_case_view *v, const double *const *x, double *y) {
  const conv c = forward(v);
  return compute(&c, &c.y, to_y, x, y);
}
static gt_shape reference_transposed(const gt_case_view *v, const double *const *x, double *y) {
  const conv c = transposed(v);
  return compute(&c, &c.x, to_x, x, y);
}
static gt_shape reference_weight(const gt_case_view *v, const double *const *x, double *y) {
  const conv c = weight_gradient(v);
  return compute(&c, &c.w, to_w, x, y);
}

typedef gt_shape reference(const gt_case_view *v, const double *const *x, double *y);

/* For each value of the result, the sum of the absolute values of its products. */
static gt_shape magnitude(reference *function, const gt_case_view *v, const double *const *x, double *y) {
  double *absolute[2] = {NULL, NULL};
  for (int i = 0; y && i < 2; i++) {
    const int64_t count = gt_shape_count(v->shape[i]);
    absolute[i] = gt_alloc(sizeof **absolute * (size_t)count);
    for (int64_t j = 0; j < count; j++) absolute[i][j] = fabs(x[i][j]);
  }
  const gt_shape out = function(v, (const double *const *)absolute, y);
  free(absolute[0]);
  free(absolute[1]);
  return out;
}
static gt_shape magnitude_conv(const gt_case_view *v, const double *const *x, double *y) {
  return magnitude(reference_conv, v, x, y);
}
static gt_shape magnitude_transposed(const gt_case_view *v, const double *const *x, double *y) {
  return magnitude(reference_transposed, v, x, y);
}
static gt_shape magnitude_weight(const gt_case_view *v, const double *const *x, double *y) {
  return magnitude(reference_weight, v, x, y);
}

static gt_id build_conv(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const conv c = forward(v);
  const gt_conv_attribute a = attribute_of(&c);
  return gt_conv(g, x[0], x[1], &a);
}
static gt_id build_transposed(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const conv c = transposed(v);
  const gt_conv_attribute a = attribute_of(&c);
  return gt_conv_input(g, x[0], x[1], &a);
}
static gt_id build_weight(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const conv c = weight_gradient(v);
  const gt_conv_attribute a = attribute_of(&c);
  return gt_conv_weight(g, x[0], x[1], &a);
}

/* A convolution followed by bias, activation and residual. */
static gt_id build_layer(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_add(g, gt_tanh(g, gt_add(g, build_conv(g, v, x), x[2])), x[3]);
}
static gt_shape reference_layer(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape shape = reference_conv(v, x, y);
  const int64_t channels = shape.dim[shape.rank - 1];
  for (int64_t i = 0; y && i < gt_shape_count(shape); i++) y[i] = tanh(y[i] + x[2][i % channels]) + x[3][i];
  return shape;
}

/* The gradient of the weights, times a factor per column and one per row, which are fused as its epilogue. */
static gt_id build_scaled(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_mul(g, gt_mul(g, build_weight(g, v, x), x[2]), x[3]);
}
static gt_shape reference_scaled(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape shape = reference_weight(v, x, y);
  const int64_t row = gt_shape_count(shape) / shape.dim[0];
  for (int64_t i = 0; y && i < gt_shape_count(shape); i++) y[i] *= x[2][i % row] * x[3][i / row];
  return shape;
}
static gt_shape magnitude_scaled(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape shape = magnitude_weight(v, x, y);
  const int64_t row = gt_shape_count(shape) / shape.dim[0];
  for (int64_t i = 0; y && i < gt_shape_count(shape); i++) y[i] *= fabs(x[2][i % row] * x[3][i / row]);
  return shape;
}

#define RULE(title, what)                                                                                \
  {                                                                                                      \
    .name = title, .build = build_##what, .reference = reference_##what, .magnitude = magnitude_##what,  \
    .half_gradient = 1, .wrt = 3, .low = -1, .high = 1.5, .tolerance = 1e-5, .gradient_tolerance = 1e-5, \
    .reason = "rounding of the sums, as in matmul"                                                       \
  }
static const gt_case_rule rule_conv = RULE("conv", conv), rule_transposed = RULE("conv_input", transposed),
                          rule_weight = RULE("conv_weight", weight),
                          scaled = RULE("conv_weight_scaled", scaled);
#define LAYER(title)                                                                                        \
  {                                                                                                         \
    .name = title, .build = build_layer, .reference = reference_layer, .magnitude = magnitude_conv,         \
    .half_gradient = 8, .wrt = 15, .low = -0.4, .high = 0.5, .tolerance = 1e-5, .gradient_tolerance = 4e-5, \
    .reason = "as conv; the derivative of tanh is at most 1"                                                \
  }
static const gt_case_rule layer = LAYER("conv_layer"), on_units = LAYER("conv_on_units");

/* One axis: kernel, stride, dilation, padding before and after. */
#define A(kernel, stride, dilation, before, after) kernel, stride, dilation, before, after
static const gt_case cases[] = {
    /* one axis */
    {&rule_conv, "1,1,1 1,1,1", {1, 1, A(1, 1, 1, 0, 0)}},
    {&rule_conv, "2,7,3 5,3,3", {1, 1, A(3, 1, 1, 0, 0)}},
    {&rule_conv, "3,13,5 7,4,5", {1, 1, A(4, 2, 1, 1, 2)}},
    {&rule_conv, "2,11,8 6,3,4", {1, 2, A(3, 1, 2, 2, 2)}, .more = true},
    {&rule_conv, "5,1,4 4,5,4", {1, 1, A(5, 1, 1, 2, 2)}},
    {&rule_conv, "1,300,1 8,31,1", {1, 1, A(31, 7, 3, 9, 0)}},
    /* two axes */
    {&rule_conv, "1,1,1,1 1,1,1,1", {2, 1, A(1, 1, 1, 0, 0), A(1, 1, 1, 0, 0)}},
    {&rule_conv, "2,5,7,1 3,3,3,1", {2, 1, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}},
    {&rule_conv, "3,8,9,4 8,3,3,4", {2, 1, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}},
    {&rule_conv, "3,8,9,4 12,3,3,4", {2, 1, A(3, 2, 1, 1, 1), A(3, 2, 1, 1, 1)}, .more = true},
    {&rule_conv, "2,9,11,3 5,3,5,3", {2, 1, A(3, 3, 1, 0, 1), A(5, 2, 2, 4, 3)}},
    {&rule_conv, "2,4,4,8 16,1,1,8", {2, 1, A(1, 1, 1, 0, 0), A(1, 1, 1, 0, 0)}},
    {&rule_conv, "2,5,4,8 16,1,1,8", {2, 1, A(1, 2, 1, 0, 0), A(1, 2, 1, 0, 0)}},
    {&rule_conv, "2,5,4,8 16,1,1,8", {2, 1, A(1, 1, 1, 1, 0), A(1, 1, 1, 0, 2)}},
    {&rule_conv, "3,4,5,2 6,4,5,2", {2, 1, A(4, 1, 1, 0, 0), A(5, 1, 1, 0, 0)}},
    {&rule_conv, "2,2,3,5 3,5,5,5", {2, 1, A(5, 1, 1, 2, 2), A(5, 1, 1, 2, 2)}, .more = true},
    {&rule_conv, "2,3,2,4 3,2,2,4", {2, 1, A(2, 1, 1, 5, 4), A(2, 3, 1, 6, 3)}},
    {&rule_conv, "2,7,6,6 9,3,2,2", {2, 3, A(3, 1, 1, 1, 0), A(2, 2, 1, 0, 1)}, .more = true},
    {&rule_conv, "2,6,7,16 8,3,3,8", {2, 2, A(3, 2, 1, 1, 1), A(3, 1, 2, 2, 2)}},
    {&rule_conv, "2,7,5,7 7,3,3,1", {2, 7, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}},
    {&rule_conv, "2,7,5,6 12,3,3,1", {2, 6, A(3, 2, 1, 1, 1), A(3, 2, 1, 1, 1)}, .more = true},
    {&rule_conv, "2,17,19,4 33,3,3,4", {2, 1, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}, .more = true},
    {&rule_conv, "1,12,13,37 70,3,3,37", {2, 1, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}},
    {&rule_conv, "1,14,14,3 16,7,7,3", {2, 1, A(7, 2, 1, 3, 3), A(7, 2, 1, 3, 3)}},
    {&rule_conv, "4,9,9,32 64,3,3,32", {2, 1, A(3, 2, 1, 1, 1), A(3, 2, 1, 1, 1)}, .more = true},
    {&rule_conv, "3,40,41,4 7,3,3,4", {2, 1, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}}, /* many split-K parts */
    {&rule_conv, "3,9,10,8 8,3,3,1", {2, 8, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}},  /* depthwise */
    {&rule_conv, "2,9,10,12 12,3,5,1", {2, 12, A(3, 2, 1, 1, 1), A(5, 3, 2, 4, 3)}},
    {&rule_conv, "2,33,67 67,7,1", {1, 67, A(7, 1, 1, 3, 3)}},
    {&rule_conv, "40,31,29,4 4,3,3,1", {2, 4, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}},
    /* three axes */
    {&rule_conv, "1,4,5,6,4 4,2,3,3,1", {3, 4, A(2, 2, 1, 0, 0), A(3, 1, 1, 1, 1), A(3, 2, 1, 1, 1)}},
    {&rule_conv, "1,1,1,1,1 1,1,1,1,1", {3, 1, A(1, 1, 1, 0, 0), A(1, 1, 1, 0, 0), A(1, 1, 1, 0, 0)}},
    {&rule_conv,
     "2,4,5,3,3 5,3,3,2,3",
     {3, 1, A(3, 1, 1, 1, 1), A(3, 2, 1, 1, 0), A(2, 1, 1, 0, 0)},
     .more = true},
    {&rule_conv,
     "2,5,4,6,4 4,2,3,2,2",
     {3, 2, A(2, 2, 2, 1, 1), A(3, 1, 1, 1, 1), A(2, 3, 1, 0, 2)},
     .more = true},
    {&rule_conv, "1,5,6,7,4 8,3,3,3,4", {3, 1, A(3, 2, 1, 1, 1), A(3, 2, 1, 1, 1), A(3, 2, 1, 1, 1)}},
    /* transposed; w has the layout of the forward convolution whose input gradient is computed */
    {&rule_transposed, "2,5,3 3,4,2", {1, 1, A(4, 2, 1, 1, 0)}},
    {&rule_transposed, "2,4,5,8 8,3,3,4", {2, 1, A(3, 2, 1, 1, 0), A(3, 2, 1, 1, 0)}},
    {&rule_transposed, "2,4,3,6 6,3,2,3", {2, 2, A(3, 3, 1, 1, 1), A(2, 2, 2, 0, 1)}},
    {&rule_transposed, "2,1,1,8 8,4,4,3", {2, 1, A(4, 1, 1, 0, 0), A(4, 1, 1, 0, 0)}},
    {&rule_transposed, "3,4,5,4 4,1,1,7", {2, 1, A(1, 1, 1, 0, 0), A(1, 1, 1, 0, 0)}},
    {&rule_transposed,
     "1,2,3,2,5 5,3,2,3,4",
     {3, 1, A(3, 2, 1, 1, 0), A(2, 1, 1, 0, 0), A(3, 2, 1, 1, 0)},
     .more = true},
    {&rule_transposed,
     "2,3,2,5 5,6,7,4",
     {2, 1, A(6, 6, 1, 0, 0), A(7, 7, 1, 0, 0)}}, /* adjacent windows that do not overlap */
    {&rule_transposed, "1,2,1,3,4 4,3,4,3,2", {3, 1, A(3, 3, 1, 0, 0), A(4, 4, 1, 0, 0), A(3, 3, 1, 0, 0)}},
    {&rule_transposed,
     "2,3,4,8 8,3,9,3",
     {2, 2, A(3, 7, 2, 1, 4), A(9, 5, 1, 3, 2)}}, /* many stride phases (residues modulo the stride) */
    {&rule_transposed, "2,3,3,3 3,7,5,4", {2, 1, A(7, 4, 2, 0, 1), A(5, 7, 3, 6, 5)}},
    {&rule_weight, "2,5,3 2,7,4", {1, 1, A(3, 1, 1, 0, 0)}, .more = true},
    {&rule_weight, "2,4,5,6 2,8,9,4", {2, 2, A(3, 2, 1, 1, 1), A(3, 2, 1, 1, 1)}},
    {&rule_weight, "1,3,2,2,3 1,6,4,4,2", {3, 1, A(2, 2, 1, 0, 0), A(3, 1, 1, 0, 0), A(3, 1, 1, 0, 0)}},
    /* few channels and many positions: kernels of their own */
    {&rule_conv, "2,28,27,1 32,3,3,1", {2, 1, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}},
    {&rule_conv, "1,31,33,3 64,3,3,3", {2, 1, A(3, 1, 1, 1, 1), A(3, 1, 2, 1, 2)}, .more = true},
    {&rule_conv, "3,29,23,2 65,3,2,2", {2, 1, A(3, 2, 1, 1, 1), A(2, 1, 1, 0, 0)}},
    {&rule_conv, "1,61,67,4 5,4,4,4", {2, 1, A(4, 2, 1, 0, 1), A(4, 1, 1, 2, 1)}, .more = true},
    {&rule_conv, "3,1510,2 33,31,2", {1, 1, A(31, 2, 1, 15, 15)}, .more = true},
    {&rule_conv, "1,23,19,17,1 12,3,2,3,1", {3, 1, A(3, 1, 1, 1, 1), A(2, 1, 1, 0, 0), A(3, 1, 1, 1, 1)}},
    {&layer, "2,30,29,3 34,3,3,3 34 2,30,29,34", {2, 1, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}},
    {&rule_weight, "7,28,28,32 7,28,28,1", {2, 1, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}, .more = true},
    {&rule_weight, "5,32,32,64 5,32,32,3", {2, 1, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}, .more = true},
    {&rule_weight, "1,61,67,1 1,61,67,1", {2, 1, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}},
    {&rule_weight, "13,17,19,5 13,34,38,2", {2, 1, A(3, 2, 1, 1, 1), A(3, 2, 1, 1, 1)}, .more = true},
    {&rule_weight, "3,39,41,65 3,43,41,3", {2, 1, A(3, 1, 2, 0, 0), A(3, 1, 1, 1, 1)}},
    {&rule_weight, "3,1511,33 3,3020,2", {1, 1, A(31, 2, 1, 15, 15)}},
    {&rule_weight,
     "2,13,14,15,12 2,13,28,15,2",
     {3, 1, A(3, 1, 1, 1, 1), A(3, 2, 1, 1, 1), A(3, 1, 1, 1, 1)},
     .more = true},
    {&rule_weight, "11,23,29,64 11,23,29,4", {2, 1, A(4, 1, 1, 2, 1), A(4, 1, 1, 1, 2)}, .more = true},
    {&rule_weight, "3,50,50,18 3,50,50,2", {2, 1, A(1, 1, 1, 0, 0), A(2, 1, 1, 0, 1)}, .more = true},
    {&scaled, "3,41,43,10 3,41,43,1 3,5,1 10,1,1,1", {2, 1, A(3, 1, 1, 1, 1), A(5, 1, 1, 2, 2)}},
    {&scaled, "2,4,5,6 2,8,9,4 3,3,2 6,1,1,1", {2, 2, A(3, 2, 1, 1, 1), A(3, 2, 1, 1, 1)}},
    {&scaled, "2,8,9,8 2,8,9,8 3,3,1 8,1,1,1", {2, 8, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}},
    {&scaled, "9,31,30,5 9,31,30,4 3,3,4 5,1,1,1", {2, 1, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}, .more = true},
    {&on_units, "2,5,4,3 6,3,3,3 6 2,5,4,6", {2, 1, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}},
    {&layer, "3,7,6,8 10,3,3,4 10 3,4,3,10", {2, 2, A(3, 2, 1, 1, 1), A(3, 2, 1, 1, 1)}},
    {&layer, "2,5,4,7 7,3,3,1 7 2,5,4,7", {2, 7, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}},
    {&layer, "2,5,4,8 8,3,3,1 8 2,3,2,8", {2, 8, A(3, 2, 1, 1, 1), A(3, 2, 1, 1, 1)}},
    {&on_units, "2,9,4 8,3,4 8 2,9,8", {1, 1, A(3, 1, 1, 1, 1)}},
    /* channels per filter tap: a multiple of the K tile, and not */
    {&on_units, "2,6,7,32 40,3,3,32 40 2,6,7,40", {2, 1, A(3, 1, 1, 1, 1), A(3, 1, 1, 1, 1)}},
    {&on_units, "3,12,64 33,3,64 33 3,5,33", {1, 1, A(3, 2, 1, 0, 0)}},
    {&layer, "1,40,41,1 3,5,5,1 3 1,18,19,3", {2, 1, A(5, 2, 1, 0, 0), A(5, 2, 1, 0, 1)}},
};
GT_CASES(conv, cases);
