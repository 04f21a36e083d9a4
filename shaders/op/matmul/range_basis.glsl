/* Scales of a KAN operand (range.h) from the amax of its inputs and upper bounds of its basis functions (basis_peak,
 * load_basis.glsl), without computing all functions. A bound may be larger than the amax, by a factor of at most 16 for
 * functions that are known to be bounded. That costs no digits that matter: elements are then rounded to 2^-33 of the
 * amax instead of 2^-37, while floats are rounded to 2^-24. Included by product_range.comp after put_largest and
 * largest_of. */
const bool OF_INPUTS = RANGE_BASIS && RANGE_VALUES; /* derivatives have no bounds; their values are measured */
const bool KNOWN_PEAKS = (BASIS_KIND & GT_BASIS_KNOWN) != 0u;
const bool BY_LINES = OF_INPUTS && BASIS_EVEN; /* one root per line */
const bool NOT_TRANS_A = !TRANS_A, OF_QUADS = BASIS_BLOCK % 4u == 0u, OF_ROWS = RANGE_UNEVEN_BASIS && NOT_TRANS_A;
const bool ROWS_OF_QUADS = OF_ROWS && OF_QUADS;
const bool BY_DEPTHS = ROWS_OF_QUADS && RANGE_VALUES; /* one root per line and depth; a quad is one function */
const bool INPUTS_ALIGNED = OF_QUADS && ALIGNED != 0u; /* because a block divides the inputs */

/* Quads of inputs that an invocation loads at once: there are too few lines to hide the latency otherwise. */
const uint LINE_QUADS = BRIEF ? 1u : 8u;

/* The amax (bits) of the inputs of a line's base, computed by eight invocations; it bounds the base, because
 * |silu(x)| <= |x|. 0 if the bound is known. */
uvec4 inputs_of_line(uint first) {
  uint me = gl_LocalInvocationIndex, line = first + me / 8u;
  uvec4 most = uvec4(0u);
  if (!KNOWN_PEAKS && line < m)
    for (uint from = me % 8u * 4u; from < basis_inputs; from += 32u * LINE_QUADS)
      [[unroll]] for (uint i = 0u; i < LINE_QUADS; i++) {
        int left = int(basis_inputs) - int(from + i * 32u);
        most = max(most, gt_magnitude(fetch(a, basis_raw + line * basis_inputs + from + i * 32u, left, INPUTS_ALIGNED)));
      }
  return most;
}

/* Upper bounds (bits) of the functions of a line in a depth. Consecutive quads of an invocation with the same function
 * are bounded together. */
uvec4 peaks_of_depth(uint depth, uint first) {
  uint me = gl_LocalInvocationIndex, line = first + me / 8u, term = 0u;
  uvec4 most = uvec4(0u), inputs = uvec4(0u);
  EACH_QUAD(i) {
    uint position = depth * GT_RANGE_DEPTH + (i * 8u + me % 8u) * 4u;
    if (line < m && position < k) {
      gt_spot spot = basis_position(position);
      if (i != 0u && spot.phase != term) {
        most = max(most, range_peaks(inputs, term));
        inputs = uvec4(0u);
      }
      term = spot.phase;
      inputs = max(inputs, gt_magnitude(fetch(a, line * basis_inputs + spot.at, 4, ALIGNED != 0u)));
    }
  }
  return max(most, range_peaks(inputs, term));
}

/* Writes the amax of each of the inputs from `first` on, over the lines of a depth. plane: 1 for the inputs of a base
 * that is apart, otherwise 0. */
void range_inputs(uint depth, uint first, uint plane) {
  uint me = gl_LocalInvocationIndex, input_ = first + me % 8u * 4u;
  uvec4 most = uvec4(0u);
  EACH_QUAD(i) {
    uint line = depth * GT_RANGE_DEPTH + me / 8u * QUADS + i;
    int left = line < k ? int(basis_inputs) - int(input_) : 0;
    most = max(most, gt_magnitude(fetch(a, plane * basis_raw + line * basis_inputs + input_, left, INPUTS_ALIGNED)));
  }
  put_largest(true, most);
  barrier();
  uint to = range_a(0u, depth) + plane * range_padded(basis_inputs) + first + me;
  if (me < GT_RANGE_LINES) range.at[to] = uintBitsToFloat(min(largest_of(true, me), 0x7f800000u));
}
