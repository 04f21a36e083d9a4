/* Splines on the host, in double precision, for initial values and for fits of coefficients. */
#ifndef GT_LAYER_SPLINE_H
#define GT_LAYER_SPLINE_H
#include <stdbool.h>
#include <stdint.h>

enum { GT_SPLINE_MAX_DEGREE = 9 };

/* The cardinal B-spline N_degree(v) (shaders/op/kan/basis/bspline.h). */
double gt_spline(uint32_t degree, double v);
/* Evaluates all B-splines of this degree over `knots` knots at x (shaders/op/kan/basis/knots.h): knots -
 * degree - 1 values. */
void gt_splines(const double *knot, uint32_t knots, uint32_t degree, double x, double *value);
/* Computes the pseudo-inverse [columns, rows] of the matrix a [rows, columns]: it solves a x = y by least
 * squares or, if there are many solutions, by the shortest one. */
void gt_pseudo_inverse(const double *a, uint32_t rows, uint32_t columns, double *inverse);
#endif
