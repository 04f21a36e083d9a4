/* Operand A of product_packed.glsl if it consists of basis functions: each lane computes its elements of A from inputs
 * in its registers. Which elements of a matrix a lane holds is found by loading a matrix of element numbers. Nothing is
 * staged, and an element is computed once for all columns of the subgroup's tile.
 *
 * The number of lines and the size of a block are multiples of a matrix's extents: a step is one function of
 * neighboring inputs, which stay in registers for all functions of the block. */
/* Octets and quads of a lane in one matrix of A, and quads in all matrices of a step. */
const uint MADE_OCTETS = MADE ? GT_LEFT_OCTETS : 1u, MADE_QUADS = 2u * MADE_OCTETS;
const uint MADE_ALL = MADE ? DOWN * MADE_QUADS : 1u;

/* The numbers of a lane's elements: row * MATRIX_K + column. */
void made_numbers(out uvec4 numbers[MADE_QUADS]) {
  for (uint w = gl_LocalInvocationIndex; w < MATRIX_M * MATRIX_K / 8u; w += LOCAL_X) {
    vec4 first = vec4(8u * w) + vec4(0.0, 1.0, 2.0, 3.0);
    tile_a[w] = uvec4(gt_packed(first), gt_packed(first + 4.0));
  }
  barrier();
  gt_left where;
  GT_LOAD_LEFT(where, tile_a, 0u, MATRIX_K / 8u, false);
  GT_UNROLL for (uint q = 0u; q < MADE_QUADS; q++) numbers[q] = uvec4(GT_LEFT_QUAD(where, 4u * q));
  barrier(); /* before accumulators are stored in tile_a */
}

/* The address of the inputs from element number `elements` on. */
GT_FLOATS made_from(uint elements) {
  uint carry, low = uaddCarry(uvec2(a).x, elements << 2, carry);
  return GT_FLOATS(uvec2(low, uvec2(a).y + (elements >> 30) + carry));
}

/* places: offsets of the inputs of a lane's elements from the first input of a matrix. made_lines: index of the first
 * line of each matrix. held: the offset of the inputs that are in registers (inputs_of). */
#define BEGIN_MADE \
  uvec4 numbers[MADE_QUADS], places[MADE_QUADS]; \
  vec4 inputs_of[MADE_ALL]; \
  uint made_lines[DOWN], held = ~0u; \
  if (MADE) { \
    made_numbers(numbers); \
    GT_UNROLL for (uint q = 0u; q < MADE_QUADS; q++) \
      places[q] = numbers[q] / MATRIX_K * basis_inputs + numbers[q] % MATRIX_K; \
    GT_UNROLL for (uint i = 0u; i < DOWN; i++) \
      made_lines[i] = min(m0 + m_mine + i * MATRIX_M, m - MATRIX_M) * basis_inputs; \
    LOAD_INPUTS(at) \
  }
/* Loads the inputs of a step unless they are in registers. */
#define LOAD_INPUTS(at_k) \
  { \
    uint along = basis_woven(at_k).at; \
    if (along != held) { \
      GT_UNROLL for (uint i = 0u; i < DOWN; i++) { \
        GT_FLOATS from = made_from(made_lines[i] + along); \
        GT_UNROLL for (uint q = 0u; q < MADE_QUADS; q++) \
          GT_UNROLL for (uint e = 0u; e < 4u; e++) inputs_of[i * MADE_QUADS + q][e] = from.at[places[q][e]]; \
      } \
    } \
    held = along; \
  }

#define GET_MADE_SCALES(depth) \
  GT_UNROLL for (uint i = 0u; i < DOWN; i++) \
    GT_UNROLL for (uint q = 0u; q < MADE_QUADS; q++) \
      GT_UNROLL for (uint e = 0u; e < 4u; e++) { \
        uint root = (depth) % SLOTS * ROOTS + (EVEN_A ? 0u : m_mine + i * MATRIX_M + numbers[q][e] / MATRIX_K); \
        made_scales[i * MADE_QUADS + q][e] = scale_of(roots[root / 4u][root % 4u]); \
      }

/* Computes octet o of matrix i: the function VALUES of the inputs, scaled and split into two parts. */
#define MAKE_OCTET(i, o, VALUES) \
  { \
    uint quad = (i) * MADE_QUADS + 2u * (o); \
    vec4 first = VALUES(inputs_of[quad]) * made_scales[quad]; \
    vec4 second = VALUES(inputs_of[quad + 1u]) * made_scales[quad + 1u]; \
    vec4 upper_first = gt_upper(first), upper_second = gt_upper(second); \
    GT_PUT_LEFT(left[i], o, upper_first, upper_second) \
    GT_PUT_LEFT(left[(PLANES - 1u) * DOWN + (i)], o, first - upper_first, second - upper_second) \
  }
#define MAKE_OCTETS(VALUES) \
  GT_UNROLL for (uint i = 0u; i < DOWN; i++) \
    GT_UNROLL for (uint o = 0u; o < MADE_OCTETS; o++) MAKE_OCTET(i, o, VALUES)
#define ANY_VALUES(x) basis_values(x, term, a, 0u, 4)
#define FUNCTION_VALUES(x) basis_function(x, term, a, 0u, 4)
#define BASE_VALUES(x) gt_basis_base(x, BASIS_TERMS)
#define MULTIPLY_MADE(p, q) \
  GT_UNROLL for (uint i = 0u; i < DOWN; i++) \
    GT_UNROLL for (uint j = 0u; j < ACROSS; j++) \
      GT_MULTIPLY_ADD(sums[i * ACROSS + j], left[(p) * DOWN + i], right[(q) * ACROSS + j]);
/* B is loaded before A is computed, and the next inputs before the multiplications, which hide these loads. */
#define MADE_STEP(at_k, full) \
  { \
    FETCH_RIGHT(0u) \
    uint term = basis_woven(at_k).phase; \
    if (!BASIS_APART) { MAKE_OCTETS(ANY_VALUES) } \
    else if (term == BASIS_TERMS) { MAKE_OCTETS(BASE_VALUES) } \
    else { MAKE_OCTETS(FUNCTION_VALUES) } \
    if ((at_k) + MATRIX_K < full) LOAD_INPUTS((at_k) + MATRIX_K) \
    SET_RIGHT(0u) \
    MULTIPLY_MADE(PLANES - 1u, 0u) \
    MULTIPLY_MADE(0u, PLANES - 1u) \
    MULTIPLY_MADE(0u, 0u) \
  }
