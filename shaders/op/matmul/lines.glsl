/* Stages tiles of a KAN's inputs and of a gradient in shared memory, for the wgrad and dgrad kernels of layers with few
 * outputs (lines.h). An invocation then reads its own input, and the gradient's line quad by quad; all invocations with
 * the same line read the same quad at the same time. Loads are issued in batches of FETCHED before anything is stored,
 * so that their latencies overlap.
 *
 * Include after the constant LOCAL_X and lib/program.glsl. GT_LINES_LEAST: the number of vec4s of `lines` that the
 * kernel needs for other purposes once all lines have been processed. */
#include "op/matmul/fetch.glsl"
layout(constant_id = GT_LINES_SPEC_INPUTS) const uint INPUTS = 4u;
layout(constant_id = GT_LINES_SPEC_OUTPUTS) const uint OUTPUTS = 1u;
layout(constant_id = GT_LINES_SPEC_STAGED) const uint STAGED = 64u;
layout(constant_id = GT_LINES_SPEC_QUADS) const uint INPUT_QUADS = 0u;
layout(constant_id = GT_LINES_SPEC_FETCHED) const uint FETCHED = 8u;
layout(constant_id = GT_LINES_SPEC_PLANES) const uint PLANES = 1u;
/* TEAMS: lines that are processed at once. ACROSS, QUADS: vec4s of a line of inputs, and of the gradient. PLANE: vec4s
 * of one plane of staged inputs. */
const uint TEAMS = LOCAL_X / INPUTS, ACROSS = INPUTS / 4u, QUADS = (OUTPUTS + 3u) / 4u;
const uint SPREAD = GT_LINES_SPREAD(OUTPUTS);
const uint PLANE = STAGED * ACROSS, GRADIENT_AT = PLANE * PLANES, LINES_QUADS = GRADIENT_AT + STAGED * SPREAD;
const uint INPUT_FETCHES = (GRADIENT_AT + LOCAL_X - 1u) / LOCAL_X;
const uint GRADIENT_FETCHES = (STAGED * OUTPUTS + LOCAL_X - 1u) / LOCAL_X;
const uint BATCH = FETCHED < GRADIENT_FETCHES ? FETCHED : GRADIENT_FETCHES;
shared vec4 lines[LINES_QUADS > GT_LINES_LEAST ? LINES_QUADS : GT_LINES_LEAST];

void lines_put(uint word, float value) { lines[word / 4u][word & 3u] = value; }
float lines_get(uint word) { return lines[word / 4u][word & 3u]; }

/* Stages STAGED lines from line `first` on: INPUTS inputs from input_ on, and OUTPUTS columns of the gradient from
 * output_ on. There are `all` lines, `wide` inputs and `long_` columns; elements that do not exist are replaced by
 * others. raw: offset of the second plane of inputs. */
void lines_stage(GT_FLOATS inputs, uint raw, GT_FLOATS gradient, uint first, uint all, uint input_, uint wide, uint output_,
                 uint long_) {
  uint me = gl_LocalInvocationID.x;
  vec4 x[INPUT_FETCHES];
  float g[BATCH];
  [[unroll]] for (uint f = 0u; f < INPUT_FETCHES; f++) {
    uint i = me + f * LOCAL_X, at = input_ + i % ACROSS * 4u, begin = PLANES == 2u && i >= PLANE ? raw : 0u;
    uint line = min(first + i % PLANE / ACROSS, all - 1u);
    x[f] = fetch(inputs, begin + line * wide + at, int(wide) - int(at), INPUT_QUADS != 0u && ALIGNED != 0u);
  }
  [[unroll]] for (uint from = 0u; from < GRADIENT_FETCHES; from += BATCH) {
    [[unroll]] for (uint f = 0u; f < BATCH; f++)
      if (from + f < GRADIENT_FETCHES) {
        uint i = me + (from + f) * LOCAL_X;
        g[f] = gradient.at[min(first + i / OUTPUTS, all - 1u) * long_ + min(output_ + i % OUTPUTS, long_ - 1u)];
      }
    if (from == 0u) {
      [[unroll]] for (uint f = 0u; f < INPUT_FETCHES; f++)
        if (me + f * LOCAL_X < GRADIENT_AT) lines[me + f * LOCAL_X] = x[f];
    }
    [[unroll]] for (uint f = 0u; f < BATCH; f++) {
      uint i = me + (from + f) * LOCAL_X;
      if (from + f < GRADIENT_FETCHES && i < STAGED * OUTPUTS)
        lines_put(4u * (GRADIENT_AT + i / OUTPUTS * SPREAD) + i % OUTPUTS, g[f]);
    }
  }
}

/* Input number i of a staged line. */
float lines_input(uint line, uint i, uint plane) { return lines_get((plane * STAGED + line) * INPUTS + i); }

vec4 lines_gradient(uint line, uint quad) { return lines[GRADIENT_AT + line * SPREAD + quad]; }
