/* Mean and variance of each column of x [rows, columns]; row r has the weight weight[r / rows_per_sample].
 * Computed in passes: the first reduces chunks of rows, each later one chunks of the previous results
 * (parts). A pass writes to `parts` [chunks, 2, columns] the mean and the sum of squared deviations of each
 * chunk, and to `counts` [chunks] its total weight. The last pass writes mean, variance and 1 / sqrt(variance
 * + eps), [columns] each. If the total weight is 0, mean and variance are 0. */
#include "lib/args.h"
#define GT_MOMENTS_SPEC_FROM     3 /* the input of the pass, one of GT_MOMENTS_ROWS, … below */
#define GT_MOMENTS_SPEC_WEIGHTED 4 /* 1: rows have weights */
#define GT_MOMENTS_SPEC_LAST     5 /* 1: the last pass */
#define GT_MOMENTS_SPEC_ACROSS   6 /* groups of 4 columns per workgroup, a power of two */
#define GT_MOMENTS_SPEC_QUADS    7 /* 1: the number of columns is a multiple of 4 */
#define GT_MOMENTS_ROWS          0 /* rows of x */
#define GT_MOMENTS_PARTS         1 /* parts with their counts, the results of the previous pass */
/* Parts of `tile` rows each, which the kernel that made x has computed without weights (lib/columns.h); this
 * pass applies the weights. */
#define GT_MOMENTS_TILES 2
GT_ARGS(gt_moments_args) {
  GT_FLOATS x, weight;
  GT_FLOATS from, from_counts; /* parts and counts to read */
  GT_FLOATS parts, counts;
  GT_FLOATS mean, variance, inverse;
  uint rows, columns, rows_per_sample; /* of x */
  uint inputs, chunk, tile; /* inputs: rows or parts to reduce; chunk: how many of them per chunk */
  float eps;
};
