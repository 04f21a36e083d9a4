/* Operand loader: a dense matrix of uint8 with scale and zero point, dequantized on load.
 *
 * A dense factor of bytes u, which stand for (u - center) * scale + shift; lines are whole quads, a word each. The geometry
 * is these three, floats: center is a byte, too, so that differences from it are exact in 16 bits. */
float bytes_center = 0.0, bytes_scale = 1.0, bytes_shift = 0.0;

void bytes_begin() {
  bytes_center = uintBitsToFloat(geometry.at[0]);
  bytes_scale = uintBitsToFloat(geometry.at[1]);
  bytes_shift = uintBitsToFloat(geometry.at[2]);
}

/* The quad at index i, if there is one. */
uint bytes_word(GT_FLOATS from, uint i, int left) { return GT_CAST(GT_WORDS, from).at[(left > 0 ? i : 0u) >> 2]; }

vec4 bytes_quad(GT_FLOATS from, gt_spot line, gt_spot position, int left) {
  vec4 u = vec4(uvec4(bytes_word(from, line.at + position.at, left)) >> uvec4(0u, 8u, 16u, 24u) & 255u);
  return left > 0 ? (u - bytes_center) * bytes_scale + bytes_shift : vec4(0.0);
}
