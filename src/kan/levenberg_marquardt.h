/* Nonlinear least squares by Levenberg-Marquardt (Marquardt, "An algorithm for least-squares estimation of
 * nonlinear parameters", 1963), dense and in double, for a few hundred parameters at most. */
#ifndef GT_KAN_LEVENBERG_MARQUARDT_H
#define GT_KAN_LEVENBERG_MARQUARDT_H

typedef struct gt_levenberg_marquardt {
  int parameters;
  void *context;
  /* Returns the sum of squared residuals at p; infinite where they are not defined. If `jtj` is not NULL,
   * also adds J'J (its lower half) to `jtj` [parameters, parameters] and J'r to `jtr` [parameters], which the
   * caller has zeroed; J: Jacobian, r: residuals. */
  double (*sum)(void *context, const double *p, double *jtj, double *jtr);
} gt_levenberg_marquardt;

/* Moves p to a local minimum of the sum in at most `max_steps` steps. Returns the sum there. */
double gt_levenberg_marquardt_minimize(const gt_levenberg_marquardt *problem, double *p, int max_steps);
/* The standard error of each parameter at a minimum if residuals have a standard deviation of 1: the square
 * root of the diagonal of (J'J)^-1; infinite if no residual depends on it. deviation: [parameters]. */
void gt_levenberg_marquardt_deviations(const gt_levenberg_marquardt *problem, const double *p,
                                       double *deviation);
#endif
