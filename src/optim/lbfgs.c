#include "optim/lbfgs.h"
#include <math.h>
#include <string.h>

static const char *const searches[] = {"strong_wolfe", "none", NULL};

static const gt_field fields[] = {
    GT_OPTIM_LR("1"),
    GT_ROW(gt_lbfgs_config, history_size, GT_FIELD_INT, .fallback = "100", .min = 1, .max = 1000,
           .help = "number of past steps used to estimate the curvature; each needs memory for two "
                   "copies of the weights"),
    GT_ROW(gt_lbfgs_config, line_search_fn, GT_FIELD_CHOICE, .fallback = "strong_wolfe", .choices = searches,
           .help = "line search; none: fixed steps of lr"),
    GT_ROW(gt_lbfgs_config, max_ls, GT_FIELD_INT, .fallback = "25", .min = 1, .max = 1000,
           .help = "maximum number of function evaluations per line search"),
    GT_ROW(gt_lbfgs_config, tolerance_grad, GT_FIELD_FLOAT, .fallback = "1e-7", .max = 1e6,
           .help = "stop when every element of the gradient is at most this large in magnitude"),
    GT_ROW(gt_lbfgs_config, tolerance_change, GT_FIELD_FLOAT, .fallback = "1e-9", .max = 1e6,
           .help = "stop when a step changes the loss or the weights by less than this"),
    GT_ROW(gt_lbfgs_config, any_curvature, GT_FIELD_BOOL,
           .help = "use every step with positive curvature, needed for losses below about 1e-8 "
                   "(default: only if step · gradient change > 1e-10)"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "lbfgs", .help = "L-BFGS on the whole training data, with a line search", .fields = fields};

GT_DEFINE(optim, lbfgs) = {.name = "lbfgs",
                           .help = "L-BFGS with strong Wolfe conditions (Liu and Nocedal 1989)",
                           .schema = &schema,
                           .config_size = sizeof(gt_lbfgs_config),
                           .line_search = true};

/* --- directions --- */

static const double least_curvature = 1e-10;

bool gt_lbfgs_curves(const double *gram, int m, bool any) {
  return gram[2 * m * GT_LBFGS_ROWS(m) + 2 * m + 1] > (any ? 0 : least_curvature);
}

static double product(const double *gram, int rows, int row, const double *coefficient) {
  double sum = 0;
  for (int k = 0; k < rows; k++) sum += coefficient[k] * gram[row * rows + k];
  return sum;
}

/* Rows of the basis that hold s and y of pair i, counted from the oldest pair in use; the last pair is the
 * last step's. */
typedef struct pair {
  int s, y;
} pair;

static int list_pairs(const double *gram, int m, int pairs, bool any, pair *list) {
  const bool curves = gt_lbfgs_curves(gram, m, any);
  int n = 0;
  if (curves && pairs == m) pairs--; /* the oldest makes room */
  for (int i = m - pairs; i < m; i++) list[n++] = (pair){i, m + i};
  if (curves) list[n++] = (pair){2 * m, 2 * m + 1};
  return n;
}

double gt_lbfgs_direction(const double *gram, int m, int pairs, bool any, double *coefficient) {
  enum { MOST = 1001 };
  const int rows = GT_LBFGS_ROWS(m), g = rows - 1;
  pair list[MOST];
  double alpha[MOST], scale = 1;
  const int n = list_pairs(gram, m, pairs, any, list);
  memset(coefficient, 0, (size_t)rows * sizeof *coefficient);
  coefficient[g] = 1;
  for (int i = n - 1; i >= 0; i--) {
    const pair p = list[i];
    alpha[i] = product(gram, rows, p.s, coefficient) / gram[p.s * rows + p.y];
    coefficient[p.y] -= alpha[i];
  }
  if (n) scale = gram[list[n - 1].s * rows + list[n - 1].y] / gram[list[n - 1].y * rows + list[n - 1].y];
  for (int k = 0; k < rows; k++) coefficient[k] *= scale;
  for (int i = 0; i < n; i++) {
    const pair p = list[i];
    coefficient[p.s] += alpha[i] - product(gram, rows, p.y, coefficient) / gram[p.s * rows + p.y];
  }
  for (int k = 0; k < rows; k++) coefficient[k] = -coefficient[k];
  return product(gram, rows, g, coefficient);
}

/* --- line search --- */

static const double decrease = 1e-4, curvature = 0.9; /* c1 and c2 of Nocedal and Wright */

static double clamped(double value, double least, double most) {
  return value < least ? least : value > most ? most : value;
}

/* The minimum of the cubic through two points with their slopes, within [least, most]; the midpoint if there
 * is none (Nocedal and Wright, equation 3.59). */
static double cubic_minimum(gt_wolfe_point a, gt_wolfe_point b, double least, double most) {
  if (a.t > b.t) {
    const gt_wolfe_point swapped = a;
    a = b;
    b = swapped;
  }
  const double d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t);
  const double square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return (least + most) / 2;
  const double d2 = sqrt(square);
  const double at = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2));
  return isfinite(at) ? clamped(at, least, most) : (least + most) / 2;
}

void gt_wolfe_begin(gt_wolfe *search, double loss, double slope, double t, double largest,
                    double tolerance_change, int most) {
  const gt_wolfe_point start = {0, loss, slope};
  *search = (gt_wolfe){.t = t,
                       .best = start,
                       .start = start,
                       .before = start,
                       .largest = largest,
                       .tolerance_change = tolerance_change,
                       .most = most};
}

static bool end_at(gt_wolfe *search, gt_wolfe_point point) {
  search->best = point;
  search->t = point.t;
  return false;
}

static bool falls_enough(const gt_wolfe *search, gt_wolfe_point p) {
  return p.loss <= search->start.loss + decrease * p.t * search->start.slope;
}

static bool is_flat(const gt_wolfe *search, gt_wolfe_point p) {
  return fabs(p.slope) <= -curvature * search->start.slope;
}

/* Chooses the next point to evaluate inside the bracket; false if the bracket is too narrow or all
 * evaluations are used up. */
static bool ask_inside(gt_wolfe *search) {
  const gt_wolfe_point a = search->end[0], b = search->end[1];
  const double least = fmin(a.t, b.t), most = fmax(a.t, b.t), width = most - least, margin = 0.1 * width;
  if (search->asked > search->most || width * search->largest < search->tolerance_change)
    return end_at(search, search->end[search->low]);
  double t = cubic_minimum(a, b, least, most);
  /* A point close to an end twice in a row, or at it, would hardly shrink the bracket: move it inwards. */
  if (fmin(most - t, t - least) < margin) {
    if (search->slow || t >= most || t <= least) {
      t = fabs(t - most) < fabs(t - least) ? most - margin : least + margin;
      search->slow = false;
    } else {
      search->slow = true;
    }
  } else {
    search->slow = false;
  }
  search->t = t;
  return true;
}

static bool bracket(gt_wolfe *search, gt_wolfe_point a, gt_wolfe_point b) {
  search->end[0] = a;
  search->end[1] = b;
  search->low = !(a.loss <= b.loss);
  search->zooms = true;
  return ask_inside(search);
}

static bool widen(gt_wolfe *search, gt_wolfe_point now) {
  const gt_wolfe_point before = search->before;
  if (!falls_enough(search, now) || (search->asked > 2 && now.loss >= before.loss))
    return bracket(search, before, now);
  if (is_flat(search, now)) return end_at(search, now);
  if (now.slope >= 0) return bracket(search, before, now);
  if (search->asked > search->most) return bracket(search, search->start, now);
  search->before = now;
  search->t = cubic_minimum(before, now, now.t + 0.01 * (now.t - before.t), 10 * now.t);
  return true;
}

static bool narrow(gt_wolfe *search, gt_wolfe_point now) {
  const int low = search->low, high = !low;
  if (!falls_enough(search, now) || now.loss >= search->end[low].loss) {
    search->end[high] = now;
    search->low = !(search->end[0].loss <= search->end[1].loss);
    return ask_inside(search);
  }
  if (is_flat(search, now)) return end_at(search, now);
  if (now.slope * (search->end[high].t - search->end[low].t) >= 0) search->end[high] = search->end[low];
  search->end[low] = now;
  return ask_inside(search);
}

/* The loss is not finite: try a point half as far away. */
static bool retreat(gt_wolfe *search) {
  const double from = search->zooms ? search->end[search->low].t : search->before.t;
  if (search->asked > search->most)
    return end_at(search, search->zooms ? search->end[search->low] : search->before);
  search->t = from + (search->t - from) / 2;
  return true;
}

bool gt_wolfe_tell(gt_wolfe *search, double loss, double slope) {
  const gt_wolfe_point now = {search->t, loss, slope};
  search->asked++;
  if (!isfinite(loss) || !isfinite(slope)) return retreat(search);
  return search->zooms ? narrow(search, now) : widen(search, now);
}
