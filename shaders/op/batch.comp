#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/batch.h"
#include "lib/philox.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_BATCH_SPEC_MODE) const uint MODE = 0u;
layout(constant_id = GT_BATCH_SPEC_ORDER) const uint ORDER = 0u;
layout(constant_id = GT_BATCH_SPEC_SCALED) const uint SCALED = 0u;
layout(constant_id = GT_BATCH_SPEC_QUADS) const uint QUADS = 1u;

/* The address of sample s: s * features values of one byte or four behind the first. */
uvec2 row_address(uint s) {
  uint low, high, carry;
  umulExtended(s, features, high, low);
  if (MODE != GT_BATCH_U8) {
    high = high << 2 | low >> 30;
    low <<= 2;
  }
  low = uaddCarry(low, data.x, carry);
  return uvec2(low, high + data.y + carry);
}

/* Features f … f+n-1 of batch row r, which is sample s. */
void copy(uint r, uint s, uint f, uint n) {
  uvec2 from = row_address(s);
  uint lead = from.x & 3u; /* bytes of a word before the row */
  GT_WORDS row = GT_WORDS(uvec2(from.x - lead, from.y));
  for (uint j = f; j < f + n; j++) {
    uint to = r * features + j;
    if (MODE == GT_BATCH_I32) y.at[to] = row.at[j];
    else {
      float v;
      if (MODE == GT_BATCH_U8) v = float(row.at[lead + j >> 2] >> 8u * (lead + j & 3u) & 255u);
      else v = uintBitsToFloat(row.at[j]);
      if (SCALED != 0u) {
        uint p = j % period;
        v = (v - scaling.at[p]) * scaling.at[period + p] + scaling.at[2u * period + p];
      }
      y.at[to] = floatBitsToUint(v);
    }
  }
}

void main() {
  uint step = clock.at[0] - first_step, epoch = step / steps + first_epoch;
  uvec2 seed = uvec2(clock.at[1], clock.at[2]);
  /* Several features an invocation, as finding the row's sample costs something. Its quads lie apart, so that neighbours
   * read neighbours. */
  uint pieces = MODE == GT_BATCH_WEIGHT ? 1u : (features + 4u * QUADS - 1u) / (4u * QUADS);
  uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < batch * pieces; i += stride) {
    uint r = i / pieces, f = i % pieces * 4u;
    /* Past the end of the data the product may not fit into 32 bits. */
    uint first = step % steps;
    bool inside = first <= (samples - 1u) / batch;
    uint index = first * batch + r;
    inside = inside && index < samples;
    if (MODE == GT_BATCH_WEIGHT) y.at[r] = floatBitsToUint(inside ? 1.0 : 0.0);
    else {
      uint s = 0u;
      if (ORDER == GT_BATCH_WINDOW) s = clock.at[0] % window * batch + r;
      else if (inside && ORDER == GT_BATCH_SEQUENTIAL) s = index;
      else if (inside) s = gt_shuffle_index(index, samples, seed, epoch);
      for (uint q = 0u; q < QUADS; q++, f += 4u * pieces)
        if (f < features) copy(r, s, f, min(features - f, 4u));
    }
  }
}
