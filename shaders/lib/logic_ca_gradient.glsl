/* One step back. The circuit is computed anew, each gate's inputs going to the workgroup's trace; then its layers are
 * walked from the last to the first: each gate turns the gradient of its output into products for its two inputs, and
 * each input adds up the products of its readers through the inverse wiring, in their order. */
#define GT_CA_TRACE
#include "op/logic_ca_gradient.h"
#include "lib/logic_ca.glsl"
layout(constant_id = 18) const uint D = 0u; /* the products */
layout(constant_id = 19) const uint E = 0u; /* gradients between layers of perception */

const uint KEPT = SHARED - 2u * CHANNELS, GIVEN = SHARED - CHANNELS;

/* What passes a cell by to KEPT, the gradient of its new state to GIVEN. Loads are made whether or not they count, so that
 * none waits for another. */
void load_gradient() {
  for (uint i = me; i < CHANNELS * P; i += LOCAL_X) {
    uint c = i % CHANNELS, lane = i / CHANNELS, cell = cell_of(lane);
    float part[9], g = 0.0;
    bool counts[9];
    if ((flags & 1u) != 0u) {
      for (uint j = 0u; j < 9u; j++) { /* the cell lies at place j of the neighbour on the other side */
        uint other = neighbour[(8u - j) * P + lane];
        counts[j] = other != NONE;
        part[j] = d_patch.at[(9u * (counts[j] ? other : 0u) + j) * CHANNELS + c];
      }
      for (uint j = 0u; j < 9u; j++) g += counts[j] ? part[j] : 0.0;
    }
    if ((flags & 2u) != 0u && cell < cells) g += d_states.at[d_offset + cell * CHANNELS + c];
    bool fired = fires[lane] != 0u;
    LANE(memory[KEPT + c], lane) = fired ? 0.0 : g;
    LANE(memory[GIVEN + c], lane) = fired ? g : 0.0;
  }
}

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer GT_WORDS4 { uvec4 at[]; };

/* An input's readers: how many, the first two, and where the others' list begins. */
uvec4 readers_of(uint inverse_at, uint input_) {
  uvec4 r;
  uint i = inverse_at + 4u * input_;
  if (ALIGNED != 0u) r = GT_WORDS4(inverse).at[i >> 2u];
  else r = uvec4(inverse.at[i], inverse.at[i + 1u], inverse.at[i + 2u], inverse.at[i + 3u]);
  return r;
}

/* The sum of the products of an input's readers. */
V gathered(uvec4 readers, uint products_at) {
  V sum = V(0.0);
  if (readers.x > 0u) sum = memory[products_at + readers.y];
  if (readers.x > 1u) sum += memory[products_at + readers.z];
  for (uint r = 2u; r < readers.x; r++) sum += memory[products_at + inverse.at[readers.w + r]];
  return sum;
}

vec4 partial_of(uint slot) {
  vec4 sum = vec4(0.0);
  if ((flags & 1u) != 0u) sum = GT_FLOATS4(partial).at[group * SLOTS + slot];
  return sum;
}

/* A gate's products, from its inputs; returns its sums over the cells. */
vec4 products(vec4 c, V a, V b, V g, uint to) {
  memory[to] = g * (c.y + c.w * b);
  memory[to + 1u] = g * (c.z + c.w * a);
  return vec4(dot(g, V(1.0)), dot(g, a), dot(g, b), dot(g, a * b));
}

/* --- update ---------------------------------------------------------------------------------------------------- */

struct gt_fetch_back { /* of a gate: coefficients, sums so far, inputs; of an input: its readers */
  vec4 coefficient, sum;
  V a, b;
  uvec4 readers;
};

gt_fetch_back fetch_gate(gt_layer at, uint o) {
  gt_fetch_back f;
  uint i = 2u * (group * TRACE + at.trace + o);
  f.coefficient = coefficients_of(at.gate + o);
  f.sum = partial_of(at.slot + o);
  f.a = GT_LANES(trace).at[i];
  f.b = GT_LANES(trace).at[i + 1u];
  f.readers = uvec4(0u);
  return f;
}

/* For the layer `back` before the last. */
gt_fetch_back fetch_back(uint back) {
  gt_fetch_back f = gt_fetch_back(vec4(0.0), vec4(0.0), V(0.0), V(0.0), uvec4(0u));
  if (back < UPDATES) {
    gt_layer at = layers[PERCEPTIONS + UPDATES - 1u - back];
    if (me < at.width) f = fetch_gate(at, me);
    if (me < at.inputs) f.readers = readers_of(at.inverse, me);
  }
  return f;
}

void layer_back(uint back, inout gt_fetch_back f) {
  uint from_ = back == 0u ? GIVEN : 0u;
  gt_layer at = layers[PERCEPTIONS + UPDATES - 1u - back];
  uvec4 readers = f.readers;
  for (uint o = me; o < at.width; o += LOCAL_X) {
    if (o != me) f = fetch_gate(at, o);
    f.sum += products(f.coefficient, f.a, f.b, memory[from_ + o], D + 2u * o);
    GT_FLOATS4(partial).at[group * SLOTS + at.slot + o] = f.sum;
  }
  barrier();
  for (uint i = me; i < at.inputs; i += LOCAL_X) {
    if (i != me) readers = readers_of(at.inverse, i);
    memory[i] = gathered(readers, D);
  }
  f = fetch_back(back + AHEAD);
  barrier();
}

void update_back() {
  gt_fetch_back f0 = fetch_back(0u), f1 = fetch_back(1u), f2 = fetch_back(2u), f3 = fetch_back(3u);
  for (uint l = 0u; l < UPDATES; l += AHEAD) {
    layer_back(l, f0);
    if (l + 1u < UPDATES) layer_back(l + 1u, f1);
    if (l + 2u < UPDATES) layer_back(l + 2u, f2);
    if (l + 3u < UPDATES) layer_back(l + 3u, f3);
  }
}

/* --- perception ------------------------------------------------------------------------------------------------ */

/* All gates of a layer for channels first … first+count-1: their products go to D. What the invocation's first gate sums
 * up stays in `kept` until all channels are done; others' sums go to memory at once. */
void perception_products(uint l, vec4 coefficient, inout vec4 kept, uint first, uint count) {
  gt_layer at = layers[l];
  uint gates = KERNELS * at.width;
  for (uint i = me; i < gates * at.split; i += LOCAL_X) {
    uint gate = i % gates, k = gate / at.width, o = gate % at.width;
    vec4 sum = vec4(0.0);
    if (i != me) coefficient = coefficients_of(at.gate + gate);
    for (uint base = i / gates; base < count; base += 4u * at.split) {
      V a[4], b[4]; /* four loads in flight */
      for (uint j = 0u; j < 4u; j++) {
        uint c = min(base + j * at.split, count - 1u), t = 2u * (group * TRACE + at.trace + (first + c) * gates + gate);
        a[j] = GT_LANES(trace).at[t];
        b[j] = GT_LANES(trace).at[t + 1u];
      }
      for (uint j = 0u; j < 4u; j++) {
        uint c = base + j * at.split, from_ = E + c * gates + gate;
        if (l == PERCEPTIONS - 1u) from_ = CHANNELS + ((first + c) * at.width + o) * KERNELS + k;
        if (c < count) sum += products(coefficient, a[j], b[j], memory[from_], D + 2u * (c * gates + gate));
      }
    }
    if (i == me) kept += sum;
    else {
      uint slot = group * SLOTS + at.slot + i;
      if ((flags & 1u) != 0u || first > 0u) sum += GT_FLOATS4(partial).at[slot];
      GT_FLOATS4(partial).at[slot] = sum;
    }
  }
  barrier();
}

/* The layer's inputs gather their readers' products: the gradient for the layer before it, to E. */
void perception_inputs(uint l, uint count) {
  gt_layer at = layers[l];
  for (uint i = me; i < KERNELS * at.inputs * count; i += LOCAL_X)
    memory[E + i] = gathered(readers_of(at.inverse, i % at.inputs), D + i / at.inputs * 2u * at.width);
  barrier();
}

vec4 kept_sum(uint l, bool any) {
  vec4 sum = vec4(0.0);
  if (any && l < PERCEPTIONS && me < KERNELS * layers[l].width * layers[l].split)
    sum = GT_FLOATS4(partial).at[group * SLOTS + layers[l].slot + me];
  return sum;
}

void keep_sum(uint l, vec4 sum) {
  if (l < PERCEPTIONS && me < KERNELS * layers[l].width * layers[l].split)
    GT_FLOATS4(partial).at[group * SLOTS + layers[l].slot + me] = sum;
}

/* The first layer's inputs are the same for all kernels: their products are added first, which leaves E as if there were
 * one kernel; then the places of the patch gather theirs. */
void patches_back(uint first, uint count) {
  gt_layer at = layers[0];
  uint each = 2u * at.width;
  for (uint i = me; i < each * count; i += LOCAL_X) {
    V sum = V(0.0);
    for (uint k = 0u; k < KERNELS; k++) sum += memory[D + i / each * each * KERNELS + k * each + i % each];
    memory[E + i] = sum;
  }
  barrier();
  for (uint i = me; i < 9u * count; i += LOCAL_X) {
    uint c = i % count, j = i / count;
    V sum = gathered(readers_of(at.inverse, j), E + c * each);
    if (j == 4u) sum += memory[first + c] + memory[KEPT + first + c];
    for (uint lane = 0u; lane < P; lane++)
      if (cell_of(lane) < cells)
        d_patch_out.at[(9u * cell_of(lane) + j) * CHANNELS + first + c] = LANE(sum, lane);
  }
  barrier();
}

void perception_back(vec4 c0, vec4 c1, vec4 c2, vec4 c3) {
  bool any = (flags & 1u) != 0u;
  vec4 s0 = kept_sum(0u, any), s1 = kept_sum(1u, any), s2 = kept_sum(2u, any), s3 = kept_sum(3u, any);
  for (uint first = 0u; first < CHANNELS; first += CHUNK) {
    uint count = min(CHUNK, CHANNELS - first);
    for (uint l = PERCEPTIONS; l-- > 4u;) {
      gt_fetch f = fetch_perception(l);
      vec4 sum = kept_sum(l, first > 0u || (flags & 1u) != 0u);
      perception_products(l, f.coefficient, sum, first, count);
      keep_sum(l, sum);
      perception_inputs(l, count);
    }
    if (PERCEPTIONS > 3u) {
      perception_products(3u, c3, s3, first, count);
      perception_inputs(3u, count);
    }
    if (PERCEPTIONS > 2u) {
      perception_products(2u, c2, s2, first, count);
      perception_inputs(2u, count);
    }
    if (PERCEPTIONS > 1u) {
      perception_products(1u, c1, s1, first, count);
      perception_inputs(1u, count);
    }
    perception_products(0u, c0, s0, first, count);
    patches_back(first, count);
  }
  keep_sum(0u, s0);
  keep_sum(1u, s1);
  keep_sum(2u, s2);
  keep_sum(3u, s3);
}

void main() {
  prepare();
  load_gradient();
  GT_CA_RUN(out_at, p0, p1, p2, p3)
  update_back();
  perception_back(p0.coefficient, p1.coefficient, p2.coefficient, p3.coefficient);
}
