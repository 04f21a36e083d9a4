/* Kernels for matrix units (SPIR-V's CooperativeMatrixKHR) on a device on paper: which there are, which of
 * them plans take, and in what variants. */
#ifndef GT_TEST_UNITS_H
#define GT_TEST_UNITS_H
#include "backend/backend.h"
#include "paper_device.h"

enum { UNITS_CAPABILITY = 6022, UNITS_BFLOAT_CAPABILITY = 5118 };

/* Compiles what the op cases with products take in all precisions, fused and not, as if the device had one
 * multiprocessor, some, and its own: tiles depend on them. How many cases; -1 on an error. */
int units_compile_cases(gt_backend *backend, gt_error *error);
/* A line for each embedded kernel: its variants and what registers they take. How many of them the device
 * could have run, but no plan took; -1 on an error. */
int units_report(const gt_backend *backend, const paper_kernel *kernel, size_t count, gt_error *error);
#endif
