/* Cases (op/case.h) of layers of soft gates that are computed along a walk of their gates (gt_logic_walk). */
#include "op/logic/logic.h"
#include "op/case.h"
#include "op/elementwise.h"
#include "op/group_sum.h"
#include <stdlib.h>
#include <string.h>

GT_REGISTER(opcase, logic_walk)

/* Input 2, a wiring [2, G] that reads each input twice: with as many gates as inputs, gate g reads inputs
 * p[0] g and p[1] g + p[2] (modulo G), every third gate with a and b swapped. The case's last input is the
 * walk of this wiring, or all zeros if its first dimension is not the number of runs. */
static void fill_walk(const gt_case_view *v, int input, const double *const *x, int32_t *out) {
  const int64_t gates = v->shape[1].dim[0], *p = v->c->p;
  int32_t wiring[2 * 2048];
  (void)x;
  for (int64_t g = 0; g < gates; g++) {
    wiring[g % 3 == 1 ? gates + g : g] = (int32_t)(g * p[0] % gates);
    wiring[g % 3 == 1 ? g : gates + g] = (int32_t)((g * p[1] + p[2]) % gates);
  }
  memset(out, 0, (size_t)gt_shape_count(v->shape[input]) * sizeof *out);
  if (input == 2)
    memcpy(out, wiring, (size_t)(2 * gates) * sizeof *wiring);
  else if (gt_logic_walk_runs(wiring, gates, gates) == v->shape[input].dim[0])
    gt_logic_walk(wiring, gates, gates, out);
}

/* Inputs: x [n, B], coefficients [n, 4], wiring [2, n], walk. */
static gt_shape reference_layer(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t gates = v->shape[1].dim[0], batch = v->shape[0].dim[1];
  for (int64_t gate = 0; y && gate < gates; gate++)
    for (int64_t s = 0; s < batch; s++) {
      const double a = x[0][(int64_t)x[2][gate] * batch + s],
                   b = x[0][(int64_t)x[2][gates + gate] * batch + s];
      const double *c = x[1] + 4 * gate;
      y[gate * batch + s] = c[0] + c[1] * a + c[2] * b + c[3] * a * b;
    }
  return v->shape[0];
}

static gt_id build_layer(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)v;
  return gt_logic(g, x[0], x[1], x[2], x[3]);
}

/* The same at aligned addresses, where values are read and written as vec4: products with 1 are values of the
 * plan, which are aligned, while the inputs of a case are not. x[3] is an unused placeholder, so that the
 * walk is input 4, whose guards (src/selftest/subject.c) keep it aligned. */
static gt_id build_aligned(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)v;
  const gt_id one = gt_constant(g, 1);
  return gt_mul(g, gt_logic(g, gt_mul(g, x[0], one), gt_mul(g, x[1], one), x[2], x[4]), one);
}

/* Two layers of the same gates, with 16-bit values between them. */
static gt_shape reference_stack(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape shape = reference_layer(v, x, NULL);
  double *between = malloc((size_t)gt_shape_count(shape) * sizeof *between);
  const double *const inputs[3] = {between, x[1], x[2]};
  if (y) reference_layer(v, x, between);
  reference_layer(v, inputs, y);
  free(between);
  return shape;
}

static gt_id build_stack(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)v;
  const gt_id between = gt_logic_half(g, gt_logic(g, x[0], x[1], x[2], x[3]));
  return gt_logic(g, between, x[1], x[2], x[3]);
}

/* The gates' values summed in p[3] groups, times the case's v. */
static gt_shape reference_grouped(const gt_case_view *v, const double *const *x, double *y) {
  double *layer = malloc((size_t)gt_shape_count(reference_layer(v, x, NULL)) * sizeof *layer);
  const int64_t gates = v->shape[1].dim[0], batch = v->shape[0].dim[1], groups = v->c->p[3];
  if (y) reference_layer(v, x, layer);
  for (int64_t i = 0; y && i < batch * groups; i++) y[i] = 0;
  for (int64_t i = 0; y && i < gates * batch; i++)
    y[i % batch * groups + i / batch / (gates / groups)] += v->c->v * layer[i];
  free(layer);
  return gt_shape_2(batch, groups);
}

static gt_id build_summed(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_logic_group_sum(g, build_layer(g, v, x), v->c->p[3], v->c->v);
}

/* The sum of a second layer of the same gates, which reads 16-bit values. */
static gt_shape reference_summed_stack(const gt_case_view *v, const double *const *x, double *y) {
  double *between = malloc((size_t)gt_shape_count(reference_layer(v, x, NULL)) * sizeof *between);
  const double *const inputs[3] = {between, x[1], x[2]};
  if (y) reference_layer(v, x, between);
  const gt_shape shape = reference_grouped(v, inputs, y);
  free(between);
  return shape;
}

static gt_id build_summed_stack(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_logic_group_sum(g, build_stack(g, v, x), v->c->p[3], v->c->v);
}

/* The same values as build_summed, by two ops. */
static gt_id build_grouped(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_group_sum(g, build_layer(g, v, x), v->c->p[3], v->c->v);
}

/* The result is x if no runs are found for a wiring that reads input 0 three times and input 1 once, and none
 * for the first gates of it, fewer than the inputs: neither has a walk. p[0]: inputs. */
static gt_shape reference_no_walk(const gt_case_view *v, const double *const *x, double *y) {
  int32_t wiring[2 * 64];
  const int32_t inputs = (int32_t)v->c->p[0];
  for (int32_t i = 0; i < 2 * inputs; i++) wiring[i] = i % inputs;
  wiring[1] = 0;
  if (y) y[0] = x[0][0] + (double)gt_logic_walk_runs(wiring, inputs, inputs);
  if (y) y[0] += (double)gt_logic_walk_runs(wiring, inputs, inputs - 1);
  return v->shape[0];
}

static gt_id build_same(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)g, (void)v;
  return x[0];
}

#define LAYER_RULE(variable, rule_name, builder)                      \
  static const gt_case_rule variable = {.name = rule_name,            \
                                        .build = builder,             \
                                        .reference = reference_layer, \
                                        .fill = fill_walk,            \
                                        .wrt = 3,                     \
                                        .tolerance = 1e-6,            \
                                        .floor = 1,                   \
                                        .gradient_tolerance = 1e-5,   \
                                        .reason = "four products; sums over the batch"}
LAYER_RULE(walk, "logic_walk", build_layer);
LAYER_RULE(aligned, "logic_walk_aligned", build_aligned);
static const gt_case_rule grouped = {.name = "logic_walk_grouped",
                                     .build = build_grouped,
                                     .reference = reference_grouped,
                                     .fill = fill_walk,
                                     .wrt = 3,
                                     .tolerance = 4e-6,
                                     .gradient_tolerance = 1e-5,
                                     .reason = "four products; sums"};
static const gt_case_rule summed = {.name = "logic_walk_sum",
                                    .build = build_summed,
                                    .reference = reference_grouped,
                                    .fill = fill_walk,
                                    .wrt = 3,
                                    .tolerance = 4e-6,
                                    .gradient_tolerance = 1e-5,
                                    .reason = "four products; sums"};
static const gt_case_rule summed_stack = {.name = "logic_walk_sum_stack",
                                          .build = build_summed_stack,
                                          .reference = reference_summed_stack,
                                          .fill = fill_walk,
                                          .wrt = 3,
                                          .tolerance = 4e-3,
                                          .gradient_tolerance = 1e-2,
                                          .low = -1,
                                          .high = 1,
                                          .reason = "11 bits of values, 8 of gradients"};
static const gt_case_rule stack = {.name = "logic_walk_stack",
                                   .build = build_stack,
                                   .reference = reference_stack,
                                   .fill = fill_walk,
                                   .wrt = 3,
                                   .tolerance = 4e-3,
                                   .floor = 1,
                                   .gradient_tolerance = 1e-2,
                                   .low = -1,
                                   .high = 1,
                                   .reason = "11 bits of values, 8 of gradients"};
static const gt_case_rule no_walk = {.name = "logic_no_walk",
                                     .build = build_same,
                                     .reference = reference_no_walk,
                                     .tolerance = 0,
                                     .reason = "whole numbers"};

/* n: number of inputs and of gates; b: batch; runs; then p of fill_walk. */
#define WALK(rule, n, b, runs, ...)                                       \
  {                                                                       \
    &rule, #n "," #b " " #n ",4 c2," #n " c" #runs ",12", { __VA_ARGS__ } \
  }
#define ALIGNED(n, b, runs, ...)                                               \
  {                                                                            \
    &aligned, #n "," #b " " #n ",4 c2," #n " 1 c" #runs ",12", { __VA_ARGS__ } \
  }

#define GROUPED(rule, n, b, runs, p0, p1, p2, groups, scale) \
  { &rule, #n "," #b " " #n ",4 c2," #n " c" #runs ",12", {p0, p1, p2, groups}, .v = scale }

static const gt_case cases[] = {
    WALK(walk, 1, 1, 1, 1, 1, 0),
    WALK(walk, 2, 3, 1, 1, 1, 1),
    WALK(walk, 2, 4, 2, 1, 1, 0),
    WALK(walk, 5, 7, 2, 1, 2, 0),
    WALK(walk, 13, 4, 4, 1, 5, 0),
    WALK(walk, 31, 7, 9, 1, 3, 0),
    WALK(walk, 60, 100, 18, 7, 11, 2),
    WALK(walk, 11, 1024, 3, 1, 1, 1),
    WALK(walk, 300, 1, 75, 7, 11, 1),
    WALK(walk, 3, 1030, 1, 1, 1, 1),
    WALK(walk, 3, 2052, 1, 1, 1, 1),
    WALK(walk, 257, 128, 65, 3, 5, 1),
    WALK(walk, 1100, 36, 275, 3, 7, 1),
    ALIGNED(1, 1, 1, 1, 1, 0),
    ALIGNED(37, 20, 10, 1, 8, 0),
    ALIGNED(7, 5, 3, 1, 3, 0),
    ALIGNED(64, 100, 16, 3, 5, 1),
    ALIGNED(11, 1024, 3, 1, 1, 1),
    ALIGNED(3, 2052, 1, 1, 1, 1),
    WALK(stack, 5, 8, 2, 1, 2, 0),
    WALK(stack, 31, 100, 9, 1, 11, 5),
    WALK(stack, 7, 1028, 3, 1, 3, 0),
    WALK(stack, 9, 7, 5, 2, 5, 0),
    WALK(stack, 1, 16, 1, 1, 1, 0),
    GROUPED(grouped, 60, 100, 18, 7, 11, 2, 10, 0.5),
    GROUPED(grouped, 9, 7, 5, 2, 5, 0, 3, 1),
    GROUPED(grouped, 64, 260, 16, 3, 5, 1, 1, 0.1),
    GROUPED(summed, 60, 100, 18, 7, 11, 2, 10, 0.5),
    GROUPED(summed, 9, 7, 5, 2, 5, 0, 3, 1),
    GROUPED(summed, 64, 260, 16, 3, 5, 1, 16, 0.1),
    GROUPED(summed, 1, 4, 1, 1, 1, 0, 1, 2),
    GROUPED(summed, 300, 1, 75, 7, 11, 1, 3, 1),
    GROUPED(summed, 1100, 36, 275, 3, 7, 1, 2, 0.1),
    GROUPED(summed, 3, 1030, 1, 1, 1, 1, 3, 1),
    GROUPED(summed, 60, 4, 18, 7, 11, 2, 20, 1),
    GROUPED(summed_stack, 31, 100, 9, 1, 11, 5, 31, 1),
    GROUPED(summed_stack, 60, 100, 18, 7, 11, 2, 10, 0.5),
    {&no_walk, "1", {2}},
    {&no_walk, "1", {64}},
};
GT_CASES(logic_walk, cases);
