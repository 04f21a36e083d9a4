/* Training of kan layers: penalties and masks, compared with plain loops in double precision; grids that
 * adapt to the data and keep the functions; learned centers, widths and frequencies, which start at the
 * values that they have if they are not learned; and convolutions. */
#include "layer/kan/spline.h"
#include "model/model.h"
#include "op/autodiff.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/reduce.h"
#include "store/state_dict.h"
#include "support/layer.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 7, IN = 4, OUT = 3, TERMS = 6 };

/* --- penalties ------------------------------------------------------------------------------------------ */

/* Coefficient t of the edge from input i to output o, times the edge's scale if `scaled`. Coefficient TERMS
 * is the weight of silu, which has no scale. */
static double coefficient(const layer_fixture *f, int t, int i, int o, bool scaled) {
  const double scale = scaled && t < TERMS ? (double)layer_values(f, "spline_scale")[i * OUT + o] : 1;
  return scale * (double)layer_values(f, "coefficients")[(t * IN + i) * OUT + o];
}

/* The mean magnitude of an edge's activations or, if `of_coefficients`, of its coefficients. */
static double edge_size(const layer_fixture *f, const float *x, int i, int o, bool scaled,
                        bool of_coefficients) {
  double size = 0;
  for (int t = 0; of_coefficients && t < TERMS; t++) size += fabs(coefficient(f, t, i, o, scaled)) / TERMS;
  for (int r = 0; !of_coefficients && r < ROWS; r++) {
    const double v = (double)x[r * IN + i];
    double sum = coefficient(f, TERMS, i, o, scaled) * v / (1 + exp(-v));
    for (int t = 0; t < TERMS; t++)
      sum += coefficient(f, t, i, o, scaled) * gt_spline(2, (v + 1) / 0.5 + 2 - t);
    size += fabs(sum) / ROWS;
  }
  return size;
}

/* The paper and the formulas are in src/layer/kan/kan_penalty.c. */
static void penalties_are_those_of_the_paper(void **state) {
  static const struct {
    const char *layer;
    bool scaled, of_coefficients;
  } cases[] = {
      {"kan: {units: 3, grid: 4, degree: 2, noise: 2, l1: 0.5, entropy: 0.25, smoothness: 0.125}", true,
       false},
      {"kan: {units: 3, grid: 4, degree: 2, noise: 2, spline_scale: false, l1: 0.5, entropy: 0.25, smoothness: 0.125, "
       "edge_size: coefficient}",
       false, true},
  };
  float x[ROWS * IN], got;
  uint32_t seed = 4;
  (void)state;
  for (int i = 0; i < ROWS * IN; i++) x[i] = (float)layer_random(&seed, -1, 1);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    layer_fixture f;
    double sum = 0, entropy = 0, rough = 0;
    layer_build_good(&f, cases[c].layer, gt_shape_2(ROWS, IN));
    layer_run(&f, f.model->penalty, x, &got);
    for (int e = 0; e < IN * OUT; e++) {
      sum += edge_size(&f, x, e / OUT, e % OUT, cases[c].scaled, cases[c].of_coefficients);
      for (int t = 1; t < TERMS; t++)
        rough += fabs(coefficient(&f, t, e / OUT, e % OUT, cases[c].scaled) -
                      coefficient(&f, t - 1, e / OUT, e % OUT, cases[c].scaled)) /
                 (TERMS - 1);
    }
    for (int e = 0; e < IN * OUT; e++) {
      const double p = edge_size(&f, x, e / OUT, e % OUT, cases[c].scaled, cases[c].of_coefficients) / sum;
      entropy -= p * log(p);
    }
    const double want = 0.5 * sum + 0.25 * entropy + 0.125 * rough;
    if (fabs((double)got - want) > 1e-5 * want) fail_msg("%s: %g, not %g", cases[c].layer, (double)got, want);
    layer_finish(&f);
  }
}

/* The penalty of an edge includes its base branch. */
static void a_branch_is_part_of_its_edge(void **state) {
  layer_fixture f;
  float x[ROWS * IN], got;
  double want = 0;
  uint32_t seed = 4;
  (void)state;
  for (int i = 0; i < ROWS * IN; i++) x[i] = (float)layer_random(&seed, -1, 1);
  layer_build_good(&f, "kan: {units: 3, basis: chebyshev, degree: 1, base: identity, l1: 1}",
                   gt_shape_2(ROWS, IN));
  layer_run(&f, f.model->penalty, x, &got);
  for (int e = 0; e < IN * OUT; e++)
    for (int r = 0; r < ROWS; r++) {
      const double v = (double)x[r * IN + e / OUT];
      const double base = v * (double)layer_values(&f, "base_weight")[e];
      const float *c = layer_values(&f, "coefficients");
      want += fabs(base + (double)c[e] + tanh(v) * (double)c[IN * OUT + e]) / ROWS;
    }
  assert_true(fabs((double)got - want) < 1e-5 * want);
  layer_finish(&f);
}

/* --- masks ---------------------------------------------------------------------------------------------- */

/* The two parts of an unmasked edge: the splines, which are multiplied by the scale, and silu times its
 * weight. */
static void parts_of_edge(const layer_fixture *f, double v, int i, int o, double *splines, double *base) {
  *splines = 0;
  for (int t = 0; t < TERMS; t++)
    *splines += coefficient(f, t, i, o, false) * gt_spline(2, (v + 1) / 0.5 + 2 - t);
  *base = coefficient(f, TERMS, i, o, false) * v / (1 + exp(-v));
}

/* A mask multiplies the whole edge, the scale only its splines; the gradients of a masked edge are 0. */
static void masks_are_on_whole_edges(void **state) {
  float x[ROWS * IN], y[ROWS * OUT], dc[(TERMS + 1) * IN * OUT], ds[IN * OUT];
  uint32_t seed = 11;
  layer_fixture f;
  gt_error error = {0};
  gt_id gradient[2];
  (void)state;
  for (int i = 0; i < ROWS * IN; i++) x[i] = (float)layer_random(&seed, -1, 1);
  layer_build_good(&f, "kan: {units: 3, grid: 4, degree: 2, noise: 2, mask: true}", gt_shape_2(ROWS, IN));
  float *mask = layer_values(&f, "mask"), *scale = layer_values(&f, "spline_scale");
  for (int e = 0; e < IN * OUT; e++) mask[e] = e % 3 != 1;
  scale[0] = 0; /* the gradient of this scale is still not 0 */
  layer_run(&f, f.model->output, x, y);
  for (int at = 0; at < ROWS * OUT; at++) {
    double want = 0, splines, base;
    for (int i = 0; i < IN; i++) {
      const int o = at % OUT, e = i * OUT + o;
      parts_of_edge(&f, (double)x[at / OUT * IN + i], i, o, &splines, &base);
      want += (double)mask[e] * ((double)scale[e] * splines + base);
    }
    assert_true(fabs((double)y[at] - want) < 1e-5);
  }
  const gt_id wrt[2] = {layer_node(&f, "coefficients"), layer_node(&f, "spline_scale")};
  const gt_id loss = gt_sum(f.graph, f.model->output, 0, false);
  assert_true(gt_autodiff(f.graph, loss, wrt, 2, gradient, &error));
  layer_run(&f, gradient[0], x, dc);
  layer_run(&f, gradient[1], x, ds);
  for (int e = 0; e < IN * OUT; e++) {
    double by_scale = 0, splines, base;
    for (int r = 0; r < ROWS; r++) {
      parts_of_edge(&f, (double)x[r * IN + e / OUT], e / OUT, e % OUT, &splines, &base);
      by_scale += (double)mask[e] * splines;
    }
    assert_true(fabs((double)ds[e] - by_scale) < 1e-5);
    for (int t = 0; t <= TERMS; t++) {
      double by_coefficient = 0;
      for (int r = 0; r < ROWS; r++) {
        const double v = (double)x[r * IN + e / OUT];
        by_coefficient +=
            t == TERMS ? v / (1 + exp(-v)) : (double)scale[e] * gt_spline(2, (v + 1) / 0.5 + 2 - t);
      }
      assert_true(fabs((double)dc[t * IN * OUT + e] - (double)mask[e] * by_coefficient) < 1e-5);
    }
  }
  layer_finish(&f);
}

/* On a device without split products, a step needs memory for the gradient of the coefficients, but for no
 * other value of that size, also with a scale or mask. The limit: that gradient, the layer's inputs and
 * outputs, and 10 % more. */
static void only_gradients_are_as_large_as_coefficients(void **state) {
  static const char *const layers[] = {"kan: {units: 64, grid: 100}",
                                       "kan: {units: 64, grid: 100, mask: true}",
                                       "kan: {units: 64, basis: wavelet, grid: 100, spline_scale: true}"};
  static const gt_target device = {
      .device = true, .subgroup = 32, .max_workgroup = 1024, .shared_bytes = 49152, .units = 16};
  enum { BATCH = 8192, INPUTS = 784 };
  (void)state;
  for (size_t k = 0; k < sizeof layers / sizeof *layers; k++) {
    layer_fixture f;
    gt_error error = {0};
    layer_build_good(&f, layers[k], gt_shape_2(BATCH, INPUTS));
    const gt_id wrt[3] = {layer_node(&f, "coefficients"), layer_node(&f, "spline_scale"), 0};
    gt_id gradient[3];
    const gt_id output = gt_tanh(f.graph, f.model->output);
    assert_true(gt_autodiff(f.graph, gt_sum(f.graph, output, 0, false), wrt, 3, gradient, &error));
    const gt_id kept[3] = {output, gt_pack(f.graph, gradient, 2), gradient[2]};
    const gt_plan_options options = {.target = device, .keep = kept, .keep_count = 3};
    const gt_plan *plan = gt_plan_create(&f.arena, f.graph, &options, &error);
    if (!plan) fail_msg("%s", error.message);
    uint64_t known_bytes = gt_node_bytes(f.graph, output); /* for the gradient of the output */
    for (int i = 0; i < 3; i++) known_bytes += gt_node_bytes(f.graph, kept[i]);
    if (10 * plan->arena_bytes > 11 * known_bytes)
      fail_msg("%s: %.1f MiB for values of %.1f", layers[k], (double)plan->arena_bytes / 0x1p20,
               (double)known_bytes / 0x1p20);
    layer_finish(&f);
  }
}

/* --- grids ---------------------------------------------------------------------------------------------- */

/* Samples that are not evenly distributed: after adaptation each cell of the grid has nearly as many samples,
 * and the functions, here straight lines, have not changed. */
static void grids_follow_the_data(void **state) {
  enum { SAMPLES = 400, GRID = 5, DEGREE = 3, KNOTS = GRID + 2 * DEGREE + 1, FUNCTIONS = GRID + DEGREE };
  static float x[SAMPLES * IN];
  float y[SAMPLES * OUT], z[SAMPLES * OUT];
  uint32_t seed = 6;
  layer_fixture f;
  (void)state;
  for (int i = 0; i < SAMPLES * IN; i++) {
    const double v = layer_random(&seed, 0, 1);
    x[i] = i % IN == 3 ? 0.25f : (float)(-0.9 + 1.5 * v * v);
  }
  layer_build_good(&f, "kan: {units: 3, grid_update: {every: 2, blend: 0.001}}", gt_shape_2(SAMPLES, IN));
  float *c = layer_values(&f, "coefficients"), *knot = layer_values(&f, "knots");
  /* The B-spline coefficients of a line are its values at the knot averages (Greville abscissae). */
  for (int t = 0; t < FUNCTIONS; t++)
    for (int e = 0; e < IN * OUT; e++)
      c[t * IN * OUT + e] = (float)(0.1 * e - 0.5 + (0.3 + e) * (-1.4 + 0.4 * t));
  const float base = c[FUNCTIONS * IN * OUT], constant_input_knot = knot[3];
  layer_run(&f, f.model->output, x, y);
  assert_int_equal(f.model->adaptations, 1);
  const gt_adaptation *a = f.model->adaptation;
  assert_true(a->every == 2 && a->until == 20);
  const gt_slot_values values = gt_state_dict_values(&f.dict);
  a->adapt(a, x, SAMPLES, &values);
  layer_run(&f, f.model->output, x, z);
  for (int i = 0; i < SAMPLES * OUT; i++)
    assert_true(fabs((double)(y[i] - z[i])) < 2e-5 * (1 + fabs((double)y[i])));
  assert_true(c[FUNCTIONS * IN * OUT] == base);
  assert_true(knot[3] == constant_input_knot); /* the grid of a constant input does not adapt */
  for (int k = 0; k < GRID; k++) {
    int inside = 0;
    const float low = knot[(DEGREE + k) * IN], high = knot[(DEGREE + k + 1) * IN];
    for (int r = 0; r < SAMPLES; r++) inside += x[r * IN] >= low && x[r * IN] < high;
    assert_true(abs(inside - SAMPLES / GRID) <= 3);
  }
  for (int k = 1; k < KNOTS; k++) assert_true(knot[k * IN] > knot[(k - 1) * IN]);
  layer_finish(&f);
}

/* A layer with twice as many cells has all old knots, and so gives the same function, also for an adapted
 * grid. */
static void adapted_grids_are_refined(void **state) {
  enum { SAMPLES = 50, GRID = 4, DEGREE = 3, FUNCTIONS = GRID + DEGREE };
  float x[SAMPLES * IN], y[SAMPLES * OUT], z[SAMPLES * OUT];
  uint32_t seed = 8;
  layer_fixture before, now;
  gt_state_dict carried;
  (void)state;
  for (int i = 0; i < SAMPLES * IN; i++) x[i] = (float)layer_random(&seed, -0.9, 0.7);
  layer_build_good(&before, "kan: {units: 3, grid: 4, grid_update: {every: 1, blend: 0.5}}",
                   gt_shape_2(SAMPLES, IN));
  layer_build_good(&now, "kan: {units: 3, grid: 8, grid_update: {every: 1, blend: 0.5}}",
                   gt_shape_2(SAMPLES, IN));
  const gt_slot_values values = gt_state_dict_values(&before.dict);
  before.model->adaptation->adapt(before.model->adaptation, x, SAMPLES, &values);
  float *c = layer_values(&before, "coefficients");
  for (int i = 0; i < FUNCTIONS * IN * OUT; i++) c[i] = (float)layer_random(&seed, -1, 1);
  layer_run(&before, before.model->output, x, y);
  gt_state_dict_carry(&carried, now.model->store, &before.dict, 1);
  gt_state_dict_finish(&now.dict);
  now.dict = carried;
  layer_run(&now, now.model->output, x, z);
  for (int i = 0; i < SAMPLES * OUT; i++) assert_true(fabs((double)(y[i] - z[i])) < 1e-4);
  layer_finish(&before);
  layer_finish(&now);
}

/* --- learned centers ------------------------------------------------------------------------------------ */

static void learned_centers_start_on_the_grid(void **state) {
  static const char *const pairs[][2] = {
      {"kan: {units: 3, basis: rbf, grid: 5, width: 0.7}",
       "kan: {units: 3, basis: rbf, grid: 5, width: 0.7, learn_centres: true, learn_widths: true}"},
      {"kan: {units: 3, basis: wavelet, grid: 4}",
       "kan: {units: 3, basis: wavelet, grid: 4, learn_widths: true}"},
      {"kan: {units: 3, basis: rswaf, grid: 4}",
       "kan: {units: 3, basis: rswaf, grid: 4, learn_centres: true}"},
      {"kan: {units: 3, basis: sinc}",
       "kan: {units: 3, basis: sinc, learn_centres: true, learn_widths: true}"},
      {"kan: {units: 3, basis: fourier}", "kan: {units: 3, basis: fourier, learn_frequencies: true}"},
  };
  float x[ROWS * IN], y[ROWS * OUT] = {0}, z[ROWS * OUT] = {0};
  uint32_t seed = 3;
  (void)state;
  for (int i = 0; i < ROWS * IN; i++) x[i] = (float)layer_random(&seed, -2, 2);
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
    layer_fixture f;
    for (int k = 0; k < 2; k++) {
      layer_build_good(&f, pairs[p][k], gt_shape_2(ROWS, IN));
      layer_run(&f, f.model->output, x, k ? z : y);
      layer_finish(&f);
    }
    for (int i = 0; i < ROWS * OUT; i++)
      if (fabs((double)(y[i] - z[i])) > 2e-5)
        fail_msg("%s: %g, not %g", pairs[p][1], (double)z[i], (double)y[i]);
  }
}

/* --- windows --- */

/* Hat functions on four points from -1 to 1, extended linearly outside. */
static double hat(int term, double x) {
  const double u = (x + 1) * 1.5, cell = fmin(fmax(floor(u), 0), 2);
  return term == (int)cell ? 1 - (u - cell) : term == (int)cell + 1 ? u - cell : 0;
}

static void convolution_windows(void **state) {
  enum {
    HEIGHT = 4,
    WIDTH = 6,
    CHANNELS = 2,
    KERNEL_H = 2,
    KERNEL_W = 3,
    TAPS = KERNEL_H * KERNEL_W * CHANNELS,
    OUT_H = 5,
    OUT_W = 2
  };
  float x[HEIGHT * WIDTH * CHANNELS], y[OUT_H * OUT_W * OUT] = {0};
  uint32_t seed = 5;
  layer_fixture f;
  (void)state;
  for (int i = 0; i < HEIGHT * WIDTH * CHANNELS; i++) x[i] = (float)layer_random(&seed, -1.5, 1.5);
  layer_build_good(
      &f,
      "kan_conv2d: {name: kan1, out_channels: 3, kernel_size: [2, 3], stride: [1, 2], padding: [1, 0], "
      "basis: piecewise_linear, grid: 3}",
      (gt_shape){.rank = 4, .dim = {1, HEIGHT, WIDTH, CHANNELS}});
  layer_run(&f, f.model->output, x, y);
  const float *c = layer_values(&f, "coefficients");
  for (int at = 0; at < OUT_H * OUT_W * OUT; at++) {
    const int o = at % OUT, column = at / OUT % OUT_W * 2, row = at / OUT / OUT_W - 1;
    double want = 0;
    for (int i = 0; i < TAPS; i++) {
      const int r = row + i / (KERNEL_W * CHANNELS), k = column + i / CHANNELS % KERNEL_W;
      const double v = r >= 0 && r < HEIGHT ? (double)x[(r * WIDTH + k) * CHANNELS + i % CHANNELS] : 0;
      for (int t = 0; t < 4; t++) want += hat(t, v) * (double)c[(t * TAPS + i) * OUT + o];
    }
    assert_true(fabs((double)y[at] - want) < 1e-5);
  }
  layer_finish(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(penalties_are_those_of_the_paper),
      cmocka_unit_test(a_branch_is_part_of_its_edge),
      cmocka_unit_test(masks_are_on_whole_edges),
      cmocka_unit_test(only_gradients_are_as_large_as_coefficients),
      cmocka_unit_test(grids_follow_the_data),
      cmocka_unit_test(adapted_grids_are_refined),
      cmocka_unit_test(learned_centers_start_on_the_grid),
      cmocka_unit_test(convolution_windows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
