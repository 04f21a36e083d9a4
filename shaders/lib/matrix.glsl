/* Matrices that a subgroup holds together: the left factor [M, K] and the right one [K, N] of a product in 16
 * bits, sums [M, N] in floats, with one face in two forms. With GT_MATRIX_UNITS defined they are the device's
 * cooperative matrices, in NVIDIA's names, which are all that older compilers know (tools/matrix_khr makes
 * KHR's of them). Else they are arrays: each lane holds some rows of the left factor and of the sums, and all
 * of the right factor, so that lanes need nothing of each other; slow, and meant for tests on devices without
 * such units. The factors are of float16, or of bfloat16 with GT_MATRIX_BFLOAT.
 *
 * Define before the inclusion, as specialization constants or macros: MATRIX_M, MATRIX_N, MATRIX_K and
 * SUBGROUP, the lanes of a subgroup. The extents have to be constants of their own, though equal in value.
 * Factors lie in `shared uvec4 tile[]`, eight elements in each, line after line: rows, or columns if
 * `by_columns` (a constant). `first` and `stride`, from line to line, count uvec4s. Sums lie in an array of
 * floats, shared or of a buffer, and are counted in floats; GT_LOAD_LINE makes all of their rows, or columns, the same one,
 * of an array of uvec4s; GT_LOAD_SUMS takes back what GT_STORE_WORDS left in one, GT_LOAD_FLOATS what stands in floats. A lane
 * has GT_ELEMENTS of sums, the e-th is GT_ELEMENT. What is loaded lies at multiples of 16
 * bytes, or units read something else. GT_SET_SUMS makes each element a value, GT_ADD_SUMS adds others, GT_MULTIPLY_ADD adds
 * a product. GT_LEFT_WORDS and GT_RIGHT_WORDS make four words of eight of a lane's elements, of which it has GT_LEFT_OCTETS
 * and GT_RIGHT_OCTETS; GT_SET_LEFT and GT_SET_RIGHT take them back. GT_PUT_LEFT makes floats, two quads, the eight elements
 * of an octet of the left factor; GT_LEFT_QUAD is four of them as floats.
 * Behind GT_SUBGROUP_BARRIER, which all invocations come to, what a subgroup's lanes stored in shared memory is there for
 * all of them. */
#ifndef GT_MATRIX_GLSL
#define GT_MATRIX_GLSL
#include "lib/math.glsl"
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
#define GT_STORE_SUMS(sums, to, first, stride)             coopMatStoreNV(sums, to, first, stride, false)
#define GT_STORE_WORDS(sums, to, first, stride)            coopMatStoreNV(sums, to, first, stride, false)
#define GT_LOAD_SUMS(sums, from, first, stride)            coopMatLoadNV(sums, from, first, stride, false)
#define GT_LOAD_FLOATS(sums, from, first, stride)          coopMatLoadNV(sums, from, first, stride, false)
#define GT_ELEMENTS                                        (MATRIX_M * MATRIX_N / SUBGROUP)
#define GT_ELEMENT(sums, e)                                (sums)[e]
#define GT_ADD_SUMS(sums, more)                            sums = sums + more
#define GT_SET_SUMS(sums, value)                           sums = gt_sums(value)
#define GT_MULTIPLY_ADD(sums, left, right)                 sums = coopMatMulAddNV(left, right, sums)
/* sums += a (b c)^2, element by element, b c first: what is out of range is so in the end. NVIDIA's driver squares it before, and
 * loses what is small, unless both products are precise. For products of elements tools/matrix_khr takes these quotients. */
#define GT_ADD_PRODUCT(sums, a, b, c) \
  { \
    precise gt_sums both_ = b / c, once_ = a / both_, twice_ = once_ / both_; \
    sums = sums + twice_; \
  }
#define GT_SUBGROUP_BARRIER()                              subgroupBarrier()
#define GT_UNROLL [[unroll]] /* before a loop over matrices or over what an invocation stages */
/* A lane's elements of a factor, eight at a time as words of memory, and back. Which elements a lane has is for the
 * device to say; the words of the left factor stand as NVIDIA's units want them in neighbouring registers. */
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
/* The bytes of a word, less `center`, which is a byte, too: behind 1024 a float16's last bits are whole numbers. */
uvec2 gt_packed_bytes(uint word, float center) {
  uvec2 pairs = uvec2(word & 255u | (word & 0xff00u) << 8, word >> 16 & 255u | word >> 8 & 0xff0000u) | 0x64006400u;
  f16vec2 behind = f16vec2(1024.0 + center);
  return uvec2(packFloat2x16(unpackFloat2x16(pairs.x) - behind), packFloat2x16(unpackFloat2x16(pairs.y) - behind));
}
#endif
uint gt_subgroup() { return gl_SubgroupID; }
uint gt_lane() { return gl_SubgroupInvocationID; }
#ifdef GT_MATRIX_BFLOAT
/* Rounded to the nearest, ties away from zero; a conversion to bfloat16 truncates on some devices. */
uvec2 gt_packed(vec4 v) {
  uvec4 word = mix(floatBitsToUint(v) + 0x8000u, uvec4(0x7fc00000u), gt_is_nan(v));
  return word.xz >> 16 | word.yw & 0xffff0000u;
}
#else
uvec2 gt_packed(vec4 v) { return uvec2(packFloat2x16(f16vec2(v.xy)), packFloat2x16(f16vec2(v.zw))); }
#endif
#else
/* Software devices take minutes to compile what GPUs want. Nor may there be many short loops: lavapipe leaves off
 * silently after 65535 passes through loops of all kinds. */
#define GT_UNROLL [[dont_unroll]]
#define GT_SUBGROUP_BARRIER() barrier()
const uint GT_MATRIX_ROWS = (MATRIX_M + SUBGROUP - 1u) / SUBGROUP; /* of a lane, SUBGROUP apart */
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

/* Where a lane's row i lies; lanes without one take the last. */
uint gt_matrix_row(uint i) { return min(i * SUBGROUP + gt_lane(), MATRIX_M - 1u); }
/* True if the lane has one. Of a store, no other lane writes it. */
bool gt_matrix_has(uint i) { return i * SUBGROUP + gt_lane() < MATRIX_M; }

/* Rounded to the nearest number with `bits` fewer digits, ties to even; infinities and NaN as they are. */
uvec4 gt_rounded(vec4 v, uint bits) {
  uvec4 word = floatBitsToUint(v), half_digit = uvec4((1u << (bits - 1u)) - 1u);
  uvec4 up = word + half_digit + (word >> bits & 1u);
  bvec4 special = greaterThanEqual(word & 0x7fffffffu, uvec4(0x7f800000u));
  return mix(up, word, special) & ~(2u * half_digit + 1u) | mix(uvec4(0u), word & 0x007fffffu, special);
}

uvec2 gt_packed(vec4 v) {
#ifdef GT_MATRIX_BFLOAT
  uvec4 word = gt_rounded(v, 16u);
  /* A NaN may have all its digits in the lower half. */
  word |= mix(uvec4(0u), uvec4(0x00400000u), greaterThan(word & 0x7fffffffu, uvec4(0x7f800000u)));
  return word.xz >> 16 | word.yw & 0xffff0000u;
#else
  vec4 short_ = uintBitsToFloat(gt_rounded(v, 13u));
  return uvec2(packHalf2x16(short_.xy), packHalf2x16(short_.zw));
#endif
}

/* The elements are exact in 16 bits: nothing is rounded here. */
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

#define GT_FACTOR(tile, first, stride, line, i) \
  gt_unpacked((tile)[(first) + (line) * (stride) + (i) / 8u][(i) / 2u % 4u], (i) % 2u)

#define GT_LOAD_LEFT(to, tile, first, stride, by_columns) \
  GT_UNROLL for (uint i_ = 0u; i_ < GT_MATRIX_ROWS; i_++) \
    [[unroll]] for (uint k_ = 0u; k_ < MATRIX_K; k_++) \
      (to).at[i_ * MATRIX_K + k_] = (by_columns) ? GT_FACTOR(tile, first, stride, k_, gt_matrix_row(i_)) \
                                                 : GT_FACTOR(tile, first, stride, gt_matrix_row(i_), k_)

#define GT_LOAD_RIGHT(to, tile, first, stride, by_columns) \
  GT_UNROLL for (uint k_ = 0u; k_ < MATRIX_K; k_++) \
    [[unroll]] for (uint j_ = 0u; j_ < MATRIX_N; j_++) \
      (to).at[k_ * MATRIX_N + j_] = (by_columns) ? GT_FACTOR(tile, first, stride, j_, k_) \
                                                 : GT_FACTOR(tile, first, stride, k_, j_)

#define GT_LOAD_LINE(to, from, first, by_columns) \
  GT_UNROLL for (uint i_ = 0u; i_ < GT_MATRIX_ROWS; i_++) \
    [[unroll]] for (uint j_ = 0u; j_ < MATRIX_N; j_++) { \
      uint e_ = (by_columns) ? gt_matrix_row(i_) : j_; \
      (to).at[i_ * MATRIX_N + j_] = uintBitsToFloat((from)[(first) + e_ / 4u][e_ % 4u]); \
    }

#define GT_STORE_SUMS(sums, to, first, stride) \
  GT_UNROLL for (uint i_ = 0u; i_ < GT_MATRIX_ROWS; i_++) \
    GT_UNROLL for (uint j_ = 0u; j_ < MATRIX_N && gt_matrix_has(i_); j_++) \
      (to)[(first) + gt_matrix_row(i_) * (stride) + j_] = (sums).at[i_ * MATRIX_N + j_]

#define GT_STORE_WORDS(sums, to, first, stride) \
  GT_UNROLL for (uint i_ = 0u; i_ < GT_MATRIX_ROWS; i_++) \
    GT_UNROLL for (uint j_ = 0u; j_ < MATRIX_N && gt_matrix_has(i_); j_++) \
      (to)[(first) + gt_matrix_row(i_) * (stride) + j_ / 4u][j_ % 4u] = floatBitsToUint((sums).at[i_ * MATRIX_N + j_])

#define GT_LOAD_SUMS(sums, from, first, stride) \
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

/* The upper 11 bits of a float, rounded to the nearest: by integers, as compilers may take a float that becomes a
 * float16 and a float again for the float. */
vec4 gt_upper(vec4 v) { return uintBitsToFloat(floatBitsToUint(v) + 0x1000u & 0xffffe000u); }
#endif
