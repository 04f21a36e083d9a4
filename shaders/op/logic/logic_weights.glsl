/* The weights of a gate's 16 functions, which are the softmax of its logits, and the gradient of the logits. Include
 * after lib/math.glsl with GT_SCALAR and after the constant ALIGNED. */
#ifndef GT_LOGIC_WEIGHTS_GLSL
#define GT_LOGIC_WEIGHTS_GLSL
vec4 gt_load_four(GT_FLOATS from, uint i) {
  vec4 v;
  if (ALIGNED != 0u) v = GT_CAST(GT_FLOATS4, from).at[i];
  else v = vec4(from.at[4u * i], from.at[4u * i + 1u], from.at[4u * i + 2u], from.at[4u * i + 3u]);
  return v;
}

void gt_store_four(GT_FLOATS to, uint i, vec4 v) {
  if (ALIGNED != 0u) GT_CAST(GT_FLOATS4, to).at[i] = v;
  else
    for (uint k = 0u; k < 4u; k++) to.at[4u * i + k] = v[k];
}

float gt_largest(vec4 v) { return max(max(v.x, v.y), max(v.z, v.w)); }
vec4 gt_exponentials(vec4 v, float shift) {
  return vec4(gt_exp(v.x - shift), gt_exp(v.y - shift), gt_exp(v.z - shift), gt_exp(v.w - shift));
}

/* Sets p to the exponentials of the shifted logits. The weights are p times the returned factor. */
float gt_gate_weights(GT_FLOATS from, uint gate, out vec4 p[4]) {
  vec4 z0 = gt_load_four(from, 4u * gate), z1 = gt_load_four(from, 4u * gate + 1u);
  vec4 z2 = gt_load_four(from, 4u * gate + 2u), z3 = gt_load_four(from, 4u * gate + 3u);
  float shift = gt_largest(max(max(z0, z1), max(z2, z3)));
  p[0] = gt_exponentials(z0, shift);
  p[1] = gt_exponentials(z1, shift);
  p[2] = gt_exponentials(z2, shift);
  p[3] = gt_exponentials(z3, shift);
  vec4 sum = (p[0] + p[1]) + (p[2] + p[3]);
  return 1.0 / ((sum.x + sum.y) + (sum.z + sum.w));
}

/* Stores the gradient of a gate's logits, given c, the gradient of its coefficients: first the gradients of the gate's
 * values f(0,0), f(1,0), f(0,1), f(1,1), then d, the gradient of each weight, then through the softmax p (d - Σ p
 * d). */
void gt_logits_gradient(GT_FLOATS from, GT_FLOATS to, uint gate, vec4 c) {
  vec4 p[4];
  float inverse = gt_gate_weights(from, gate, p);
  float f11 = c.w, f01 = c.z - c.w, f10 = c.y - c.w, f00 = (c.x - c.y) - f01;
  vec4 d0 = vec4(0.0, f11, f10, f10 + f11), d1 = d0 + f01, d2 = d0 + f00, d3 = d1 + f00;
  vec4 products = (p[0] * d0 + p[1] * d1) + (p[2] * d2 + p[3] * d3);
  float mean = ((products.x + products.y) + (products.z + products.w)) * inverse;
  gt_store_four(to, 4u * gate, p[0] * inverse * (d0 - mean));
  gt_store_four(to, 4u * gate + 1u, p[1] * inverse * (d1 - mean));
  gt_store_four(to, 4u * gate + 2u, p[2] * inverse * (d2 - mean));
  gt_store_four(to, 4u * gate + 3u, p[3] * inverse * (d3 - mean));
}
#endif
