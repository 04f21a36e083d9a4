/* CPU kernels of a KAN layer that are not plain GEMMs, for the files of this folder. */
#ifndef GT_OP_KAN_CPU_H
#define GT_OP_KAN_CPU_H
#include "base/error.h"
#include "lib/args.h"
#include "op/kan/kan.h"
#include "op/matmul/factor.h"

struct gt_kan_input_args {
  GT_FLOATS x, g, c;     /* c: the coefficients, times their scales */
  GT_FLOATS in[4], y[2]; /* inputs and outputs of the epilogue */
  GT_WORDS clock, geometry;
  uint m; /* lines of x */
};

/* The gradient of the inputs (gt_kan_input); its number of tiles for m lines of x. */
uint32_t gt_kan_input_tiles(uint32_t m, uint32_t inputs, uint32_t block);
void gt_kan_input_cpu(const void *args, const uint32_t *spec, uint32_t tile);
bool gt_kan_input_prepare(const void *args, const uint32_t *spec, uint32_t threads, gt_error *error);

/* The basis as a value (shaders/op/kan/kan_basis.h): tiles of whole lines. */
uint32_t gt_kan_basis_tiles(uint32_t lines, uint32_t length);
void gt_kan_basis_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif
