/* One step back. The circuit is computed anew, each gate's inputs going to the workgroup's trace; then its layers are
 * walked from the last to the first: each gate turns the gradient of its output into products for its two inputs, and
 * each input adds up the products of its readers through the inverse wiring, in their order. */
#define GT_CA_TRACE
#include "op/logic_ca_gradient.h"
#include "lib/logic_ca.glsl"
layout(constant_id = 18) const uint D = 0u; /* the products */
layout(constant_id = 19) const uint E = 0u; /* gradients between layers of perception */

/* memory [0, C): what passes a cell by; [C, …): the gradient of the layer at hand. */
void load_gradient() {
  for (uint i = me; i < CHANNELS * P; i += LOCAL_X) {
    uint c = i % CHANNELS, lane = i / CHANNELS, cell = cell_of(lane);
    float g = 0.0;
    if (cell < cells) {
      if ((flags & 1u) != 0u)
        for (uint j = 0u; j < 9u; j++) { /* the cell lies at place j of the neighbour on the other side */
          uint other = neighbour[(8u - j) * P + lane];
          if (other != NONE) g += d_patch.at[(9u * other + j) * CHANNELS + c];
        }
      if ((flags & 2u) != 0u) g += d_states.at[d_offset + cell * CHANNELS + c];
    }
    bool fired = fires[lane] != 0u;
    LANE(memory[c], lane) = fired ? 0.0 : g;
    LANE(memory[CHANNELS + c], lane) = fired ? g : 0.0;
  }
  barrier();
}

void add_to(uint slot, vec4 sum) {
  uint i = group * SLOTS + slot;
  if ((flags & 1u) != 0u) sum += GT_FLOATS4(partial).at[i];
  GT_FLOATS4(partial).at[i] = sum;
}

/* A gate's products, from its inputs in the trace; returns its sums over the cells. */
vec4 products(vec4 c, uint gate, V g, uint to) {
  uint i = 2u * (group * TRACE + gate);
  V a = GT_LANES(trace).at[i], b = GT_LANES(trace).at[i + 1u];
  memory[to] = g * (c.y + c.w * b);
  memory[to + 1u] = g * (c.z + c.w * a);
  return vec4(dot(g, V(1.0)), dot(g, a), dot(g, b), dot(g, a * b));
}

/* The sum of the products of an input's readers. */
V gathered(gt_layer at, uint input_, uint products_at) {
  uint first = inverse.at[at.inverse + input_], last = inverse.at[at.inverse + input_ + 1u];
  uint readers = at.inverse + at.inputs + 1u;
  V sum = V(0.0);
  for (uint r = first; r < last; r++) sum += memory[products_at + inverse.at[readers + r]];
  return sum;
}

void update_back() {
  for (uint l = UPDATES; l-- > 0u;) {
    gt_layer at = layers[PERCEPTIONS + l];
    for (uint o = me; o < at.width; o += LOCAL_X)
      add_to(at.slot + o, products(coefficients_of(at.gate + o), at.trace + o, memory[CHANNELS + o], D + 2u * o));
    barrier();
    for (uint i = me; i < at.inputs; i += LOCAL_X) memory[CHANNELS + i] = gathered(at, i, D);
    barrier();
  }
}

/* All gates of a perception layer for channels first … first+count-1: their products go to D. */
void perception_products(uint l, uint first, uint count) {
  gt_layer at = layers[l];
  uint gates = KERNELS * at.width;
  for (uint i = me; i < gates * at.split; i += LOCAL_X) {
    uint gate = i % gates, k = gate / at.width, o = gate % at.width;
    vec4 coefficient = coefficients_of(at.gate + gate), sum = vec4(0.0);
    for (uint c = i / gates; c < count; c += at.split) {
      uint from_ = E + c * gates + gate;
      if (l == PERCEPTIONS - 1u) from_ = 2u * CHANNELS + ((first + c) * at.width + o) * KERNELS + k;
      sum += products(coefficient, at.trace + (first + c) * gates + gate, memory[from_], D + 2u * (c * gates + gate));
    }
    uint slot = group * SLOTS + at.slot + i;
    if ((flags & 1u) != 0u || first > 0u) sum += GT_FLOATS4(partial).at[slot];
    GT_FLOATS4(partial).at[slot] = sum;
  }
  barrier();
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
    V sum = gathered(at, j, E + c * each);
    if (j == 4u) sum += memory[first + c] + memory[CHANNELS + first + c];
    for (uint lane = 0u; lane < P; lane++)
      if (cell_of(lane) < cells)
        d_patch_out.at[(9u * cell_of(lane) + j) * CHANNELS + first + c] = LANE(sum, lane);
  }
  barrier();
}

void perception_back() {
  for (uint first = 0u; first < CHANNELS; first += CHUNK) {
    uint count = min(CHUNK, CHANNELS - first);
    for (uint l = PERCEPTIONS; l-- > 0u;) {
      perception_products(l, first, count);
      if (l > 0u) {
        gt_layer at = layers[l];
        uint inputs = KERNELS * at.inputs;
        for (uint i = me; i < inputs * count; i += LOCAL_X)
          memory[E + i] = gathered(at, i % at.inputs, D + i / at.inputs * 2u * at.width);
        barrier();
      }
    }
    patches_back(first, count);
  }
}

void main() {
  prepare();
  perceive();
  update();
  load_gradient();
  update_back();
  perception_back();
}
