/* Layer kan on the CPU: initial values and options, compared with plain loops in double precision; errors and
 * their positions. tests/op/kan compares the values and gradients of every basis with other formulas. */
#include "layer/kan/spline.h"
#include "model/model.h"
#include "op/core.h"
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

/* --- splines on the host --- */

/* The B-spline of this degree on the knots 0, 1, 2, …, by de Boor's recursion. */
static double de_boor(uint32_t degree, double v) {
  if (!degree) return v >= 0 && v < 1;
  return (v * de_boor(degree - 1, v) + (degree + 1 - v) * de_boor(degree - 1, v - 1)) / degree;
}

static void splines_are_those_of_de_boor(void **state) {
  (void)state;
  for (uint32_t degree = 0; degree <= 6; degree++)
    for (double v = -1; v <= degree + 2; v += 0.0625) {
      double sum = 0;
      assert_true(fabs(gt_spline(degree, v) - de_boor(degree, v)) < 1e-14);
      for (int i = -10; i <= 10; i++) sum += gt_spline(degree, v - i);
      assert_true(fabs(sum - 1) < 1e-14);
    }
}

/* For a matrix of full rank, A P A = A and (P A)ᵀ = P A hold only if P is the pseudo-inverse. */
static void pseudo_inverses_are_right(void **state) {
  static const uint32_t sizes[][2] = {{1, 1}, {3, 7}, {7, 3}, {6, 8}, {5, 5}};
  uint32_t seed = 1;
  (void)state;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const uint32_t rows = sizes[s][0], columns = sizes[s][1];
    double a[64], p[64], pa[64];
    for (uint32_t i = 0; i < rows * columns; i++) a[i] = layer_random(&seed, -1, 1);
    gt_pseudo_inverse(a, rows, columns, p);
    for (uint32_t i = 0; i < columns; i++)
      for (uint32_t j = 0; j < columns; j++) {
        pa[i * columns + j] = 0;
        for (uint32_t k = 0; k < rows; k++) pa[i * columns + j] += p[i * rows + k] * a[k * columns + j];
      }
    for (uint32_t i = 0; i < columns; i++)
      for (uint32_t j = 0; j < columns; j++)
        assert_true(fabs(pa[i * columns + j] - pa[j * columns + i]) < 1e-10);
    for (uint32_t i = 0; i < rows; i++)
      for (uint32_t j = 0; j < columns; j++) {
        double sum = 0;
        for (uint32_t k = 0; k < columns; k++) sum += a[i * columns + k] * pa[k * columns + j];
        assert_true(fabs(sum - a[i * columns + j]) < 1e-10);
      }
  }
}

/* The pseudo-inverse of a matrix of B-spline values, which is banded. One spline has no points and so only
 * zeros: P A is the identity except for that spline. */
static void pseudo_inverse_of_spline_values(void **state) {
  enum { ROWS = 96, COLUMNS = 15, UNSEEN = 6, DEGREE = 3 };
  double a[ROWS * COLUMNS], p[ROWS * COLUMNS];
  (void)state;
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      a[i * COLUMNS + j] =
          j == UNSEEN ? 0 : gt_spline(DEGREE, (i + 0.5) * (COLUMNS - DEGREE) / ROWS + DEGREE - j);
  gt_pseudo_inverse(a, ROWS, COLUMNS, p);
  for (int i = 0; i < COLUMNS; i++)
    for (int j = 0; j < COLUMNS; j++) {
      double sum = 0;
      for (int k = 0; k < ROWS; k++) sum += p[i * ROWS + k] * a[k * COLUMNS + j];
      assert_true(fabs(sum - (i == j && i != UNSEEN)) < 1e-12);
    }
}

/* --- the layer --- */

/* Initial values of splines at the knots are uniform noise in ± noise / (2 grid). The weights of the silu
 * branch are initialized as in efficient-kan. The coefficients are stored in blocks of 16 inputs, each [terms
 * + 1, 16, units]; the last of the terms + 1 is the weight of the silu branch. */
static void initial_splines_are_noise(void **state) {
  static const char *const layers[] = {"kan: {units: 7, noise: 0.4, spline_scale: false}",
                                       "kan: {units: 7, noise: 0.4, degree: 5, spline_scale: false}",
                                       "kan: {units: 7, noise: 0.4, degree: 1, spline_scale: false}"};
  static const uint32_t degrees[] = {3, 5, 1};
  (void)state;
  for (int l = 0; l < 3; l++) {
    layer_fixture f;
    layer_build(&f, layers[l], gt_shape_2(4, 48));
    const uint32_t degree = degrees[l], terms = 5 + degree;
    const float *c = layer_values(&f, "coefficients");
    double largest = 0, square = 0, base = 0;
    for (int block = 0; block < 3; block++)
      for (int place = 0; place < 16 * 7; place++) {
        const float *spline = c + block * (terms + 1) * 16 * 7 + place;
        for (int k = 0; k <= 5; k++) {
          double y = 0;
          for (uint32_t t = 0; t < terms; t++)
            y += gt_spline(degree, k + (double)degree - t) * spline[t * 16 * 7];
          largest = fmax(largest, fabs(y));
          square += y * y / (48 * 7 * 6);
        }
        base = fmax(base, fabs(spline[terms * 16 * 7]));
      }
    assert_true(largest < 0.5 * 0.4 / 5 + 1e-6 && largest > 0.48 * 0.4 / 5);
    assert_true(fabs(sqrt(square) / (0.4 / 5 / sqrt(12)) - 1) < 0.1);
    assert_true(base < 1 / sqrt(48) + 1e-6 && base > 0.95 / sqrt(48));
    layer_finish(&f);
  }
}

/* Gaussians of normalized inputs with a separate base branch and a bias; B-splines with a learned scale. */
static void options_do_what_they_say(void **state) {
  enum { ROWS = 5, IN = 6, OUT = 3 };
  float x[ROWS * IN], y[ROWS * OUT];
  uint32_t seed = 3;
  layer_fixture f;
  (void)state;
  for (int i = 0; i < ROWS * IN; i++) x[i] = (float)layer_random(&seed, -2, 2);
  layer_build(&f, "kan: {units: 3, basis: rbf, grid: 4, range: [-1, 2], width: 0.8, base: gelu}",
              gt_shape_2(ROWS, IN));
  for (int i = 0; i < IN; i++)
    layer_values(&f, "norm_weight")[i] = 1 + 0.1f * i, layer_values(&f, "norm_bias")[i] = 0.2f * i;
  layer_run(&f, f.model->output, x, y);
  for (int r = 0; r < ROWS; r++)
    for (int o = 0; o < OUT; o++) {
      double mean = 0, variance = 0, want = layer_values(&f, "bias")[o];
      for (int i = 0; i < IN; i++) mean += x[r * IN + i] / (double)IN;
      for (int i = 0; i < IN; i++) variance += pow(x[r * IN + i] - mean, 2) / IN;
      for (int i = 0; i < IN; i++) {
        const double raw = x[r * IN + i], v = (raw - mean) / sqrt(variance + 1e-5) * (1 + 0.1 * i) + 0.2 * i;
        for (int t = 0; t < 4; t++)
          want +=
              layer_values(&f, "coefficients")[(t * IN + i) * OUT + o] * exp(-pow((v - (t - 1)) / 0.8, 2));
        want += layer_values(&f, "base_weight")[i * OUT + o] * raw * 0.5 * (1 + erf(raw / sqrt(2)));
      }
      assert_true(fabs(y[r * OUT + o] - want) < 2e-5);
    }
  layer_finish(&f);
  layer_build(&f, "kan: {units: 3, grid: 4, degree: 2, range: [0, 2], spline_scale: true}",
              gt_shape_2(ROWS, IN));
  layer_run(&f, f.model->output, x, y);
  for (int r = 0; r < ROWS; r++)
    for (int o = 0; o < OUT; o++) {
      double want = 0;
      for (int i = 0; i < IN; i++) {
        const double v = x[r * IN + i], scale = layer_values(&f, "spline_scale")[i * OUT + o];
        for (int t = 0; t < 6; t++)
          want += scale * layer_values(&f, "coefficients")[(t * IN + i) * OUT + o] *
                  gt_spline(2, v / 0.5 + 2 - t);
        want += layer_values(&f, "coefficients")[(6 * IN + i) * OUT + o] * v / (1 + exp(-v));
      }
      assert_true(fabs(y[r * OUT + o] - want) < 2e-5);
    }
  layer_finish(&f);
}

static void every_basis_builds(void **state) {
  static const char *const bases[] = {"bspline",          "chebyshev", "rbf",      "fourier",
                                      "piecewise_linear", "sinc",      "legendre", "hermite",
                                      "jacobi",           "rswaf",     "wavelet"};
  float x[2 * 3 * 32], y[2 * 3 * 5];
  uint32_t seed = 5;
  (void)state;
  for (int i = 0; i < 2 * 3 * 32; i++) x[i] = (float)layer_random(&seed, -1, 1);
  for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
    layer_fixture f;
    char layer[80];
    double square = 0;
    snprintf(layer, sizeof layer, "kan: {units: 5, basis: %s}", bases[b]);
    layer_build(&f, layer, (gt_shape){.rank = 3, .dim = {2, 3, 32}});
    if (!f.model) gt_diagnostics_print(&f.diagnostics, stderr);
    assert_non_null(f.model);
    layer_run(&f, f.model->output, x, y);
    for (int i = 0; i < 2 * 3 * 5; i++) square += y[i] * (double)y[i] / 30;
    assert_true(square > 1e-6 && square < 10); /* neither vanishing nor large */
    layer_finish(&f);
  }
}

/* A finer grid that contains all knots of the coarse one gives the same function; any other fine grid gives
 * nearly the same. Polynomials of another basis and higher degree are the same, too. */
static void refinement_keeps_the_functions(void **state) {
  static const struct {
    const char *before, *now;
    double tolerance;
  } steps[] = {
      {"kan: {units: 3, noise: 5, spline_scale: false}", "kan: {units: 3, grid: 10, spline_scale: false}",
       2e-6},
      {"kan: {units: 3, noise: 5, spline_scale: false}", "kan: {units: 3, grid: 64, spline_scale: false}",
       1e-2},
      {"kan: {units: 3, noise: 5}", "kan: {units: 3, grid: 15, range: [-1, 1]}", 2e-6},
      {"kan: {units: 3, basis: chebyshev}", "kan: {units: 3, basis: legendre, degree: 6}", 2e-6},
      {"kan: {units: 3, basis: piecewise_linear}", "kan: {units: 3, basis: piecewise_linear, grid: 20}",
       2e-6},
  };
  float x[8 * 48], y[8 * 3], z[8 * 3];
  uint32_t seed = 9;
  (void)state;
  for (int i = 0; i < 8 * 48; i++) x[i] = (float)layer_random(&seed, -1, 1);
  for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
    layer_fixture before, now;
    gt_state_dict carried;
    layer_build(&before, steps[s].before, gt_shape_2(8, 48));
    layer_build(&now, steps[s].now, gt_shape_2(8, 48));
    layer_run(&before, before.model->output, x, y);
    gt_state_dict_carry(&carried, now.model->store, &before.dict, 1);
    gt_state_dict_finish(&now.dict);
    now.dict = carried;
    layer_run(&now, now.model->output, x, z);
    for (int i = 0; i < 8 * 3; i++) assert_true(fabs(y[i] - z[i]) < steps[s].tolerance * (1 + fabs(y[i])));
    layer_finish(&before);
    layer_finish(&now);
  }
}

static void errors_are_reported(void **state) {
  static const struct {
    const char *layer, *message;
    int column;
  } wrong[] = {
      {"kan: {units: 4, degree: 10}", "'kan1' has splines of degree 10; 9 is the highest", 29},
      {"kan: {units: 4, basis: chebyshev, grid: 5}", "has 'grid', which basis 'chebyshev' does not use", 45},
      {"kan: {units: 4, basis: rbf, noise: 0.5}", "has 'noise', which basis 'rbf' does not use", 40},
      {"kan: {units: 4, range: [1, -1]}", "needs two numbers in 'range', the smaller first", 28},
      {"kan: {units: 4, range: 3}", "needs two numbers in 'range', the smaller first", 28},
      {"kan: 16000000", "would have 2147483647 coefficients or more", 5},
  };
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    layer_fixture f;
    layer_build(&f, wrong[i].layer, gt_shape_2(2, 64));
    assert_null(f.model);
    assert_int_equal(f.diagnostics.errors, 1);
    const gt_diagnostic *d = &f.diagnostics.items[0];
    if (!strstr(d->message, wrong[i].message) || d->at.line != 2 || (int)d->at.column != wrong[i].column)
      fail_msg("%s: %s at %d:%d", wrong[i].layer, d->message, (int)d->at.line, (int)d->at.column);
    layer_finish(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(splines_are_those_of_de_boor),
      cmocka_unit_test(pseudo_inverses_are_right),
      cmocka_unit_test(pseudo_inverse_of_spline_values),
      cmocka_unit_test(initial_splines_are_noise),
      cmocka_unit_test(options_do_what_they_say),
      cmocka_unit_test(every_basis_builds),
      cmocka_unit_test(errors_are_reported),
      cmocka_unit_test(refinement_keeps_the_functions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
