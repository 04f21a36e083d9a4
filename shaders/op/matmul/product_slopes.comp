/* Dgrad of a KAN layer with few outputs and many rows: coefficients in registers, derivatives on the fly. */
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "op/matmul/product_slopes.h"
#include "op/matmul/range.h"
#define GT_PROGRAM_X 4
#define row_length n
#include "lib/program.glsl"
#include "op/matmul/spot.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 64u;
layout(constant_id = GT_SLOPES_SPEC_OWN) const uint OWN = 1u;
#define GT_LINES_LEAST 1u
#include "op/matmul/lines.glsl"
#include "op/matmul/load_basis.glsl"
#include "op/matmul/load_scaled.glsl"
#include "op/matmul/load_segments.glsl"
const uint ROWS = BASIS_TOTAL * INPUTS; /* rows of coefficients */
const bool AGAIN = OWN < BASIS_TOTAL;   /* several passes: the inputs are still needed when results are stored */
const uint BM = STAGED, BN = INPUTS;
layout(constant_id = GT_MATMUL_SPEC_EXTENTS) const uint EXTENTS = 0u;
#include "op/matmul/measures_scalar.glsl"
shared vec4 coefficients[ROWS * SPREAD];
shared float results[AGAIN ? STAGED * INPUTS : 1u];

/* An element of row `number` of the tile's coefficients, times the factor of its edge if it has one. */
float coefficient(uint number, uint output_, uint input_) {
  uint term = min(number / INPUTS, BASIS_TOTAL - 1u);
  gt_spot line = coefficients_line(min(input_ + number % INPUTS, n - 1u)), along = coefficients_position(term * SEGMENT);
  float v = b.at[line.at + along.at + output_];
  if (SCALED_PARTS != 0u) {
    bool has = along.place.y != 0;
    float scale = scaled_by().at[has ? uint(line.place.x + along.place.x) + output_ : 0u];
    if (has) v *= scale;
  }
  return v;
}

void stage_coefficients(uint input_) {
  const uint AT_ONCE = 6u;
  for (uint first = gl_LocalInvocationID.x; first < ROWS * OUTPUTS; first += AT_ONCE * LOCAL_X) {
    float v[AT_ONCE];
    [[unroll]] for (uint f = 0u; f < AT_ONCE; f++) {
      uint i = first + f * LOCAL_X;
      v[f] = coefficient(i / OUTPUTS, i % OUTPUTS, input_);
    }
    [[unroll]] for (uint f = 0u; f < AT_ONCE; f++) {
      uint i = first + f * LOCAL_X, o = i % OUTPUTS;
      if (i < ROWS * OUTPUTS) coefficients[i / OUTPUTS * SPREAD + o / 4u][o & 3u] = v[f];
    }
  }
}

void put_result(uint word, float value) {
  if (AGAIN) results[word] = value;
  else lines_put(word, value);
}
float result_at(uint word) { return AGAIN ? results[word] : lines_get(word); }

/* Adds the terms of OWN functions from `first` on to the gradient of an input, for all lines of the invocation. */
void add_functions(uint first, uint count, uint tile_input, uint input_) {
  vec4 factor[OWN * QUADS], g[QUADS];
  [[unroll]] for (uint i = 0u; i < OWN * QUADS; i++)
    factor[i] = coefficients[(min(first + i / QUADS, BASIS_TOTAL - 1u) * INPUTS + tile_input) * SPREAD + i % QUADS];
  for (uint line = gl_LocalInvocationID.x / INPUTS; line < count; line += TEAMS) {
    vec4 x = vec4(lines_input(line, tile_input, 0u));
    float total = first == 0u ? 0.0 : result_at(line * INPUTS + tile_input);
    [[unroll]] for (uint q = 0u; q < QUADS; q++) g[q] = lines_gradient(line, q);
    [[unroll]] for (uint f = 0u; f < OWN; f++)
      if (first + f < BASIS_TOTAL) {
        float sum = 0.0;
        [[unroll]] for (uint o = 0u; o < OUTPUTS; o++) sum = fma(g[o / 4u][o % 4u], factor[f * QUADS + o / 4u][o % 4u], sum);
        total = fma(sum, basis_values(x, first + f, partial, input_, 1).x, total);
      }
    put_result(line * INPUTS + tile_input, total);
  }
}

/* Writes the results; all quads of an invocation have the same columns. */
void write(uint first, uint count, uint input_) {
  uint i = input_ + gl_LocalInvocationID.x % ACROSS * 4u;
  uvec4 most = uvec4(0u);
  measures_begin();
  for (uint q = gl_LocalInvocationID.x; q < count * ACROSS && i < n; q += LOCAL_X) {
    vec4 v;
    [[unroll]] for (uint l = 0u; l < 4u; l++) v[l] = result_at(4u * q + l);
    v = gt_program_write(gt_place((first + q / ACROSS) * n + i, min(4u, n - i)), v);
    if (MEASURES) measures_row(q / ACROSS, v, 4u, most);
  }
  if (MEASURES && i < n) measures_columns(i, 4u, most);
  measures_end(first, input_);
}

void main() {
  uint number = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x, tiles = (n + INPUTS - 1u) / INPUTS;
  uint first = number / tiles * STAGED, input_ = number % tiles * INPUTS;
  uint tile_input = gl_LocalInvocationID.x % INPUTS;
  if (first >= m) return;
  uint count = min(STAGED, m - first);
  basis_begin();
  segments_outputs = OUTPUTS;
  stage_coefficients(input_);
  lines_stage(partial, 0u, a, first, m, input_, n, 0u, OUTPUTS);
  barrier();
  [[unroll]] for (uint f = 0u; f < BASIS_TOTAL; f += OWN)
    add_functions(f, count, tile_input, min(input_ + tile_input, n - 1u));
  barrier();
  write(first, count, input_);
}
