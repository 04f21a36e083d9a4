#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic_coefficients.h"
#define GT_SCALAR
#include "lib/math.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_LOGIC_COEFFICIENTS_SPEC_MODE) const uint MODE = 0u;
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;
#include "op/logic/logic_hard.glsl"
#include "op/logic/logic_weights.glsl"

/* The coefficients for which c0 + c1 a + c2 b + c3 ab has the values f = f(0,0), f(1,0), f(0,1), f(1,1). */
vec4 coefficients_of(vec4 f) { return vec4(f.x, f.y - f.x, f.z - f.x, (f.w - f.y) - (f.z - f.x)); }

/* The values of the mixture on (0,0), (1,0), (0,1), (1,1). p: the weights of the 16 functions. Bits 0, 1, 2 and 3 of a
 * function's number are its values on (1,1), (1,0), (0,1) and (0,0). */
vec4 mixture_values(vec4 p[4]) {
  vec4 low = p[0] + p[2], sum = p[1] + p[3], pairs = low + sum;
  float f00 = dot(p[2] + p[3], vec4(1.0)), f01 = dot(sum, vec4(1.0));
  return vec4(f00, pairs.z + pairs.w, f01, pairs.y + pairs.w);
}

void hard(uint gate) {
  uvec4 values = uvec4(gt_first_largest(logits, gate)) >> uvec4(3u, 1u, 2u, 0u) & 1u;
  gt_store_four(y, gate, coefficients_of(vec4(values)));
}

void mixture(uint gate) {
  vec4 p[4];
  float inverse = gt_gate_weights(logits, gate, p);
  gt_store_four(y, gate, coefficients_of(mixture_values(p) * inverse));
}

void main() {
  for (uint gate = gl_GlobalInvocationID.x; gate < gates; gate += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    if (MODE == GT_LOGIC_MIXTURE) mixture(gate);
    else if (MODE == GT_LOGIC_HARD) hard(gate);
    else gt_logits_gradient(logits, y, gate, gt_load_four(g, gate));
  }
}
