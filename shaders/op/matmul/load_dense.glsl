/* Operand loader (load.glsl): a dense float matrix, also with interleaved batch entries (side_line). */

gt_spot dense_line(uint z, uint line, uint wide, uint stride) {
  return gt_spot(z * stride + line * wide, ivec3(0), 0u);
}

gt_spot side_line(uint z, uint line, uint wide) { return gt_spot((line * batch + z) * wide, ivec3(0), 0u); }

gt_spot dense_position(uint position) { return gt_spot(position, ivec3(0), 0u); }

vec4 dense_quad(GT_FLOATS from, gt_spot line, gt_spot position, int left, bool aligned) {
  return fetch(from, line.at + position.at, left, aligned);
}
