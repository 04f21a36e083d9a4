/* Checks on a paper device (paper_device.h) that plans use every kernel for matrix units (SPIR-V's
 * CooperativeMatrixKHR), and lists the variants of each. */
#ifndef GT_TEST_UNITS_H
#define GT_TEST_UNITS_H
#include "backend/backend.h"
#include "paper_device.h"

/* SPIR-V's CooperativeMatrixKHR and BFloat16CooperativeMatrixKHR. */
enum { UNITS_CAPABILITY = 6022, UNITS_BFLOAT_CAPABILITY = 5118 };

/* Compiles the kernels of the op cases (op/case.h) that contain a matrix product: in all precisions, fused
 * and not, and for the device's number of multiprocessors and for 16, 4 and 1, because the choice of tiles
 * depends on it. Returns the number of cases; -1 on an error. */
int units_compile_cases(gt_backend *backend, gt_error *error);
/* Prints a line for each kernel for matrix units: the number of its variants and their registers. Returns the
 * number of kernels that the device could run but no plan uses; -1 on an error. */
int units_report(const gt_backend *backend, const paper_kernel *kernel, size_t count, gt_error *error);
#endif
