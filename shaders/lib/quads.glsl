/* Loads and stores item i of a buffer. With QUADS an item is a vec4 (for rows whose length is a multiple of 4),
 * otherwise a float in component x. Include after the constants QUADS (0 or 1) and ALIGNED (GT_SPEC_ALIGNED). */
#ifndef GT_QUADS_GLSL
#define GT_QUADS_GLSL
vec4 gt_load(GT_FLOATS from, uint i) {
  vec4 v;
  if (QUADS == 0u) v = vec4(from.at[i], 0.0, 0.0, 0.0);
  else if (ALIGNED != 0u) v = GT_CAST(GT_FLOATS4, from).at[i];
  else v = vec4(from.at[4u * i], from.at[4u * i + 1u], from.at[4u * i + 2u], from.at[4u * i + 3u]);
  return v;
}

void gt_store(GT_FLOATS to, uint i, vec4 v) {
  if (QUADS == 0u) to.at[i] = v.x;
  else if (ALIGNED != 0u) GT_CAST(GT_FLOATS4, to).at[i] = v;
  else
    for (uint k = 0u; k < 4u; k++) to.at[4u * i + k] = v[k];
}
#endif
