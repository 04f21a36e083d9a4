/* L-BFGS (Liu and Nocedal, "On the limited memory BFGS method for large scale optimization", 1989) with a
 * line search for the strong Wolfe conditions (Nocedal and Wright, "Numerical Optimization", 2006, algorithms
 * 3.5 and 3.6), with the settings, start and tolerances of torch.optim.LBFGS. This is the host's part, in
 * double precision. Directions are coefficients of basis vectors that stay on the device, so the host needs
 * only their dot products (Chen, Wang and Zhou, "Large-scale L-BFGS using MapReduce", 2014). The line search
 * asks the caller for one evaluation after another.
 *
 * The basis has GT_LBFGS_ROWS(m) rows for a history of m: steps s (oldest first), differences of gradients y,
 * the last step's s and y, which join the history if they curve the right way, and the gradient. */
#ifndef GT_OPTIM_LBFGS_H
#define GT_OPTIM_LBFGS_H
#include "optim/optim.h"

typedef struct gt_lbfgs_config {
  gt_optim_common common;
  int64_t history_size, max_ls;
  double tolerance_grad, tolerance_change;
  const char *line_search_fn;
  bool any_curvature;
} gt_lbfgs_config;

#define GT_LBFGS_ROWS(m) (2 * (m) + 3)

/* True if the last step's s and y have positive curvature, and so are used. Curvature within rounding error
 * counts only if `any` is set. */
bool gt_lbfgs_curves(const double *gram, int m, bool any);
/* Computes the coefficients of the direction -H g and its dot product with the gradient. gram [rows][rows]:
 * dot products of the basis. pairs: number of pairs in the history, newest last; the last step's pair is one
 * more if it has positive curvature. */
double gt_lbfgs_direction(const double *gram, int m, int pairs, bool any, double *coefficient);

/* A line search. After gt_wolfe_begin, the caller evaluates loss and slope (gradient times direction) at
 * search->t and passes them to gt_wolfe_tell, until that returns false. Then search->t is the step length,
 * and `best` holds the loss and slope there. */
typedef struct gt_wolfe_point {
  double t, loss, slope;
} gt_wolfe_point;
typedef struct gt_wolfe {
  double t;
  gt_wolfe_point best;
  /* private */
  gt_wolfe_point start, before, end[2]; /* end[low] is the lower one of a bracket */
  double largest, tolerance_change;     /* of the direction's values */
  int low, asked, most;
  bool zooms, slow;
} gt_wolfe;
void gt_wolfe_begin(gt_wolfe *search, double loss, double slope, double t, double largest,
                    double tolerance_change, int most);
bool gt_wolfe_tell(gt_wolfe *search, double loss, double slope);
#endif
