/* Least squares by Levenberg and Marquardt, dense and in double, for a few hundred parameters at most. */
#ifndef GT_KAN_LEAST_H
#define GT_KAN_LEAST_H

typedef struct gt_least {
  int parameters;
  void *owner;
  /* The sum of the squared residuals at p; infinite where there is none. With `square` [parameters,
   * parameters] and `side` [parameters], which begin as zeros, also J'J (its lower half) and J'r. */
  double (*sum)(void *owner, const double *p, double *square, double *side);
} gt_least;

/* Moves p downhill until it is at a minimum, or so many steps have been tried. Returns the sum there. */
double gt_least_squares(const gt_least *problem, double *p, int most_steps);
/* Of each parameter at a minimum the standard error where residuals have a deviation of 1, the root of the
 * diagonal of (J'J)^-1; infinite where the residuals do not depend on it. deviation: [parameters]. */
void gt_least_deviations(const gt_least *problem, const double *p, double *deviation);
#endif
