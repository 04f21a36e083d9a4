/* CPU loaders of GEMM operands, by kind. */
#include "op/matmul/factor.h"
#include "op/kan/basis.h"
#include "op/matmul/patches.h"
#include "op/matmul/table_rows.h"

gt_factor_maker *const gt_factor_makers[GT_FACTORS] = {[GT_FACTOR_PATCHES] = gt_patches_make,
                                                       [GT_FACTOR_TAPS] = gt_taps_make,
                                                       [GT_FACTOR_ROWS] = gt_table_rows_make,
                                                       [GT_FACTOR_BASIS] = gt_basis_make};
const char *const gt_factor_names[GT_FACTORS] = {[GT_FACTOR_DENSE] = "dense",
                                                 [GT_FACTOR_SIDE_BY_SIDE] = "side by side",
                                                 [GT_FACTOR_PATCHES] = "patches",
                                                 [GT_FACTOR_TAPS] = "taps",
                                                 [GT_FACTOR_BYTES] = "bytes",
                                                 [GT_FACTOR_ROWS] = "table rows",
                                                 [GT_FACTOR_BASIS] = "basis functions",
                                                 [GT_FACTOR_REPEATED] = "repeated lines",
                                                 [GT_FACTOR_COEFFICIENTS] = "coefficients",
                                                 [GT_FACTOR_SCALED] = "scaled coefficients"};
