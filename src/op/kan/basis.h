/* The matrix of basis functions as a GEMM operand (shaders/op/kan/basis.h): its geometry, the bounds of the
 * functions, and its CPU loader. */
#ifndef GT_OP_KAN_BASIS_H
#define GT_OP_KAN_BASIS_H
#include "op/matmul/factor.h"
#include "shaders/op/kan/basis.h"

enum { GT_BASIS_MOST_DEGREE = 9, GT_BASIS_MOST_ORDER = 3 /* of a derivative */ };

struct gt_kan_attribute;
/* Sets the words of the geometry and the operand's own specialization constants: own[i] is constant
 * GT_FACTOR_SPEC_OWN + i. lines: rows of x; outputs: 0 if the kernel does not read coefficients. */
void gt_basis_geometry(const struct gt_kan_attribute *attribute, uint32_t lines, uint32_t inputs,
                       uint32_t outputs, uint32_t geometry[GT_BASIS_WORDS], uint32_t *own);
/* Adds to these words and constants how a GEMM finds the scales of this operand (shaders/op/matmul/range.h);
 * adds nothing if the functions are derivatives. limit[0] bounds the magnitude of the functions' inputs,
 * limit[1] that of the base's. columns: the GEMM reads the transposed matrix. Returns true if each row of
 * op(A), or column of op(B), has one scale for all of K. */
bool gt_basis_range(const struct gt_kan_attribute *attribute, const double limit[2], bool columns,
                    uint32_t geometry[GT_BASIS_WORDS], uint32_t *own);
/* Upper bound on the magnitude of function `term` for |x| <= limit; the base is the last function. */
float gt_basis_peak(const struct gt_kan_attribute *attribute, uint32_t term, double limit);
/* to[line * n + i] = function `term`, or its derivative of the order in spec, at x[line * inputs + i], i < n,
 * for `lines` lines of x; inputs = geometry[GT_BASIS_INPUTS]. geometry, spec: of the step. behind: the
 * parameter of the first function at the input of x[0], in the first row after all lines of x; or NULL. */
void gt_basis_fill(const uint32_t *geometry, const uint32_t *spec, uint32_t term, const float *x,
                   const float *behind, uint32_t lines, uint32_t n, float *to);
gt_factor_maker gt_basis_make; /* the CPU loader */
/* True if rows of parameters (knots, or centres and scales) follow the lines of x. */
static inline bool gt_basis_has_parameter_rows(const uint32_t *spec) {
  const uint32_t kind = spec[GT_BASIS_SPEC_KIND];
  return kind & GT_BASIS_PLACED || kind % GT_BASIS_BASE == GT_BASIS_KNOTS;
}
static inline uint32_t gt_basis_total(const uint32_t *spec) { /* functions of an input, the base among them */
  return spec[GT_BASIS_SPEC_TERMS] + spec[GT_BASIS_SPEC_KIND] / GT_BASIS_BASE % 2;
}
#endif
