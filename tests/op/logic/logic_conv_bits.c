/* Cases (op/case.h) of convolutions of trees of hard gates, on words of 32 samples. */
#include "op/logic/logic_conv_bits.h"
#include "op/case.h"
#include "op/core.h"
#include "op/logic/logic_bits.h"
#include <string.h>

GT_REGISTER(opcase, logic_conv_bits)

/* Inputs: images [B, height, width, channels], where a value's bit tells whether it is above a half; logits;
 * wiring [kernels, leaves]. p: field, stride, padding, pool. */
static gt_logic_conv_attribute attribute_of(const gt_case_view *v) {
  const int64_t *p = v->c->p;
  return (gt_logic_conv_attribute){
      .field = (uint32_t)p[0], .stride = (uint32_t)p[1], .padding = (uint32_t)p[2], .pool = (uint32_t)p[3]};
}

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_logic_conv_attribute a = attribute_of(v);
  const gt_shape s = v->shape[0];
  const int64_t batch = s.dim[0], words = gt_logic_words(batch);
  const gt_shape image = {.rank = 4, .dim = {s.dim[1], s.dim[2], s.dim[3], words}};
  const gt_id packed = gt_logic_pack(g, gt_reshape(g, x[0], gt_shape_2(batch, -1)), GT_WORDS_BY_VALUE);
  const gt_id y = gt_logic_conv_bits(g, gt_reshape(g, packed, image), gt_logic_codes(g, x[1]), x[2], &a);
  return gt_logic_unpack(g, gt_reshape(g, y, gt_shape_2(-1, words)), batch, GT_WORDS_BY_VALUE);
}

/* The output of the gate with the largest logit. Its number is its truth table: bits 0 to 3 are the outputs
 * for (a, b) = (1,1), (1,0), (0,1), (0,0). */
static bool gate_output(const double *logits, bool a, bool b) {
  int best = 0;
  for (int k = 1; k < 16; k++)
    if (logits[k] > logits[best]) best = k;
  return best >> (a ? !b : b ? 2 : 3) & 1;
}

/* The tree below a gate of level `level` (0: a leaf), from the root down; `at` is the index from the left. */
static bool tree(const gt_case_view *v, const double *const *x, int64_t kernel, int level, int64_t at,
                 int64_t row, int64_t column, int64_t s) {
  const gt_shape image = v->shape[0];
  const int64_t leaves = v->shape[2].dim[1], *p = v->c->p;
  if (level == 0) {
    const int64_t place = (int64_t)x[2][kernel * leaves + at], channels = image.dim[3];
    const int64_t r = row + place / channels / p[0] - p[2], c = column + place / channels % p[0] - p[2];
    if (r < 0 || r >= image.dim[1] || c < 0 || c >= image.dim[2]) return false;
    return x[0][((s * image.dim[1] + r) * image.dim[2] + c) * channels + place % channels] > 0.5;
  }
  int64_t below = 0; /* gates of the levels nearer to the leaves */
  for (int l = 1; l < level; l++) below += leaves >> l;
  return gate_output(x[1] + 16 * (kernel * (leaves - 1) + below + at),
                     tree(v, x, kernel, level - 1, 2 * at, row, column, s),
                     tree(v, x, kernel, level - 1, 2 * at + 1, row, column, s));
}

static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t *p = v->c->p, kernels = v->shape[2].dim[0];
  int64_t size[2];
  int depth = 0;
  for (int d = 0; d < 2; d++) {
    int64_t positions = 0;
    while (positions * p[1] + p[0] <= v->shape[0].dim[1 + d] + 2 * p[2]) positions++;
    size[d] = positions / p[3];
  }
  while (1 << depth < v->shape[2].dim[1]) depth++;
  const gt_shape out = gt_shape_2(v->shape[0].dim[0], size[0] * size[1] * kernels);
  for (int64_t i = 0; y && i < gt_shape_count(out); i++) {
    const int64_t s = i / out.dim[1], kernel = i % kernels, window = i % out.dim[1] / kernels;
    bool any = false;
    for (int64_t pooled = 0; pooled < p[3] * p[3]; pooled++)
      any |= tree(v, x, kernel, depth, 0, (window / size[1] * p[3] + pooled / p[3]) * p[1],
                  (window % size[1] * p[3] + pooled % p[3]) * p[1], s);
    y[i] = any;
  }
  return out;
}

static const gt_case_rule rule = {
    .name = "logic_conv_bits", .build = build, .reference = reference, .tolerance = 0, .reason = "bits"};

/* Batch, height, width, channels; kernels, gates of all, leaves of one; positions in the field; then field,
 * stride, padding, pool. */
#define CONV(b, h, w, c, k, gates, leaves, places, ...) \
  { &rule, "g" #b "," #h "," #w "," #c " g" #gates ",16 i" #k "," #leaves, {__VA_ARGS__}, .v = places }

static const gt_case cases[] = {
    CONV(1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 0, 1),      CONV(31, 3, 3, 1, 2, 2, 2, 9, 3, 1, 0, 1),
    CONV(33, 5, 4, 2, 3, 9, 4, 18, 3, 1, 0, 1),    CONV(65, 7, 5, 3, 5, 35, 8, 27, 3, 1, 1, 1),
    CONV(32, 6, 6, 1, 3, 9, 4, 9, 3, 1, 0, 2),     CONV(33, 7, 9, 2, 9, 63, 8, 18, 3, 1, 1, 2),
    CONV(65, 8, 8, 5, 3, 9, 4, 20, 2, 2, 0, 2),    CONV(31, 11, 7, 1, 2, 6, 4, 25, 5, 2, 2, 1),
    CONV(1, 11, 13, 7, 11, 11, 2, 63, 3, 2, 1, 3), CONV(65, 6, 5, 5, 2, 30, 16, 45, 3, 1, 1, 2),
    CONV(33, 4, 4, 3, 7, 49, 8, 3, 1, 1, 0, 4),    CONV(31, 2, 3, 1, 1, 3, 4, 9, 3, 1, 2, 2),
    CONV(1, 9, 11, 1, 3, 9, 4, 4, 2, 3, 0, 1),     CONV(7, 12, 12, 1, 17, 119, 8, 25, 5, 1, 0, 2),
    CONV(300, 5, 40, 1, 2, 6, 4, 9, 3, 1, 1, 1),  /* several blocks of words, several pieces in a row */
    CONV(513, 3, 33, 2, 2, 6, 4, 18, 3, 2, 1, 2), /* whole blocks, and one word more */
    CONV(257, 15, 30, 1, 1, 1, 2, 1, 1, 1, 0, 15),
};
GT_CASES(logic_conv_bits, cases);
