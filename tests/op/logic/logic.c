/* Cases (op/case.h) of layers of soft gates, their coefficients, and the inverse of their wiring. */
#include "op/logic/logic.h"
#include "op/case.h"
#include "op/elementwise.h"
#include <math.h>
#include <stdlib.h>

GT_REGISTER(opcase, logic)

/* The gates as real functions, not the truth tables that the op is derived from. */
static double gate_value(int gate, double a, double b) {
  switch (gate) {
  case 1: return a * b;
  case 2: return a - a * b;
  case 3: return a;
  case 4: return b - a * b;
  case 5: return b;
  case 6: return a + b - 2 * a * b;
  case 7: return a + b - a * b;
  case 8: return 1 - (a + b - a * b);
  case 9: return 1 - (a + b - 2 * a * b);
  case 10: return 1 - b;
  case 11: return 1 - b + a * b;
  case 12: return 1 - a;
  case 13: return 1 - a + a * b;
  case 14: return 1 - a * b;
  case 15: return 1;
  default: return 0;
  }
}

/* The four coefficients of a bilinear function, from its values at the corners. */
static void expand(const double *share, double *c) {
  double f[4] = {0};
  for (int k = 0; k < 16; k++)
    for (int corner = 0; corner < 4; corner++) f[corner] += share[k] * gate_value(k, corner & 1, corner >> 1);
  c[0] = f[0];
  c[1] = f[1] - f[0];
  c[2] = f[2] - f[0];
  c[3] = f[3] - f[1] - f[2] + f[0];
}

static gt_shape reference_mixture(const gt_case_view *v, const double *const *x, double *y) {
  gt_shape out = v->shape[0];
  const int64_t gates = gt_shape_count(out) / 16;
  out.dim[out.rank - 1] = 4;
  for (int64_t gate = 0; y && gate < gates; gate++) {
    double share[16], sum = 0, largest = -INFINITY;
    for (int k = 0; k < 16; k++) largest = fmax(largest, x[0][16 * gate + k]);
    for (int k = 0; k < 16; k++) sum += share[k] = exp(x[0][16 * gate + k] - largest);
    for (int k = 0; k < 16; k++) share[k] /= sum;
    expand(share, y + 4 * gate);
  }
  return out;
}

static gt_shape reference_hard(const gt_case_view *v, const double *const *x, double *y) {
  gt_shape out = v->shape[0];
  const int64_t gates = gt_shape_count(out) / 16;
  out.dim[out.rank - 1] = 4;
  for (int64_t gate = 0; y && gate < gates; gate++) {
    double share[16] = {0};
    int best = 0;
    for (int k = 0; k < 16; k++)
      if (x[0][16 * gate + k] > x[0][16 * gate + best]) best = k;
    share[best] = 1;
    expand(share, y + 4 * gate);
  }
  return out;
}

static gt_id build_mixture(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)v;
  return gt_logic_coefficients(g, x[0], false);
}

static gt_id build_hard(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)v;
  return gt_logic_coefficients(g, x[0], true);
}

/* Inputs: x [n, B], coefficients [G, 4], wiring [2, G], inverse. */
static gt_shape reference_logic(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t gates = v->shape[1].dim[0], batch = v->shape[0].dim[1];
  for (int64_t gate = 0; y && gate < gates; gate++)
    for (int64_t s = 0; s < batch; s++) {
      const double a = x[0][(int64_t)x[2][gate] * batch + s],
                   b = x[0][(int64_t)x[2][gates + gate] * batch + s];
      const double *c = x[1] + 4 * gate;
      y[gate * batch + s] = c[0] + c[1] * a + c[2] * b + c[3] * a * b;
    }
  return gt_shape_2(gates, batch);
}

static gt_id build_logic(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_logic(g, x[0], x[1], x[2], v->inputs > 3 ? x[3] : GT_NONE);
}

/* From logits, and with all values at aligned addresses, as in a layer: only then values are read and written
 * as vec4. x[3] is unused: it makes the inverse input 4, whose guards (src/selftest/subject.c) keep it
 * aligned. */
static gt_shape reference_layer(const gt_case_view *v, const double *const *x, double *y) {
  double *c = malloc(4 * (size_t)v->shape[1].dim[0] * sizeof *c);
  const double *const inputs[3] = {x[0], c, x[2]};
  gt_case_view logits = {.shape = {v->shape[1]}};
  if (y) reference_mixture(&logits, (const double *const[]){x[1]}, c);
  const gt_shape shape = reference_logic(v, inputs, y);
  free(c);
  return shape;
}

static gt_id build_layer(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)v;
  const gt_id one = gt_constant(g, 1),
              y = gt_logic(g, gt_mul(g, x[0], one), gt_logic_coefficients(g, x[1], false), x[2], x[4]);
  return gt_mul(g, y, one);
}

/* Two layers of the same gates and wiring, with 16-bit values between them; as many gates as inputs. */
static gt_shape reference_stack(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape shape = reference_logic(v, x, NULL);
  double *between = malloc((size_t)gt_shape_count(shape) * sizeof *between);
  const double *const inputs[3] = {between, x[1], x[2]};
  if (y) reference_logic(v, x, between);
  reference_logic(v, inputs, y);
  free(between);
  return shape;
}

static gt_id build_stack(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)v;
  const gt_id between = gt_logic_half(g, gt_logic(g, x[0], x[1], x[2], x[3]));
  return gt_logic(g, between, x[1], x[2], x[3]);
}

/* The words of gt_logic_inverse: for each input the gates that read it, by a linear search. */
static void fill_inverse(const gt_case_view *v, int input, const double *const *x, int32_t *out) {
  const int64_t inputs = v->shape[0].dim[0], gates = v->shape[1].dim[0];
  int32_t count = 0;
  (void)input;
  for (int64_t i = 0; i < inputs; i++) {
    out[i] = count;
    for (int64_t gate = 0; gate < gates; gate++)
      for (int side = 0; side < 2; side++) {
        if ((int64_t)x[2][side * gates + gate] != i) continue;
        out[inputs + 1 + 2 * count] = (int32_t)(2 * gate + side);
        out[inputs + 1 + 2 * count++ + 1] = (int32_t)x[2][(1 - side) * gates + gate];
      }
  }
  out[inputs] = count;
}

/* The result is x if gt_logic_inverse returns the words of fill_inverse for the wiring i * i % inputs. p[0],
 * p[1]: inputs and gates. */
static gt_shape reference_inverse(const gt_case_view *v, const double *const *x, double *y) {
  (void)x;
  const int64_t inputs = v->c->p[0], gates = v->c->p[1];
  int32_t wiring[512], out[2048];
  double wiring_values[512];
  for (int64_t i = 0; i < 2 * gates; i++) wiring_values[i] = wiring[i] = (int32_t)(i * i % inputs);
  gt_case_view view = {.shape = {gt_shape_2(inputs, 1), gt_shape_2(gates, 4)}};
  const double *const columns[3] = {NULL, NULL, wiring_values};
  gt_logic_inverse(wiring, inputs, gates, out);
  int32_t expected[2048];
  fill_inverse(&view, 3, columns, expected);
  for (int64_t i = 0; y && i < gt_logic_inverse_count(inputs, gates); i++)
    y[i] = x[0][i] + (expected[i] != out[i]);
  return v->shape[0];
}

static gt_id build_same(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)g, (void)v;
  return x[0];
}

static const gt_case_rule mixture = {.name = "logic_coefficients",
                                     .build = build_mixture,
                                     .reference = reference_mixture,
                                     .wrt = 1,
                                     .tolerance = 1e-6,
                                     .floor = 1,
                                     .gradient_tolerance = 1e-5,
                                     .reason = "shares of a softmax, their differences"};
static const gt_case_rule extreme = {.name = "logic_coefficients",
                                     .build = build_mixture,
                                     .reference = reference_mixture,
                                     .tolerance = 1e-6,
                                     .floor = 1,
                                     .reason = "shares of a softmax, their differences"};
static const gt_case_rule hard = {.name = "logic_coefficients_hard",
                                  .build = build_hard,
                                  .reference = reference_hard,
                                  .tolerance = 0,
                                  .reason = "small whole numbers"};
static const gt_case_rule logic = {.name = "logic",
                                   .build = build_logic,
                                   .reference = reference_logic,
                                   .fill = fill_inverse,
                                   .wrt = 3,
                                   .tolerance = 1e-6,
                                   .floor = 1,
                                   .gradient_tolerance = 1e-5,
                                   .reason = "four products; sums over the batch"};
/* As the first layer of a model, which needs no inverse: there is no gradient of its inputs. */
static const gt_case_rule first = {.name = "logic_first",
                                   .build = build_logic,
                                   .reference = reference_logic,
                                   .wrt = 2,
                                   .tolerance = 1e-6,
                                   .floor = 1,
                                   .gradient_tolerance = 1e-5,
                                   .reason = "four products; sums over the batch"};
static const gt_case_rule layer = {.name = "logic_layer",
                                   .build = build_layer,
                                   .reference = reference_layer,
                                   .fill = fill_inverse,
                                   .wrt = 3,
                                   .tolerance = 2e-6,
                                   .floor = 1,
                                   .gradient_tolerance = 3e-5,
                                   .reason = "shares of a softmax, products, sums"};
static const gt_case_rule stack = {.name = "logic_stack",
                                   .build = build_stack,
                                   .reference = reference_stack,
                                   .fill = fill_inverse,
                                   .wrt = 3,
                                   .tolerance = 4e-3,
                                   .floor = 1,
                                   .gradient_tolerance = 1e-2,
                                   .low = -1,
                                   .high = 1,
                                   .reason = "11 bits of values, 8 of gradients"};
static const gt_case_rule inverse = {.name = "logic_inverse",
                                     .build = build_same,
                                     .reference = reference_inverse,
                                     .tolerance = 0,
                                     .reason = "lists of whole numbers"};

/* Inputs, batch, gates, words of the inverse. */
#define LAYER(rule, n, b, g, words) \
  { &rule, #n "," #b " " #g ",4 i2," #g " c" #words, .v = n }
#define FROM_LOGITS(n, b, g, words) \
  { &layer, #n "," #b " " #g ",16 i2," #g " 1 c" #words, .v = n }

static const gt_case cases[] = {
    {&mixture, "1,16"},
    {&mixture, "7,16"},
    {&mixture, "513,16"},
    {&mixture, "3,5,16"},
    {&extreme, "67,16", .low = -40, .high = 40},
    {&extreme, "9,16", .low = 1000, .high = 1090},
    {&hard, "1,16"},
    {&hard, "513,16"},
    {&hard, "g67,16"},
    {&hard, "g5,3,16"},
    LAYER(logic, 1, 1, 1, 6),
    LAYER(logic, 2, 3, 7, 31),
    LAYER(logic, 13, 4, 5, 34),
    LAYER(logic, 31, 7, 29, 148),
    LAYER(logic, 40, 100, 60, 281),
    LAYER(logic, 3, 1024, 11, 48),
    LAYER(logic, 64, 1, 300, 1265),
    LAYER(logic, 17, 1030, 5, 38),
    LAYER(logic, 5, 2052, 3, 18),
    LAYER(logic, 400, 128, 20, 481),
    LAYER(logic, 1100, 2048, 40, 1261),
    {&first, "5,8 6,4 i2,6", .v = 5},
    FROM_LOGITS(1, 1, 1, 6),
    FROM_LOGITS(19, 20, 37, 168),
    FROM_LOGITS(8, 5, 3, 21),
    FROM_LOGITS(40, 100, 60, 281),
    FROM_LOGITS(3, 1024, 11, 48),
    FROM_LOGITS(5, 2052, 3, 18),
    FROM_LOGITS(1100, 2048, 40, 1261),
    LAYER(stack, 5, 8, 5, 26),
    LAYER(stack, 31, 100, 31, 156),
    LAYER(stack, 7, 1028, 7, 36),
    LAYER(stack, 9, 7, 9, 46),
    {&inverse, "30", {5, 6}},
    {&inverse, "22", {1, 5}},
    {&inverse, "582", {101, 120}},
    {&inverse, "12", {7, 1}},
};
GT_CASES(logic, cases);
