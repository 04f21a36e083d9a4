/* From one basis to another by least squares, in double: each new function of an input is the one closest to
 * the old at points spread evenly over the new grid. All edges share the matrix that takes old coefficients
 * to new ones. */
#include "base/memory.h"
#include "layer/kan/kan_init.h"
#include "layer/kan/spline.h"
#include "layer/layer.h"
#include "op/kan/basis.h"
#include <stdlib.h>
#include <string.h>

enum { POINTS = 8 /* for each new function */ };

static void ends(const gt_kan_attribute *a, double *low, double *high) {
  const uint32_t cells = a->basis == GT_BASIS_BSPLINE ? a->terms - a->degree : a->terms - 1;
  const bool on_grid = a->basis == GT_BASIS_BSPLINE || a->basis == GT_BASIS_PIECEWISE_LINEAR ||
                       a->basis == GT_BASIS_RBF || a->basis == GT_BASIS_RSWAF ||
                       a->basis == GT_BASIS_WAVELET || a->basis == GT_BASIS_SINC;
  *low = on_grid ? a->low : -1;
  *high = on_grid && cells ? a->low + cells / (double)a->inverse : 1;
}

/* Splines in double; of all else the kernels' values are near enough. */
static double value_of(const gt_kan_attribute *a, uint32_t term, double x) {
  if (a->basis == GT_BASIS_BSPLINE)
    return gt_spline(a->degree, (x - a->low) * a->inverse + a->degree - (double)term);
  uint32_t geometry[GT_BASIS_WORDS], spec[GT_FACTOR_SPEC_END] = {0};
  const float at = (float)x;
  float value;
  gt_basis_geometry(a, 0, 1, 1, geometry, spec + GT_FACTOR_SPEC_OWN);
  gt_basis_fill(geometry, spec, term, &at, NULL, 1, &value);
  return value;
}

static void fill_values(const gt_kan_attribute *a, double low, double high, uint32_t points, double *values) {
  for (uint32_t k = 0; k < points; k++)
    for (uint32_t t = 0; t < a->terms; t++)
      values[k * a->terms + t] = value_of(a, t, low + (high - low) * (k + 0.5) / points);
}

/* turn [terms of b, terms of a]. */
static void find_turn(const gt_kan_attribute *a, const gt_kan_attribute *b, double *turn) {
  const uint32_t points = POINTS * b->terms;
  double *before = gt_alloc(sizeof *before * points * a->terms),
         *now = gt_alloc(sizeof *now * points * b->terms);
  double *fit = gt_alloc(sizeof *fit * points * b->terms), low, high;
  ends(b, &low, &high);
  fill_values(a, low, high, points, before);
  fill_values(b, low, high, points, now);
  gt_pseudo_inverse(now, points, b->terms, fit);
  for (uint32_t i = 0; i < b->terms; i++)
    for (uint32_t j = 0; j < a->terms; j++) {
      double sum = 0;
      for (uint32_t k = 0; k < points; k++) sum += fit[i * points + k] * before[k * a->terms + j];
      turn[i * a->terms + j] = sum;
    }
  free(before);
  free(now);
  free(fit);
}

static void turn_block(const gt_kan_attribute *a, const gt_kan_attribute *b, const double *turn,
                       int64_t inside, const float *old, float *out) {
  for (uint32_t t = 0; t < b->terms; t++)
    for (int64_t i = 0; i < inside; i++) {
      double sum = 0;
      for (uint32_t s = 0; s < a->terms; s++) sum += turn[t * a->terms + s] * old[s * inside + i];
      out[t * inside + i] = (float)sum;
    }
  if (b->base) memcpy(out + b->terms * inside, old + a->terms * inside, sizeof *out * (size_t)inside);
}

void gt_kan_refit(const gt_slot *before, const float *old, const gt_slot *now, float *out) {
  const gt_kan_attribute *a = before->form, *b = now->form;
  if (!a || !b) {
    gt_refit_overlap(before, old, now, out);
    return;
  }
  if (!memcmp(a, b, sizeof *a) && gt_shape_equal(before->shape, now->shape)) {
    memcpy(out, old, sizeof *out * (size_t)gt_shape_count(now->shape));
    return;
  }
  /* Where there are other inputs or outputs there is nothing to keep. */
  for (int d = 0; d < 4; d++)
    if (d != 1 && before->shape.dim[d] != now->shape.dim[d]) return;
  if (a->base != b->base) return;
  const int64_t inside = now->shape.dim[2] * now->shape.dim[3];
  double *turn = gt_alloc(sizeof *turn * a->terms * b->terms);
  find_turn(a, b, turn);
  for (int64_t k = 0; k < now->shape.dim[0]; k++)
    turn_block(a, b, turn, inside, old + k * before->shape.dim[1] * inside,
               out + k * now->shape.dim[1] * inside);
  free(turn);
}
