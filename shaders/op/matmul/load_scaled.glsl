/* Operand loader (load.glsl): a KAN's coefficients, multiplied on load by the factors of their edges (op/kan/basis.h).
 * The arguments stride_a and stride_b, which only dense operands need, are the address of the factors. */
const uint SCALED_PARTS = BASIS_KIND / GT_BASIS_SCALED & 3u; /* factors per edge: 0, 1 or 2 */

GT_FLOATS scaled_by() { return GT_FLOATS(uvec2(stride_a, stride_b)); }

/* True if the coefficients of function `term` are multiplied by factors. */
bool scaled_is(uint term) { return SCALED_PARTS == 2u || BASIS_HAS_BASE == 0u || term != BASIS_TERMS; }

/* The row of factors for a function of an input; any row if the function has none. */
uint scaled_row(uint input_, uint term) {
  uint block = input_ / BASIS_BLOCK, part = term == BASIS_TERMS ? SCALED_PARTS - 1u : 0u;
  return (block * SCALED_PARTS + part) * BASIS_BLOCK + input_ - block * BASIS_BLOCK;
}

/* A line has the coefficients of one function of an input. place.x: index of its factors; place.y: 1 if it has
 * factors. */
gt_spot scaled_line(uint line) {
  uint block = line / (BASIS_TOTAL * BASIS_BLOCK), rest = line - block * (BASIS_TOTAL * BASIS_BLOCK);
  uint term = rest / BASIS_BLOCK, input_ = block * BASIS_BLOCK + rest - term * BASIS_BLOCK;
  return gt_spot(line * n, ivec3(scaled_row(input_, term) * n, scaled_is(term), 0), 0u);
}

/* The coefficients, and the factors by which they are multiplied. */
vec4 scaled_values(GT_FLOATS from, gt_spot line, gt_spot position, int left) {
  return fetch(from, line.at + position.at, left, ALIGNED != 0u && BASIS_QUADS);
}
vec4 scaled_factors(gt_spot line, gt_spot position, int left) {
  bool has = line.place.y != 0;
  vec4 v = fetch(scaled_by(), uint(line.place.x) + position.at, has ? left : 0, ALIGNED != 0u && BASIS_QUADS);
  return has ? v : vec4(1.0);
}
vec4 scaled_quad(GT_FLOATS from, gt_spot line, gt_spot position, int left) {
  return scaled_values(from, line, position, left) * scaled_factors(line, position, left);
}
