/* OpenBLAS, opened when a GEMM first needs it: if it were linked, it would start a thread for each processor
 * before main, and each would take 128 MiB of address space. It is called from the threads of our pool. */
#ifndef GT_OP_BLAS_H
#define GT_OP_BLAS_H
#include "base/error.h"
#include <cblas.h>
#include <stddef.h>
#include <stdint.h>

/* Must have returned true before `threads` threads compute GEMMs at a time: opens the library and makes it
 * allocate its buffers, as it would retry forever later if there is no memory. Not thread-safe. */
bool gt_blas_reserve(uint32_t threads, gt_error *error);
/* Its version and the kernels that it chose for this processor; false if it cannot be opened. */
bool gt_blas_describe(char *text, size_t size, gt_error *error);
extern __typeof__(&cblas_sgemm) gt_blas_sgemm;
#endif
