/* Cases (op/case.h) of convolutions of trees of soft gates. */
#include "op/logic/logic_conv.h"
#include "op/case.h"
#include "op/logic/logic.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

GT_REGISTER(opcase, logic_conv)

/* p: field, stride, padding, pool. */
static gt_logic_conv_attribute attribute_of(const gt_case_view *v) {
  gt_logic_conv_attribute a;
  memset(&a, 0, sizeof a);
  a.field = (uint32_t)v->c->p[0];
  a.stride = (uint32_t)v->c->p[1];
  a.padding = (uint32_t)v->c->p[2];
  a.pool = (uint32_t)v->c->p[3];
  return a;
}

/* The tree below a gate of level `level` (0: a leaf), from the root down; `at` is the index from the left. */
static double tree(const gt_case_view *v, const double *const *x, int64_t kernel, int level, int64_t at,
                   int64_t row, int64_t column, int64_t s) {
  const gt_shape image = v->shape[0];
  const int64_t leaves = v->shape[2].dim[1], *p = v->c->p;
  if (level == 0) {
    const int64_t place = (int64_t)x[2][kernel * leaves + at], channels = image.dim[2];
    const int64_t r = row + place / channels / p[0] - p[2], c = column + place / channels % p[0] - p[2];
    if (r < 0 || r >= image.dim[0] || c < 0 || c >= image.dim[1]) return 0;
    return x[0][((r * image.dim[1] + c) * channels + place % channels) * image.dim[3] + s];
  }
  const double a = tree(v, x, kernel, level - 1, 2 * at, row, column, s);
  const double b = tree(v, x, kernel, level - 1, 2 * at + 1, row, column, s);
  int64_t below = 0; /* gates of the levels nearer to the leaves */
  for (int l = 1; l < level; l++) below += leaves >> l;
  const double *c = x[1] + 4 * (kernel * (leaves - 1) + below + at);
  return c[0] + c[1] * a + c[2] * b + c[3] * a * b;
}

static gt_shape reference_conv(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t *p = v->c->p, kernels = v->shape[2].dim[0], batch = v->shape[0].dim[3];
  int64_t size[2], depth = 0;
  for (int d = 0; d < 2; d++) {
    int64_t positions = 0;
    while (positions * p[1] + p[0] <= v->shape[0].dim[d] + 2 * p[2]) positions++;
    size[d] = positions / p[3];
  }
  while (INT64_C(1) << depth < v->shape[2].dim[1]) depth++;
  const gt_shape out = {.rank = 4, .dim = {size[0], size[1], kernels, batch}};
  for (int64_t i = 0; y && i < gt_shape_count(out); i++) {
    const int64_t s = i % batch, kernel = i / batch % kernels, window = i / batch / kernels;
    y[i] = -INFINITY;
    for (int64_t pooled = 0; pooled < p[3] * p[3]; pooled++)
      y[i] = fmax(y[i], tree(v, x, kernel, (int)depth, 0, (window / size[1] * p[3] + pooled / p[3]) * p[1],
                             (window % size[1] * p[3] + pooled % p[3]) * p[1], s));
  }
  return out;
}

static gt_id build_conv(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_logic_conv_attribute a = attribute_of(v);
  return gt_logic_conv(g, x[0], x[1], x[2], v->inputs > 3 ? x[3] : GT_NONE, &a);
}

/* The words of gt_logic_conv_inverse: for each channel the leaves that read it, by a linear search. */
static void fill_inverse(const gt_case_view *v, int input, const double *const *x, int32_t *out) {
  const int64_t channels = v->shape[0].dim[2], leaves = gt_shape_count(v->shape[2]);
  int32_t count = 0;
  (void)input;
  for (int64_t c = 0; c < channels; c++) {
    out[c] = count;
    for (int64_t i = 0; i < leaves; i++) {
      if ((int64_t)x[2][i] % channels != c) continue;
      out[channels + 1 + 2 * count] = (int32_t)i;
      out[channels + 1 + 2 * count++ + 1] = (int32_t)((int64_t)x[2][i] / channels);
    }
  }
  out[channels] = count;
}

/* From logits, so that all values are at aligned addresses and the coefficients are those of gates. */
static gt_shape reference_layer(const gt_case_view *v, const double *const *x, double *y) {
  double *c = malloc(4 * (size_t)v->shape[1].dim[0] * sizeof *c);
  const double *const inputs[3] = {x[0], c, x[2]};
  for (int64_t gate = 0; y && gate < v->shape[1].dim[0]; gate++) {
    double share[16], sum = 0, *f = c + 4 * gate;
    for (int k = 0; k < 16; k++) sum += share[k] = exp(x[1][16 * gate + k]);
    memset(f, 0, 4 * sizeof *f);
    for (int k = 0; k < 16; k++) { /* bits 3, 1, 2, 0: the value on (0,0), (1,0), (0,1), (1,1) */
      const double f00 = k >> 3 & 1, f10 = k >> 1 & 1, f01 = k >> 2 & 1, f11 = k & 1;
      f[0] += share[k] / sum * f00;
      f[1] += share[k] / sum * (f10 - f00);
      f[2] += share[k] / sum * (f01 - f00);
      f[3] += share[k] / sum * (f11 - f10 - f01 + f00);
    }
  }
  const gt_shape shape = reference_conv(v, inputs, y);
  free(c);
  return shape;
}

static gt_id build_layer(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_logic_conv_attribute a = attribute_of(v);
  return gt_logic_conv(g, x[0], gt_logic_coefficients(g, x[1], false), x[2], x[3], &a);
}

/* The result is x if gt_logic_conv_inverse returns the words of fill_inverse for the wiring i * i % (9
 * channels). p[0], p[1]: channels and leaves. */
static gt_shape reference_inverse(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t channels = v->c->p[0], leaves = v->c->p[1];
  int32_t wiring[512], out[2048], expected[2048];
  double wiring_values[512];
  (void)x;
  for (int64_t i = 0; i < leaves; i++) wiring_values[i] = wiring[i] = (int32_t)(i * i % (9 * channels));
  gt_case_view view = {.shape = {{.rank = 4, .dim = {1, 1, channels, 1}}, {0}, gt_shape_2(1, leaves)}};
  const double *const columns[3] = {NULL, NULL, wiring_values};
  gt_logic_conv_inverse(wiring, channels, leaves, out);
  fill_inverse(&view, 3, columns, expected);
  for (int64_t i = 0; y && i < gt_logic_conv_inverse_count(channels, leaves); i++)
    y[i] = out[i] == expected[i] ? x[0][i] : 1e9;
  return v->shape[0];
}

static gt_id build_same(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)g, (void)v;
  return x[0];
}

static const gt_case_rule conv = {.name = "logic_conv",
                                  .build = build_conv,
                                  .reference = reference_conv,
                                  .fill = fill_inverse,
                                  .wrt = 3,
                                  .tolerance = 2e-6,
                                  .floor = 1,
                                  .gradient_tolerance = 3e-5,
                                  .low = -1,
                                  .high = 1,
                                  .reason = "a few levels of four products; sums over batch and positions"};
/* As the first layer of a model, which needs no inverse: there is no gradient of its inputs. */
static const gt_case_rule first = {.name = "logic_conv_first",
                                   .build = build_conv,
                                   .reference = reference_conv,
                                   .wrt = 2,
                                   .tolerance = 2e-6,
                                   .floor = 1,
                                   .gradient_tolerance = 3e-5,
                                   .low = -1,
                                   .high = 1,
                                   .reason = "as above"};
static const gt_case_rule layer = {
    .name = "logic_conv_layer",
    .build = build_layer,
    .reference = reference_layer,
    .fill = fill_inverse,
    .wrt = 3,
    .tolerance = 2e-6,
    .floor = 1,
    .gradient_tolerance = 3e-4,
    .low = -1,
    .high = 1,
    .reason = "shares of a softmax; small gradients are products of differences of shares"};
static const gt_case_rule inverse = {.name = "logic_conv_inverse",
                                     .build = build_same,
                                     .reference = reference_inverse,
                                     .tolerance = 0,
                                     .reason = "lists of whole numbers"};

/* Height, width, channels, batch; kernels, gates of all, leaves of one; words of the inverse; positions in
 * the field; then field, stride, padding, pool. */
#define CONV(rule, h, w, c, b, k, gates, leaves, words, places, ...) \
  { &rule, #h "," #w "," #c "," #b " " #gates ",4 i" #k "," #leaves " c" #words, {__VA_ARGS__}, .v = places }
#define FROM_LOGITS(h, w, c, b, k, gates, leaves, words, places, ...)                             \
  {                                                                                               \
    &layer, #h "," #w "," #c "," #b " " #gates ",16 i" #k "," #leaves " c" #words, {__VA_ARGS__}, \
        .v = places                                                                               \
  }

static const gt_case cases[] = {
    CONV(conv, 1, 1, 1, 1, 1, 1, 2, 6, 1, 1, 1, 0, 1),
    CONV(conv, 3, 3, 1, 1, 1, 1, 2, 6, 9, 3, 1, 0, 1),
    CONV(conv, 5, 4, 2, 3, 2, 6, 4, 19, 18, 3, 1, 0, 1),
    CONV(conv, 7, 5, 3, 4, 5, 35, 8, 84, 27, 3, 1, 1, 1),
    CONV(conv, 6, 6, 1, 7, 3, 9, 4, 26, 9, 3, 1, 0, 2),
    CONV(conv, 7, 9, 2, 5, 2, 14, 8, 35, 18, 3, 1, 1, 2),
    CONV(conv, 8, 8, 2, 4, 3, 9, 4, 27, 8, 2, 2, 0, 2),
    CONV(conv, 11, 7, 1, 3, 2, 6, 4, 18, 25, 5, 2, 2, 1),
    CONV(conv, 11, 13, 2, 2, 1, 1, 2, 7, 18, 3, 2, 1, 3),
    CONV(conv, 6, 5, 5, 4, 2, 30, 16, 70, 45, 3, 1, 1, 2),
    CONV(conv, 4, 4, 3, 17, 7, 49, 8, 116, 3, 1, 1, 0, 4),
    CONV(conv, 2, 3, 1, 33, 1, 3, 4, 10, 9, 3, 1, 2, 2),
    CONV(conv, 5, 5, 1, 36, 3, 9, 4, 26, 4, 2, 3, 0, 1),
    CONV(conv, 12, 12, 1, 20, 13, 91, 8, 210, 25, 5, 1, 0, 2),
    {&first, "6,7,2,5 9,4 i3,4", {3, 1, 1, 2}, .v = 18},
    {&first, "8,8,1,12 14,4 i2,8", {3, 1, 0, 1}, .v = 9},
    FROM_LOGITS(4, 5, 2, 3, 3, 9, 4, 27, 18, 3, 1, 0, 1),
    FROM_LOGITS(6, 6, 3, 4, 5, 35, 8, 84, 27, 3, 1, 1, 2),
    FROM_LOGITS(7, 6, 2, 12, 4, 12, 4, 35, 18, 3, 1, 0, 2),
    FROM_LOGITS(9, 9, 1, 8, 3, 45, 16, 98, 9, 3, 2, 1, 2),
    FROM_LOGITS(10, 10, 2, 100, 6, 42, 8, 99, 18, 3, 1, 0, 2),
    FROM_LOGITS(3, 3, 4, 5, 1, 1, 2, 9, 16, 2, 1, 0, 2),
    {&inverse, "68", {3, 32}},
    {&inverse, "9", {6, 1}},
    {&inverse, "302", {101, 100}},
};
GT_CASES(logic_conv, cases);
