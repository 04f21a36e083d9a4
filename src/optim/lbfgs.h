/* L-BFGS (Liu and Nocedal, "On the limited memory BFGS method for large scale optimization", 1989) with a
 * line search for the strong Wolfe conditions (Nocedal and Wright, "Numerical Optimization", 2006, algorithms
 * 3.5 and 3.6), with the settings, start and tolerances of torch.optim.LBFGS. This is the host's part, in
 * double precision. A direction is a linear combination of basis vectors that stay on the device, so the host
 * needs only the dot products of these vectors (Chen, Wang and Zhou, "Large-scale L-BFGS using MapReduce",
 * 2014). The line search chooses the points; the caller evaluates the loss there.
 *
 * The basis for a history of m pairs has GT_LBFGS_ROWS(m) rows: m steps s (oldest first), m gradient
 * differences y, the s and y of the last step, which join the history only if
 * gt_lbfgs_has_curvature is true, and the gradient. */
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

/* True if the s and y of the last step can be used: if their curvature s·y is above 1e-10, or with
 * any_curvature above 0, which may be a rounding error. */
bool gt_lbfgs_has_curvature(const double *gram, int m, bool any_curvature);
/* Computes the coefficients of the direction -H g and its dot product with the gradient. gram [rows][rows]:
 * dot products of the basis vectors. pairs: number of pairs in the history, without the last step's, which is
 * also used if gt_lbfgs_has_curvature is true. coefficient [rows]: output. */
double gt_lbfgs_direction(const double *gram, int m, int pairs, bool any_curvature, double *coefficient);

/* A line search. After gt_wolfe_begin, the caller evaluates loss and slope (dot product of gradient and
 * direction) at search->t and passes them to gt_wolfe_report, until gt_wolfe_report returns false. Then
 * search->t is the step length. */
typedef struct gt_wolfe_point {
  double t, loss, slope; /* t: step length, in multiples of the direction */
} gt_wolfe_point;
typedef struct gt_wolfe {
  double t;
  /* private */
  gt_wolfe_point start, previous, end[2]; /* end: the ends of the bracket */
  int low;                                /* index of the end with the lower loss */
  double max_direction, tolerance_change;
  int evaluations, max_evaluations;
  bool is_zooming; /* a bracket was found */
  bool is_slow;    /* the last point was close to an end of the bracket */
} gt_wolfe;
/* loss, slope: at the start, t = 0. t: the first step length to try. max_direction: the largest magnitude of
 * an element of the direction; the search ends when the width of the bracket times max_direction is below
 * tolerance_change. max_evaluations: max_ls of PyTorch, which does not count the first point, so that there
 * are at most max_evaluations + 1 reports. */
void gt_wolfe_begin(gt_wolfe *search, double loss, double slope, double t, double max_direction,
                    double tolerance_change, int max_evaluations);
/* Reports loss and slope at search->t. True: search->t is the next point to evaluate; false: the search is
 * finished. */
bool gt_wolfe_report(gt_wolfe *search, double loss, double slope);
#endif
