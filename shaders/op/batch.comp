#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
/* A workgroup copies ROWS neighboring rows. First it computes the sample of each row, only once because this is slower
 * than copying a vec4. Then its invocations copy the rows in vec4s and apply the fused epilogue, whose only input is
 * the copied value (gt_op.early). */
#include "op/batch.h"
layout(constant_id = GT_BATCH_SPEC_WHOLE) const uint WHOLE = 0u;
#define GT_PROGRAM_X 4
#define GT_PROGRAM_QUADS (WHOLE != 0u)
#define row_length features
#include "lib/program.glsl"
#undef row_length
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 64u;
layout(constant_id = GT_BATCH_SPEC_MODE) const uint MODE = 0u;
layout(constant_id = GT_BATCH_SPEC_ORDER) const uint ORDER = 0u;
layout(constant_id = GT_BATCH_SPEC_SCALED) const uint SCALED = 0u;
layout(constant_id = GT_BATCH_SPEC_ROWS) const uint ROWS = 1u;
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer gt_words4 { uvec4 at[]; };

const uint LOADS = 4u; /* vec4s that an invocation loads before it stores the first */
shared uint sample_of[ROWS];

/* The address of sample s: data + s * features * (1 or 4 bytes). */
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

/* Feature j, scaled. */
float scaled(float v, uint j) {
  if (SCALED != 0u) {
    uint p = j % period;
    v = (v - scaling.at[p]) * scaling.at[period + p] + scaling.at[2u * period + p];
  }
  return v;
}

/* Feature j of a sample, scaled. The sample begins `lead` bytes after the address `words`. */
float value(GT_WORDS words, uint lead, uint j) {
  float v;
  if (MODE == GT_BATCH_U8) v = float(words.at[lead + j >> 2] >> 8u * (lead + j & 3u) & 255u);
  else v = uintBitsToFloat(words.at[j]);
  return scaled(v, j);
}

/* Copies features f … f+n-1 of the sample at address `from` to row r of the batch. */
void copy(uint r, uvec2 from, uint f, uint n) {
  uint lead = from.x & 3u; /* bytes before the row in its first word */
  GT_WORDS words = GT_WORDS(uvec2(from.x - lead, from.y));
  if (MODE == GT_BATCH_I32)
    for (uint j = f; j < f + n; j++) GT_CAST(GT_WORDS, y[0]).at[r * features + j] = words.at[j];
  else {
    uvec4 j = f + min(uvec4(0u, 1u, 2u, 3u), uvec4(n - 1u));
    vec4 v = vec4(value(words, lead, j.x), value(words, lead, j.y), value(words, lead, j.z), value(words, lead, j.w));
    gt_program_write(gt_place(r * features + f, n), v);
  }
}

/* Reads features f … f + 3 unscaled. The row length must be a multiple of 4, and memory aligned. */
uvec4 read_quad(uvec2 from, uint f) {
  uvec4 word;
  if (MODE == GT_BATCH_U8) word = uvec4(GT_WORDS(from).at[f >> 2]) >> uvec4(0u, 8u, 16u, 24u) & 255u;
  else word = gt_words4(from).at[f >> 2];
  return word;
}

void write_quad(uint r, uint f, uvec4 word) {
  if (MODE == GT_BATCH_I32) GT_CAST(gt_words4, y[0]).at[r * features + f >> 2] = word;
  else {
    vec4 v = MODE == GT_BATCH_U8 ? vec4(word) : uintBitsToFloat(word);
    v = vec4(scaled(v.x, f), scaled(v.y, f + 1u), scaled(v.z, f + 2u), scaled(v.w, f + 3u));
    gt_program_write(gt_place(r * features + f, 4u), v);
  }
}

#include "op/batch_order.glsl"

/* Rows after the end of the data are filled with sample 0; their weight is 0. */
uvec2 address_of(uint r) { return row_address(sample_of[r] == NONE ? 0u : sample_of[r]); }

/* Without branches between loads, so that all of them are in flight at once: past the end, the last vec4 is loaded
 * again. */
void copy_quads(uint first_row, uint rows, uint quads) {
  uint count = rows * quads;
  for (uint first = gl_LocalInvocationID.x; first < count; first += LOADS * LOCAL_X) {
    uvec4 word[LOADS];
    uint r[LOADS], f[LOADS];
    [[unroll]] for (uint i = 0u; i < LOADS; i++) {
      uint q = min(first + i * LOCAL_X, count - 1u);
      r[i] = q / quads, f[i] = (q - r[i] * quads) * 4u;
      word[i] = read_quad(address_of(r[i]), f[i]);
    }
    [[unroll]] for (uint i = 0u; i < LOADS; i++)
      if (first + i * LOCAL_X < count) write_quad(first_row + r[i], f[i], word[i]);
  }
}

void copy_rows(uint first_row) {
  uint me = gl_LocalInvocationID.x, quads = (features + 3u) / 4u, rows = min(batch - first_row, ROWS);
  for (uint r = me; r < rows; r += LOCAL_X) sample_of[r] = sample_of_row(first_row + r);
  barrier();
  if (WHOLE != 0u && ALIGNED != 0u) copy_quads(first_row, rows, quads);
  else
    for (uint q = me; q < rows * quads; q += LOCAL_X) {
      uint r = q / quads, f = q % quads * 4u;
      copy(first_row + r, address_of(r), f, min(features - f, 4u));
    }
  barrier(); /* before the next rows overwrite sample_of */
}

void main() {
  if (MODE == GT_BATCH_WEIGHT) {
    uint stride = gl_NumWorkGroups.x * LOCAL_X;
    for (uint r = gl_GlobalInvocationID.x; r < batch; r += stride)
      y[0].at[r] = sample_of_row(r) != NONE ? 1.0 : 0.0;
  } else {
    for (uint g = gl_WorkGroupID.x; g * ROWS < batch; g += gl_NumWorkGroups.x) copy_rows(g * ROWS);
  }
}
