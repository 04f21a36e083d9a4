/* Loads of one vec4 of a dense operand, with or without bounds checks.
 *
 * How products read their factors. */
#ifndef GT_FETCH_GLSL
#define GT_FETCH_GLSL

/* Four elements from index i, of which `left` exist; the others are 0. aligned: i is a multiple of four, and all of them
 * exist or none. In place of those that do not exist the first one of all is asked for: there is no condition behind which
 * a driver would wait for what is on its way. That takes `aligned` to be a constant. */
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
