/* Cooperative matrices: 16-bit operands A [M, K] (left) and B [K, N] (right) and float32 accumulators [M, N] (sums).
 * The interface has two implementations. With GT_MATRIX_UNITS defined they are the device's cooperative matrices,
 * through GL_NV_cooperative_matrix, the only extension that older compilers support (tools/matrix_khr converts the
 * SPIR-V to KHR's). Otherwise they are arrays: each lane holds some rows of A and of the accumulators, and all of B, so
 * that no data is exchanged between lanes; slow, for tests on devices without matrix units. The operands are float16,
 * or bfloat16 with GT_MATRIX_BFLOAT.
 *
 * Define before the inclusion, as specialization constants or macros: MATRIX_M, MATRIX_N, MATRIX_K and SUBGROUP, the
 * size of a subgroup. MATRIX_M, _N and _K must be three separate constants even if they are equal: matrix_khr
 * distinguishes the matrix types by them.
 *
 * Operands are read from `shared uvec4 tile[]`, 8 elements per uvec4, row-major, or column-major if `by_columns` (a
 * constant). `first` (the first element) and `stride` (the distance between rows or columns) count uvec4s.
 * GT_STORE_FLOATS stores accumulators to an array of floats, in shared memory or a buffer, GT_LOAD_FLOATS loads them
 * from there; for these two, `first` and `stride` count floats. GT_STORE_WORDS and GT_LOAD_WORDS do the same with an
 * array of uvec4s. GT_LOAD_LINE loads one vector, from an array of uvec4s, into all rows of the accumulators (all
 * columns if `by_columns`). Addresses of loads must be 16-byte aligned; otherwise matrix units read wrong data. A lane
 * has GT_ELEMENTS accumulators; the e-th is GT_ELEMENT. GT_SET_SUMS sets all of them to a value, GT_ADD_SUMS adds other
 * accumulators, GT_MULTIPLY_ADD adds a product of matrices.
 *
 * A lane holds GT_LEFT_OCTETS groups of 8 elements of A, and GT_RIGHT_OCTETS of B. GT_LEFT_WORDS packs group o of A
 * into a uvec4, GT_SET_LEFT unpacks it; likewise GT_RIGHT_WORDS and GT_SET_RIGHT for B. GT_PUT_LEFT converts two vec4
 * to group o of A; GT_LEFT_QUAD returns elements e to e + 3 of A as a vec4.
 *
 * After GT_SUBGROUP_BARRIER, which all invocations must execute, stores to shared memory by one lane of a subgroup are
 * visible to its other lanes. */
#ifndef GT_MATRIX_GLSL
#define GT_MATRIX_GLSL
#include "lib/math.glsl"
/* The lower (which = 0) or upper (1) 16 bits of a word as a float. */
float gt_unpacked(uint word, uint which) {
#ifdef GT_MATRIX_BFLOAT
  return uintBitsToFloat(which != 0u ? word & 0xffff0000u : word << 16);
#else
  return unpackHalf2x16(word)[which];
#endif
}

#ifdef GT_MATRIX_UNITS
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_NV_cooperative_matrix : require
#define gt_left  fcoopmatNV<16, gl_ScopeSubgroup, MATRIX_M, MATRIX_K>
#define gt_right fcoopmatNV<16, gl_ScopeSubgroup, MATRIX_K, MATRIX_N>
#define gt_sums  fcoopmatNV<32, gl_ScopeSubgroup, MATRIX_M, MATRIX_N>
#define GT_LOAD_LEFT(to, tile, first, stride, by_columns)  coopMatLoadNV(to, tile, first, stride, by_columns)
#define GT_LOAD_RIGHT(to, tile, first, stride, by_columns) coopMatLoadNV(to, tile, first, stride, by_columns)
#define GT_LOAD_LINE(to, from, first, by_columns)          coopMatLoadNV(to, from, first, 0u, by_columns)
#define GT_STORE_FLOATS(sums, to, first, stride)           coopMatStoreNV(sums, to, first, stride, false)
#define GT_STORE_WORDS(sums, to, first, stride)            coopMatStoreNV(sums, to, first, stride, false)
#define GT_LOAD_WORDS(sums, from, first, stride)           coopMatLoadNV(sums, from, first, stride, false)
#define GT_LOAD_FLOATS(sums, from, first, stride)          coopMatLoadNV(sums, from, first, stride, false)
#define GT_ELEMENTS                                        (MATRIX_M * MATRIX_N / SUBGROUP)
#define GT_ELEMENT(sums, e)                                (sums)[e]
#define GT_ADD_SUMS(sums, more)                            sums = sums + more
#define GT_SET_SUMS(sums, value)                           sums = gt_sums(value)
#define GT_MULTIPLY_ADD(sums, left, right)                 sums = coopMatMulAddNV(left, right, sums)
/* sums += a * (b * c)^2, elementwise. b * c is computed first, so that intermediates overflow only if the result does.
 * Without `precise` NVIDIA's driver computes (b * c)^2 first, and the square of small values is lost. The NV extension
 * has no elementwise product: a quotient is written in its place, and tools/matrix_khr replaces it by a
 * multiplication. */
#define GT_ADD_PRODUCT(sums, a, b, c) \
  { \
    precise gt_sums bc_ = b / c, abc_ = a / bc_, abcbc_ = abc_ / bc_; \
    sums = sums + abcbc_; \
  }
#define GT_SUBGROUP_BARRIER()                              subgroupBarrier()
#define GT_UNROLL [[unroll]] /* before a loop over matrices, or over the elements that an invocation stages */
/* The macros below pack eight elements of a lane's operand into a uvec4, and unpack them. Which elements a lane holds
 * is implementation-defined; the word order of A matches the register layout of NVIDIA's mma instructions. */
#define GT_LEFT_OCTETS  (MATRIX_M * MATRIX_K / SUBGROUP / 8u)
#define GT_RIGHT_OCTETS (MATRIX_K * MATRIX_N / SUBGROUP / 8u)
#define GT_WORD(from, e) packFloat2x16(f16vec2((from)[e], (from)[(e) + 1u]))
#define GT_LEFT_WORDS(from, o) \
  uvec4(GT_WORD(from, 8u * (o)), GT_WORD(from, 8u * (o) + 4u), GT_WORD(from, 8u * (o) + 2u), GT_WORD(from, 8u * (o) + 6u))
#define GT_RIGHT_WORDS(from, o) \
  uvec4(GT_WORD(from, 8u * (o)), GT_WORD(from, 8u * (o) + 2u), GT_WORD(from, 8u * (o) + 4u), GT_WORD(from, 8u * (o) + 6u))
#define GT_SET_WORD(to, e, word) \
  { \
    f16vec2 pair_ = unpackFloat2x16(word); \
    (to)[e] = pair_.x; \
    (to)[(e) + 1u] = pair_.y; \
  }
#define GT_SET_OCTET(to, o, first, second, third, fourth) \
  GT_SET_WORD(to, 8u * (o), first) \
  GT_SET_WORD(to, 8u * (o) + 2u, second) \
  GT_SET_WORD(to, 8u * (o) + 4u, third) \
  GT_SET_WORD(to, 8u * (o) + 6u, fourth)
#define GT_SET_LEFT(to, o, words)  GT_SET_OCTET(to, o, (words).x, (words).z, (words).y, (words).w)
#define GT_SET_RIGHT(to, o, words) GT_SET_OCTET(to, o, (words).x, (words).y, (words).z, (words).w)
#define GT_PUT_LEFT(to, o, first, second) \
  { \
    uvec2 first_ = gt_packed(first), second_ = gt_packed(second); \
    GT_SET_OCTET(to, o, first_.x, first_.y, second_.x, second_.y) \
  }
#define GT_LEFT_PAIR(from, e) vec2(gt_unpacked(GT_WORD(from, e), 0u), gt_unpacked(GT_WORD(from, e), 1u))
#define GT_LEFT_QUAD(from, e) vec4(GT_LEFT_PAIR(from, e), GT_LEFT_PAIR(from, (e) + 2u))
#ifndef GT_MATRIX_BFLOAT
#define GT_PACKED_BYTES
/* The four bytes of a word as float16, minus `center` (an integer from 0 to 255). 0x6400 | byte is the float16
 * 1024 + byte, because the unit in the last place is 1 there. */
uvec2 gt_packed_bytes(uint word, float center) {
  uvec2 pairs = uvec2(word & 255u | (word & 0xff00u) << 8, word >> 16 & 255u | word >> 8 & 0xff0000u) | 0x64006400u;
  f16vec2 bias = f16vec2(1024.0 + center);
  return uvec2(packFloat2x16(unpackFloat2x16(pairs.x) - bias), packFloat2x16(unpackFloat2x16(pairs.y) - bias));
}
#endif
/* Index of the subgroup in its workgroup, and of the invocation in its subgroup. */
uint gt_subgroup() { return gl_SubgroupID; }
uint gt_lane() { return gl_SubgroupInvocationID; }
/* Packs a vec4 into four 16-bit operand elements. */
#ifdef GT_MATRIX_BFLOAT
/* Rounds to nearest, ties away from zero, with integer arithmetic: a conversion to bfloat16 truncates on some
 * devices. */
uvec2 gt_packed(vec4 v) {
  uvec4 word = mix(floatBitsToUint(v) + 0x8000u, uvec4(0x7fc00000u), gt_is_nan(v));
  return word.xz >> 16 | word.yw & 0xffff0000u;
}
#else
uvec2 gt_packed(vec4 v) { return uvec2(packFloat2x16(f16vec2(v.xy)), packFloat2x16(f16vec2(v.zw))); }
#endif
#else
/* Unrolled code takes minutes to compile on software devices. Loop counts must stay small, too: lavapipe silently ends
 * a shader's loops after 65535 iterations in total. */
#define GT_UNROLL [[dont_unroll]]
#define GT_SUBGROUP_BARRIER() barrier()
const uint GT_MATRIX_ROWS = (MATRIX_M + SUBGROUP - 1u) / SUBGROUP; /* rows per lane, SUBGROUP rows apart */
struct gt_left {
  float at[GT_MATRIX_ROWS * MATRIX_K];
};
struct gt_right {
  float at[MATRIX_K * MATRIX_N];
};
struct gt_sums {
  float at[GT_MATRIX_ROWS * MATRIX_N];
};
uint gt_subgroup() { return gl_LocalInvocationIndex / SUBGROUP; }
uint gt_lane() { return gl_LocalInvocationIndex % SUBGROUP; }

/* Index of the i-th row of this lane, clamped to the last row. */
uint gt_matrix_row(uint i) { return min(i * SUBGROUP + gt_lane(), MATRIX_M - 1u); }
/* True if the lane has an i-th row. A lane stores only such rows, so no row is stored twice. */
bool gt_matrix_has_row(uint i) { return i * SUBGROUP + gt_lane() < MATRIX_M; }

/* Rounds to the nearest number with `bits` fewer mantissa bits, ties to even; infinities and NaN are unchanged. */
uvec4 gt_rounded(vec4 v, uint bits) {
  uvec4 word = floatBitsToUint(v), below_half = uvec4((1u << (bits - 1u)) - 1u);
  uvec4 up = word + below_half + (word >> bits & 1u);
  bvec4 special = greaterThanEqual(word & 0x7fffffffu, uvec4(0x7f800000u));
  return mix(up, word, special) & ~(2u * below_half + 1u) | mix(uvec4(0u), word & 0x007fffffu, special);
}

uvec2 gt_packed(vec4 v) {
#ifdef GT_MATRIX_BFLOAT
  uvec4 word = gt_rounded(v, 16u);
  /* A NaN may have all its mantissa bits in the lower half. */
  word |= mix(uvec4(0u), uvec4(0x00400000u), greaterThan(word & 0x7fffffffu, uvec4(0x7f800000u)));
  return word.xz >> 16 | word.yw & 0xffff0000u;
#else
  vec4 short_ = uintBitsToFloat(gt_rounded(v, 13u));
  return uvec2(packHalf2x16(short_.xy), packHalf2x16(short_.zw));
#endif
}

/* Elements are stored as floats whose values fit into 16 bits, so packing them does not round. */
#define GT_LEFT_OCTETS  (GT_MATRIX_ROWS * MATRIX_K / 8u)
#define GT_RIGHT_OCTETS (MATRIX_K * MATRIX_N / 8u)
#define GT_QUAD_OF(from, e) vec4((from).at[e], (from).at[(e) + 1u], (from).at[(e) + 2u], (from).at[(e) + 3u])
#define GT_OCTET_WORDS(from, o) uvec4(gt_packed(GT_QUAD_OF(from, 8u * (o))), gt_packed(GT_QUAD_OF(from, 8u * (o) + 4u)))
#define GT_LEFT_WORDS(from, o)  GT_OCTET_WORDS(from, o)
#define GT_RIGHT_WORDS(from, o) GT_OCTET_WORDS(from, o)
#define GT_SET_OCTET(to, o, words) \
  [[unroll]] for (uint e_ = 0u; e_ < 8u; e_++) (to).at[8u * (o) + e_] = gt_unpacked((words)[e_ / 2u], e_ % 2u);
#define GT_SET_LEFT(to, o, words)  GT_SET_OCTET(to, o, words)
#define GT_SET_RIGHT(to, o, words) GT_SET_OCTET(to, o, words)
#define GT_PUT_LEFT(to, o, first, second) \
  { \
    uvec4 words_ = uvec4(gt_packed(first), gt_packed(second)); \
    GT_SET_OCTET(to, o, words_) \
  }
#define GT_LEFT_QUAD(from, e) GT_QUAD_OF(from, e)

/* Element i of row or column number `vector` of an operand in shared memory. */
#define GT_TILE_ELEMENT(tile, first, stride, vector, i) \
  gt_unpacked((tile)[(first) + (vector) * (stride) + (i) / 8u][(i) / 2u % 4u], (i) % 2u)

#define GT_LOAD_LEFT(to, tile, first, stride, by_columns) \
  GT_UNROLL for (uint i_ = 0u; i_ < GT_MATRIX_ROWS; i_++) \
    [[unroll]] for (uint k_ = 0u; k_ < MATRIX_K; k_++) \
      (to).at[i_ * MATRIX_K + k_] = (by_columns) ? GT_TILE_ELEMENT(tile, first, stride, k_, gt_matrix_row(i_)) \
                                                 : GT_TILE_ELEMENT(tile, first, stride, gt_matrix_row(i_), k_)

#define GT_LOAD_RIGHT(to, tile, first, stride, by_columns) \
  GT_UNROLL for (uint k_ = 0u; k_ < MATRIX_K; k_++) \
    [[unroll]] for (uint j_ = 0u; j_ < MATRIX_N; j_++) \
      (to).at[k_ * MATRIX_N + j_] = (by_columns) ? GT_TILE_ELEMENT(tile, first, stride, j_, k_) \
                                                 : GT_TILE_ELEMENT(tile, first, stride, k_, j_)

#define GT_LOAD_LINE(to, from, first, by_columns) \
  GT_UNROLL for (uint i_ = 0u; i_ < GT_MATRIX_ROWS; i_++) \
    [[unroll]] for (uint j_ = 0u; j_ < MATRIX_N; j_++) { \
      uint e_ = (by_columns) ? gt_matrix_row(i_) : j_; \
      (to).at[i_ * MATRIX_N + j_] = uintBitsToFloat((from)[(first) + e_ / 4u][e_ % 4u]); \
    }

#define GT_STORE_FLOATS(sums, to, first, stride) \
  GT_UNROLL for (uint i_ = 0u; i_ < GT_MATRIX_ROWS; i_++) \
    GT_UNROLL for (uint j_ = 0u; j_ < MATRIX_N && gt_matrix_has_row(i_); j_++) \
      (to)[(first) + gt_matrix_row(i_) * (stride) + j_] = (sums).at[i_ * MATRIX_N + j_]

#define GT_STORE_WORDS(sums, to, first, stride) \
  GT_UNROLL for (uint i_ = 0u; i_ < GT_MATRIX_ROWS; i_++) \
    GT_UNROLL for (uint j_ = 0u; j_ < MATRIX_N && gt_matrix_has_row(i_); j_++) \
      (to)[(first) + gt_matrix_row(i_) * (stride) + j_ / 4u][j_ % 4u] = floatBitsToUint((sums).at[i_ * MATRIX_N + j_])

#define GT_LOAD_WORDS(sums, from, first, stride) \
  GT_UNROLL for (uint i_ = 0u; i_ < GT_MATRIX_ROWS; i_++) \
    GT_UNROLL for (uint j_ = 0u; j_ < MATRIX_N; j_++) \
      (sums).at[i_ * MATRIX_N + j_] = uintBitsToFloat((from)[(first) + gt_matrix_row(i_) * (stride) + j_ / 4u][j_ % 4u])

#define GT_LOAD_FLOATS(sums, from, first, stride) \
  GT_UNROLL for (uint i_ = 0u; i_ < GT_MATRIX_ROWS; i_++) \
    GT_UNROLL for (uint j_ = 0u; j_ < MATRIX_N; j_++) \
      (sums).at[i_ * MATRIX_N + j_] = (from)[(first) + gt_matrix_row(i_) * (stride) + j_]

#define GT_ELEMENTS         (GT_MATRIX_ROWS * MATRIX_N)
#define GT_ELEMENT(sums, e) (sums).at[e]

#define GT_ADD_SUMS(sums, more) \
  GT_UNROLL for (uint e_ = 0u; e_ < GT_ELEMENTS; e_++) (sums).at[e_] += (more).at[e_]

#define GT_SET_SUMS(sums, value) \
  GT_UNROLL for (uint e_ = 0u; e_ < GT_ELEMENTS; e_++) (sums).at[e_] = value

#define GT_MULTIPLY_ADD(sums, left, right) \
  GT_UNROLL for (uint i_ = 0u; i_ < GT_MATRIX_ROWS; i_++) \
    [[unroll]] for (uint j_ = 0u; j_ < MATRIX_N; j_++) { \
      float sum_ = (sums).at[i_ * MATRIX_N + j_]; \
      [[unroll]] for (uint k_ = 0u; k_ < MATRIX_K; k_++) \
        sum_ = fma((left).at[i_ * MATRIX_K + k_], (right).at[k_ * MATRIX_N + j_], sum_); \
      (sums).at[i_ * MATRIX_N + j_] = sum_; \
    }

#define GT_ADD_PRODUCT(sums, a, b, c) \
  GT_UNROLL for (uint e_ = 0u; e_ < GT_ELEMENTS; e_++) \
    (sums).at[e_] += (a).at[e_] * ((b).at[e_] * (c).at[e_]) * ((b).at[e_] * (c).at[e_])

#endif

#ifndef GT_PACKED_BYTES
uvec2 gt_packed_bytes(uint word, float center) {
  return gt_packed(vec4(uvec4(word) >> uvec4(0u, 8u, 16u, 24u) & 255u) - center);
}
#endif

/* Rounds to 11 significant bits, to nearest, with integer arithmetic: a compiler may optimize the conversion float ->
 * float16 -> float away. */
vec4 gt_upper(vec4 v) { return uintBitsToFloat(floatBitsToUint(v) + 0x1000u & 0xffffe000u); }
#endif
