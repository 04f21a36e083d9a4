#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
/* A workgroup copies ROWS neighbouring rows: it first finds out which samples they are, as that takes longer than the
 * copy of a quad, then its invocations take the rows' quads one after another. */
#include "op/batch.h"
#include "lib/philox.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 64u;
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;
layout(constant_id = GT_BATCH_SPEC_MODE) const uint MODE = 0u;
layout(constant_id = GT_BATCH_SPEC_ORDER) const uint ORDER = 0u;
layout(constant_id = GT_BATCH_SPEC_SCALED) const uint SCALED = 0u;
layout(constant_id = GT_BATCH_SPEC_ROWS) const uint ROWS = 1u;
layout(constant_id = GT_BATCH_SPEC_WHOLE) const uint WHOLE = 0u;
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer gt_words4 { uvec4 at[]; };

const uint NONE = 0xffffffffu;
shared uint sample_of[ROWS];

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

float scaled(float v, uint j) {
  if (SCALED != 0u) {
    uint p = j % period;
    v = (v - scaling.at[p]) * scaling.at[period + p] + scaling.at[2u * period + p];
  }
  return v;
}

/* Features f … f+n-1 of batch row r from a sample at `from`. */
void copy(uint r, uvec2 from, uint f, uint n) {
  uint lead = from.x & 3u; /* bytes of a word before the row */
  GT_WORDS row = GT_WORDS(uvec2(from.x - lead, from.y));
  for (uint j = f; j < f + n; j++) {
    uint to = r * features + j;
    if (MODE == GT_BATCH_I32) y.at[to] = row.at[j];
    else if (MODE == GT_BATCH_U8) {
      uint byte = row.at[lead + j >> 2] >> 8u * (lead + j & 3u) & 255u;
      y.at[to] = floatBitsToUint(scaled(float(byte), j));
    } else y.at[to] = floatBitsToUint(scaled(uintBitsToFloat(row.at[j]), j));
  }
}

/* Four of them, where rows are whole quads in aligned memory. */
void copy_quad(uint r, uvec2 from, uint f) {
  uvec4 word;
  if (MODE == GT_BATCH_U8) word = uvec4(GT_WORDS(from).at[f >> 2]) >> uvec4(0u, 8u, 16u, 24u) & 255u;
  else word = gt_words4(from).at[f >> 2];
  if (MODE != GT_BATCH_I32) {
    vec4 v = MODE == GT_BATCH_U8 ? vec4(word) : uintBitsToFloat(word);
    word = floatBitsToUint(vec4(scaled(v.x, f), scaled(v.y, f + 1u), scaled(v.z, f + 2u), scaled(v.w, f + 3u)));
  }
  GT_CAST(gt_words4, y).at[r * features + f >> 2] = word;
}

/* Of batch row r; NONE behind the end of the data. */
uint sample_of_row(uint r) {
  uint step = clock.at[0] - first_step, epoch = step / steps + first_epoch, first = step % steps;
  uint index = first * batch + r, s = index;
  /* Past the end of the data the product may not fit into 32 bits. */
  bool inside = first <= (samples - 1u) / batch && index < samples;
  if (ORDER == GT_BATCH_WINDOW) s = clock.at[0] % window * batch + r;
  else if (!inside) s = NONE;
  else if (ORDER == GT_BATCH_SHUFFLED && MODE != GT_BATCH_WEIGHT)
    s = gt_shuffle_index(index, samples, uvec2(clock.at[1], clock.at[2]), epoch);
  return s;
}

void copy_rows(uint first_row) {
  uint me = gl_LocalInvocationID.x, quads = (features + 3u) / 4u, rows = min(batch - first_row, ROWS);
  for (uint r = me; r < rows; r += LOCAL_X) sample_of[r] = sample_of_row(first_row + r);
  barrier();
  for (uint q = me; q < rows * quads; q += LOCAL_X) {
    uint r = q / quads, f = q % quads * 4u, s = sample_of[r];
    uvec2 from = row_address(s == NONE ? 0u : s); /* rows behind the end are of no account, but have to be something */
    if (WHOLE != 0u && ALIGNED != 0u) copy_quad(first_row + r, from, f);
    else copy(first_row + r, from, f, min(features - f, 4u));
  }
  barrier(); /* the next rows' samples must not overtake these */
}

void main() {
  if (MODE == GT_BATCH_WEIGHT) {
    uint stride = gl_NumWorkGroups.x * LOCAL_X;
    for (uint r = gl_GlobalInvocationID.x; r < batch; r += stride)
      y.at[r] = floatBitsToUint(sample_of_row(r) != NONE ? 1.0 : 0.0);
  } else {
    for (uint g = gl_WorkGroupID.x; g * ROWS < batch; g += gl_NumWorkGroups.x) copy_rows(g * ROWS);
  }
}
