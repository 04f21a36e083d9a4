/* Cases (op/case.h) of gather, its gradient in steps (order, sum), and products of gathered rows. */
#include "op/gather.h"
#include "base/memory.h"
#include "base/philox.h"
#include "op/case.h"
#include "op/core.h"
#include "op/matmul/matmul.h"
#include <math.h>
#include <stdlib.h>

GT_REGISTER(opcase, gather)

/* Input 0 is the table [rows, …] (for a sum: x), input 1 the indices. p[0]: how indices are drawn; p[1]: 1 +
 * the padding row, 0 for none; p[2]: if not 0, the number of rows, instead of that of the table. */
enum {
  EVEN,    /* all rows are equally likely */
  EQUAL,   /* all indices are equal */
  MOSTLY,  /* most indices are equal */
  SPARSE,  /* one row in seven */
  OUTSIDE, /* some indices are invalid */
};

static int64_t rows_of(const gt_case_view *v) { return v->c->p[2] ? v->c->p[2] : v->shape[0].dim[0]; }

static void fill(const gt_case_view *v, int input, const double *const *x, int32_t *out) {
  const int32_t invalid[] = {-1, INT32_MIN, INT32_MAX, (int32_t)rows_of(v), -2};
  const uint32_t rows = (uint32_t)rows_of(v);
  (void)x;
  for (int64_t i = 0; i < gt_shape_count(v->shape[input]); i++) {
    const uint32_t bits = gt_random_bits(5, rows, (uint32_t)v->c->p[0], (uint32_t)i);
    const uint32_t row = bits / 8 % rows;
    switch (v->c->p[0]) {
    case EQUAL: out[i] = (int32_t)rows / 2; break;
    case MOSTLY: out[i] = (int32_t)(bits % 8 ? rows / 2 : row); break;
    case SPARSE: out[i] = (int32_t)(row / 7 * 7); break;
    case OUTSIDE: out[i] = bits % 8 < 3 ? invalid[bits / 8 % 5] : (int32_t)row; break;
    default: out[i] = (int32_t)row;
    }
  }
}

static gt_shape reference_gather(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t width = gt_shape_count(v->shape[0]) / v->shape[0].dim[0];
  gt_shape out = v->shape[1];
  for (int d = 1; d < v->shape[0].rank; d++) out.dim[out.rank++] = v->shape[0].dim[d];
  for (int64_t i = 0; y && i < gt_shape_count(out); i++) {
    const double row = x[1][i / width];
    y[i] = row < 0 || row >= (double)rows_of(v) ? NAN : x[0][(int64_t)row * width + i % width];
  }
  return out;
}

static gt_id build_gather(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_gather(g, x[0], x[1], v->c->p[1] - 1);
}

/* The gathered rows with the first two axes exchanged: [M, N, D…] to [N, M, D…]. */
static gt_shape reference_swapped(const gt_case_view *v, const double *const *x, double *y) {
  gt_shape out = reference_gather(v, x, NULL);
  const int64_t m = out.dim[0], n = out.dim[1], width = gt_shape_count(out) / (m * n);
  if (y) {
    double *rows = gt_alloc((size_t)gt_shape_count(out) * sizeof *rows);
    reference_gather(v, x, rows);
    for (int64_t i = 0; i < m * n * width; i++)
      y[(i / width % n * m + i / width / n) * width + i % width] = rows[i];
    free(rows);
  }
  out.dim[0] = n;
  out.dim[1] = m;
  return out;
}

static gt_id build_swapped(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_gather_swapped(g, build_gather(g, v, x));
}

/* y: the sorted indices, then the position of each before sorting. The place of an index is found by counting
 * those that come before it; negative ones come last. */
static gt_shape reference_order(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t n = gt_shape_count(v->shape[1]);
  for (int64_t i = 0; y && i < n; i++) {
    const uint32_t key = (uint32_t)(int32_t)x[1][i];
    int64_t place = 0;
    for (int64_t k = 0; k < n; k++) {
      const uint32_t other = (uint32_t)(int32_t)x[1][k];
      place += other < key || (other == key && k < i);
    }
    y[place] = x[1][i];
    y[n + place] = (double)i;
  }
  return gt_shape_2(2, n);
}

static gt_id build_order(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)v;
  return gt_gather_order(g, x[1]);
}

static gt_shape reference_sum(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t n = gt_shape_count(v->shape[1]), width = gt_shape_count(v->shape[0]) / n;
  gt_shape out = {.rank = 1, .dim = {rows_of(v)}};
  for (int d = v->shape[1].rank; d < v->shape[0].rank; d++) out.dim[out.rank++] = v->shape[0].dim[d];
  for (int64_t i = 0; y && i < gt_shape_count(out); i++) y[i] = 0;
  for (int64_t i = 0; y && i < n * width; i++) {
    const double row = x[1][i / width];
    if (row >= 0 && row < (double)rows_of(v) && row != (double)(v->c->p[1] - 1))
      y[(int64_t)row * width + i % width] += x[0][i];
  }
  return out;
}

static gt_id build_sum(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_gather_sum(g, x[0], x[1], rows_of(v), v->c->p[1] - 1);
}

/* Gathered rows times a matrix. Indices are [groups, each]: a row of the left operand is the `each` gathered
 * rows of a group, concatenated, or with p[4] a single one. p[3]: 1: the matrix is transposed. */
static gt_shape gathered_shape(const gt_case_view *v) {
  const int64_t width = v->shape[0].dim[1], groups = v->shape[1].dim[0], each = v->shape[1].dim[1];
  return v->c->p[4] ? gt_shape_2(groups * each, width) : gt_shape_2(groups, each * width);
}

static gt_id build_product(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id rows = gt_reshape(g, gt_gather(g, x[0], x[1], -1), gathered_shape(v));
  return gt_matmul(g, rows, x[2], false, v->c->p[3]);
}

static gt_shape reference_product(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape rows = gathered_shape(v), w = v->shape[2];
  const int64_t m = rows.dim[0], k = rows.dim[1], n = w.dim[v->c->p[3] ? 0 : 1], width = v->shape[0].dim[1];
  for (int64_t i = 0; y && i < m * n; i++) {
    y[i] = 0;
    for (int64_t q = 0; q < k; q++) {
      const int64_t at = i / n * k + q, from = (int64_t)x[1][at / width] * width + at % width;
      y[i] += x[0][from] * x[2][v->c->p[3] ? i % n * k + q : q * n + i % n];
    }
  }
  return gt_shape_2(m, n);
}

/* The sum of the absolute products of each value. */
static gt_shape product_magnitude(const gt_case_view *v, const double *const *x, double *y) {
  const double *absolute[3] = {NULL, x ? x[1] : NULL, NULL};
  double *buffer[3] = {NULL, NULL, NULL};
  for (int i = 0; y && i < 3; i += 2) {
    const int64_t count = gt_shape_count(v->shape[i]);
    absolute[i] = buffer[i] = gt_alloc(sizeof(double) * (size_t)count);
    for (int64_t j = 0; j < count; j++) buffer[i][j] = fabs(x[i][j]);
  }
  const gt_shape out = reference_product(v, absolute, y);
  free(buffer[0]);
  free(buffer[2]);
  return out;
}

static const gt_case_rule gather = {.name = "gather",
                                    .build = build_gather,
                                    .reference = reference_gather,
                                    .fill = fill,
                                    .wrt = 1,
                                    .tolerance = 0,
                                    .gradient_tolerance = 1e-5,
                                    .reason = "a copy, whose gradient is a sum of thousands of values"};
static const gt_case_rule outside = {.name = "gather",
                                     .build = build_gather,
                                     .reference = reference_gather,
                                     .fill = fill,
                                     .reason = "a copy or NaN"};
static const gt_case_rule order = {.name = "gather_order",
                                   .build = build_order,
                                   .reference = reference_order,
                                   .fill = fill,
                                   .reason = "integers"};
static const gt_case_rule sum = {.name = "gather_sum",
                                 .build = build_sum,
                                 .reference = reference_sum,
                                 .fill = fill,
                                 .reason = "sums of halves, exact whatever their order"};

static const gt_case_rule product = {.name = "gather_product",
                                     .build = build_product,
                                     .reference = reference_product,
                                     .fill = fill,
                                     .magnitude = product_magnitude,
                                     .half_gradient = 1,
                                     .wrt = 5,
                                     .low = -1,
                                     .high = 1.5,
                                     .tolerance = 1e-5,
                                     .gradient_tolerance = 1e-5,
                                     .reason = "as a product of the gathered rows"};

static const gt_case_rule swapped = {.name = "gather_swapped",
                                     .build = build_swapped,
                                     .reference = reference_swapped,
                                     .fill = fill,
                                     .wrt = 1,
                                     .reason = "the same rows"};

static const gt_case cases[] = {
    {&swapped, "7,3 c5,2", {SPARSE}},
    {&gather, "1 c1", {EVEN}},
    {&gather, "1,1 c-", {EVEN}},
    {&gather, "1,5 c3", {EVEN}},
    {&gather, "2,3 c7", {EVEN}},
    {&gather, "7 c2,3", {EVEN}},
    {&gather, "13,8 c11", {EVEN}},
    {&gather, "13,2,3 c5,2", {SPARSE}},
    {&gather, "101,16 c1", {EVEN}},
    {&gather, "101,12 c257", {EVEN}},
    {&gather, "31,4 c1031", {SPARSE}},
    {&gather, "1000,1 c64", {EVEN}},
    {&gather, "3,64 c2053", {EVEN}},
    {&gather, "3,64 c300", {EQUAL}},
    {&gather, "2,4 c5000", {MOSTLY}},
    {&gather, "17,5 c4099", {EQUAL}},
    {&gather, "2,1,2,1 c1,2,1,2,1", {EVEN}},
    {&gather, "5,20000 c3", {EVEN}},
    {&outside, "1,3 c9", {OUTSIDE}},
    {&outside, "13,8 c300", {OUTSIDE}},
    {&outside, "13,7 c30", {OUTSIDE}},
    {&order, "1 c1", {EVEN, 0, 5}},
    {&order, "1 c2", {EQUAL, 0, 5}},
    {&order, "1 c67", {EVEN, 0, 70000}},
    {&order, "1 c1031", {EVEN, 0, 16777259}},
    {&order, "1 c2048", {EVEN, 0, 9}},
    {&order, "1 c2049", {OUTSIDE, 0, 9}},
    {&order, "1 c4096", {EQUAL, 0, 90}},
    {&order, "1 c6151", {OUTSIDE, 0, 2147483647}},
    {&order, "1 c9001", {OUTSIDE, 0, 3}},
    {&order, "1 c20011", {MOSTLY, 0, 300}},
    {&sum, "g1 c1", {EVEN, 0, 1}},
    {&sum, "g7,3 c7", {OUTSIDE, 0, 2}},
    {&sum, "g7,4 c7", {EQUAL, 2, 3}},
    {&sum, "g2,3,4 c2,3", {EVEN, 3, 5}},
    {&sum, "g256,4 c256", {EQUAL, 0, 1}},
    {&sum, "g257,4 c257", {EQUAL, 0, 1}},
    {&sum, "g1024,8 c1024", {EQUAL, 0, 4}},
    {&sum, "g1031,8 c1031", {OUTSIDE, 5, 11}},
    {&sum, "g9001,3 c9001", {MOSTLY, 0, 5}},
    {&sum, "g9001,4 c9001", {MOSTLY, 3, 5}},
    {&sum, "g20011 c20011", {EVEN, 0, 2}},
    {&sum, "g300,4 c300", {SPARSE, 0, 30011}},
    {&sum, "g3,20000 c3", {EVEN, 0, 2}},
    {&product, "1,1 c1,1 1,1", {EVEN}},
    {&product, "5,4 c1,3 12,7", {EVEN}},
    {&product, "5,4 c1,3 7,12", {EVEN, 0, 0, 1}, .more = true},
    {&product, "3,5 c9,1 5,3", {EVEN}},
    {&product, "13,8 c31,5 40,37", {EVEN}},
    {&product, "13,8 c31,5 37,40", {MOSTLY, 0, 0, 1}},
    {&product, "13,7 c31,5 37,35", {EVEN, 0, 0, 1}, .more = true},
    {&product, "13,35 c31,3 105,37", {EVEN}},
    {&product, "1,37 c8,1 5,37", {EVEN, 0, 0, 1}},
    {&product, "9,41 c83,7 11,287", {MOSTLY, 0, 0, 1}, .more = true},
    {&product, "7,33 c13,11 41,33", {EVEN, 0, 0, 1, 1}},
    {&product, "11,64 c67,2 64,128", {EQUAL, 0, 0, 1}},
    {&product, "101,20 c131,7 10,140", {SPARSE, 0, 0, 1}, .more = true},
    {&product, "7,12 c7,11 12,41", {EVEN, 0, 0, 0, 1}},
    {&product, "7,12 c7,11 41,12", {EVEN, 0, 0, 1, 1}, .more = true},
    {&product, "29,36 c64,9 64,324", {EVEN, 0, 0, 1}},
};
GT_CASES(gather, cases);
