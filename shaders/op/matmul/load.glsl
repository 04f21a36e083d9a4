/* How products read their factors, whatever they consist of (factor.h), and where rows of their results go. For a
 * kernel that has the arguments of matmul.h and lib/program.glsl, and the constant RESULT. Where an operand is
 * not dense, it
 *   GT_BEGIN(KIND)                              reads what all of it needs,
 *   GT_LINE(spot, KIND, z, line, wide, stride)  works out once what is needed of a line of entry z of the batch
 *   GT_POSITION(spot, KIND, position)           and of the position, a multiple of four, of a quad in all lines,
 *   GT_QUAD(v, KIND, from, line_spot, position_spot, position, left, aligned)
 *                                               and reads that quad of that line: `left` of its elements exist,
 *                                               all others are 0.
 * KIND is a specialization constant, so that of the kinds only one remains; each has a file load_NAME.glsl with
 * functions of these names. Spots of lines and of positions that do not exist may be worked out. wide: length
 * of a line; stride: from an entry of the batch to the next; aligned: may quads of a dense operand be read at
 * once? */
#include "op/matmul/fetch.glsl"
#include "op/matmul/spot.glsl"
#include "op/matmul/load_dense.glsl"
#include "op/matmul/load_bytes.glsl"
#include "op/matmul/load_patches.glsl"
#include "op/matmul/load_rows.glsl"
#include "op/matmul/load_basis.glsl"
#include "op/matmul/load_scaled.glsl"
#include "op/matmul/load_segments.glsl"

#define GT_BEGIN(KIND) \
  if (KIND == GT_FACTOR_PATCHES) patches_begin(); \
  if (KIND == GT_FACTOR_BYTES) bytes_begin(); \
  if (KIND >= GT_FACTOR_BASIS) basis_begin(); \
  if (KIND == GT_FACTOR_REPEATED || KIND == GT_FACTOR_COEFFICIENTS) segments_begin();

#define GT_LINE(spot, KIND, z, line, wide, stride) \
  if (KIND == GT_FACTOR_PATCHES) spot = patches_line(z, line); \
  else if (KIND == GT_FACTOR_ROWS) spot = rows_line(line); \
  else if (KIND == GT_FACTOR_BASIS) spot = basis_line(line); \
  else if (KIND == GT_FACTOR_REPEATED) spot = repeated_line(line); \
  else if (KIND == GT_FACTOR_COEFFICIENTS) spot = coefficients_line(line); \
  else if (KIND == GT_FACTOR_SCALED) spot = scaled_line(line); \
  else if (KIND == GT_FACTOR_SIDE_BY_SIDE) spot = side_line(z, line, wide); \
  else if (KIND == GT_FACTOR_TAPS) spot = taps_line(z, line, wide, stride); \
  else spot = dense_line(z, line, wide, stride);

#define GT_POSITION(spot, KIND, position) \
  if (KIND == GT_FACTOR_PATCHES) spot = patches_position(position); \
  else if (KIND == GT_FACTOR_ROWS) spot = rows_position(position); \
  else if (KIND == GT_FACTOR_BASIS) spot = basis_position(position); \
  else if (KIND == GT_FACTOR_REPEATED) spot = repeated_position(position); \
  else if (KIND == GT_FACTOR_COEFFICIENTS) spot = coefficients_position(position); \
  else spot = dense_position(position);

#define GT_QUAD(v, KIND, from, line_spot, position_spot, position, left, aligned) \
  if (KIND == GT_FACTOR_PATCHES) v = patches_quad(from, line_spot, position_spot, position, left); \
  else if (KIND == GT_FACTOR_ROWS) v = rows_quad(from, line_spot, position_spot, left); \
  else if (KIND == GT_FACTOR_BASIS) v = basis_quad(from, line_spot, position_spot, position, left); \
  else if (KIND == GT_FACTOR_BYTES) v = bytes_quad(from, line_spot, position_spot, left); \
  else if (KIND == GT_FACTOR_SCALED) v = scaled_quad(from, line_spot, position_spot, left); \
  else if (KIND == GT_FACTOR_COEFFICIENTS) v = coefficients_quad(from, line_spot, position_spot, left); \
  else if (KIND == GT_FACTOR_REPEATED) v = segments_quad(from, line_spot, position_spot, left); \
  else v = dense_quad(from, line_spot, position_spot, left, aligned);

/* Where row i of entry z of the result begins, that has n columns. */
uint gt_result_row(uint z, uint i) {
  uint at = (z * m + i) * n;
  if (RESULT == GT_RESULT_SIDE_BY_SIDE) at = (i * batch + z) * n;
  if (RESULT == GT_RESULT_PLACED) at = (patches_row(i) * batch + z) * n;
  return at;
}
