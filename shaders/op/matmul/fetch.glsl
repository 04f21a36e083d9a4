/* How products read their factors. */
#ifndef GT_FETCH_GLSL
#define GT_FETCH_GLSL

/* Four elements from index i, of which `left` exist; the others are 0. */
vec4 fetch(GT_FLOATS from, uint i, int left, bool aligned) {
  vec4 v = vec4(0.0);
  if (left >= 4 && aligned) v = GT_CAST(GT_FLOATS4, from).at[i >> 2];
  else {
    if (left > 0) v.x = from.at[i];
    if (left > 1) v.y = from.at[i + 1u];
    if (left > 2) v.z = from.at[i + 2u];
    if (left > 3) v.w = from.at[i + 3u];
  }
  return v;
}
#endif
