#include "optim/lbfgs.h"
#include <math.h>
#include <string.h>

static const char *const line_searches[] = {"strong_wolfe", "none", NULL};

static const gt_field fields[] = {
    GT_OPTIM_LR("1"),
    GT_ROW(gt_lbfgs_config, history_size, GT_FIELD_INT, .fallback = "100", .min = 1, .max = 1000,
           .help = "number of past steps used to estimate the curvature; each needs memory for two "
                   "copies of the weights"),
    GT_ROW(gt_lbfgs_config, line_search_fn, GT_FIELD_CHOICE, .fallback = "strong_wolfe",
           .choices = line_searches, .help = "line search; none: fixed steps of lr"),
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

static const double min_curvature = 1e-10; /* as torch.optim.LBFGS */

bool gt_lbfgs_has_curvature(const double *gram, int m, bool any_curvature) {
  return gram[2 * m * GT_LBFGS_ROWS(m) + 2 * m + 1] > (any_curvature ? 0 : min_curvature);
}

/* Dot product of basis vector `row` and the linear combination of all basis vectors. */
static double dot(const double *gram, int rows, int row, const double *coefficient) {
  double sum = 0;
  for (int k = 0; k < rows; k++) sum += coefficient[k] * gram[row * rows + k];
  return sum;
}

/* Indices of the basis vectors s and y of one pair. */
typedef struct pair {
  int s, y;
} pair;

/* Lists the pairs in use, from the oldest to the last step's; returns how many there are. */
static int list_pairs(const double *gram, int m, int pairs, bool any_curvature, pair *list) {
  const bool uses_last = gt_lbfgs_has_curvature(gram, m, any_curvature);
  int n = 0;
  if (uses_last && pairs == m) pairs--; /* the last step's pair replaces the oldest */
  for (int i = m - pairs; i < m; i++) list[n++] = (pair){i, m + i};
  if (uses_last) list[n++] = (pair){2 * m, 2 * m + 1};
  return n;
}

/* The two-loop recursion (Nocedal and Wright, algorithm 7.4). */
double gt_lbfgs_direction(const double *gram, int m, int pairs, bool any_curvature, double *coefficient) {
  enum { MAX_PAIRS = 1001 }; /* the largest history_size, and the last step's pair */
  const int rows = GT_LBFGS_ROWS(m), g = rows - 1;
  pair list[MAX_PAIRS];
  double alpha[MAX_PAIRS], scale = 1;
  const int n = list_pairs(gram, m, pairs, any_curvature, list);
  memset(coefficient, 0, (size_t)rows * sizeof *coefficient);
  coefficient[g] = 1;
  for (int i = n - 1; i >= 0; i--) {
    const pair p = list[i];
    alpha[i] = dot(gram, rows, p.s, coefficient) / gram[p.s * rows + p.y];
    coefficient[p.y] -= alpha[i];
  }
  if (n) scale = gram[list[n - 1].s * rows + list[n - 1].y] / gram[list[n - 1].y * rows + list[n - 1].y];
  for (int k = 0; k < rows; k++) coefficient[k] *= scale;
  for (int i = 0; i < n; i++) {
    const pair p = list[i];
    coefficient[p.s] += alpha[i] - dot(gram, rows, p.y, coefficient) / gram[p.s * rows + p.y];
  }
  for (int k = 0; k < rows; k++) coefficient[k] = -coefficient[k];
  return dot(gram, rows, g, coefficient);
}

/* --- line search --- */

static const double decrease = 1e-4, curvature = 0.9; /* c1 and c2 of Nocedal and Wright */

static double clamped(double value, double least, double most) {
  return value < least ? least : value > most ? most : value;
}

/* The minimum of the cubic through two points with their slopes, clamped to [least, most]; the midpoint if
 * the cubic has no minimum (Nocedal and Wright, equation 3.59). */
static double cubic_minimum(gt_wolfe_point a, gt_wolfe_point b, double least, double most) {
  if (a.t > b.t) {
    const gt_wolfe_point first = a;
    a = b;
    b = first;
  }
  const double d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t);
  const double discriminant = d1 * d1 - a.slope * b.slope;
  if (!(discriminant >= 0)) return (least + most) / 2;
  const double d2 = sqrt(discriminant);
  const double t = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2));
  return isfinite(t) ? clamped(t, least, most) : (least + most) / 2;
}

void gt_wolfe_begin(gt_wolfe *search, double loss, double slope, double t, double max_direction,
                    double tolerance_change, int max_evaluations) {
  const gt_wolfe_point start = {0, loss, slope};
  *search = (gt_wolfe){.t = t,
                       .start = start,
                       .previous = start,
                       .max_direction = max_direction,
                       .tolerance_change = tolerance_change,
                       .max_evaluations = max_evaluations};
}

static bool finish_at(gt_wolfe *search, gt_wolfe_point point) {
  search->t = point.t;
  return false;
}

/* True if the loss satisfies the Armijo condition. */
static bool has_sufficient_decrease(const gt_wolfe *search, gt_wolfe_point p) {
  return p.loss <= search->start.loss + decrease * p.t * search->start.slope;
}

/* True if the slope satisfies the strong curvature condition. */
static bool meets_curvature_condition(const gt_wolfe *search, gt_wolfe_point p) {
  return fabs(p.slope) <= -curvature * search->start.slope;
}

/* Chooses the next point to evaluate inside the bracket; false if the bracket is too narrow or all
 * evaluations are used up. */
static bool choose_inside(gt_wolfe *search) {
  const gt_wolfe_point a = search->end[0], b = search->end[1];
  const double least = fmin(a.t, b.t), most = fmax(a.t, b.t), width = most - least, margin = 0.1 * width;
  if (search->evaluations > search->max_evaluations ||
      width * search->max_direction < search->tolerance_change)
    return finish_at(search, search->end[search->low]);
  double t = cubic_minimum(a, b, least, most);
  /* A point at an end, or close to one twice in a row, hardly shrinks the bracket: move it inwards. */
  if (fmin(most - t, t - least) < margin) {
    if (search->is_slow || t >= most || t <= least) {
      t = fabs(t - most) < fabs(t - least) ? most - margin : least + margin;
      search->is_slow = false;
    } else {
      search->is_slow = true;
    }
  } else {
    search->is_slow = false;
  }
  search->t = t;
  return true;
}

/* Starts to search between a and b. */
static bool begin_zoom(gt_wolfe *search, gt_wolfe_point a, gt_wolfe_point b) {
  search->end[0] = a;
  search->end[1] = b;
  search->low = !(a.loss <= b.loss);
  search->is_zooming = true;
  return choose_inside(search);
}

/* Extends the step until a bracket is found (algorithm 3.5). */
static bool extend(gt_wolfe *search, gt_wolfe_point now) {
  const gt_wolfe_point previous = search->previous;
  if (!has_sufficient_decrease(search, now) || (search->evaluations > 2 && now.loss >= previous.loss))
    return begin_zoom(search, previous, now);
  if (meets_curvature_condition(search, now)) return finish_at(search, now);
  if (now.slope >= 0) return begin_zoom(search, previous, now);
  if (search->evaluations > search->max_evaluations) return begin_zoom(search, search->start, now);
  search->previous = now;
  search->t = cubic_minimum(previous, now, now.t + 0.01 * (now.t - previous.t), 10 * now.t);
  return true;
}

/* Shrinks the bracket (algorithm 3.6). */
static bool zoom(gt_wolfe *search, gt_wolfe_point now) {
  const int low = search->low, high = !low;
  if (!has_sufficient_decrease(search, now) || now.loss >= search->end[low].loss) {
    search->end[high] = now;
    search->low = !(search->end[0].loss <= search->end[1].loss);
    return choose_inside(search);
  }
  if (meets_curvature_condition(search, now)) return finish_at(search, now);
  if (now.slope * (search->end[high].t - search->end[low].t) >= 0) search->end[high] = search->end[low];
  search->end[low] = now;
  return choose_inside(search);
}

/* The loss is not finite: tries a point half as far away. */
static bool halve_step(gt_wolfe *search) {
  const double from = search->is_zooming ? search->end[search->low].t : search->previous.t;
  if (search->evaluations > search->max_evaluations)
    return finish_at(search, search->is_zooming ? search->end[search->low] : search->previous);
  search->t = from + (search->t - from) / 2;
  return true;
}

bool gt_wolfe_report(gt_wolfe *search, double loss, double slope) {
  const gt_wolfe_point now = {search->t, loss, slope};
  search->evaluations++;
  if (!isfinite(loss) || !isfinite(slope)) return halve_step(search);
  return search->is_zooming ? zoom(search, now) : extend(search, now);
}
