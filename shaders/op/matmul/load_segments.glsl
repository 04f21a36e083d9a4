/* Operand loaders (load.glsl) of a KAN's dgrad: K consists of segments, one per basis function (op/kan/basis.h). In
 * each segment operand A is the whole line of g (repeated_…), operand B the coefficients of the segment's function
 * (coefficients_…). */
layout(constant_id = GT_FACTOR_SPEC_SEGMENT) const uint SEGMENT = 0u;

uint segments_outputs = 1u;

void segments_begin() { segments_outputs = geometry.at[GT_BASIS_OUTPUTS]; }

gt_spot repeated_line(uint line) { return gt_spot(line * segments_outputs, ivec3(0), 0u); }

gt_spot coefficients_line(uint line) {
  uint block = line / BASIS_BLOCK;
  gt_spot spot =
      gt_spot((block * BASIS_TOTAL * BASIS_BLOCK + line - block * BASIS_BLOCK) * segments_outputs, ivec3(0), 0u);
  if (SCALED_PARTS != 0u) spot.place.x = int(scaled_row(line, 0u) * segments_outputs);
  return spot;
}

/* phase: the position in the segment. */
gt_spot repeated_position(uint position) {
  uint along = position % max(SEGMENT, 1u);
  return gt_spot(along, ivec3(0), along);
}

gt_spot coefficients_position(uint position) {
  gt_spot spot = repeated_position(position);
  uint term = position / max(SEGMENT, 1u);
  if (SCALED_PARTS != 0u) spot.place = ivec3(spot.at + scaled_row(0u, term) * segments_outputs, scaled_is(term), 0);
  spot.at += term * BASIS_BLOCK * segments_outputs;
  return spot;
}

vec4 segments_quad(GT_FLOATS from, gt_spot line, gt_spot position, int left) {
  return fetch(from, line.at + position.at, min(left, int(segments_outputs) - int(position.phase)),
               ALIGNED != 0u && BASIS_QUADS);
}

vec4 coefficients_quad(GT_FLOATS from, gt_spot line, gt_spot position, int left) {
  vec4 v = segments_quad(from, line, position, left);
  if (SCALED_PARTS != 0u) {
    gt_spot by = gt_spot(uint(line.place.x), ivec3(0), 0u), along = gt_spot(uint(position.place.x), ivec3(0), position.phase);
    bool has = position.place.y != 0;
    vec4 scale = segments_quad(scaled_by(), by, along, has ? left : 0);
    if (has) v *= scale;
  }
  return v;
}

/* Four inputs of a line from input_ on, of which `left` exist. The sums of a segment are multiplied by the derivatives
 * at these inputs. steady: no bounds checks; inputs that do not exist are replaced by others, because their sums are
 * unused. */
vec4 segments_inputs(GT_FLOATS from, uint line, uint input_, int left, bool steady) {
  uint at = line * basis_inputs + input_;
  vec4 x;
  if (steady) x = GT_CAST(GT_FLOATS4, from).at[min(line, m - 1u) * basis_inputs + min(input_, basis_inputs - 4u) >> 2];
  else x = fetch(from, at, left, ALIGNED != 0u && ((at | basis_inputs) & 3u) == 0u);
  return x;
}

/* The derivatives by which a segment's sums are multiplied. */
vec4 segments_drain(GT_FLOATS from, uint line, uint input_, uint segment, int left) {
  return basis_values(segments_inputs(from, line, input_, left, false), segment, from, input_, left);
}
