/* Rounding of constants to simple numbers, where the digits that this saves are worth more bits than the fit
 * loses. */
#include "base/memory.h"
#include "kan/symbolic.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
enum { FIT_STEPS = 40, MAX_REJECTED = 64 };
static const double max_distance = 6; /* standard errors by which rounding may change a constant */

/* The simple numbers: zero, and multiples of unit / divisor. `bits` is the cost of unit / divisor, in
 * addition to that of the multiple. The costs are chosen such that the simpler of two numbers that fit
 * equally well is preferred. */
static const struct {
  double unit, divisor, bits;
} grids[] = {{0, 1, 0},
             {1, 1, 0},
             {1, 2, 1},
             {PI, 1, 2},
             {PI, 2, 3},
             {1, 3, 3},
             {1, 4, 3},
             {1, 5, 3},
             {1, 10, 3},
             {PI, 3, 4},
             {PI, 4, 4},
             {1, 8, 4},
             {1, 100, 4},
             {1, 6, 5},
             {1.41421356237309505, 1, 4},
             {1.73205080756887729, 1, 5},
             {0.25 / PI, 1, 6}};
enum { GRIDS = sizeof grids / sizeof *grids, MAX_MULTIPLE = 1000 };

typedef struct rounding {
  gt_symbolic *s;
  const gt_symbolic_data *data;
  gt_symbolic_constant *constant; /* [count]: the constants that are not fixed */
  double *deviation;              /* [count]: standard errors, for noise with a standard deviation of 1 */
  int count;
  double sum; /* of squares, at the minimum */
  struct {
    const double *value;
    double rounded;
  } rejected[MAX_REJECTED];
  int rejections;
} rounding;

typedef struct proposal {
  int constant;
  double rounded, bits; /* the number, and the bits to write it */
  double saved;         /* bits that the rounded number needs less than the free constant */
  double gain;          /* `saved` minus the bits that the fit loses, for a quadratic sum of squares */
} proposal;

static bool is_rejected(const rounding *p, const double *value, double rounded) {
  for (int r = 0; r < p->rejections; r++)
    if (p->rejected[r].value == value && p->rejected[r].rounded == rounded) return true;
  return false;
}

/* Sets *best to the best simple number for constant k if that gains more. noise: standard deviation. */
static void propose(const rounding *p, int k, double noise, proposal *best) {
  const double x = *p->constant[k].value, error = noise * p->deviation[k];
  const double free_bits = gt_symbolic_constant_bits(p->data, x, error);
  for (int g = 0; g < GRIDS; g++) {
    const double unit = grids[g].unit, divisor = grids[g].divisor,
                 multiple = unit > 0 ? round(x * divisor / unit) : 0;
    const double rounded = multiple * unit / divisor,
                 bits = 1 + grids[g].bits + 1.5 * log2(1 + fabs(multiple));
    const double distance = (rounded - x) / error,
                 gain = free_bits - bits - 0.5 * distance * distance / log(2);
    if (fabs(distance) > max_distance || fabs(multiple) > MAX_MULTIPLE || !(gain > best->gain)) continue;
    if ((unit > 0 && !multiple) || is_rejected(p, p->constant[k].value, rounded)) continue;
    *best = (proposal){k, rounded, bits, free_bits - bits, gain};
  }
}

static void restore(rounding *p, const gt_symbolic *before) {
  memcpy(p->s->edge, before->edge, (size_t)p->s->edges * sizeof *before->edge);
  for (int l = 1; l <= p->s->layers; l++) {
    memcpy(p->s->bias[l], before->bias[l], (size_t)p->s->width[l] * sizeof **before->bias);
    memcpy(p->s->bias_fixed[l], before->bias_fixed[l], (size_t)p->s->width[l] * sizeof **before->bias_fixed);
  }
}

/* Fixes a constant to its simple number and fits the others again. Undoes this and returns false if the fit
 * loses more bits than are saved. */
static bool try_rounding(rounding *p, const proposal *b) {
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_symbolic before = gt_symbolic_copy(&arena, p->s);
  *p->constant[b->constant].value = b->rounded;
  *p->constant[b->constant].fixed = true;
  const double sum = gt_symbolic_fit(p->s, p->data, FIT_STEPS);
  const double lost = gt_symbolic_error_bits(p->data, sum) - gt_symbolic_error_bits(p->data, p->sum);
  const bool ok = lost < b->saved;
  if (ok) {
    p->sum = sum;
    p->s->rounded_bits += b->bits;
  } else {
    restore(p, &before);
    p->rejected[p->rejections].value = p->constant[b->constant].value;
    p->rejected[p->rejections++].rounded = b->rounded;
  }
  gt_arena_finish(&arena);
  return ok;
}

int gt_symbolic_round_constants(gt_symbolic *symbolic, const gt_symbolic_data *data) {
  const size_t capacity = (size_t)gt_symbolic_free_constants(symbolic, NULL) + 1;
  rounding p = {.s = symbolic, .data = data, .sum = gt_symbolic_fit(symbolic, data, 100)};
  int count = 0;
  p.constant = gt_alloc(capacity * sizeof *p.constant);
  p.deviation = gt_alloc(capacity * sizeof *p.deviation);
  while (p.rejections < MAX_REJECTED && !gt_symbolic_is_exhausted(data)) {
    proposal best = {.constant = -1};
    p.count = gt_symbolic_free_constants(symbolic, p.constant);
    gt_symbolic_deviations(symbolic, data, p.deviation);
    const double noise = sqrt(gt_symbolic_noise(data, p.sum, p.count));
    for (int k = 0; k < p.count; k++) propose(&p, k, noise, &best);
    if (best.constant < 0) break;
    count += try_rounding(&p, &best);
  }
  free(p.constant);
  free(p.deviation);
  return count;
}
