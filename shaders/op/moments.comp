#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
/* A workgroup has ACROSS groups of 4 columns; each invocation reduces every DOWN-th row or part of one group, and a
 * tree reduction combines the results. The formulas for combining moments avoid cancellation: Chan, Golub and LeVeque,
 * "Updating formulae and a pairwise algorithm for computing sample variances", 1979. */
#include "op/moments.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 1u;
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;
layout(constant_id = GT_MOMENTS_SPEC_FROM) const uint FROM = 0u;
layout(constant_id = GT_MOMENTS_SPEC_WEIGHTED) const uint WEIGHTED = 0u;
layout(constant_id = GT_MOMENTS_SPEC_LAST) const uint LAST = 0u;
layout(constant_id = GT_MOMENTS_SPEC_ACROSS) const uint ACROSS = 1u;
layout(constant_id = GT_MOMENTS_SPEC_QUADS) const uint QUADS = 0u;
const uint DOWN = LOCAL_X / ACROSS;
/* A constant, so that there is no branch between loads and all of them are in flight at once. */
const bool IN_QUADS = ALIGNED != 0u && QUADS != 0u;

/* Of four columns: the total weight, the means and the sums of squared deviations. */
struct moments {
  float count;
  vec4 mean, squares;
};
shared float counted[LOCAL_X];
shared vec4 means[LOCAL_X], spreads[LOCAL_X];

moments empty() { return moments(0.0, vec4(0.0), vec4(0.0)); }

moments combine(moments a, moments b) {
  moments result = a;
  if (b.count != 0.0) {
    float share = b.count / (a.count + b.count);
    vec4 delta = b.mean - a.mean;
    result.count = a.count + b.count;
    result.mean = a.count != 0.0 ? a.mean + delta * share : b.mean;
    result.squares = a.squares + b.squares + (a.count != 0.0 ? delta * delta * (a.count * share) : vec4(0.0));
  }
  return result;
}

/* Up to four floats from `at` on; past the last column, the last one is repeated. */
vec4 read(GT_FLOATS from, uint at, uint column) {
  vec4 v;
  if (IN_QUADS) v = GT_CAST(GT_FLOATS4, from).at[at / 4u];
  else {
    uvec4 i = at + min(uvec4(0u, 1u, 2u, 3u), uvec4(columns - 1u - column));
    v = vec4(from.at[i.x], from.at[i.y], from.at[i.z], from.at[i.w]);
  }
  return v;
}

void write(GT_FLOATS to, uint at, uint column, vec4 v) {
  if (IN_QUADS) GT_CAST(GT_FLOATS4, to).at[at / 4u] = v;
  else
    for (uint l = 0u; l < min(4u, columns - column); l++) to.at[at + l] = v[l];
}

float weight_of(uint r) { return WEIGHTED != 0u ? weight.at[r / rows_per_sample] : 1.0; }

moments row_moments(uint r, uint column) {
  return moments(weight_of(r), read(x, r * columns + column, column), vec4(0.0));
}

/* The moments of tile t. If all rows of the tile have the same weight, the moments that the previous kernel has
 * computed are scaled by this weight. Otherwise, for example if the last batch ends within the tile, they are computed
 * again from the rows. If they are not `wanted`, the result is arbitrary. */
moments tile_moments(uint t, uint column, bool wanted) {
  uint first = t * tile, end = min(first + tile, rows), at = 2u * t * columns + column, differing = 0u;
  float w = weight_of(first);
  if (WEIGHTED != 0u)
    for (uint r = (first / rows_per_sample + 1u) * rows_per_sample; r < end; r += rows_per_sample)
      differing += weight_of(r) == w ? 0u : 1u;
  moments m = moments(w * float(end - first), read(from, at, column), w * read(from, at + columns, column));
  if (differing != 0u && wanted) {
    m = empty();
    for (uint r = first; r < end; r++) m = combine(m, row_moments(r, column));
  }
  return m;
}

/* Element i of the pass's input. */
moments element(uint i, uint column, bool wanted) {
  moments m;
  if (FROM == GT_MOMENTS_ROWS) m = row_moments(i, column);
  else if (FROM == GT_MOMENTS_TILES) m = tile_moments(i, column, wanted);
  else {
    uint at = 2u * i * columns + column;
    m = moments(from_counts.at[i], read(from, at, column), read(from, at + columns, column));
  }
  return m;
}

/* Combines the elements i, i + DOWN, … below `end`, with four loads in flight. */
moments combine_range(uint i, uint end, uint column) {
  moments m = empty();
  for (; i < end; i += 4u * DOWN) {
    moments next[4];
    [[unroll]] for (uint u = 0u; u < 4u; u++) {
      bool wanted = i + u * DOWN < end;
      next[u] = element(min(i + u * DOWN, end - 1u), column, wanted);
      if (!wanted) next[u].count = 0.0;
    }
    [[unroll]] for (uint u = 0u; u < 4u; u++) m = combine(m, next[u]);
  }
  return m;
}

/* Writes the result of chunk c. */
void finish(uint c, uint column, moments m) {
  if (LAST != 0u) {
    write(mean, column, column, m.mean);
    vec4 mean_square = m.count != 0.0 ? m.squares / m.count : vec4(0.0);
    write(variance, column, column, mean_square);
    write(inverse, column, column, 1.0 / sqrt(mean_square + eps));
  } else {
    uint at = 2u * c * columns + column;
    write(parts, at, column, m.mean);
    write(parts, at + columns, column, m.squares);
    if (column == 0u) counts.at[c] = m.count;
  }
}

void main() {
  uint across = ((columns + 3u) / 4u + ACROSS - 1u) / ACROSS, chunks = (inputs + chunk - 1u) / chunk;
  uint me = gl_LocalInvocationID.x, lane = me / ACROSS;
  for (uint g = gl_WorkGroupID.x; g < chunks * across; g += gl_NumWorkGroups.x) {
    uint column = 4u * (g % across * ACROSS + me % ACROSS), c = g / across;
    moments m = empty();
    if (column < columns) m = combine_range(c * chunk + lane, min(c * chunk + chunk, inputs), column);
    for (uint lower = DOWN / 2u; lower > 0u; lower /= 2u) {
      counted[me] = m.count;
      means[me] = m.mean;
      spreads[me] = m.squares;
      barrier();
      uint other = me + lower * ACROSS;
      if (lane < lower) m = combine(m, moments(counted[other], means[other], spreads[other]));
      barrier();
    }
    if (lane == 0u && column < columns) finish(c, column, m);
  }
}
