/* Operand loaders of GEMM kernels: they read vec4s of an operand of any kind (factor.h); gt_result_row tells where a
 * row of the result is stored. Include after the arguments of matmul.h, lib/program.glsl and the constant RESULT. For
 * operands that are not dense matrices:
 *   GT_BEGIN(KIND)                              loads what all elements need;
 *   GT_LINE(spot, KIND, z, line, wide, stride)  computes once what a row or column of batch entry z needs;
 *   GT_POSITION(spot, KIND, position)           computes what a vec4's position, a multiple of four, needs;
 *   GT_QUAD(v, KIND, from, line_spot, position_spot, position, left, aligned)
 *                                               loads that vec4: `left` of its elements exist, the others are 0.
 * KIND is a specialization constant, so only the code for one kind is compiled; load_NAME.glsl has the functions of
 * each. The arguments may be lines and positions that do not exist. wide: the length of a line; stride: elements from
 * one batch entry to the next; aligned: a dense operand can be read as vec4s. */
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

/* Index of the first element of row i of batch entry z of the result. */
uint gt_result_row(uint z, uint i) {
  uint at = (z * m + i) * n;
  if (RESULT == GT_RESULT_SIDE_BY_SIDE) at = (i * batch + z) * n;
  if (RESULT == GT_RESULT_PLACED) at = (patches_row(i) * batch + z) * n;
  return at;
}
