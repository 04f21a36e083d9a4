/* Kernels for matrix units (SPIR-V's CooperativeMatrixKHR) on a device on paper: which exist, which of them
 * plans use, and in which variants. */
#ifndef GT_TEST_UNITS_H
#define GT_TEST_UNITS_H
#include "backend/backend.h"
#include "paper_device.h"

enum { UNITS_CAPABILITY = 6022, UNITS_BFLOAT_CAPABILITY = 5118 };

/* Compiles the kernels of the op cases with products in all precisions, fused and not, for devices with one
 * multiprocessor, some, and the real number: tiles depend on it. Returns the number of cases; -1 on an
 * error. */
int units_compile_cases(gt_backend *backend, gt_error *error);
/* Prints a line for each embedded kernel: its variants and their registers. Returns the number of kernels
 * that the device could run but no plan used; -1 on an error. */
int units_report(const gt_backend *backend, const paper_kernel *kernel, size_t count, gt_error *error);
#endif
