/* How products read their factors, whatever they consist of (factor.h). Where an operand is neither dense nor
 * all of it there, a kernel
 *   GT_BEGIN(KIND)                              reads what all of it needs,
 *   GT_LINE(spot, KIND, z, line, wide, stride)  works out once what is needed of a line of entry z of the batch
 *   GT_POSITION(spot, KIND, position)           and of a quad's position within all lines,
 *   GT_QUAD(v, KIND, from, line_spot, position_spot, position, left, aligned)
 *                                               and reads that quad of that line: `left` of its elements exist,
 *                                               all others are 0.
 * KIND is a specialization constant, so that of the kinds only one remains; each has a file load_NAME.glsl with
 * functions of these names. Spots of lines and of positions that do not exist may be worked out. wide: length
 * of a line; stride: from an entry of the batch to the next; aligned: may quads of a dense operand be read at
 * once? */

/* What a kind keeps of a line or of a position: an offset, and what decides whether an element is there. */
struct gt_spot {
  uint at;
  ivec3 place;
  uint phase;
};

#include "op/matmul/load_dense.glsl"
#include "op/matmul/load_patches.glsl"
#include "op/matmul/load_basis.glsl"
#include "op/matmul/load_segments.glsl"

#define GT_BEGIN(KIND) \
  if (KIND == GT_FACTOR_PATCHES) patches_begin(); \
  if (KIND >= GT_FACTOR_BASIS) basis_begin(); \
  if (KIND > GT_FACTOR_BASIS) segments_begin();

#define GT_LINE(spot, KIND, z, line, wide, stride) \
  if (KIND == GT_FACTOR_PATCHES) spot = patches_line(z, line); \
  else if (KIND == GT_FACTOR_BASIS) spot = basis_line(line); \
  else if (KIND == GT_FACTOR_REPEATED) spot = repeated_line(line); \
  else if (KIND == GT_FACTOR_COEFFICIENTS) spot = coefficients_line(line); \
  else if (KIND == GT_FACTOR_SIDE_BY_SIDE) spot = side_line(z, line, wide); \
  else spot = dense_line(z, line, wide, stride);

#define GT_POSITION(spot, KIND, position) \
  if (KIND == GT_FACTOR_PATCHES) spot = patches_position(position); \
  else if (KIND == GT_FACTOR_BASIS) spot = basis_position(position); \
  else if (KIND == GT_FACTOR_REPEATED) spot = repeated_position(position); \
  else if (KIND == GT_FACTOR_COEFFICIENTS) spot = coefficients_position(position); \
  else spot = dense_position(position);

#define GT_QUAD(v, KIND, from, line_spot, position_spot, position, left, aligned) \
  if (KIND == GT_FACTOR_PATCHES) v = patches_quad(from, line_spot, position_spot, position, left); \
  else if (KIND == GT_FACTOR_BASIS) v = basis_quad(from, line_spot, position_spot, position, left); \
  else if (KIND > GT_FACTOR_BASIS) v = segments_quad(from, line_spot, position_spot, left); \
  else v = dense_quad(from, line_spot, position_spot, left, aligned);
