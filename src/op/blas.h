/* OpenBLAS, called from the threads of our pool. The shared library is opened when the first GEMM runs on the
 * CPU, because runs on a GPU do not need it; `make dist` links the static library. OpenBLAS starts no threads
 * of its own: it would start one for each processor, with 128 MiB of address space each. */
#ifndef GT_OP_BLAS_H
#define GT_OP_BLAS_H
#include "base/error.h"
#include <cblas.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens the library and makes it allocate a buffer for each of `threads` threads: if OpenBLAS allocated them
 * later and memory were exhausted, it would retry forever. Must have returned true before this number of
 * threads computes GEMMs at the same time. Not thread-safe. */
bool gt_blas_reserve(uint32_t threads, gt_error *error);

/* True if gtrain has set OPENBLAS_CORETYPE, not the user. */
extern bool gt_blas_chose_core;

typedef struct gt_blas_facts {
  char text[256]; /* version, build options, CPU type of the kernels in use; the library's path or "linked" */
  bool slow;      /* the kernels do without AVX2, although the CPU has it */
} gt_blas_facts;

/* False if OpenBLAS cannot be opened. */
bool gt_blas_describe(gt_blas_facts *facts, gt_error *error);
extern __typeof__(&cblas_sgemm) gt_blas_sgemm; /* NULL until one of these functions has opened the library */
#endif
