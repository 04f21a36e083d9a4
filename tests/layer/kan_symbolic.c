/* Symbolic edges of kan layers on the CPU: values, compared with plain loops in double precision; the nodes
 * of functions, compared with their values and slopes on the host (kan_function.h); first and second
 * derivatives with respect to constants and inputs, compared with differences; changes of the list of edges
 * between phases; errors and their positions. */
#include "layer/kan/kan_function.h"
#include "layer/kan/kan_symbolic.h"
#include "layer/kan/spline.h"
#include "model/model.h"
#include "op/autodiff.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/move.h"
#include "op/reduce.h"
#include "support/layer.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 9, IN = 3, OUT = 2, EDGES = 4 };

static const char layer[] = "kan: {units: 2, grid: 4, degree: 2, spline_scale: false, "
                            "symbolic: [[2, 1, sin], [0, 1, sin], [0, 0, exp], [2, 0, 1/x]]}";
/* The input, output and function of each symbolic edge of `layer`. */
static const int from[EDGES] = {2, 0, 0, 2}, to[EDGES] = {1, 1, 0, 0};
static const char *const function[EDGES] = {"sin", "sin", "exp", "1/x"};

static void build(layer_fixture *f, const char *text) { layer_build_good(f, text, gt_shape_2(ROWS, IN)); }

/* Sets moderate constants and samples for which 1/x is not too large, and splines that are more than
 * noise. */
static void init_values(layer_fixture *f, float x[ROWS * IN]) {
  build(f, layer);
  for (int i = 0; i < ROWS * IN; i++) x[i] = (float)(0.9 * sin(1.7 * i + 0.4));
  for (int k = 0; k < GT_KAN_SYMBOLIC_VALUES; k++)
    for (int e = 0; e < EDGES; e++)
      layer_values(f, gt_kan_symbolic_names[k])[e] =
          (float)(k == GT_KAN_SHIFT_IN && e == 3 ? 2.5 : 0.7 + 0.2 * k - 0.3 * e);
  for (int i = 0; i < 7 * IN * OUT; i++) layer_values(f, "coefficients")[i] = (float)cos(2.3 * i);
}

/* A node of its own with this value, which layer_run can store even if the value is a view or a constant. */
static gt_id stored(layer_fixture *f, gt_id value) { return gt_neg(f->graph, gt_neg(f->graph, value)); }

static double edge_value(const layer_fixture *f, int e, double x) {
  double constant[GT_KAN_SYMBOLIC_VALUES];
  for (int k = 0; k < GT_KAN_SYMBOLIC_VALUES; k++)
    constant[k] = (double)layer_values(f, gt_kan_symbolic_names[k])[e];
  const double u = constant[GT_KAN_SCALE_IN] * x + constant[GT_KAN_SHIFT_IN];
  return constant[GT_KAN_SCALE_OUT] * gt_symbol_value(gt_symbol_find(function[e]), u) +
         constant[GT_KAN_SHIFT_OUT];
}

/* True if the edge from input i to output o has a function by name, not a spline. */
static bool is_symbolic(int i, int o) {
  for (int e = 0; e < EDGES; e++)
    if (from[e] == i && to[e] == o) return true;
  return false;
}

/* Output o of a row, computed with loops in double precision. */
static double output(const layer_fixture *f, const float *x, int row, int o) {
  double sum = 0;
  for (int e = 0; e < EDGES; e++)
    if (to[e] == o) sum += edge_value(f, e, (double)x[row * IN + from[e]]);
  for (int i = 0; i < IN; i++) {
    const double v = (double)x[row * IN + i];
    const float *c = layer_values(f, "coefficients") + i * OUT + o;
    for (int t = 0; t < 6 && !is_symbolic(i, o); t++)
      sum += (double)c[t * IN * OUT] * gt_spline(2, (v + 1) / 0.5 + 2 - t);
    if (!is_symbolic(i, o)) sum += (double)c[6 * IN * OUT] * v / (1 + exp(-v));
  }
  return sum;
}

static void edges_are_the_functions(void **state) {
  layer_fixture f;
  float x[ROWS * IN], y[ROWS * OUT];
  (void)state;
  init_values(&f, x);
  layer_run(&f, f.model->output, x, y);
  for (int row = 0; row < ROWS; row++)
    for (int o = 0; o < OUT; o++) {
      const double wanted = output(&f, x, row, o);
      assert_true(fabs((double)y[row * OUT + o] - wanted) < 2e-6 * (1 + fabs(wanted)));
    }
  layer_finish(&f);
}

/* Initially a symbolic edge is f(x), and its spline is masked. */
static void initial_edges(void **state) {
  layer_fixture f;
  (void)state;
  build(&f, layer);
  for (int e = 0; e < EDGES; e++)
    for (int k = 0; k < GT_KAN_SYMBOLIC_VALUES; k++)
      assert_true(layer_values(&f, gt_kan_symbolic_names[k])[e] ==
                  (float)(k == GT_KAN_SCALE_IN || k == GT_KAN_SCALE_OUT));
  for (int i = 0; i < IN; i++)
    for (int o = 0; o < OUT; o++)
      assert_true(layer_values(&f, "mask")[i * OUT + o] == (float)!is_symbolic(i, o));
  layer_finish(&f);
}

/* --- the functions -------------------------------------------------------------------------------------- */

/* Values inside the domain, outside it, and at poles. Derivatives are compared where the function is smooth,
 * and must be finite everywhere. */
static void nodes_compute_the_functions(void **state) {
  static const double at[] = {-3, -1.5, -0.9, -0.3, -1e-12, 0, 1e-12, 0.2, 0.7, 0.999, 1, 1.3, 2, 40};
  enum { POINTS = sizeof at / sizeof *at };
  (void)state;
  for (int i = 0; i < gt_symbol_count(); i++) {
    const gt_symbol *symbol = gt_symbol_at(i);
    layer_fixture f;
    float x[POINTS], y[POINTS], slope[POINTS];
    gt_error error = {0};
    layer_build(&f, "relu", gt_shape_2(POINTS, 1)); /* for its input */
    for (int k = 0; k < POINTS; k++) x[k] = (float)at[k];
    const gt_id in = 0 /* x is the graph's first node */, out = symbol->emit(f.graph, in);
    gt_id gradient;
    layer_run(&f, stored(&f, out), x, y);
    const gt_id loss =
        gt_sum(f.graph, gt_add(f.graph, out, gt_mul(f.graph, in, gt_constant(f.graph, 0))), 0, false);
    assert_true(gt_autodiff(f.graph, loss, &in, 1, &gradient, &error));
    layer_run(&f, stored(&f, gradient), x, slope);
    for (int k = 0; k < POINTS; k++) {
      const double wanted = gt_symbol_value(symbol, (double)x[k]),
                   wanted_slope = gt_symbol_slope(symbol, (double)x[k]);
      /* True outside the domain, and at its upper end. */
      const bool is_outside =
          !gt_symbol_defined(symbol, (double)x[k]) || !gt_symbol_defined(symbol, (double)x[k] + 1e-6);
      if (fabs((double)y[k] - wanted) > (is_outside ? 1e-3 : 2e-6) * (1e-3 + fabs(wanted)))
        fail_msg("%s(%g) is %g, not %g", symbol->name, (double)x[k], (double)y[k], wanted);
      assert_true(isfinite(slope[k]));
      if (!is_outside && fabs(at[k]) > 1e-6 &&
          fabs((double)slope[k] - wanted_slope) > 2e-5 * (1e-3 + fabs(wanted_slope)))
        fail_msg("the slope of %s at %g is %g, not %g", symbol->name, (double)x[k], (double)slope[k],
                 wanted_slope);
    }
    layer_finish(&f);
  }
}

/* --- gradients ------------------------------------------------------------------------------------------ */

/* Σ cos(row + 2 o) y, in double precision. */
static double weighted_sum(const layer_fixture *f, const float *x) {
  double sum = 0;
  for (int row = 0; row < ROWS; row++)
    for (int o = 0; o < OUT; o++) sum += cos(row + 2.0 * o) * output(f, x, row, o);
  return sum;
}

/* The same sum in the graph: Σ cos(row + 2 o) y. */
static gt_id weighted_sum_node(layer_fixture *f) {
  gt_graph *graph = f->graph;
  gt_id rows[ROWS * OUT];
  for (int k = 0; k < ROWS * OUT; k++)
    rows[k] = gt_expand(graph, gt_constant(graph, cos(k / OUT + 2.0 * (k % OUT))), gt_shape_1(1));
  const gt_id weights = gt_reshape(graph, gt_concatenate(graph, rows, ROWS * OUT, 0), gt_shape_2(ROWS, OUT));
  return gt_sum(graph, gt_mul(graph, weights, f->model->output), 0, false);
}

static void gradients_of_constants(void **state) {
  layer_fixture f;
  float x[ROWS * IN], got[EDGES];
  gt_error error = {0};
  gt_id constant[GT_KAN_SYMBOLIC_VALUES], gradient[GT_KAN_SYMBOLIC_VALUES];
  (void)state;
  init_values(&f, x);
  const gt_id loss = weighted_sum_node(&f);
  for (int k = 0; k < GT_KAN_SYMBOLIC_VALUES; k++) constant[k] = layer_node(&f, gt_kan_symbolic_names[k]);
  assert_true(gt_autodiff(f.graph, loss, constant, GT_KAN_SYMBOLIC_VALUES, gradient, &error));
  for (int k = 0; k < GT_KAN_SYMBOLIC_VALUES; k++) {
    layer_run(&f, stored(&f, gradient[k]), x, got);
    for (int e = 0; e < EDGES; e++) {
      float *value = &layer_values(&f, gt_kan_symbolic_names[k])[e];
      const float old = *value, step = 1.0f / 256;
      *value = old + step;
      const double above = weighted_sum(&f, x), high = (double)*value;
      *value = old - step;
      const double slope = (above - weighted_sum(&f, x)) / (high - (double)*value);
      *value = old;
      assert_true(fabs((double)got[e] - slope) < 2e-3 * (1 + fabs(slope)));
    }
  }
  layer_finish(&f);
}

static double slope_at(layer_fixture *f, float *x, int i) {
  const double at = (double)x[i], step = 1.0 / 1024;
  x[i] = (float)(at + step);
  const double above = weighted_sum(f, x), high = (double)x[i];
  x[i] = (float)(at - step);
  const double below = weighted_sum(f, x), low = (double)x[i];
  x[i] = (float)at;
  return (above - below) / (high - low);
}

/* The gradient with respect to the input, and the gradient of its squared norm. */
static void gradients_of_inputs(void **state) {
  layer_fixture f;
  float x[ROWS * IN], first[ROWS * IN], second[ROWS * IN], neighbor[ROWS * IN];
  gt_error error = {0};
  gt_id gradient, again;
  (void)state;
  init_values(&f, x);
  const gt_id loss = weighted_sum_node(&f), read = 0; /* x is the graph's first node */
  assert_true(gt_autodiff(f.graph, loss, &read, 1, &gradient, &error));
  const gt_id square = gt_sum(f.graph, gt_mul(f.graph, gradient, gradient), 0, false);
  assert_true(gt_autodiff(f.graph, square, &read, 1, &again, &error));
  const gt_id first_node = stored(&f, gradient), second_node = stored(&f, again);
  layer_run(&f, first_node, x, first);
  layer_run(&f, second_node, x, second);
  for (int i = 0; i < ROWS * IN; i++) {
    const double slope = slope_at(&f, x, i), at = (double)x[i], step = 1.0 / 256;
    double sum = 0;
    assert_true(fabs((double)first[i] - slope) < 5e-3 * (1 + fabs(slope)));
    x[i] = (float)(at + step);
    layer_run(&f, first_node, x, neighbor);
    for (int k = 0; k < ROWS * IN; k++) sum += (double)neighbor[k] * (double)neighbor[k];
    x[i] = (float)(at - step);
    layer_run(&f, first_node, x, neighbor);
    for (int k = 0; k < ROWS * IN; k++) sum -= (double)neighbor[k] * (double)neighbor[k];
    x[i] = (float)at;
    assert_true(fabs((double)second[i] - sum / (2 * step)) < 0.05 * (1 + fabs(sum / (2 * step))));
  }
  layer_finish(&f);
}

/* --- between phases ------------------------------------------------------------------------------------- */

static void list_of_edges_changes(void **state) {
  layer_fixture f, g;
  float x[ROWS * IN];
  gt_state_dict carried;
  (void)state;
  init_values(&f, x);
  layer_values(&f, "mask")[1 * OUT + 0] = 0; /* pruned */
  build(&g, "kan: {units: 2, grid: 4, degree: 2, spline_scale: false, "
            "symbolic: [[1, 1, x^2], [0, 0, exp], [2, 1, sin]]}");
  gt_state_dict_carry(&carried, g.model->store, &f.dict, 1);
  gt_state_dict_finish(&g.dict);
  g.dict = carried;
  static const int old[] = {-1, 2, 0}; /* index of each edge in the old list */
  for (int k = 0; k < GT_KAN_SYMBOLIC_VALUES; k++)
    for (int e = 0; e < 3; e++) {
      const float initial = k == GT_KAN_SCALE_IN || k == GT_KAN_SCALE_OUT;
      assert_true(layer_values(&g, gt_kan_symbolic_names[k])[e] ==
                  (old[e] < 0 ? initial : layer_values(&f, gt_kan_symbolic_names[k])[old[e]]));
    }
  static const float mask[IN][OUT] = {{0, 1}, {0, 0}, {1, 0}};
  for (int i = 0; i < IN * OUT; i++) assert_true(layer_values(&g, "mask")[i] == mask[i / OUT][i % OUT]);
  assert_memory_equal(layer_values(&g, "coefficients"), layer_values(&f, "coefficients"),
                      7 * IN * OUT * sizeof(float));
  layer_finish(&f);
  layer_finish(&g);
}

/* --- errors --------------------------------------------------------------------------------------------- */

static void errors_are_reported(void **state) {
  static const struct {
    const char *layer, *message;
    int column;
  } cases[] = {
      {"kan: {units: 2, symbolic: sin}", "layer 'kan1' needs a list of edges in 'symbolic'", 31},
      {"kan: {units: 2, symbolic: [[0, 0]]}", "layer 'kan1' has an invalid edge in 'symbolic'", 32},
      {"kan: {units: 2, symbolic: [[0, 0, [sin]]]}", "layer 'kan1' has an invalid edge in 'symbolic'", 32},
      {"kan: {units: 2, symbolic: [[3, 0, sin]]}", "layer 'kan1' has no such input", 33},
      {"kan: {units: 2, symbolic: [[-1, 0, sin]]}", "layer 'kan1' has no such input", 33},
      {"kan: {units: 2, symbolic: [[0, 2, sin]]}", "layer 'kan1' has no such output", 36},
      {"kan: {units: 2, symbolic: [[0, 0, sinn]]}", "layer 'kan1' has an unknown function 'sinn'", 39},
      {"kan: {units: 2, symbolic: [[0, 1, sin], [0, 0, x], [0, 1, x]]}",
       "layer 'kan1' lists this edge twice in 'symbolic'", 56},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    layer_fixture f;
    layer_build(&f, cases[i].layer, gt_shape_2(ROWS, IN));
    assert_null(f.model);
    assert_int_equal(f.diagnostics.errors, 1);
    assert_string_equal(f.diagnostics.items[0].message, cases[i].message);
    assert_int_equal(f.diagnostics.items[0].at.line, 2);
    assert_int_equal(f.diagnostics.items[0].at.column, cases[i].column);
    layer_finish(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edges_are_the_functions),     cmocka_unit_test(initial_edges),
      cmocka_unit_test(nodes_compute_the_functions), cmocka_unit_test(gradients_of_constants),
      cmocka_unit_test(gradients_of_inputs),         cmocka_unit_test(list_of_edges_changes),
      cmocka_unit_test(errors_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
