/* Constants that are nice numbers. */
#include "base/memory.h"
#include "kan/symbolic.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
enum { FIT_STEPS = 40 };

/* Nice numbers from the nicest on: the n-th one near x, false when there are no more. */
static bool nice_near(double x, int n, double *nice) {
  static const struct {
    double unit;   /* multiples of it … */
    double within; /* … that are so near, of the unit */
  } grids[] = {{1, 0.05},
               {0.5, 0.04},
               {PI, 0.03},
               {PI / 2, 0.03},
               {1 / 3.0, 0.03},
               {0.25, 0.03},
               {0.2, 0.03},
               {PI / 3, 0.02},
               {PI / 4, 0.02},
               {0.1, 0.02},
               {0.125, 0.02},
               {1 / 6.0, 0.02},
               {0.01, 0.02},
               {0.25 / PI, 0.01},
               {1.41421356237309505, 0.01},
               {1.73205080756887729, 0.01}};
  for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
    const double multiple = round(x / grids[g].unit), value = multiple * grids[g].unit;
    const bool whole_of_many = fabs(multiple) > 1000;
    if (whole_of_many || fabs(x - value) > grids[g].within * grids[g].unit || (!multiple && g)) continue;
    if (!n--) {
      *nice = value;
      return true;
    }
  }
  return false;
}

typedef struct snapper {
  gt_symbolic *s;
  const gt_symbolic_data *data;
  double sum; /* of squares, at its least */
  int snapped;
} snapper;

/* What the sum may grow to: by what nine times its mean is, or by what rounding of float samples can be. */
static double allowed(const snapper *p) {
  const double rounding = 1e-14 * p->data->variation;
  return p->sum * (1 + 9 / (double)(p->data->samples * p->data->outputs)) + rounding;
}

/* Gives one constant a value for good, if the others can make up for it. */
static bool try(snapper *p, double *value, bool *fixed, double nice) {
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_symbolic before = gt_symbolic_copy(&arena, p->s);
  *value = nice;
  *fixed = true;
  const double sum = gt_symbolic_fit(p->s, p->data, FIT_STEPS);
  const bool ok = sum <= allowed(p);
  if (ok) {
    p->sum = fmin(sum, p->sum);
    p->snapped++;
  } else {
    memcpy(p->s->edge, before.edge, (size_t)p->s->edges * sizeof *before.edge);
    for (int l = 1; l <= p->s->layers; l++) {
      memcpy(p->s->bias[l], before.bias[l], (size_t)p->s->width[l] * sizeof **before.bias);
      memcpy(p->s->bias_fixed[l], before.bias_fixed[l], (size_t)p->s->width[l] * sizeof **before.bias_fixed);
    }
  }
  gt_arena_finish(&arena);
  return ok;
}

static void snap(snapper *p, double *value, bool *fixed) {
  double nice;
  for (int n = 0; !*fixed && nice_near(*value, n, &nice); n++)
    if (try(p, value, fixed, nice)) return;
}

int gt_symbolic_snap(gt_symbolic *symbolic, const gt_symbolic_data *data) {
  snapper p = {symbolic, data, gt_symbolic_fit(symbolic, data, 100), 0};
  static const int order[] = {GT_CONSTANT_B, GT_CONSTANT_A, GT_CONSTANT_C};
  for (size_t i = 0; i < sizeof order / sizeof *order; i++)
    for (int e = 0; e < symbolic->edges; e++)
      snap(&p, &symbolic->edge[e].value[order[i]], &symbolic->edge[e].fixed[order[i]]);
  for (int l = 1; l <= symbolic->layers; l++)
    for (int n = 0; n < symbolic->width[l]; n++) snap(&p, &symbolic->bias[l][n], &symbolic->bias_fixed[l][n]);
  return p.snapped;
}
