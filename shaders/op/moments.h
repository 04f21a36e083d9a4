/* The mean and the variance of each column of x [rows, columns], where row r counts as often as weight[r /
 * each] says, in passes: one joins rows r of a chunk, another what chunks came to. Of a chunk, or all, that
 * is `parts` [chunks, 2, columns], the mean and the sum of squares about it, and how many rows that counts,
 * `counts` [chunks]; of the last pass mean, variance and 1 / sqrt(variance + eps), [columns] each. Where
 * nothing counts mean and variance are 0. */
#include "lib/args.h"
#define GT_MOMENTS_SPEC_FROM     3 /* what is joined: */
#define GT_MOMENTS_SPEC_WEIGHTED 4
#define GT_MOMENTS_SPEC_LAST     5 /* 1: of all chunks */
#define GT_MOMENTS_SPEC_ACROSS   6 /* quads of columns of a workgroup, a power of two */
#define GT_MOMENTS_SPEC_QUADS    7 /* 1: columns are whole quads */
#define GT_MOMENTS_ROWS          0 /* rows of x */
#define GT_MOMENTS_PARTS         1 /* parts with their counts */
#define GT_MOMENTS_TILES \
  2 /* parts, of `tile` rows each, that know nothing of weights, which are applied now */
GT_ARGS(gt_moments_args) {
  GT_FLOATS x, weight;
  GT_FLOATS from, from_counts;
  GT_FLOATS parts, counts;
  GT_FLOATS mean, variance, inverse;
  uint rows, columns, each; /* of x */
  uint joined, chunk, tile; /* rows or parts that are joined, so many in a chunk */
  float eps;
};
