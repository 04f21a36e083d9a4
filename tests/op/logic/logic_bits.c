/* Cases (op/case.h) of layers of hard gates, on words of 32 samples. */
#include "op/logic/logic_bits.h"
#include "op/case.h"
#include "op/logic/logic.h"
#include <stdlib.h>
#include <string.h>

GT_REGISTER(opcase, logic_bits)

/* The output bit of a gate for two bits, by the list in op/logic/logic.h. */
static bool gate_output(int gate, bool a, bool b) {
  switch (gate) {
  case 1: return a && b;
  case 2: return a && !b;
  case 3: return a;
  case 4: return !a && b;
  case 5: return b;
  case 6: return a != b;
  case 7: return a || b;
  case 8: return !(a || b);
  case 9: return a == b;
  case 10: return !b;
  case 11: return a || !b;
  case 12: return !a;
  case 13: return !a || b;
  case 14: return !(a && b);
  case 15: return true;
  default: return false;
  }
}

static int best_gate(const double *logits) {
  int best = 0;
  for (int k = 1; k < 16; k++)
    if (logits[k] > logits[best]) best = k;
  return best;
}

/* --- codes: bits c0 to c3, such that c0 ^ c1 a ^ c2 b ^ c3 ab is the gate's output ---------------------- */

static gt_id build_codes(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)v;
  return gt_logic_codes(g, x[0]);
}

static gt_shape reference_codes(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t gates = v->shape[0].dim[0];
  for (int64_t i = 0; y && i < gates; i++)
    for (int code = 0; code < 16; code++) {
      bool same = true;
      for (int pair = 0; pair < 4; pair++) {
        const int a = pair & 1, b = pair >> 1;
        const int output = (code ^ (code >> 1 & a) ^ (code >> 2 & b) ^ (code >> 3 & a & b)) & 1;
        same &= output == gate_output(best_gate(x[0] + 16 * i), a, b);
      }
      if (same) y[i] = code;
    }
  return gt_shape_1(gates);
}

/* --- words ---------------------------------------------------------------------------------------------- */

static gt_words_order order_of(const gt_case_view *v) {
  return v->c->p[0] ? GT_WORDS_BY_WORD : GT_WORDS_BY_VALUE;
}

static gt_id build_pack(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_logic_pack(g, x[0], order_of(v));
}

static gt_shape reference_pack(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t batch = v->shape[0].dim[0], n = v->shape[0].dim[1], words = (batch + 31) / 32;
  const bool by_word = order_of(v) == GT_WORDS_BY_WORD;
  for (int64_t i = 0; y && i < n; i++)
    for (int64_t w = 0; w < words; w++) {
      uint32_t word = 0;
      for (int64_t s = 32 * w; s < batch && s < 32 * w + 32; s++)
        word += (uint32_t)(x[0][s * n + i] > 0.5) << s % 32;
      y[by_word ? w * n + i : i * words + w] = (int32_t)word;
    }
  return by_word ? gt_shape_2(words, n) : gt_shape_2(n, words);
}

static gt_id build_round_trip(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_logic_unpack(g, gt_logic_pack(g, x[0], order_of(v)), v->shape[0].dim[0], order_of(v));
}

static gt_shape reference_round_trip(const gt_case_view *v, const double *const *x, double *y) {
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++) y[i] = x[0][i] > 0.5;
  return v->shape[0];
}

/* --- layers: x [B, n], logits [G, 16], wiring [2, G] ---------------------------------------------------- */

static gt_id words_of_layer(gt_graph *g, const gt_id *x) {
  return gt_logic_bits(g, gt_logic_pack(g, x[0], GT_WORDS_BY_VALUE), gt_logic_codes(g, x[1]), x[2]);
}

static gt_id build_layer(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_logic_unpack(g, words_of_layer(g, x), v->shape[0].dim[0], GT_WORDS_BY_VALUE);
}

static gt_shape reference_layer(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t batch = v->shape[0].dim[0], n = v->shape[0].dim[1], gates = v->shape[1].dim[0];
  for (int64_t s = 0; y && s < batch; s++)
    for (int64_t gate = 0; gate < gates; gate++)
      y[s * gates + gate] = gate_output(best_gate(x[1] + 16 * gate), x[0][s * n + (int64_t)x[2][gate]] > 0.5,
                                        x[0][s * n + (int64_t)x[2][gates + gate]] > 0.5);
  return gt_shape_2(batch, gates);
}

/* p[0] groups of the layer's gates, each sum divided by p[1]. */
static gt_id build_sum(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_logic_bits_sum(g, words_of_layer(g, x), v->shape[0].dim[0], v->c->p[0], 1 / (double)v->c->p[1]);
}

static gt_shape reference_sum(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t batch = v->shape[0].dim[0], gates = v->shape[1].dim[0], groups = v->c->p[0],
                each = gates / groups;
  if (!y) return gt_shape_2(batch, groups);
  double *bits = calloc((size_t)(batch * gates), sizeof *bits);
  reference_layer(v, x, bits);
  memset(y, 0, (size_t)(batch * groups) * sizeof *y);
  for (int64_t i = 0; i < batch * gates; i++)
    y[i / gates * groups + i % gates / each] += bits[i] / (double)v->c->p[1];
  free(bits);
  return gt_shape_2(batch, groups);
}

static const gt_case_rule codes = {.name = "logic_codes",
                                   .build = build_codes,
                                   .reference = reference_codes,
                                   .tolerance = 0,
                                   .reason = "whole numbers"};
static const gt_case_rule pack = {
    .name = "logic_pack", .build = build_pack, .reference = reference_pack, .tolerance = 0, .reason = "bits"};
static const gt_case_rule round_trip = {.name = "logic_unpack",
                                        .build = build_round_trip,
                                        .reference = reference_round_trip,
                                        .tolerance = 0,
                                        .reason = "bits"};
static const gt_case_rule layer = {.name = "logic_bits",
                                   .build = build_layer,
                                   .reference = reference_layer,
                                   .tolerance = 0,
                                   .reason = "bits"};
static const gt_case_rule sum = {.name = "logic_bits_sum",
                                 .build = build_sum,
                                 .reference = reference_sum,
                                 .tolerance = 0,
                                 .reason = "whole numbers over powers of two"};

/* In both orders of words. */
#define BOTH(rule, shape) \
  {&rule, shape, {0}}, {  \
    &rule, shape, { 1 }   \
  }
/* Batch, inputs, gates. */
#define LAYER(B, n, gates) \
  { &layer, "g" #B "," #n " g" #gates ",16 i2," #gates, .v = n }
#define SUM(B, n, gates, groups, tau) \
  { &sum, "g" #B "," #n " g" #gates ",16 i2," #gates, {groups, tau}, .v = n }

static const gt_case cases[] = {
    {&codes, "g1,16"},
    {&codes, "1031,16"},
    {&codes, "g200,16"},
    BOTH(pack, "g1,1"),
    BOTH(pack, "g31,5"),
    BOTH(pack, "g32,7"),
    BOTH(pack, "g33,1025"),
    BOTH(pack, "67,40"),
    BOTH(round_trip, "g1,3"),
    BOTH(round_trip, "g33,9"),
    BOTH(round_trip, "g67,1030"),
    LAYER(1, 1, 1),
    LAYER(31, 2, 300),
    LAYER(32, 17, 40),
    LAYER(33, 40, 60),
    LAYER(67, 9, 500),
    LAYER(1100, 30, 37),
    SUM(1, 3, 1, 1, 1),
    SUM(31, 5, 6, 3, 2),
    SUM(32, 5, 40, 8, 1),
    SUM(33, 60, 600, 2, 8),
    SUM(67, 12, 511, 1, 4),
    SUM(67, 12, 512, 1, 4),
    SUM(4133, 7, 70, 10, 16),
};
GT_CASES(logic_bits, cases);
