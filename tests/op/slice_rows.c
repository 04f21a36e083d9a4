/* Cases (op/case.h) of slices of rows from given starts. */
#include "op/slice_rows.h"
#include "op/case.h"
#include <math.h>

GT_REGISTER(opcase, slice_rows)

/* Input 0 is the data, 1 the starts. p[0]: begin, p[1]: count; p[2]: some starts are outside the data; p[3]:
 * the data is integers. */
static void fill(const gt_case_view *v, int input, const double *const *x, int32_t *out) {
  const int64_t rows = v->shape[0].dim[0], valid_starts = rows - v->c->p[0] - v->c->p[1] + 1;
  (void)x;
  for (int64_t i = 0; i < gt_shape_count(v->shape[input]); i++)
    if (input == 0)
      out[i] = (int32_t)(7 * i % 1000) - 500;
    else
      out[i] = (int32_t)(v->c->p[2] && i % 3 == 1 ? (i % 2 ? -5 : rows)
                                                  : i * 31 % (valid_starts > 0 ? valid_starts : 1));
}

static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape data = v->shape[0];
  const int64_t slices = v->shape[1].dim[0], count = v->c->p[1], width = gt_shape_count(data) / data.dim[0];
  gt_shape out = gt_shape_2(slices, count);
  for (int d = 1; d < data.rank; d++) out.dim[out.rank++] = data.dim[d];
  for (int64_t i = 0; y && i < slices * count * width; i++) {
    const double start = x[1][i / (count * width)];
    const int64_t row = (int64_t)start + v->c->p[0] + i / width % count;
    const bool inside = start >= 0 && start < (double)data.dim[0] && row < data.dim[0];
    y[i] = inside ? x[0][row * width + i % width] : v->c->p[3] ? -1 : NAN;
  }
  return out;
}

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_slice_rows(g, x[0], x[1], v->c->p[0], v->c->p[1]);
}

static const gt_case_rule rule = {
    .name = "slice_rows", .build = build, .reference = reference, .fill = fill, .reason = "a copy"};

static const gt_case cases[] = {
    {&rule, "1,1 c1", {0, 1}},          {&rule, "10,3 c4", {0, 4}},        {&rule, "40,5 c7", {28, 7}},
    {&rule, "17 c9", {1, 2}},           {&rule, "50,2,3 c33", {3, 17}},    {&rule, "300,1 c1030", {0, 28}},
    {&rule, "9,2050 c3", {2, 4}},       {&rule, "20,3 c8", {2, 5, 1}},     {&rule, "6,4 c5", {3, 9}},
    {&rule, "c90,1 c12", {5, 6, 0, 1}}, {&rule, "c30,4 c9", {0, 3, 1, 1}},
};
GT_CASES(slice_rows, cases);
