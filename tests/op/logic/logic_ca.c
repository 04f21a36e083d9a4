/* Cases (op/case.h) of the automaton of soft gates. */
#include "op/logic/logic_ca.h"
#include "base/philox.h"
#include "op/case.h"
#include "op/core.h"
#include "tests/support/automaton.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

GT_REGISTER(opcase, logic_ca)

/* Inputs: the clock's state and table, the automaton's state, coefficients, wiring, inverse wiring. p:
 * tests/support/automaton.h. */
enum { X_STATE = 2, X_COEFFICIENTS, X_WIRING, X_INVERSE };

/* For the cases that push states towards 0 and 1: the step towards the nearer bit, as a fraction of the
 * distance, and the probability of a random bit. */
#define ROUNDING 0.25
#define SAMPLING 0.4

static const gt_case_rule digital, rounded, bounded;

static gt_logic_ca_attribute attribute_of(const gt_case_view *v) {
  gt_logic_ca_attribute a = automaton_of(v->c->p);
  if (v->c->rule == &digital || v->c->rule == &rounded) a.rounding = (float)ROUNDING;
  if (v->c->rule == &digital) a.sampling = (float)SAMPLING;
  a.bounded = a.rounding > 0 || v->c->rule == &bounded;
  return a;
}

static uint32_t channels_of(const gt_case_view *v) { return (uint32_t)v->shape[X_STATE].dim[3]; }

/* A random wiring, except that b is the center (4) for all gates of the first layer, as in the automata: one
 * input has many readers. */
static void fill(const gt_case_view *v, int input, const double *const *x, int32_t *out) {
  const gt_logic_ca_attribute a = attribute_of(v);
  const int64_t wires = gt_logic_ca_wires(&a);
  gt_logic_ca_layer layer[GT_LOGIC_CA_LAYERS] = {{0}};
  gt_logic_ca_layers(&a, channels_of(v), layer);
  if (input == X_INVERSE) {
    int32_t *wiring = malloc((size_t)(2 * wires) * sizeof *wiring);
    for (int64_t i = 0; i < 2 * wires; i++) wiring[i] = (int32_t)x[X_WIRING][i];
    gt_logic_ca_inverse(&a, channels_of(v), wiring, out);
    free(wiring);
    return;
  }
  for (uint32_t l = 0; l < a.perceptions + a.updates; l++)
    for (uint32_t o = 0; o < layer[l].width; o++)
      for (int side = 0; side < 2; side++) {
        const uint32_t bits = gt_random_bits(7, l, (uint32_t)side, o);
        out[side * wires + layer[l].wire + o] = l == 0 && side ? 4 : (int32_t)(bits % layer[l].inputs);
      }
}

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_logic_ca_attribute a = attribute_of(v);
  const gt_id clock = gt_logic_ca_clocked(&a) ? gt_clock(g, v->variable[0], v->variable[1]) : GT_NONE;
  return gt_logic_ca(g, x[X_STATE], x[X_COEFFICIENTS], x[X_WIRING], x[X_INVERSE], clock, &a);
}

static gt_id build_final(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_shape shape = v->shape[X_STATE];
  return gt_view(g, build(g, v, x), v->c->p[AT_STEPS] * gt_shape_count(shape), shape);
}

/* --- the automaton, cell by cell --- */

typedef struct rule {
  gt_logic_ca_attribute a;
  gt_logic_ca_layer layer[GT_LOGIC_CA_LAYERS];
  const double *coefficients, *wiring;
  int64_t wires, height, width, channels;
} rule;

static void run_layer(const rule *r, uint32_t l, uint32_t kernel, const double *in, double *out) {
  const gt_logic_ca_layer *layer = &r->layer[l];
  for (uint32_t o = 0; o < layer->width; o++) {
    const double a = in[(int)r->wiring[layer->wire + o]], b = in[(int)r->wiring[r->wires + layer->wire + o]];
    const double *c = r->coefficients + 4 * (layer->gate + kernel * layer->width + o);
    out[o] = c[0] + c[1] * a + c[2] * b + c[3] * a * b;
  }
}

static void perceive(const rule *r, const double *patch, uint32_t kernel, double *out) {
  double a[1024], b[1024];
  memcpy(a, patch, 9 * sizeof *a);
  for (uint32_t l = 0; l < r->a.perceptions; l++) {
    run_layer(r, l, kernel, a, b);
    memcpy(a, b, sizeof a);
  }
  memcpy(out, a, r->layer[r->a.perceptions - 1].width * sizeof *out);
}

static void new_cell(const rule *r, const double *board, int64_t y, int64_t x, double *out) {
  enum { MAX_WIDTH = 4096 };
  double *in = malloc(2 * MAX_WIDTH * sizeof *in), *next = in + MAX_WIDTH; /* too much for a stack */
  const uint32_t K = r->a.kernels, bits = r->layer[r->a.perceptions - 1].width;
  for (int64_t c = 0; c < r->channels; c++) {
    double patch[9], seen[1024];
    for (int64_t j = 0; j < 9; j++) {
      int64_t ny = y + j / 3 - 1, nx = x + j % 3 - 1;
      const bool inside = ny >= 0 && ny < r->height && nx >= 0 && nx < r->width;
      ny = (ny + r->height) % r->height, nx = (nx + r->width) % r->width;
      patch[j] = inside || r->a.periodic ? board[(ny * r->width + nx) * r->channels + c] : 0;
    }
    in[c] = patch[4];
    for (uint32_t k = 0; k < K; k++) {
      perceive(r, patch, k, seen);
      for (uint32_t o = 0; o < bits; o++) in[r->channels + (c * bits + o) * K + k] = seen[o];
    }
  }
  for (uint32_t l = r->a.perceptions; l < r->a.perceptions + r->a.updates; l++) {
    run_layer(r, l, 0, in, next);
    memcpy(in, next, r->layer[l].width * sizeof *in);
  }
  memcpy(out, in, (size_t)r->channels * sizeof *out);
  free(in);
}

/* Clamps, rounds and samples value i of step t as the attribute says, unless this is the last step. */
static double rounded_value(const rule *r, const int64_t *p, uint32_t t, int64_t i, int64_t size,
                            double value) {
  const uint64_t seed = (uint64_t)p[1] | (uint64_t)p[2] << 32;
  const uint32_t purpose = GT_PURPOSE_GRAPH + (r->a.fire_rate < 1);
  const gt_philox draw = gt_philox_block(seed, purpose, (uint32_t)p[0], (uint32_t)(t * size + i));
  if (t + 1 == r->a.steps) return value;
  if (r->a.bounded) value = fmin(fmax(value, 0), 1);
  if (r->a.rounding > 0) value += ROUNDING * ((value > 0.5) - value);
  if (r->a.sampling == 0 || ldexp(draw.v[0] >> 8, -24) >= SAMPLING) return value;
  return ldexp(draw.v[1] >> 8, -24) < value;
}

static void run_steps(const rule *r, const gt_case_view *v, double *states) {
  const int64_t *p = v->c->p, cells = r->height * r->width, batch = v->shape[X_STATE].dim[0];
  const int64_t size = batch * cells * r->channels;
  const uint64_t seed = (uint64_t)p[1] | (uint64_t)p[2] << 32;
  for (uint32_t t = 0; t < r->a.steps; t++)
    for (int64_t b = 0; b < batch; b++)
      for (int64_t cell = 0; cell < cells; cell++) {
        const double *board = states + t * size + b * cells * r->channels, *old = board + cell * r->channels;
        double *to = states + (t + 1) * size + (b * cells + cell) * r->channels;
        const float u =
            gt_random_uniform(seed, GT_PURPOSE_GRAPH, (uint32_t)p[0], (uint32_t)(t * cells + cell));
        if (u <= r->a.fire_rate) {
          new_cell(r, board, cell / r->width, cell % r->width, to);
          for (int64_t c = 0; c < r->channels; c++)
            to[c] = rounded_value(r, p, t, (b * cells + cell) * r->channels + c, size, to[c]);
        } else {
          memcpy(to, old, (size_t)r->channels * sizeof *to);
        }
      }
}

static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape state = v->shape[X_STATE];
  rule r = {.a = attribute_of(v), .coefficients = x[X_COEFFICIENTS], .wiring = x[X_WIRING]};
  gt_shape out = {.rank = 5, .dim = {r.a.steps + 1, state.dim[0], state.dim[1], state.dim[2], state.dim[3]}};
  if (!y) return out;
  r.height = state.dim[1];
  r.width = state.dim[2];
  r.channels = state.dim[3];
  r.wires = gt_logic_ca_wires(&r.a);
  gt_logic_ca_layers(&r.a, (uint32_t)r.channels, r.layer);
  memcpy(y, x[X_STATE], (size_t)gt_shape_count(state) * sizeof *y);
  run_steps(&r, v, y);
  return out;
}

static gt_shape reference_final(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape state = v->shape[X_STATE];
  const size_t count = (size_t)gt_shape_count(state);
  if (!y) return state;
  double *all = malloc(((size_t)v->c->p[AT_STEPS] + 1) * count * sizeof *all);
  reference(v, x, all);
  memcpy(y, all + (size_t)v->c->p[AT_STEPS] * count, count * sizeof *y);
  free(all);
  return state;
}

#define RULE(name_, title, suffix, inputs)                           \
  static const gt_case_rule name_ = {.name = title,                  \
                                     .build = build##suffix,         \
                                     .reference = reference##suffix, \
                                     .fill = fill,                   \
                                     .wrt = inputs,                  \
                                     .tolerance = 4e-6,              \
                                     .gradient_tolerance = 6e-5,     \
                                     .low = -0.45,                   \
                                     .high = 0.55,                   \
                                     .reason = "products of many gates"};
RULE(states, "logic_ca", , 1 << X_STATE | 1 << X_COEFFICIENTS)
RULE(final, "logic_ca_final", _final, 1 << X_STATE | 1 << X_COEFFICIENTS)
/* Straight-through: the gradient is not that of the function (tests/op_units/logic_ca.c). */
RULE(digital, "logic_ca_digital", , 0)
RULE(rounded, "logic_ca_rounded", , 0)
/* Many states below 0 or above 1. */
static const gt_case_rule bounded = {.name = "logic_ca_bounded",
                                     .build = build,
                                     .reference = reference,
                                     .fill = fill,
                                     .tolerance = 4e-6,
                                     .low = -0.5,
                                     .high = 0.8,
                                     .reason = "products of many gates"};

/* A case of each of the rules `states` and `final`. */
#define ALL_OF(is_more, shapes, ...)                                \
  {&states, shapes, {5, 77, 3, 0, __VA_ARGS__}, .more = is_more}, { \
    &final, shapes, {9, 1, 2, 0, __VA_ARGS__}, .more = is_more      \
  }
#define BOTH(...)         ALL_OF(false, __VA_ARGS__)
#define MORE_OF_BOTH(...) ALL_OF(true, __VA_ARGS__)

#define WIDE 900, 900, 900, 900, 900, 900, 900, 900, 900, 900, 900, 900, 900

/* The sizes that depend on the layers: gt_logic_ca_gates, _wires and _inverse_words. */
static const gt_case cases[] = {
    BOTH("w4 v1,1 1,1,1,1 2,4 c2,2 c52", 2, 1, 1, 100, 1, 1, 1),
    BOTH("w4 v1,1 3,3,3,1 45,4 c2,30 c224", 1, 2, 1, 100, 4, 8, 4, 2, 1, 8, 4, 2, 1),
    MORE_OF_BOTH("w4 v1,1 2,4,5,3 69,4 c2,41 c348", 3, 3, 0, 100, 3, 8, 4, 2, 16, 8, 3),
    BOTH("w4 v1,1 2,5,4,2 36,4 c2,26 c216", 4, 2, 1, 60, 2, 8, 2, 10, 4, 2),
    MORE_OF_BOTH("w4 v1,1 1,2,2,3 20,4 c2,15 c232", 5, 2, 1, 50, 1, 5, 7, 3),
    BOTH("w4 v1,1 2,3,7,8 984,4 c2,774 c5696", 2, 16, 0, 100, 3, 8, 4, 2, 256, 256, 128, 64, 32, 16, 8),
    MORE_OF_BOTH("w4 v1,1 1,3,4,40 912,4 c2,867 c5876", 1, 4, 1, 100, 4, 8, 4, 2, 1, 512, 300, 40),
    MORE_OF_BOTH("w4 v1,1 1,9,8,4 184,4 c2,114 c904", 2, 6, 0, 70, 3, 8, 4, 2, 64, 32, 4),
    MORE_OF_BOTH("w4 v1,1 1,4,3,2 93,4 c2,65 c460", 1, 2, 0, 100, 6, 8, 6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 2),
    {&digital, "w4 v1,1 2,5,4,2 36,4 c2,26 c216", {5, 77, 3, 0, 4, 2, 1, 60, 2, 8, 2, 10, 4, 2}},
    {&digital, "w4 v1,1 2,4,5,3 69,4 c2,41 c348", {9, 1, 2, 0, 3, 3, 0, 100, 3, 8, 4, 2, 16, 8, 3}},
    {&rounded, "w4 v1,1 2,5,4,2 36,4 c2,26 c216", {5, 77, 3, 0, 4, 2, 1, 60, 2, 8, 2, 10, 4, 2}},
    {&rounded, "w4 v1,1 2,4,5,3 69,4 c2,41 c348", {9, 1, 2, 0, 3, 3, 0, 100, 3, 8, 4, 2, 16, 8, 3}},
    {&bounded, "w4 v1,1 2,5,4,2 36,4 c2,26 c216", {5, 77, 3, 0, 4, 2, 1, 60, 2, 8, 2, 10, 4, 2}},
    /* Perception with more layers than are unrolled, in several steps; wider than a workgroup; one invocation
     * for each gate of a wide layer. */
    BOTH("w4 v1,1 1,4,3,2 93,4 c2,65 c460", 3, 2, 0, 60, 6, 8, 6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 2),
    BOTH("w4 v1,1 1,2,3,40 940,4 c2,355 c8564", 2, 40, 1, 100, 4, 8, 4, 2, 1, 300, 40),
    BOTH("w4 v1,1 1,1,2,40 912,4 c2,867 c5876", 2, 4, 1, 100, 4, 8, 4, 2, 1, 512, 300, 40),
    /* Too many gates for any workgroup to keep their inputs in shared memory. */
    {&final, "w4 v1,1 1,2,2,2 11710,4 c2,11706 c70320", {5, 77, 3, 0, 1, 2, 1, 100, 1, 4, WIDE, 2}},
};
GT_CASES(logic_ca, cases);
