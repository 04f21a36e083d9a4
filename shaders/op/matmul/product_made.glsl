/* Fragments of operand A computed in registers from a KAN's inputs, in the lanes where matrix units expect
 * them.
 *
 * How lanes make their own elements of a left factor that consists of functions of inputs (product_packed.glsl): from
 * inputs in registers, in the places in which units want them. Where those are is asked of the device: it loads a matrix of
 * numbers. Nothing is staged, and what is made of an input goes to all columns of a subgroup's tile.
 *
 * Lines come in whole matrices, and so do blocks of inputs: a step is one function of neighbouring inputs, which stay in
 * registers for all functions of a block. */
const uint MADE_OCTETS = MADE ? GT_LEFT_OCTETS : 1u, MADE_QUADS = 2u * MADE_OCTETS;
const uint MADE_ALL = MADE ? DOWN * MADE_QUADS : 1u;

/* A lane's elements, by their numbers: row * MATRIX_K + column. */
void made_numbers(out uvec4 numbers[MADE_QUADS]) {
  for (uint w = gl_LocalInvocationIndex; w < MATRIX_M * MATRIX_K / 8u; w += LOCAL_X) {
    vec4 first = vec4(8u * w) + vec4(0.0, 1.0, 2.0, 3.0);
    tile_a[w] = uvec4(gt_packed(first), gt_packed(first + 4.0));
  }
  barrier();
  gt_left where;
  GT_LOAD_LEFT(where, tile_a, 0u, MATRIX_K / 8u, false);
  GT_UNROLL for (uint q = 0u; q < MADE_QUADS; q++) numbers[q] = uvec4(GT_LEFT_QUAD(where, 4u * q));
  barrier(); /* what comes out of the units comes this way, too */
}

GT_FLOATS made_from(uint elements) {
  uint carry, low = uaddCarry(uvec2(a).x, elements << 2, carry);
  return GT_FLOATS(uvec2(low, uvec2(a).y + (elements >> 30) + carry));
}

/* places: of a lane's elements, seen from a matrix's first input; made_lines: where its first line stands. */
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
/* What a step needs, where it is not held. */
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

/* Octet o of matrix i, where VALUES makes a function of inputs. */
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
/* B is asked for before A is made, and the next inputs before units hide that. */
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
