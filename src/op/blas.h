/* OpenBLAS, called from the threads of our pool. The shared library is opened when a GEMM first needs it, as
 * GEMMs are not needed on a GPU; `make dist` links the static one. OpenBLAS starts no threads of its own: it
 * would start one for each processor, and each takes 128 MiB of address space. */
#ifndef GT_OP_BLAS_H
#define GT_OP_BLAS_H
#include "base/error.h"
#include <cblas.h>
#include <stddef.h>
#include <stdint.h>

/* Opens the library and makes it allocate a buffer for each of `threads` threads: later it would retry
 * forever if there is no memory. Must have returned true before that many threads compute GEMMs at the same
 * time. Not thread-safe. */
bool gt_blas_reserve(uint32_t threads, gt_error *error);
/* Writes OpenBLAS's version, the kernels that it chose for this processor and its path, or that it is linked.
 * False if it cannot be opened. */
bool gt_blas_describe(char *text, size_t size, gt_error *error);
extern __typeof__(&cblas_sgemm) gt_blas_sgemm; /* NULL until one of these functions has opened the library */
#endif
