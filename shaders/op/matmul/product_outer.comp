/* Small-N wgrad of a KAN or linear layer: a thread holds the sums of one input's functions in registers and computes
 * the functions on the fly. */
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "op/matmul/product_outer.h"
layout(constant_id = GT_FACTOR_SPEC_A) const uint KIND_A = 0u;
#define GT_PROGRAM_X 4
#define row_length n
#include "lib/program.glsl"
#include "op/matmul/spot.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 64u;
layout(constant_id = GT_OUTER_SPEC_ROUND) const uint ROUND = 1u;
layout(constant_id = GT_OUTER_SPEC_PART) const uint PART = 64u;
layout(constant_id = GT_MATMUL_SPEC_SPLIT) const uint SPLIT = 2u;
layout(constant_id = GT_MATMUL_SPEC_ARRIVE) const uint ARRIVE = 0u;
/* Words from the sums of one invocation to those of the next in shared memory: an odd number, against bank
 * conflicts. */
#define JOINED         (OUTPUTS | 1u)
#define GT_LINES_LEAST ((ROUND * LOCAL_X * JOINED + 3u) / 4u)
#include "op/matmul/lines.glsl"
#include "op/matmul/load_basis.glsl"
#include "op/matmul/parts.glsl"

/* A dense A is treated as a basis with one function, the input itself. */
const bool MAKES_A = KIND_A == GT_FACTOR_BASIS;
const uint FUNCTIONS = MAKES_A ? BASIS_TOTAL : 1u, SUMS = FUNCTIONS * OUTPUTS, NOWHERE = 0xffffffffu;
/* The number of a tile's elements that an invocation writes, and the number of parts of each that it loads at once. */
const uint OWN = (SUMS * INPUTS + LOCAL_X - 1u) / LOCAL_X, PARTS = OWN < FETCHED ? FETCHED / OWN : 1u;
/* The number of elements that an invocation writes in a round. */
const uint IN_ROUND = (ROUND * INPUTS * OUTPUTS + LOCAL_X - 1u) / LOCAL_X;
float sum[SUMS];

/* Index in the result of element e of the functions from `first` on, for the tile's inputs from input_ on and its
 * columns from `column` on; NOWHERE if it does not exist. Elements are in rows of OUTPUTS columns; result_row counts
 * these rows, each of one function and one input, inputs running fastest. */
uint place_of(uint e, uint first, uint input_, uint column) {
  uint result_row = e / OUTPUTS, i = input_ + result_row % INPUTS, term = first + result_row / INPUTS;
  column += e % OUTPUTS;
  bool exists = i < m / FUNCTIONS && term < FUNCTIONS && column < n;
  uint at = i;
  if (MAKES_A) at = basis_column(i, term);
  return exists ? at * n + column : NOWHERE;
}

/* Adds a staged line to the sums of this invocation's input, which is number `tile_input` of the tile. */
void add_line(uint line, uint tile_input, uint input_) {
  vec4 x = vec4(lines_input(line, tile_input, 0u)), g[QUADS];
  [[unroll]] for (uint q = 0u; q < QUADS; q++) g[q] = lines_gradient(line, q);
  [[unroll]] for (uint term = 0u; term < FUNCTIONS; term++) {
    float value = x.x;
    if (BASIS_APART && term == BASIS_TERMS) x = vec4(lines_input(line, tile_input, 1u));
    if (MAKES_A) value = basis_values(x, term, a, input_, 1).x;
    [[unroll]] for (uint o = 0u; o < OUTPUTS; o++)
      sum[term * OUTPUTS + o] = fma(value, g[o / 4u][o % 4u], sum[term * OUTPUTS + o]);
  }
}

/* Element e, summed over the invocations that process different lines, in a fixed order. */
float joined(uint e) {
  uint result_row = e / OUTPUTS;
  uint at = (result_row / INPUTS * LOCAL_X + result_row % INPUTS) * JOINED + e % OUTPUTS;
  vec4 all = vec4(0.0);
  [[unroll]] for (uint t = 0u; t < TEAMS; t += 4u)
    [[unroll]] for (uint l = 0u; l < 4u; l++) all[l] += lines_get(at + (t + l) * INPUTS * JOINED);
  return (all.x + all.y) + (all.z + all.w);
}

/* Stores the sums of all functions to `partial`, in rounds of ROUND functions. All loops are unrolled: the sums stay in
 * registers only if every index of sum[] is a constant. */
void store(uint input_, uint column) {
  uint me = gl_LocalInvocationID.x;
  [[unroll]] for (uint first = 0u; first < FUNCTIONS; first += ROUND) {
    barrier();
    [[unroll]] for (uint f = 0u; f < ROUND; f++)
      if (first + f < FUNCTIONS)
        [[unroll]] for (uint o = 0u; o < OUTPUTS; o++)
          lines_put((f * LOCAL_X + me) * JOINED + o, sum[(first + f) * OUTPUTS + o]);
    barrier();
    [[unroll]] for (uint i = 0u; i < IN_ROUND; i++) {
      uint e = me + i * LOCAL_X, at = place_of(e, first, input_, column);
      if (e < ROUND * INPUTS * OUTPUTS && at != NOWHERE) PARTIAL.at[gl_WorkGroupID.y * m * n + at] = joined(e);
    }
  }
}

/* Called by the last workgroup of a tile: adds the parts and runs the epilogue. Each invocation loads PARTS parts of
 * all its elements at once. */
void add_parts(uint input_, uint column) {
  uint at[OWN];
  float all[OWN], next[OWN * PARTS];
  [[unroll]] for (uint i = 0u; i < OWN; i++) {
    at[i] = place_of(gl_LocalInvocationID.x + i * LOCAL_X, 0u, input_, column);
    all[i] = 0.0;
  }
  for (uint first = 0u; first < SPLIT; first += PARTS) {
    [[unroll]] for (uint i = 0u; i < OWN * PARTS; i++)
      next[i] = PARTIAL.at[min(first + i / OWN, SPLIT - 1u) * m * n + (at[i % OWN] == NOWHERE ? 0u : at[i % OWN])];
    [[unroll]] for (uint i = 0u; i < OWN * PARTS; i++)
      if (first + i / OWN < SPLIT) all[i % OWN] += next[i];
  }
  [[unroll]] for (uint i = 0u; i < OWN; i++)
    if (at[i] != NOWHERE) gt_program_write(gt_place(at[i], 1u), vec4(all[i]));
}

void main() {
  uint me = gl_LocalInvocationID.x, tile_input = me % INPUTS, inputs = m / FUNCTIONS;
  uint across = (n + OUTPUTS - 1u) / OUTPUTS;
  uint input_ = gl_WorkGroupID.x / across * INPUTS, column = gl_WorkGroupID.x % across * OUTPUTS;
  uint end = min((gl_WorkGroupID.y + 1u) * PART, k);
  if (MAKES_A) basis_begin();
  [[unroll]] for (uint i = 0u; i < SUMS; i++) sum[i] = 0.0;
  for (uint at = gl_WorkGroupID.y * PART; at < end; at += STAGED) {
    barrier(); /* the previously staged lines have been read */
    lines_stage(a, basis_raw, b, at, k, input_, inputs, column, n);
    barrier();
    for (uint line = me / INPUTS; line < min(STAGED, end - at); line += TEAMS)
      add_line(line, tile_input, min(input_ + tile_input, inputs - 1u));
  }
  store(input_, column);
  if (ARRIVE != 0u) {
    if (arrives_last(gl_WorkGroupID.x)) add_parts(input_, column);
  }
}
