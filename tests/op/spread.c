/* Cases (op/case.h) of the gradients of pooling: the broadcast of one value per window to its elements
 * (avg_pool), and unpooling to the selected element (max_pool: spread_choice). */
#include "op/spread.h"
#include "base/philox.h"
#include "op/case.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/reduce.h"

GT_REGISTER(opcase, spread)

/* p[k]: size of the windows along spatial axis k. Input 0 is an image, which gives the shape of the result
 * and is multiplied with it. */
static gt_shape windows_of(const gt_case_view *v) {
  gt_shape shape = v->shape[0];
  for (int k = 0; k < shape.rank - 2; k++) shape.dim[1 + k] /= v->c->p[k];
  return shape;
}

/* Returns the index of the window that contains element i of the image. *place: the position of i within that
 * window. */
static int64_t window_of(const gt_case_view *v, int64_t i, int64_t *place) {
  const gt_shape image = v->shape[0], windows = windows_of(v);
  int64_t at[GT_MAX_RANK], window = 0;
  for (int d = image.rank - 1; d >= 0; i /= image.dim[d], d--) at[d] = i % image.dim[d];
  *place = 0;
  for (int d = 0; d < image.rank; d++) {
    const bool spatial = d > 0 && d < image.rank - 1;
    const int64_t size = spatial ? v->c->p[d - 1] : 1;
    window = window * windows.dim[d] + at[d] / size;
    *place = *place * size + at[d] % size;
  }
  return window;
}

/* --- the value of each element's window, times the image's element --- */

static gt_shape reference_spread(const gt_case_view *v, const double *const *x, double *y) {
  int64_t place;
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++)
    y[i] = x[1][window_of(v, i, &place)] * x[0][i];
  return v->shape[0];
}

static gt_id build_spread(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_mul(g, gt_spread(g, x[1], v->shape[0]), x[0]);
}

/* The same product, then summed: if p[GT_POOL_AXES], over all axes but the channels, as in the gradient of a
 * normalization, otherwise over the channels. */
static gt_shape reference_sum(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape image = v->shape[0];
  const int64_t channels = image.dim[image.rank - 1];
  const bool by_columns = v->c->p[GT_POOL_AXES];
  gt_shape out = by_columns ? gt_shape_1(channels) : image;
  int64_t place;
  if (!by_columns) out.rank--;
  for (int64_t o = 0; y && o < gt_shape_count(out); o++) y[o] = 0;
  for (int64_t i = 0; y && i < gt_shape_count(image); i++)
    y[by_columns ? i % channels : i / channels] += x[1][window_of(v, i, &place)] * x[0][i];
  return out;
}

static gt_id build_sum(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const int last = v->shape[0].rank - 1;
  return gt_sum(g, build_spread(g, v, x), v->c->p[GT_POOL_AXES] ? (1u << last) - 1 : 1u << last, false);
}

/* --- which element of a window was selected --- */

static int64_t area_of(const gt_case_view *v) {
  int64_t area = 1;
  for (int k = 0; k < v->shape[0].rank - 2; k++) area *= v->c->p[k];
  return area;
}

/* Each byte is a position in the window, or 255 for none. */
static uint32_t byte_of(const gt_case_view *v, int64_t window) {
  const int64_t area = area_of(v);
  const double drawn = gt_random_uniform(5, 1, 0, (uint32_t)window);
  return drawn < 0.1 ? 255 : (uint32_t)((drawn - 0.1) / 0.9 * (double)area);
}

static void fill(const gt_case_view *v, int input, const double *const *x, int32_t *out) {
  (void)x;
  for (int64_t i = 0; i < gt_shape_count(v->shape[input]); i++) {
    uint32_t word = 0;
    for (uint32_t b = 0; b < 4; b++) word |= byte_of(v, 4 * i + b) << 8 * b;
    out[i] = (int32_t)word;
  }
}

static gt_shape reference_choice(const gt_case_view *v, const double *const *x, double *y) {
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++) {
    int64_t place;
    const uint32_t chosen = byte_of(v, window_of(v, i, &place));
    y[i] = chosen == (uint64_t)place ? x[0][i] : 0;
  }
  return v->shape[0];
}

static gt_id build_choice(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  gt_pool_attribute a = {.axes = v->shape[0].rank - 2};
  for (int k = 0; k < a.axes; k++) a.window[k] = v->c->p[k];
  return gt_mul(g, gt_spread_choice(g, x[1], v->shape[0], &a), x[0]);
}

#define RULE(name_, op, build_, reference_, ...) \
  static const gt_case_rule name_ = {.name = op, .build = build_, .reference = reference_, __VA_ARGS__}
RULE(spread, "spread", build_spread, reference_spread, .wrt = 3, .tolerance = 1e-6,
     .gradient_tolerance = 8e-6, .reason = "rounding of one multiplication");
RULE(sum, "spread_sum", build_sum, reference_sum, .wrt = 3, .tolerance = 4e-6, .floor = 1,
     .gradient_tolerance = 2e-5, .reason = "sums of thousands of values, as in reduce");
RULE(choice, "spread_choice", build_choice, reference_choice, .fill = fill, .wrt = 1,
     .reason = "a copy or 0");

static const gt_case cases[] = {
    {&spread, "1,4,1 1,2,1", {2}},
    {&spread, "3,6,5 3,2,5", {3}},
    {&spread, "2,4,4,4 2,2,2,4", {2, 2}},
    {&spread, "2,6,6,3 2,2,3,3", {3, 2}},
    {&spread, "3,5,7,8 3,1,7,8", {5, 1}},
    {&spread, "2,5,14,6 2,5,2,6", {1, 7}},
    {&spread, "2,7,10,132 2,1,2,132", {7, 5}},
    {&spread, "2,4,8,8 2,1,2,8", {4, 4}},
    {&spread, "2,3,4,6,8 2,3,2,2,8", {1, 2, 3}},
    /* 128,000 elements: many tiles of the elementwise kernel on the CPU */
    {&spread, "20,20,20,16 20,10,10,16", {2, 2}},
    {&spread, "1,510,4 1,2,4", {255}},
    {&sum, "3,6,6,8 3,3,2,8", {2, 3, 0, 1}},
    {&sum, "3,6,6,8 3,3,2,8", {2, 3, 0, 0}},
    {&sum, "5,4,10,7 5,2,5,7", {2, 2, 0, 1}},
    {&sum, "9,16,16,12 9,8,8,12", {2, 2, 0, 1}},
    {&choice, "1,4,4 c1,2,1", {2}},
    {&choice, "3,6,8 c3,2,2", {3}},
    {&choice, "2,4,4,4 c2,2,2,1", {2, 2}},
    {&choice, "2,6,6,12 c2,2,3,3", {3, 2}},
    {&choice, "2,4,8,8 c2,1,2,2", {4, 4}},
    {&choice, "2,15,34,4 c2,1,2,1", {15, 17}}, /* as many positions as a byte can index */
    {&choice, "2,3,4,6,8 c2,3,2,2,2", {1, 2, 3}},
    {&choice, "10,20,20,64 c10,10,10,16", {2, 2}},
};
GT_CASES(spread, cases);
