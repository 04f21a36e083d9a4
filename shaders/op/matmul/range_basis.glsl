/* The powers of range.h for basis functions as the left factor, of their inputs and of how large functions become
 * (basis_peak, load_basis.glsl). What that is too much, by 16 at most where functions are known to be bounded, costs
 * no digits that count: elements are then rounded to a 2^33rd of the largest in place of a 2^37th, floats to a 2^24th.
 * For product_range.comp, behind what puts and joins an invocation's largest values. */
const bool IS_BASIS = KIND_A == GT_FACTOR_BASIS, OF_VALUES = BASIS_ORDER == 0u;
const bool OF_INPUTS = IS_BASIS && OF_VALUES; /* of derivatives all values are looked at */
const bool KNOWN_PEAKS = (BASIS_KIND & GT_BASIS_KNOWN) != 0u, UNEVEN = !BASIS_EVEN, OF_UNEVEN = OF_INPUTS && UNEVEN;
const bool BY_LINES = OF_INPUTS && BASIS_EVEN;  /* one power for a line of the product */
const bool BY_COLUMNS = OF_UNEVEN && TRANS_A;   /* one for a depth of each function of an input */
const bool NOT_TRANS_A = !TRANS_A, OF_QUADS = BASIS_BLOCK % 4u == 0u, OF_ROWS = OF_UNEVEN && NOT_TRANS_A;
const bool BY_DEPTHS = OF_ROWS && OF_QUADS; /* one for all in a depth of a line; quads are one function of neighbours */

/* Bits of what functions are no larger than, where inputs are as large as those. */
uvec4 basis_peaks(uvec4 inputs, uint term) {
  uvec4 bits = gt_magnitude(basis_peak(uintBitsToFloat(inputs), term));
  return mix(bits, inputs, greaterThanEqual(inputs, uvec4(0x7f800000u)));
}

uint peak_of_all() { return geometry.at[GT_BASIS_PEAK_OF]; }

const bool RAW_ONLY = (BASIS_KIND & GT_BASIS_RAW_ONLY) != 0u;
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
        most = max(most, basis_peaks(inputs, term));
        inputs = uvec4(0u);
      }
      term = spot.phase;
      inputs = max(inputs, gt_magnitude(fetch(a, line * basis_inputs + spot.at, 4, ALIGNED != 0u)));
    }
  }
  return max(most, basis_peaks(inputs, term));
}

/* Inputs first … at a depth of lines; raw: where the inputs begin. */
void measure_inputs(uint depth, uint first, uint raw) {
  uint me = gl_LocalInvocationIndex, input_ = first + me % 8u * 4u;
  uvec4 most = uvec4(0u);
  EACH_QUAD(i) {
    uint line = depth * GT_RANGE_DEPTH + me / 8u * QUADS + i;
    int left = line < k ? int(basis_inputs) - int(input_) : 0;
    most = max(most, gt_magnitude(fetch(a, raw + line * basis_inputs + input_, left, INPUTS_ALIGNED)));
  }
  put_largest(true, most);
}

/* The powers of so many of their functions from `begin` on; and of lines that only fill up memory. */
void write_columns(uint depth, uint first, uint begin, uint functions) {
  uint me = gl_LocalInvocationIndex;
  barrier();
  if (me < GT_RANGE_LINES) largest[me] = largest_of(true, me);
  barrier();
  for (uint q = me; q < GT_RANGE_LINES * functions; q += GT_RANGE_GROUP) {
    uint input_ = first + q % GT_RANGE_LINES, term = begin + q / GT_RANGE_LINES;
    uint bits = basis_peaks(uvec4(largest[q % GT_RANGE_LINES]), term).x;
    if (RAW_ONLY && term != BASIS_TERMS) bits = peak_of_all();
    if (input_ < basis_inputs) range.at[range_a(0u, depth) + basis_column(input_, term)] = gt_range_root(bits);
  }
  if (first == 0u && m + me < range_padded(m)) range.at[range_a(0u, depth) + m + me] = gt_range_root(0u);
}
