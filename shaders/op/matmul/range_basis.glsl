/* Scales of a KAN operand from bounds of its basis functions, without computing all of them.
 *
 * The powers of range.h for basis functions as the left factor, of their inputs and of how large functions become
 * (basis_peak, load_basis.glsl). What that is too much, by 16 at most where functions are known to be bounded, costs
 * no digits that count: elements are then rounded to a 2^33rd of the largest in place of a 2^37th, floats to a 2^24th.
 * For product_range.comp, behind what puts and joins an invocation's largest values. */
const bool OF_INPUTS = RANGE_BASIS && RANGE_VALUES; /* of derivatives all values are looked at */
const bool KNOWN_PEAKS = (BASIS_KIND & GT_BASIS_KNOWN) != 0u, BY_LINES = OF_INPUTS && BASIS_EVEN; /* one power for a line */
const bool NOT_TRANS_A = !TRANS_A, OF_QUADS = BASIS_BLOCK % 4u == 0u, OF_ROWS = RANGE_UNEVEN_BASIS && NOT_TRANS_A;
const bool ROWS_OF_QUADS = OF_ROWS && OF_QUADS;
const bool BY_DEPTHS = ROWS_OF_QUADS && RANGE_VALUES; /* one for a depth of a line; quads are one function of neighbours */
const bool INPUTS_ALIGNED = OF_QUADS && ALIGNED != 0u; /* blocks divide a line */

/* Lines are as many as keep a device busy only if each asks for much at once. */
const uint LINE_QUADS = BRIEF ? 1u : 8u;

/* Largest inputs of a line's base, in eight parts: that is no larger than they are. */
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

/* What functions come to in a depth of a line: of those quads of an invocation that are of one function at once. */
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

/* Inputs first … at a depth of lines; plane: of those that the base has to itself, where it does. */
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
