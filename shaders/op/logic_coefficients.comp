#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic_coefficients.h"
#define GT_SCALAR
#include "lib/math.glsl"
layout(local_size_x_id = 0) in;
layout(constant_id = 3) const uint MODE = 0u; /* 0 mixture, 1 hard, 2 gradient */
layout(constant_id = 15) const uint ALIGNED = 0u;

vec4 load(GT_FLOATS from, uint i) {
  vec4 v;
  if (ALIGNED != 0u) v = GT_FLOATS4(from).at[i];
  else v = vec4(from.at[4u * i], from.at[4u * i + 1u], from.at[4u * i + 2u], from.at[4u * i + 3u]);
  return v;
}

void store(uint i, vec4 v) {
  if (ALIGNED != 0u) GT_FLOATS4(y).at[i] = v;
  else
    for (uint k = 0u; k < 4u; k++) y.at[4u * i + k] = v[k];
}

/* From f(0,0), f(1,0), f(0,1), f(1,1) to c0 + c1 a + c2 b + c3 ab, which takes these values. */
vec4 from_table(vec4 f) { return vec4(f.x, f.y - f.x, f.z - f.x, (f.w - f.y) - (f.z - f.x)); }

/* Gate k gives 1 on (1,1), (1,0), (0,1), (0,0) where its bit 0, 1, 2, 3 is set. p[k]: its share. */
vec4 table(vec4 p0, vec4 p1, vec4 p2, vec4 p3) {
  vec4 low = p0 + p2, sum = p1 + p3, pairs = low + sum;
  float f00 = dot(p2 + p3, vec4(1.0)), f01 = dot(sum, vec4(1.0));
  return vec4(f00, pairs.z + pairs.w, f01, pairs.y + pairs.w);
}

float largest(vec4 v) { return max(max(v.x, v.y), max(v.z, v.w)); }
vec4 exponentials(vec4 v, float shift) {
  return vec4(gt_exp(v.x - shift), gt_exp(v.y - shift), gt_exp(v.z - shift), gt_exp(v.w - shift));
}

void hard(uint gate) {
  uint best = 0u;
  for (uint k = 1u; k < 16u; k++)
    if (logits.at[16u * gate + k] > logits.at[16u * gate + best]) best = k;
  uvec4 values = uvec4(best) >> uvec4(3u, 1u, 2u, 0u) & 1u;
  store(gate, from_table(vec4(values)));
}

void soft(uint gate) {
  vec4 z0 = load(logits, 4u * gate), z1 = load(logits, 4u * gate + 1u), z2 = load(logits, 4u * gate + 2u),
       z3 = load(logits, 4u * gate + 3u);
  float shift = largest(max(max(z0, z1), max(z2, z3)));
  vec4 p0 = exponentials(z0, shift), p1 = exponentials(z1, shift), p2 = exponentials(z2, shift),
       p3 = exponentials(z3, shift);
  vec4 all = (p0 + p1) + (p2 + p3);
  float inverse = 1.0 / ((all.x + all.y) + (all.z + all.w));
  if (MODE == 0u) {
    store(gate, from_table(table(p0, p1, p2, p3) * inverse));
    return;
  }
  /* The slope in f(0,0), f(1,0), f(0,1), f(1,1), then in each share; softmax's own is p (d - Σ p d). */
  vec4 c = load(g, gate);
  float f11 = c.w, f01 = c.z - c.w, f10 = c.y - c.w, f00 = (c.x - c.y) - f01;
  vec4 d0 = vec4(0.0, f11, f10, f10 + f11), d1 = d0 + f01, d2 = d0 + f00, d3 = d1 + f00;
  vec4 products = (p0 * d0 + p1 * d1) + (p2 * d2 + p3 * d3);
  float mean = ((products.x + products.y) + (products.z + products.w)) * inverse;
  store(4u * gate, p0 * inverse * (d0 - mean));
  store(4u * gate + 1u, p1 * inverse * (d1 - mean));
  store(4u * gate + 2u, p2 * inverse * (d2 - mean));
  store(4u * gate + 3u, p3 * inverse * (d3 - mean));
}

void main() {
  for (uint gate = gl_GlobalInvocationID.x; gate < gates; gate += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    if (MODE == 1u) hard(gate);
    else soft(gate);
  }
}
