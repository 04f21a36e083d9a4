/* Converts coefficients from one basis to another by least squares, in double: each new function of an input
 * is the closest one to the old at points evenly spaced over the new grid. All edges share the matrix that
 * maps old coefficients to new ones. */
#include "base/memory.h"
#include "layer/kan/kan_grid.h"
#include "layer/kan/kan_init.h"
#include "layer/kan/kan_host.h"
#include "layer/kan/kan_symbolic.h"
#include "layer/kan/spline.h"
#include "layer/layer.h"
#include "op/kan/basis.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 8 /* points per new function */ };

static void ends(const gt_kan_attribute *a, double *low, double *high) {
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
    gt_splines(positions, gt_kan_behind(a), a->degree, x, values);
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

/* Computes the matrix turn [terms of b, terms of a] that converts coefficients. */
static void find_turn(const gt_kan_attribute *a, const gt_kan_attribute *b, double *turn) {
  const uint32_t points = POINTS * b->terms;
  double *before = gt_alloc(sizeof *before * points * a->terms),
         *now = gt_alloc(sizeof *now * points * b->terms);
  double *fit = gt_alloc(sizeof *fit * points * b->terms), low, high;
  ends(b, &low, &high);
  fill_values(a, low, high, points, before);
  fill_values(b, low, high, points, now);
  gt_pseudo_inverse(now, points, b->terms, fit);
  multiply(fit, b->terms, before, points, a->terms, turn);
  free(before);
  free(now);
  free(fit);
}

static void turn_block(const gt_kan_attribute *a, const gt_kan_attribute *b, const double *turn,
                       int64_t inside, const float *old, float *out) {
  double *sum = gt_alloc(sizeof *sum * (size_t)inside);
  for (uint32_t t = 0; t < b->terms; t++) {
    memset(sum, 0, sizeof *sum * (size_t)inside);
    for (uint32_t s = 0; s < a->terms; s++)
      for (int64_t i = 0; i < inside; i++) sum[i] += turn[t * a->terms + s] * (double)old[s * inside + i];
    for (int64_t i = 0; i < inside; i++) out[t * inside + i] = (float)sum[i];
  }
  free(sum);
  if (b->base) memcpy(out + b->terms * inside, old + a->terms * inside, sizeof *out * (size_t)inside);
}

/* --- knots per input ------------------------------------------------------------------------------------ */

/* The points of the fit: evenly spaced in each cell of the new grid, so that there are more points where
 * samples are dense. */
static uint32_t try_points(const gt_kan_turn *turn, double *values, uint32_t terms, bool old) {
  const gt_kan_attribute *b = turn->to, *a = old ? turn->from : b;
  const double *knot = turn->now + b->degree;
  const uint32_t cells = b->terms - b->degree, each = POINTS + b->degree;
  uint32_t points = 0;
  for (uint32_t c = 0; c < cells; c++)
    for (uint32_t k = 0; k < each && knot[c + 1] > knot[c]; k++, points++)
      gt_splines(old ? turn->before : turn->now, (uint32_t)gt_kan_behind(a), a->degree,
                 knot[c] + (knot[c + 1] - knot[c]) * (k + 0.5) / each, values + (size_t)points * terms);
  return points;
}

void gt_kan_turn_input(const gt_kan_turn *turn, const float *old, float *out) {
  const gt_kan_attribute *a = turn->from, *b = turn->to;
  const uint32_t ta = a->terms, tb = b->terms, most = (tb - b->degree) * (POINTS + b->degree);
  const int64_t outputs = turn->outputs;
  double *before = gt_alloc(sizeof *before * most * ta), *now = gt_alloc(sizeof *now * most * tb);
  double *fit = gt_alloc(sizeof *fit * most * tb), *sum = gt_alloc(sizeof *sum * (most + tb));
  const uint32_t points = try_points(turn, now, tb, false);
  double *target = sum + tb;
  try_points(turn, before, ta, true);
  gt_pseudo_inverse(now, points, tb, fit);
  for (int64_t o = 0; o < outputs; o++) {
    for (uint32_t k = 0; k < points; k++) {
      target[k] = 0;
      for (uint32_t t = 0; t < ta; t++)
        target[k] += before[k * ta + t] * (double)old[gt_kan_row(a, (uint32_t)turn->input, t) * outputs + o];
    }
    for (uint32_t t = 0; t < tb; t++) {
      sum[t] = 0;
      for (uint32_t k = 0; k < points; k++) sum[t] += fit[t * points + k] * target[k];
    }
    const float base = b->base ? old[gt_kan_row(a, (uint32_t)turn->input, ta) * outputs + o] : 0;
    for (uint32_t t = 0; t < tb; t++)
      out[gt_kan_row(b, (uint32_t)turn->input, t) * outputs + o] = (float)sum[t];
    if (b->base) out[gt_kan_row(b, (uint32_t)turn->input, tb) * outputs + o] = base;
  }
  free(before);
  free(now);
  free(fit);
  free(sum);
}

/* Divides the old cells again; if each cell gets the same number of new knots, all old knots are kept. */
static void divide_again(const gt_kan_attribute *a, const gt_kan_attribute *b, const double *old,
                         double *knot) {
  const uint32_t was = a->terms - a->degree, is = b->terms - b->degree;
  for (uint32_t k = 0; k <= is; k++) {
    const double at = (double)k * was / is;
    const uint32_t cell = at < was ? (uint32_t)at : was - 1;
    const double *from = old + a->degree + cell;
    knot[b->degree + k] = from[0] + (at - cell) * (from[1] - from[0]);
  }
  gt_kan_extend(knot, is, b->degree);
}

/* The new knots of one input, as stored: in floats. */
static void knots_of(const gt_kan_attribute *a, const gt_kan_attribute *b, const float *old, int64_t inputs,
                     int64_t input, double *before, double *now) {
  for (uint32_t k = 0; k < gt_kan_behind(a); k++) before[k] = (double)old[k * inputs + input];
  divide_again(a, b, before, now);
  for (uint32_t k = 0; k < gt_kan_behind(b); k++) now[k] = (double)(float)now[k];
}

static void refit_own(const gt_slot *before, const float *old, const gt_slot *now, float *out,
                      const gt_slot_values *was) {
  const gt_kan_attribute *a = before->form, *b = now->form;
  char name[1024];
  const bool is_knots = now->role == GT_STATE;
  const int64_t inputs = is_knots ? now->shape.dim[1] : now->shape.dim[0] * now->shape.dim[2];
  snprintf(name, sizeof name, "%.*s.knots", (int)gt_slot_layer_length(before->name), before->name);
  const float *knots = is_knots ? old : was->of(was, name);
  double *from = gt_alloc(sizeof *from * gt_kan_behind(a)), *to = gt_alloc(sizeof *to * gt_kan_behind(b));
  for (int64_t i = 0; knots && i < inputs; i++) {
    const gt_kan_turn turn = {a, b, from, to, i, now->shape.dim[now->shape.rank - 1]};
    knots_of(a, b, knots, inputs, i, from, to);
    if (!is_knots) gt_kan_turn_input(&turn, old, out);
    for (uint32_t k = 0; is_knots && k < gt_kan_behind(b); k++) out[k * inputs + i] = (float)to[k];
  }
  free(from);
  free(to);
}

void gt_kan_refit(const gt_slot *before, const float *old, const gt_slot *now, float *out,
                  const gt_slot_values *was) {
  const gt_kan_attribute *a = before->form, *b = now->form;
  if (gt_kan_symbolic_is(now)) {
    gt_kan_symbolic_refit(before, old, now, out);
    return;
  }
  if (!a || !b) {
    gt_refit_overlap(before, old, now, out, was);
    return;
  }
  if (!memcmp(a, b, sizeof *a) && gt_shape_equal(before->shape, now->shape)) {
    memcpy(out, old, sizeof *out * (size_t)gt_shape_count(now->shape));
    return;
  }
  const bool own = a->basis == GT_BASIS_KNOTS, is_knots = now->role == GT_STATE;
  /* With a different number of inputs or outputs, nothing can be kept. */
  for (int d = 0; d < now->shape.rank; d++)
    if (d != !is_knots && before->shape.dim[d] != now->shape.dim[d]) return;
  if (a->base != b->base || own != (b->basis == GT_BASIS_KNOTS)) return;
  if (own) {
    refit_own(before, old, now, out, was);
    return;
  }
  const int64_t inside = now->shape.dim[2] * now->shape.dim[3];
  double *turn = gt_alloc(sizeof *turn * a->terms * b->terms);
  find_turn(a, b, turn);
  for (int64_t k = 0; k < now->shape.dim[0]; k++)
    turn_block(a, b, turn, inside, old + k * before->shape.dim[1] * inside,
               out + k * now->shape.dim[1] * inside);
  free(turn);
}
