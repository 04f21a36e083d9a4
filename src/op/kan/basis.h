/* Basis functions as a factor of products (shaders/op/kan/basis.h): what they are, and their elements on the
 * CPU. */
#ifndef GT_OP_KAN_BASIS_H
#define GT_OP_KAN_BASIS_H
#include "op/matmul/factor.h"
#include "shaders/op/kan/basis.h"

enum { GT_BASIS_MOST_DEGREE = 9, GT_BASIS_MOST_ORDER = 3 };

/* The words of a geometry for `inputs` and, where they are asked for, `outputs` and `lines`, and the
 * constants from GT_FACTOR_SPEC_OWN on. */
struct gt_kan_attribute;
void gt_basis_geometry(const struct gt_kan_attribute *attribute, uint32_t lines, uint32_t inputs,
                       uint32_t outputs, uint32_t geometry[GT_BASIS_WORDS], uint32_t *spec);
/* How a product whose factor are functions, not derivatives, finds the powers of two of its lines
 * (shaders/op/matmul/range.h), given that inputs are no larger than limit[0], those of the base than
 * limit[1]: into words and constants of the above. columns: its lines are the basis' columns. Whether one
 * scale serves a whole row or column. */
bool gt_basis_range(const struct gt_kan_attribute *attribute, const double limit[2], bool columns,
                    uint32_t geometry[GT_BASIS_WORDS], uint32_t *spec);
/* What function `term` is no larger than for |x| <= limit; the base is the last. */
float gt_basis_peak(const struct gt_kan_attribute *attribute, uint32_t term, double limit);
/* to[line * n + i] = function `term` at x[i], i < n, of `lines` lines of x, as geometry and spec (a step's)
 * tell; behind: of the first row behind the lines, where there is one, the value at the same input as x[0].
 */
void gt_basis_fill(const uint32_t *geometry, const uint32_t *spec, uint32_t term, const float *x,
                   const float *behind, uint32_t lines, uint32_t n, float *to);
gt_factor_maker gt_basis_make;
/* True if a step's constants say that rows follow those of x. */
static inline bool gt_basis_has_behind(const uint32_t *spec) {
  const uint32_t kind = spec[GT_BASIS_SPEC_KIND];
  return kind & GT_BASIS_PLACED || kind % GT_BASIS_BASE == GT_BASIS_KNOTS;
}
static inline uint32_t gt_basis_total(const uint32_t *spec) { /* functions of an input, the base among them */
  return spec[GT_BASIS_SPEC_TERMS] + spec[GT_BASIS_SPEC_KIND] / GT_BASIS_BASE % 2;
}
#endif
