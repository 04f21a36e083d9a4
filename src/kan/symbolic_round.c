/* Rounding of constants to simple numbers, where the digits that this saves are worth more bits than the fit
 * loses. */
#include "base/memory.h"
#include "kan/symbolic.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
enum { FIT_STEPS = 40, MAX_REFUSED = 64 };
static const double far = 6; /* standard errors: constants are not rounded to numbers farther away */

/* Zero, and multiples of unit / over. `bits` is the cost of the unit, in addition to that of the multiple: a
 * choice of ours, so that the simpler of two numbers that fit alike is taken. */
static const struct {
  double unit, over, bits;
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
    double nice;
  } refused[MAX_REFUSED];
  int refusals;
} rounding;

typedef struct proposal {
  int constant;
  double nice, bits; /* the number, and the bits to write it */
  double saved;      /* bits, compared with the constant before */
  double gain;       /* `saved` less the estimated loss of fit, for a quadratic sum of squares */
} proposal;

static bool is_refused(const rounding *p, const double *value, double nice) {
  for (int r = 0; r < p->refusals; r++)
    if (p->refused[r].value == value && p->refused[r].nice == nice) return true;
  return false;
}

/* Updates *best if a simple number for constant k gains more. */
static void propose(const rounding *p, int k, double noise, proposal *best) {
  const double x = *p->constant[k].value, error = noise * p->deviation[k];
  const double own = gt_symbolic_constant_bits(p->data, x, error);
  for (int g = 0; g < GRIDS; g++) {
    const double unit = grids[g].unit, over = grids[g].over, multiple = unit > 0 ? round(x * over / unit) : 0;
    const double nice = multiple * unit / over, bits = 1 + grids[g].bits + 1.5 * log2(1 + fabs(multiple));
    const double away = (nice - x) / error, gain = own - bits - 0.5 * away * away / log(2);
    if (fabs(away) > far || fabs(multiple) > MAX_MULTIPLE || !(gain > best->gain)) continue;
    if ((unit > 0 && !multiple) || is_refused(p, p->constant[k].value, nice)) continue;
    *best = (proposal){k, nice, bits, own - bits, gain};
  }
}

static void restore(rounding *p, const gt_symbolic *before) {
  memcpy(p->s->edge, before->edge, (size_t)p->s->edges * sizeof *before->edge);
  for (int l = 1; l <= p->s->layers; l++) {
    memcpy(p->s->bias[l], before->bias[l], (size_t)p->s->width[l] * sizeof **before->bias);
    memcpy(p->s->bias_fixed[l], before->bias_fixed[l], (size_t)p->s->width[l] * sizeof **before->bias_fixed);
  }
}

/* Fixes a constant to its simple number and refits the others; undoes that if it costs more than it saves. */
static bool take(rounding *p, const proposal *b) {
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_symbolic before = gt_symbolic_copy(&arena, p->s);
  *p->constant[b->constant].value = b->nice;
  *p->constant[b->constant].fixed = true;
  const double sum = gt_symbolic_fit(p->s, p->data, FIT_STEPS);
  const double lost = gt_symbolic_error_bits(p->data, sum) - gt_symbolic_error_bits(p->data, p->sum);
  const bool ok = lost < b->saved;
  if (ok) {
    p->sum = sum;
    p->s->nice_bits += b->bits;
  } else {
    restore(p, &before);
    p->refused[p->refusals].value = p->constant[b->constant].value;
    p->refused[p->refusals++].nice = b->nice;
  }
  gt_arena_finish(&arena);
  return ok;
}

int gt_symbolic_round_constants(gt_symbolic *symbolic, const gt_symbolic_data *data) {
  const size_t most = (size_t)gt_symbolic_free(symbolic, NULL) + 1;
  rounding p = {.s = symbolic, .data = data, .sum = gt_symbolic_fit(symbolic, data, 100)};
  int taken = 0;
  p.constant = gt_alloc(most * sizeof *p.constant);
  p.deviation = gt_alloc(most * sizeof *p.deviation);
  while (p.refusals < MAX_REFUSED && !gt_symbolic_is_exhausted(data)) {
    proposal best = {.constant = -1};
    p.count = gt_symbolic_free(symbolic, p.constant);
    gt_symbolic_deviations(symbolic, data, p.deviation);
    const double noise = sqrt(gt_symbolic_noise(data, p.sum, p.count));
    for (int k = 0; k < p.count; k++) propose(&p, k, noise, &best);
    if (best.constant < 0) break;
    taken += take(&p, &best);
  }
  free(p.constant);
  free(p.deviation);
  return taken;
}
