/* The shift of a uint8 operand (load_bytes.glsl) is not included in the multiplied elements. Each result therefore
 * lacks the shift times the sum of the other operand's row or column. Each invocation sums the elements of the other
 * operand that it stores to shared memory; at the end these sums are added in shared memory, where slabs were, and the
 * product with the shift is added to the total. */
const bool SHIFTED = (FORM & GT_MATRIX_SHIFTED) != 0u, OTHER_IS_A = B_BYTES;
const uint OTHER_SCALES = OTHER_IS_A ? A_SCALES : B_SCALES, OTHER_FETCHES = OTHER_IS_A ? A_FETCHES : B_FETCHES;
#define BEGIN_SHIFT \
  vec4 below[OTHER_SCALES]; /* if lines are of constant k: sums over quads below one another */ \
  float along[OTHER_FETCHES]; /* otherwise: sums along a line */ \
  GT_UNROLL for (uint f = 0u; f < OTHER_SCALES; f++) below[f] = vec4(0.0); \
  GT_UNROLL for (uint f = 0u; f < OTHER_FETCHES; f++) along[f] = 0.0;
#define SUM_SIDE(next, K_LINES, HAS, SCALES, FETCHES) \
  GT_UNROLL for (uint f = 0u; f < FETCHES; f++) \
    if (HAS(f)) { \
      if (K_LINES) below[f % SCALES] += next[f]; \
      else along[f] += next[f].x + next[f].y + (next[f].z + next[f].w); \
    }
#define SUM_LINES \
  if (SHIFTED && A_BYTES) { SUM_SIDE(next_b, B_K_LINES, HAS_B, B_SCALES, B_FETCHES) } \
  if (SHIFTED && B_BYTES) { SUM_SIDE(next_a, A_K_LINES, HAS_A, A_SCALES, A_FETCHES) }

/* Adds the invocations' sums of each of the tile's `wide` rows or columns, and stores the sum times the shift in the
 * place of the root of that row or column. first: index of the first root. */
#define JOIN_LINES(tile, K_LINES, QUAD, HAS, LINES, LINE, BELOW, SHARE, SCALES, FETCHES, wide, first) \
  GT_UNROLL for (uint f = 0u; f < (K_LINES ? SCALES : FETCHES); f++) { \
    uvec2 quad = QUAD(f); \
    uint word = quad.x * LINE + quad.y; \
    if (HAS(f) && K_LINES) tile[word] = floatBitsToUint(below[f]); \
    if (HAS(f) && !K_LINES) tile[word / 4u][word % 4u] = floatBitsToUint(along[f]); \
  } \
  barrier(); \
  for (uint w = gl_LocalInvocationIndex; w < wide; w += LOCAL_X) { \
    uint parts = !K_LINES ? LINE : BELOW ? min(LOCAL_X / SHARE, LINES) : LINES; \
    float sum = 0.0; \
    for (uint p = 0u; p < parts; p++) { \
      uint word = K_LINES ? p * 4u * LINE + w : w * LINE + p; \
      sum += uintBitsToFloat(tile[word / 4u][word % 4u]); \
    } \
    roots[(first + w) / 4u][(first + w) % 4u] = floatBitsToUint(sum * bytes_shift); \
  } \
  barrier();
#define ADD_SHIFT(total) \
  if (SHIFTED) { \
    if (OTHER_IS_A) { \
      JOIN_LINES(tile_a, A_K_LINES, QUAD_A, HAS_A, A_LINES, A_LINE, A_BELOW, A_SHARE, A_SCALES, A_FETCHES, BM, 0u) \
    } else { \
      JOIN_LINES(tile_b, B_K_LINES, QUAD_B, HAS_B, B_LINES, B_LINE, B_BELOW, B_SHARE, B_SCALES, B_FETCHES, BN, BM) \
    } \
    GT_UNROLL for (uint t = 0u; t < DOWN * ACROSS; t++) { \
      gt_sums line; \
      uint first = OTHER_IS_A ? m_mine + t / ACROSS * MATRIX_M : BM + n_mine + t % ACROSS * MATRIX_N; \
      GT_LOAD_LINE(line, roots, first / 4u, OTHER_IS_A); \
      GT_ADD_SUMS(total[t], line); \
    } \
  }
