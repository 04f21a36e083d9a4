/* Converts coefficients from one basis to another by least squares, in double: a new function is the closest
 * one to the old function at points evenly spaced over the new grid. All edges share the matrix that converts
 * old coefficients to new ones, unless each input has its own knots. */
#include "base/memory.h"
#include "layer/kan/kan_host.h"
#include "layer/kan/kan_init.h"
#include "layer/kan/kan_symbolic.h"
#include "layer/kan/spline.h"
#include "layer/layer.h"
#include "op/kan/basis.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 8 /* points of the fit per new basis function; with knots per input: see evaluate_points */ };

/* The range of the basis: that of its grid, or [-1, 1]. */
static void range_of(const gt_kan_attribute *a, double *low, double *high) {
  const uint32_t cells = a->basis == GT_BASIS_BSPLINE ? a->terms - a->degree : a->terms - 1;
  const bool on_grid = a->basis == GT_BASIS_BSPLINE || a->basis == GT_BASIS_PIECEWISE_LINEAR ||
                       a->basis == GT_BASIS_RBF || a->basis == GT_BASIS_RSWAF ||
                       a->basis == GT_BASIS_WAVELET || a->basis == GT_BASIS_SINC;
  *low = on_grid ? a->low : -1;
  *high = on_grid && cells ? a->low + cells / (double)a->inverse : 1;
}

/* Splines in double; for other functions the kernels' values are precise enough. */
static double value_of(const gt_kan_attribute *a, uint32_t term, double x) {
  if (a->basis == GT_BASIS_BSPLINE)
    return gt_spline(a->degree, (x - a->low) * a->inverse + a->degree - (double)term);
  uint32_t geometry[GT_BASIS_WORDS], spec[GT_FACTOR_SPEC_END] = {0};
  const float at = (float)x;
  float value;
  gt_basis_geometry(a, 0, 1, 1, geometry, spec + GT_FACTOR_SPEC_OWN);
  gt_basis_fill(geometry, spec, term, &at, NULL, 1, 1, &value);
  return value;
}

void gt_kan_functions(const gt_kan_attribute *a, const double *positions, double x, double *values) {
  uint32_t geometry[GT_BASIS_WORDS], spec[GT_FACTOR_SPEC_END] = {0};
  float at = (float)x, value, *numbers = a->placed ? gt_alloc(2 * a->terms * sizeof *numbers) : NULL;
  if (a->basis == GT_BASIS_KNOTS) {
    gt_splines(positions, gt_kan_parameter_rows(a), a->degree, x, values);
    return;
  }
  gt_basis_geometry(a, 1, 1, 1, geometry, spec + GT_FACTOR_SPEC_OWN);
  for (uint32_t t = 0; t < a->terms; t++) {
    if (!a->placed) {
      values[t] = value_of(a, t, x);
      continue;
    }
    numbers[t] = (float)positions[t];
    numbers[a->terms + t] = (float)positions[a->terms + t];
    gt_basis_fill(geometry, spec, t, &at, numbers, 1, 1, &value);
    values[t] = (double)value;
  }
  free(numbers);
}

static void fill_values(const gt_kan_attribute *a, double low, double high, uint32_t points, double *values) {
  for (uint32_t k = 0; k < points; k++)
    for (uint32_t t = 0; t < a->terms; t++)
      values[k * a->terms + t] = value_of(a, t, low + (high - low) * (k + 0.5) / points);
}

/* product [n, terms] = fit [n, points] values [points, terms]. Splines are 0 at most points, which are
 * skipped. */
static void multiply(const double *fit, uint32_t n, const double *values, uint32_t points, uint32_t terms,
                     double *product) {
  memset(product, 0, sizeof *product * n * terms);
  for (uint32_t k = 0; k < points; k++) {
    const double *row = values + (size_t)k * terms;
    uint32_t first = 0, end = terms;
    while (first < end && row[first] == 0) first++;
    while (end > first && row[end - 1] == 0) end--;
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t j = first; j < end; j++)
        product[(size_t)i * terms + j] += fit[(size_t)i * points + k] * row[j];
  }
}

/* Computes the matrix [terms of b, terms of a] that converts coefficients of a to coefficients of b. */
static void find_conversion(const gt_kan_attribute *a, const gt_kan_attribute *b, double *matrix) {
  const uint32_t points = POINTS * b->terms;
  double *before = gt_alloc(sizeof *before * points * a->terms),
         *now = gt_alloc(sizeof *now * points * b->terms);
  double *fit = gt_alloc(sizeof *fit * points * b->terms), low, high;
  range_of(b, &low, &high);
  fill_values(a, low, high, points, before);
  fill_values(b, low, high, points, now);
  gt_pseudo_inverse(now, points, b->terms, fit);
  multiply(fit, b->terms, before, points, a->terms, matrix);
  free(before);
  free(now);
  free(fit);
}

/* Converts the coefficients of one block; edges: the number of its edges. */
static void convert_block(const gt_kan_attribute *a, const gt_kan_attribute *b, const double *matrix,
                          int64_t edges, const float *old, float *out) {
  double *sum = gt_alloc(sizeof *sum * (size_t)edges);
  for (uint32_t t = 0; t < b->terms; t++) {
    memset(sum, 0, sizeof *sum * (size_t)edges);
    for (uint32_t s = 0; s < a->terms; s++)
      for (int64_t i = 0; i < edges; i++) sum[i] += matrix[t * a->terms + s] * (double)old[s * edges + i];
    for (int64_t i = 0; i < edges; i++) out[t * edges + i] = (float)sum[i];
  }
  free(sum);
  if (b->base) memcpy(out + b->terms * edges, old + a->terms * edges, sizeof *out * (size_t)edges);
}

/* --- knots per input ------------------------------------------------------------------------------------ */

/* Evaluates the new functions, or the old ones if `old`, at the points of the fit; returns the number of
 * points. They are evenly spaced in each cell of the new grid, so there are more points where samples
 * are dense. */
static uint32_t evaluate_points(const gt_kan_conversion *conversion, double *values, uint32_t terms,
                                bool old) {
  const gt_kan_attribute *b = conversion->to, *a = old ? conversion->from : b;
  const double *knot = conversion->now + b->degree;
  const uint32_t cells = b->terms - b->degree, cell_points = POINTS + b->degree;
  uint32_t points = 0;
  for (uint32_t c = 0; c < cells; c++)
    for (uint32_t k = 0; k < cell_points && knot[c + 1] > knot[c]; k++, points++)
      gt_splines(old ? conversion->before : conversion->now, (uint32_t)gt_kan_parameter_rows(a), a->degree,
                 knot[c] + (knot[c + 1] - knot[c]) * (k + 0.5) / cell_points,
                 values + (size_t)points * terms);
  return points;
}

void gt_kan_convert_input(const gt_kan_conversion *conversion, const float *old, float *out) {
  const gt_kan_attribute *a = conversion->from, *b = conversion->to;
  const uint32_t ta = a->terms, tb = b->terms, max_points = (tb - b->degree) * (POINTS + b->degree);
  const int64_t outputs = conversion->outputs;
  double *before = gt_alloc(sizeof *before * max_points * ta), *now = gt_alloc(sizeof *now * max_points * tb);
  double *fit = gt_alloc(sizeof *fit * max_points * tb), *sum = gt_alloc(sizeof *sum * (max_points + tb));
  const uint32_t points = evaluate_points(conversion, now, tb, false);
  double *target = sum + tb;
  evaluate_points(conversion, before, ta, true);
  gt_pseudo_inverse(now, points, tb, fit);
  for (int64_t o = 0; o < outputs; o++) {
    for (uint32_t k = 0; k < points; k++) {
      target[k] = 0;
      for (uint32_t t = 0; t < ta; t++)
        target[k] +=
            before[k * ta + t] * (double)old[gt_kan_row(a, (uint32_t)conversion->input, t) * outputs + o];
    }
    for (uint32_t t = 0; t < tb; t++) {
      sum[t] = 0;
      for (uint32_t k = 0; k < points; k++) sum[t] += fit[t * points + k] * target[k];
    }
    const float base = b->base ? old[gt_kan_row(a, (uint32_t)conversion->input, ta) * outputs + o] : 0;
    for (uint32_t t = 0; t < tb; t++)
      out[gt_kan_row(b, (uint32_t)conversion->input, t) * outputs + o] = (float)sum[t];
    if (b->base) out[gt_kan_row(b, (uint32_t)conversion->input, tb) * outputs + o] = base;
  }
  free(before);
  free(now);
  free(fit);
  free(sum);
}

/* Places new knots at even distances, measured in old cells. If the number of cells is multiplied by an
 * integer, all old knots are kept. */
static void refine_knots(const gt_kan_attribute *a, const gt_kan_attribute *b, const double *old,
                         double *knot) {
  const uint32_t old_cells = a->terms - a->degree, new_cells = b->terms - b->degree;
  for (uint32_t k = 0; k <= new_cells; k++) {
    const double at = (double)k * old_cells / new_cells;
    const uint32_t cell = at < old_cells ? (uint32_t)at : old_cells - 1;
    const double *from = old + a->degree + cell;
    knot[b->degree + k] = from[0] + (at - cell) * (from[1] - from[0]);
  }
  gt_kan_extend_knots(knot, new_cells, b->degree);
}

/* The old and new knots of one input; the new ones rounded to float, as they are stored. */
static void knots_of(const gt_kan_attribute *a, const gt_kan_attribute *b, const float *old, int64_t inputs,
                     int64_t input, double *before, double *now) {
  for (uint32_t k = 0; k < gt_kan_parameter_rows(a); k++) before[k] = (double)old[k * inputs + input];
  refine_knots(a, b, before, now);
  for (uint32_t k = 0; k < gt_kan_parameter_rows(b); k++) now[k] = (double)(float)now[k];
}

/* Refits a layer with knots per input: its slot `knots` or its coefficients. */
static void refit_knots(const gt_slot *before, const float *old, const gt_slot *now, float *out,
                        const gt_slot_values *values_before) {
  const gt_kan_attribute *a = before->form, *b = now->form;
  char name[1024];
  const bool is_knots = now->role == GT_STATE;
  const int64_t inputs = is_knots ? now->shape.dim[1] : now->shape.dim[0] * now->shape.dim[2];
  snprintf(name, sizeof name, "%.*s.knots", (int)gt_slot_layer_length(before->name), before->name);
  const float *knots = is_knots ? old : values_before->find(values_before, name);
  double *from = gt_alloc(sizeof *from * gt_kan_parameter_rows(a)),
         *to = gt_alloc(sizeof *to * gt_kan_parameter_rows(b));
  for (int64_t i = 0; knots && i < inputs; i++) {
    const gt_kan_conversion conversion = {a, b, from, to, i, now->shape.dim[now->shape.rank - 1]};
    knots_of(a, b, knots, inputs, i, from, to);
    if (!is_knots) gt_kan_convert_input(&conversion, old, out);
    for (uint32_t k = 0; is_knots && k < gt_kan_parameter_rows(b); k++) out[k * inputs + i] = (float)to[k];
  }
  free(from);
  free(to);
}

static bool is_spline(const gt_kan_attribute *a) {
  return a->basis == GT_BASIS_BSPLINE || a->basis == GT_BASIS_KNOTS;
}

const char *gt_kan_describe_refit(const gt_slot *before, const gt_slot *now, gt_arena *arena) {
  const gt_kan_attribute *a = before->form, *b = now->form;
  if (!a || !b || gt_kan_is_symbolic_slot(now)) return NULL;
  if (!is_spline(a) || !is_spline(b) || a->degree != b->degree) return "functions refitted";
  return gt_arena_printf(arena, "grid %s from %u to %u, splines refitted",
                         b->terms < a->terms ? "coarsened" : "refined", a->terms - a->degree,
                         b->terms - b->degree);
}

void gt_kan_refit(const gt_slot *before, const float *old, const gt_slot *now, float *out,
                  const gt_slot_values *values_before) {
  const gt_kan_attribute *a = before->form, *b = now->form;
  if (gt_kan_is_symbolic_slot(now)) {
    gt_kan_symbolic_refit(before, old, now, out);
    return;
  }
  if (!a || !b) {
    gt_refit_overlap(before, old, now, out, values_before);
    return;
  }
  if (!memcmp(a, b, sizeof *a) && gt_shape_equal(before->shape, now->shape)) {
    memcpy(out, old, sizeof *out * (size_t)gt_shape_count(now->shape));
    return;
  }
  const bool knots_per_input = a->basis == GT_BASIS_KNOTS, is_knots = now->role == GT_STATE;
  /* With a different number of inputs or outputs, nothing can be kept. The other axis, 0 of knots and 1 of
   * coefficients, depends on the grid. */
  for (int d = 0; d < now->shape.rank; d++)
    if (d != !is_knots && before->shape.dim[d] != now->shape.dim[d]) return;
  if (a->base != b->base || knots_per_input != (b->basis == GT_BASIS_KNOTS)) return;
  if (knots_per_input) {
    refit_knots(before, old, now, out, values_before);
    return;
  }
  const int64_t edges = now->shape.dim[2] * now->shape.dim[3];
  double *matrix = gt_alloc(sizeof *matrix * a->terms * b->terms);
  find_conversion(a, b, matrix);
  for (int64_t k = 0; k < now->shape.dim[0]; k++)
    convert_block(a, b, matrix, edges, old + k * before->shape.dim[1] * edges,
                  out + k * now->shape.dim[1] * edges);
  free(matrix);
}
