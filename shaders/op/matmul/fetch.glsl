/* Loads of one vec4 of a dense operand, with or without bounds checks. */
#ifndef GT_FETCH_GLSL
#define GT_FETCH_GLSL

/* Four elements from index i on. The first `left` exist; the others are 0. aligned, a constant: i is a multiple of
 * four, and either all four exist or none. An element that does not exist is loaded from index 0 instead of not at all:
 * at a branch a driver would wait for the loads in flight. */
vec4 fetch(GT_FLOATS from, uint i, int left, bool aligned) {
  vec4 v;
  if (aligned) {
    v = GT_CAST(GT_FLOATS4, from).at[(left > 0 ? i : 0u) >> 2];
    if (left <= 0) v = vec4(0.0);
  } else {
    [[unroll]] for (uint l = 0u; l < 4u; l++) {
      bool exists = left > int(l);
      float one = from.at[exists ? i + l : 0u];
      v[l] = exists ? one : 0.0;
    }
  }
  return v;
}
#endif
