/* One backward step of an automaton. The circuit is recomputed; then its layers are processed from the last to the
 * first. Each gate multiplies the gradient of its output by its derivatives in its two inputs (its products). The
 * gradient of an input is the sum of the products of the gates that read it (its readers), in the order of the inverse
 * wiring. The inputs of the update's gates stay in shared memory (KEEP) or, if that is too small, are stored in the
 * workgroup's trace; the inputs of the perception's gates are recomputed. */
#define GT_CA_GRADIENT
#include "op/logic/logic_ca_gradient.h"
layout(constant_id = GT_CA_SPEC_TRACE) const uint TRACE = 0u;
layout(constant_id = GT_CA_SPEC_GRADIENT) const uint GRADIENT = 0u;
layout(constant_id = GT_CA_SPEC_PRODUCTS) const uint PRODUCTS = 0u;
layout(constant_id = GT_CA_SPEC_PERCEIVED) const uint PERCEIVED = 0u;
layout(constant_id = GT_CA_SPEC_SUMMED) const uint SUMMED = 0u;
#include "op/logic/logic_ca.glsl"

const uint D_STATE = SHARED - CHANNELS; /* row: gradient of the cells' new states */

/* Loads the gradient of the cells' new states into D_STATE. Every load is executed, needed or not, so that none waits
 * for another. The work is distributed from the last invocation on, because the first ones may have more patches to
 * load. */
void load_gradient() {
  for (uint i = LOCAL_X - 1u - me; i < CHANNELS * P; i += LOCAL_X) {
    uint c = i % CHANNELS, lane = i / CHANNELS, cell = cell_of(lane);
    float part[9], g = 0.0;
    bool exists[9];
    if ((flags & 1u) != 0u) {
      for (uint j = 0u; j < 9u; j++) { /* the cell is at position j of the opposite neighbor's patch */
        uint other = neighbor_of(cell, 8u - j);
        exists[j] = other != NONE;
        part[j] = d_patch.at[(9u * (exists[j] ? other : 0u) + j) * CHANNELS + c];
      }
      for (uint j = 0u; j < 9u; j++) g += exists[j] ? part[j] : 0.0;
    }
    if ((flags & 2u) != 0u && cell < cells) g += d_states.at[d_offset + cell * CHANNELS + c];
    LANE(memory[D_STATE + c], lane) = g;
  }
}

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer GT_WORDS4 { uvec4 at[]; };

/* The first three readers of an input, NONE if there are fewer; .w: the index of the word with the number of further
 * readers, which these follow, or 0. */
uvec4 readers_of(uint inverse_at, uint input_) {
  uvec4 r;
  uint i = inverse_at + 4u * input_;
  if (ALIGNED != 0u) r = GT_CAST(GT_WORDS4, inverse).at[i >> 2u];
  else r = uvec4(inverse.at[i], inverse.at[i + 1u], inverse.at[i + 2u], inverse.at[i + 3u]);
  return r;
}

/* The sum of the products of an input's readers. */
V sum_of_readers(uvec4 readers, uint products_at) {
  V sum = V(0.0);
  if (readers.x != NONE) sum = memory[products_at + readers.x];
  if (readers.y != NONE) sum += memory[products_at + readers.y];
  if (readers.z != NONE) sum += memory[products_at + readers.z];
  if (readers.w != 0u)
    for (uint r = 1u; r <= inverse.at[readers.w]; r++) sum += memory[products_at + inverse.at[readers.w + r]];
  return sum;
}

/* The workgroup's sums of earlier backward steps. In the first one they are undefined, and add_partial ignores them. */
vec4 load_partial(uint slot) { return GT_CAST(GT_FLOATS4, partial).at[group * SLOTS + slot]; }
void store_partial(uint slot, vec4 sum) { GT_CAST(GT_FLOATS4, partial).at[group * SLOTS + slot] = sum; }

vec4 add_partial(vec4 before, vec4 sum) { return (flags & 1u) != 0u ? before + sum : sum; }

/* Stores a gate's products, the gradients of its inputs, to rows `to` and `to` + 1. g: the gradient of its output.
 * Returns the gradient of its coefficients, summed over the workgroup's cells. */
vec4 products(vec4 c, V a, V b, V g, uint to) {
  memory[to] = g * (c.y + c.w * b);
  memory[to + 1u] = g * (c.z + c.w * a);
  return vec4(dot(g, V(1.0)), dot(g, a), dot(g, b), dot(g, a * b));
}

/* --- update --------------------------------------------------------------------------------------------- */

/* What an invocation loads ahead: for its gate of a layer the coefficients, the sums of earlier steps, and the wires
 * (KEEP) or the values of its inputs; for its input of the layer the readers. */
struct gt_fetch_back {
  gt_layer layer;
  vec4 coefficient, sum;
  uvec2 wire;
  V a, b;
  uvec4 readers;
};

gt_fetch_back fetch_gate(gt_layer layer, uint o) {
  gt_fetch_back f;
  f.layer = layer;
  f.coefficient = coefficients_of(layer.gate + o);
  f.sum = load_partial(layer.slot + o);
  if (KEEP != 0u) {
    f.wire = wires_of(layer.wire + o);
    f.a = f.b = V(0.0);
  } else {
    uint i = 2u * (group * TRACE + layer.gate - layers[PERCEPTIONS].gate + o);
    f.wire = uvec2(0u);
    f.a = GT_CAST(GT_LANES, trace).at[i];
    f.b = GT_CAST(GT_LANES, trace).at[i + 1u];
  }
  return f;
}

/* Loads the data for layer UPDATES - 1 - back of the update; unconditionally, as `fetch`. */
gt_fetch_back fetch_back(uint back) {
  gt_layer layer = layers[PERCEPTIONS + UPDATES - 1u - min(back, UPDATES - 1u)];
  gt_fetch_back f = fetch_gate(layer, min(me, layer.width - 1u));
  f.readers = readers_of(layer.inverse, min(me, layer.inputs - 1u));
  return f;
}

/* Backpropagates through gate o of the layer. */
void gate_back(uint back, uint o, gt_fetch_back f) {
  gt_layer layer = f.layer;
  V g;
  if (back == 0u) g = memory[D_STATE + o] * fired;
  else g = memory[GRADIENT + o];
  if (KEEP != 0u) {
    uvec2 wire = clamp_wire(f.wire, layer.inputs);
    f.a = memory[layer.row + wire.x];
    f.b = memory[layer.row + wire.y];
  }
  vec4 sum = products(f.coefficient, f.a, f.b, g, PRODUCTS + 2u * o);
  store_partial(layer.slot + o, add_partial(f.sum, sum));
}

/* Backpropagates through a layer; leaves the gradient of its inputs in GRADIENT. */
void layer_back(uint back, inout gt_fetch_back f) {
  gt_layer layer = f.layer;
  if (me < layer.width) gate_back(back, me, f);
  for (uint o = me + LOCAL_X; o < layer.width; o += LOCAL_X) gate_back(back, o, fetch_gate(layer, o));
  barrier();
  if (me < layer.inputs) memory[GRADIENT + me] = sum_of_readers(f.readers, PRODUCTS);
  for (uint i = me + LOCAL_X; i < layer.inputs; i += LOCAL_X)
    memory[GRADIENT + i] = sum_of_readers(readers_of(layer.inverse, i), PRODUCTS);
  f = fetch_back(back + AHEAD);
  barrier();
}

/* Backpropagates through the update. f0, f1: the data of its last two layers. */
void update_back(gt_fetch_back f0, gt_fetch_back f1) {
  for (uint l = 0u; l < UPDATES; l += AHEAD) {
    layer_back(l, f0);
    if (l + 1u < UPDATES) layer_back(l + 1u, f1);
  }
}

/* --- perception ----------------------------------------------------------------------------------------- */

/* Stores the products of all gates of a layer of the perception, for channels first … first + count - 1, to PERCEIVED.
 * The sums of the invocation's first gate are added to `first_sum`, which the caller stores after the last channel;
 * those of its other gates are stored at once. */
void perception_products(uint l, vec4 coefficient, inout vec4 first_sum, uint first, uint count) {
  gt_layer layer = perception_layer(l);
  bool last = l == PERCEPTIONS - 1u;
  uint gates = KERNELS * layer.width, source = last ? GRADIENT + CHANNELS : layers[l + 1u].row;
  for (uint i = me; i < gates * layer.split; i += LOCAL_X) {
    uint g = i % gates, k = g / layer.width, o = g % layer.width;
    vec4 sum = vec4(0.0);
    if (i != me) coefficient = coefficients_of(layer.gate + g);
    uvec2 wire = perception_wires(layer, o);
    for (uint c = i / gates; c < count; c += layer.split) {
      uint base = input_row(l, layer, c, k);
      uint d_row = source + (last ? ((first + c) * layer.width + o) * KERNELS + k : c * gates + g);
      sum += products(coefficient, memory[base + wire.x], memory[base + wire.y], memory[d_row],
                      PERCEIVED + 2u * (c * gates + g));
    }
    if (i == me) first_sum += sum;
    else {
      if ((flags & 1u) != 0u || first > 0u) sum += load_partial(layer.slot + i);
      store_partial(layer.slot + i, sum);
    }
  }
  barrier();
}

/* The same as sum_of_readers for an input of the perception, whose inverse wiring is in shared memory. */
V perception_sum_of_readers(gt_layer layer, uint input_, uint products_at) {
  const uint begin = 2u * WIRES; /* of the inverse wiring, which starts with that of the perception */
  uint i = begin + layer.inverse + 4u * input_, others = words[i + 3u];
  V sum = V(0.0);
  for (uint r = 0u; r < 3u && words[i + r] != NONE; r++) sum += memory[products_at + words[i + r]];
  if (others != 0u)
    for (uint r = 1u; r <= words[begin + others]; r++) sum += memory[products_at + words[begin + others + r]];
  return sum;
}

/* Replaces the values of the layer's inputs by their gradients, which are those of the previous layer's outputs. */
void perception_inputs(uint l, uint count) {
  gt_layer layer = perception_layer(l);
  for (uint i = me; i < KERNELS * layer.inputs * count; i += LOCAL_X)
    memory[layer.row + i] =
        perception_sum_of_readers(layer, i % layer.inputs, PERCEIVED + i / layer.inputs * 2u * layer.width);
  barrier();
}

/* The slot of the sums of the invocation's first gate; any valid slot if it has no gate. */
uint slot_of(uint l) {
  gt_layer layer = perception_layer(min(l, PERCEPTIONS - 1u));
  return layer.slot + min(me, KERNELS * layer.width * layer.split - 1u);
}

vec4 load_first_partial(uint l) { return load_partial(slot_of(l)); }

void store_first_partial(uint l, vec4 sum) {
  if (l < PERCEPTIONS && me < KERNELS * perception_layer(l).width * perception_layer(l).split)
    store_partial(slot_of(l), sum);
}

/* Backpropagates through the inputs of the first layer and stores the gradient of the patches. All kernels read the
 * same patch: the products are first added over the kernels, then over the readers of each position. */
void patches_back(uint first, uint count) {
  gt_layer layer = perception_layer(0u);
  uint products_per_kernel = 2u * layer.width;
  for (uint i = me; i < products_per_kernel * count; i += LOCAL_X) {
    V sum = V(0.0);
    uint base = PERCEIVED + i / products_per_kernel * products_per_kernel * KERNELS + i % products_per_kernel;
    for (uint k = 0u; k < KERNELS; k++) sum += memory[base + k * products_per_kernel];
    memory[SUMMED + i] = sum;
  }
  barrier();
  for (uint i = me; i < 9u * count; i += LOCAL_X) {
    uint c = i % count, j = i / count;
    V sum = perception_sum_of_readers(layer, j, SUMMED + c * products_per_kernel);
    if (j == 4u) sum += memory[GRADIENT + first + c] + memory[D_STATE + first + c] * (V(1.0) - fired);
    for (uint lane = 0u; lane < P; lane++)
      if (cell_of(lane) < cells)
        d_patch_out.at[(9u * cell_of(lane) + j) * CHANNELS + first + c] = LANE(sum, lane);
  }
  barrier();
}

void perception_back(vec4 c[4]) {
  vec4 s0 = vec4(0.0), s1 = s0, s2 = s0, s3 = s0;
  vec4 before[4] =
      vec4[4](load_first_partial(0u), load_first_partial(1u), load_first_partial(2u), load_first_partial(3u));
  for (uint first = 0u; first < CHANNELS; first += CHUNK) {
    uint count = min(CHUNK, CHANNELS - first);
    if (CHUNK < CHANNELS) {
      load_patches(first, count, false);
      barrier();
    }
    perceive(PERCEPTIONS - 1u, c, first, count);
    for (uint l = PERCEPTIONS; l-- > 4u;) {
      vec4 sum = first > 0u || (flags & 1u) != 0u ? load_first_partial(l) : vec4(0.0);
      perception_products(l, later_coefficients(l), sum, first, count);
      store_first_partial(l, sum);
      perception_inputs(l, count);
    }
    if (PERCEPTIONS > 3u) {
      perception_products(3u, c[3], s3, first, count);
      perception_inputs(3u, count);
    }
    if (PERCEPTIONS > 2u) {
      perception_products(2u, c[2], s2, first, count);
      perception_inputs(2u, count);
    }
    if (PERCEPTIONS > 1u) {
      perception_products(1u, c[1], s1, first, count);
      perception_inputs(1u, count);
    }
    perception_products(0u, c[0], s0, first, count);
    patches_back(first, count);
  }
  store_first_partial(0u, add_partial(before[0], s0));
  store_first_partial(1u, add_partial(before[1], s1));
  store_first_partial(2u, add_partial(before[2], s2));
  store_first_partial(3u, add_partial(before[3], s3));
}

/* For a step in which none of the workgroup's cells took its new state: the gradient of the new state is that of the
 * old one, and nothing is added to the sums. */
void copy_gradient() {
  for (uint i = me; i < 9u * P * CHANNELS; i += LOCAL_X) {
    uint c = i % CHANNELS, j = i / CHANNELS % 9u, lane = i / CHANNELS / 9u, cell = cell_of(lane);
    float g = j == 4u ? LANE(memory[D_STATE + c], lane) : 0.0;
    if (cell < cells) d_patch_out.at[(9u * cell + j) * CHANNELS + c] = g;
  }
  if ((flags & 1u) == 0u)
    for (uint i = me; i < SLOTS; i += LOCAL_X) store_partial(i, vec4(0.0));
}

void main() {
  if (no_cells()) return;
  GT_CA_FIRST_COEFFICIENTS(c)
  load_patches(0u, CHUNK, true);
  load_gradient();
  prepare();
  for (uint i = me; i < WORDS - 2u * WIRES; i += LOCAL_X) words[2u * WIRES + i] = inverse.at[i];
  barrier();
  if (!any_fires()) {
    copy_gradient();
    return;
  }
  gt_fetch f0 = fetch(0u), f1 = fetch(1u);
  perceive_all(c);
  gt_fetch_back b0, b1;
  /* Loaded before the update begins, unless the update writes the trace that is to be read. */
  if (KEEP != 0u) {
    b0 = fetch_back(0u);
    b1 = fetch_back(1u);
  }
  update(f0, f1);
  if (KEEP == 0u) {
    b0 = fetch_back(0u);
    b1 = fetch_back(1u);
  }
  update_back(b0, b1);
  perception_back(c);
}
