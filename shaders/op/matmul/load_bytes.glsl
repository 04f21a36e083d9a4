/* Operand loader (load.glsl): a dense matrix of uint8, dequantized on load. A byte u stands for (u - center) * scale +
 * shift; these three floats are the geometry. center is an integer from 0 to 255, so that u - center is exact in 16
 * bits. The length of a line is a multiple of 4; a quad is one word. */
float bytes_center = 0.0, bytes_scale = 1.0, bytes_shift = 0.0;

void bytes_begin() {
  bytes_center = uintBitsToFloat(geometry.at[0]);
  bytes_scale = uintBitsToFloat(geometry.at[1]);
  bytes_shift = uintBitsToFloat(geometry.at[2]);
}

/* The quad at index i, or any other if left <= 0. */
uint bytes_word(GT_FLOATS from, uint i, int left) { return GT_CAST(GT_WORDS, from).at[(left > 0 ? i : 0u) >> 2]; }

vec4 bytes_quad(GT_FLOATS from, gt_spot line, gt_spot position, int left) {
  vec4 u = vec4(uvec4(bytes_word(from, line.at + position.at, left)) >> uvec4(0u, 8u, 16u, 24u) & 255u);
  return left > 0 ? (u - bytes_center) * bytes_scale + bytes_shift : vec4(0.0);
}
