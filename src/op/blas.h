/* OpenBLAS, called from the threads of our pool. The shared library is opened when the first GEMM runs on the
 * CPU, because runs on a GPU do not need it; `make dist` links the static library. OpenBLAS starts no threads
 * of its own: it would start one for each processor, with 128 MiB of address space each. */
#ifndef GT_OP_BLAS_H
#define GT_OP_BLAS_H
#include "base/error.h"
#include <cblas.h>
#include <stddef.h>
#include <stdint.h>

/* Opens the library and makes it allocate a buffer for each of `threads` threads: if OpenBLAS allocated them
 * later and memory were exhausted, it would retry forever. Must have returned true before this number of
 * threads computes GEMMs at the same time. Not thread-safe. */
bool gt_blas_reserve(uint32_t threads, gt_error *error);
/* Describes OpenBLAS: its version, the kernels that it chose for this processor, and its path or "linked".
 * False if it cannot be opened. */
bool gt_blas_describe(char *text, size_t size, gt_error *error);
extern __typeof__(&cblas_sgemm) gt_blas_sgemm; /* NULL until one of these functions has opened the library */
#endif
