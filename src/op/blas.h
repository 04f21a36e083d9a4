/* OpenBLAS, which is opened when a product first needs it: linked, it would start a thread for each processor
 * before main, and each would take 128 MiB of address space. We call it from threads of our own. */
#ifndef GT_OP_BLAS_H
#define GT_OP_BLAS_H
#include "base/error.h"
#include <cblas.h>
#include <stddef.h>
#include <stdint.h>

/* Must have been true before a product is computed on as many threads at a time: opens the library and has it
 * take its buffers, for it asks for them again and again where there is no memory. Not thread-safe. */
bool gt_blas_reserve(uint32_t threads, gt_error *error);
/* Its version and the kernels that it chose for this processor, as it says; false: it cannot be opened. */
bool gt_blas_describe(char *text, size_t size, gt_error *error);
extern __typeof__(&cblas_sgemm) gt_blas_sgemm;
#endif
