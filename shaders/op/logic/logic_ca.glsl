/* Shared by the forward and backward steps of a logic-gate automaton: the cells of a workgroup, and the forward pass of
 * the circuit over them in shared memory, whose layout is computed by src/op/logic/logic_ca_plan.c. Include after the
 * argument struct. Define before: P, the number of cells per workgroup; V, a vector of P components, one per cell; and
 * for the gradient GT_CA_GRADIENT. */
#ifndef GT_LOGIC_CA_GLSL
#define GT_LOGIC_CA_GLSL
#include "op/logic/logic_ca_cells.glsl"
layout(constant_id = GT_CA_SPEC_CHUNK) const uint CHUNK = 1u;
layout(constant_id = GT_CA_SPEC_FIRE) const uint FIRE = 0u;
layout(constant_id = GT_CA_SPEC_PATCHES) const uint PATCHES = 0u;
layout(constant_id = GT_CA_SPEC_OUT) const uint OUT = 0u;
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;
layout(constant_id = GT_CA_SPEC_SLOTS) const uint SLOTS = 0u;
layout(constant_id = GT_CA_SPEC_KEEP) const uint KEEP = 0u;
layout(constant_id = GT_CA_SPEC_WIDTHS) const uint WIDTH0 = 0u;
layout(constant_id = GT_CA_SPEC_WIDTHS + 1) const uint WIDTH1 = 0u;
layout(constant_id = GT_CA_SPEC_WIDTHS + 2) const uint WIDTH2 = 0u;
layout(constant_id = GT_CA_SPEC_WIDTHS + 3) const uint WIDTH3 = 0u;
layout(constant_id = GT_CA_SPEC_WIRES) const uint WIRES = 1u;
layout(constant_id = GT_CA_SPEC_WORDS) const uint WORDS = 1u;

layout(buffer_reference, scalar, buffer_reference_align = 4 * P) buffer GT_LANES { V at[]; };

struct gt_layer { /* as in `shape` (op/logic/logic_ca.h); gate, wire, inverse and slot: the first of each */
  uint width, inputs, gate, wire, inverse, row, slot, split;
};

shared V memory[SHARED];
shared V fired; /* 1 for cells that take their new state in this step, otherwise 0 */
shared gt_layer layers[48]; /* GT_LOGIC_CA_LAYERS */
shared uint words[WORDS];   /* the perception's wiring; for the gradient also inverse wiring */

/* True if any of the cells takes its new state; the same in all invocations of a workgroup. */
bool any_fires() { return FIRE == 0u || fired != V(0.0); }

/* Loads the data that all invocations need. The caller executes a barrier after this and its other loads. */
void prepare() {
  if (me < P) {
    float fires = 1.0;
    if (FIRE != 0u) fires = is_drawn(cell_of(me)) ? 1.0 : 0.0;
    LANE(fired, me) = fires;
  }
  for (uint i = me; i < PERCEPTIONS + UPDATES; i += LOCAL_X)
    layers[i] = gt_layer(shape.at[8u * i], shape.at[8u * i + 1u], shape.at[8u * i + 2u],
                         shape.at[8u * i + 3u], shape.at[8u * i + 4u], shape.at[8u * i + 5u],
                         shape.at[8u * i + 6u], shape.at[8u * i + 7u]);
  for (uint i = me; i < 2u * WIRES; i += LOCAL_X) words[i] = wiring.at[i < WIRES ? i : wires + i - WIRES];
}

vec4 coefficients_of(uint gate) {
  vec4 c;
  if (ALIGNED != 0u) c = GT_CAST(GT_FLOATS4, coefficients).at[gate];
  else
    c = vec4(coefficients.at[4u * gate], coefficients.at[4u * gate + 1u], coefficients.at[4u * gate + 2u],
             coefficients.at[4u * gate + 3u]);
  return c;
}

/* The inputs a and b of a gate. */
uvec2 wires_of(uint wire) { return uvec2(wiring.at[wire], wiring.at[wires + wire]); }

/* Clamps the indices of a gate's inputs, because the wiring of a damaged file may be out of range. Called when the
 * indices are used: clamping them right after their load would wait for the load. */
uvec2 clamp_wire(uvec2 wire, uint inputs) { return min(wire, uvec2(inputs - 1u)); }

V gate_value(vec4 c, V a, V b) { return c.x + c.y * a + b * (c.z + c.w * a); }

/* --- perception ----------------------------------------------------------------------------------------- */

/* The coefficients of the invocation's first gate in one of the perception's first four layers. Their addresses do not
 * depend on other loads, so they are loaded at the beginning of the kernel. before: sum of the widths of earlier
 * layers. */
vec4 first_coefficients(uint width, uint before) {
  vec4 c = vec4(0.0);
  if (width > 0u) c = coefficients_of(KERNELS * before + me % max(KERNELS * width, 1u));
  return c;
}

#define GT_CA_FIRST_COEFFICIENTS(c) \
  vec4 c[4] = vec4[4](first_coefficients(WIDTH0, 0u), first_coefficients(WIDTH1, WIDTH0), \
                      first_coefficients(WIDTH2, WIDTH0 + WIDTH1), \
                      first_coefficients(WIDTH3, WIDTH0 + WIDTH1 + WIDTH2));

/* The same in a later layer. */
vec4 later_coefficients(uint l) { return coefficients_of(layers[l].gate + me % (KERNELS * layers[l].width)); }

/* Loads the patches of channels first … first + count - 1. If `update_inputs`, also stores the cells' own values where
 * the update reads them. */
void load_patches(uint first, uint count, bool update_inputs) {
  for (uint i = me; i < 9u * P * count; i += LOCAL_X) {
    uint c = i % count, lane = i / count % P, j = i / count / P;
    uint cell = neighbor_of(cell_of(lane), j);
    float value = 0.0;
    if (cell != NONE) value = from.at[from_offset + cell * CHANNELS + first + c];
    LANE(memory[PATCHES + 9u * c + j], lane) = value;
    if (update_inputs && j == 4u) LANE(memory[first + c], lane) = value;
  }
}

/* A layer of the perception. The widths of the first four are constants, because the kernel divides by them. */
gt_layer perception_layer(uint l) {
  const uint widths[4] = uint[4](WIDTH0, WIDTH1, WIDTH2, WIDTH3);
  gt_layer layer = layers[l];
  if (l < 4u) {
    layer.width = widths[l];
    layer.inputs = l == 0u ? 9u : widths[l - 1u];
    layer.split = min(CHUNK, max(1u, LOCAL_X / max(KERNELS * layer.width, 1u)));
  }
  return layer;
}

/* The first row that a layer of the perception reads, for channel c of the loaded ones and kernel k. */
uint input_row(uint l, gt_layer layer, uint c, uint k) {
  return l == 0u ? PATCHES + 9u * c : layer.row + (c * KERNELS + k) * layer.inputs;
}

uvec2 perception_wires(gt_layer layer, uint o) {
  return clamp_wire(uvec2(words[layer.wire + o], words[WIRES + layer.wire + o]), layer.inputs);
}

/* Evaluates a layer of the perception for `count` channels from `first` on. coefficient: of the invocation's first
 * gate. */
void perceive_layer(uint l, vec4 coefficient, uint first, uint count) {
  gt_layer layer = perception_layer(l);
  bool last = l == PERCEPTIONS - 1u;
  uint gates = KERNELS * layer.width, target = last ? CHANNELS : layers[l + 1u].row;
  for (uint i = me; i < gates * layer.split; i += LOCAL_X) {
    uint g = i % gates, k = g / layer.width, o = g % layer.width;
    if (i != me) coefficient = coefficients_of(layer.gate + g);
    uvec2 wire = perception_wires(layer, o);
    for (uint c = i / gates; c < count; c += layer.split) {
      uint base = input_row(l, layer, c, k);
      uint to = target + (last ? ((first + c) * layer.width + o) * KERNELS + k : c * gates + g);
      memory[to] = gate_value(coefficient, memory[base + wire.x], memory[base + wire.y]);
    }
  }
  barrier();
}

/* Evaluates the first `depth` layers of the perception for channels whose patches are loaded. */
void perceive(uint depth, vec4 c[4], uint first, uint count) {
  if (depth > 0u) perceive_layer(0u, c[0], first, count);
  if (depth > 1u) perceive_layer(1u, c[1], first, count);
  if (depth > 2u) perceive_layer(2u, c[2], first, count);
  if (depth > 3u) perceive_layer(3u, c[3], first, count);
  for (uint l = 4u; l < depth; l++) perceive_layer(l, later_coefficients(l), first, count);
}

/* Evaluates the perception of all channels; the first chunk is already loaded. The results, the inputs of the update,
 * are at the beginning of shared memory. */
void perceive_all(vec4 c[4]) {
  for (uint first = 0u; first < CHANNELS; first += CHUNK) {
    uint count = min(CHUNK, CHANNELS - first);
    if (first > 0u) {
      load_patches(first, count, true);
      barrier();
    }
    perceive(PERCEPTIONS, c, first, count);
  }
}

/* --- update --------------------------------------------------------------------------------------------- */

/* A layer, and what the invocation's gate in it needs from global memory. This data is loaded AHEAD layers ahead,
 * because a layer takes less time than a load. Four layers ahead would need so many registers that a second workgroup
 * would not fit (docs/notes/thresholds.md). */
struct gt_fetch {
  gt_layer layer;
  vec4 coefficient;
  uvec2 wire;
};

#define AHEAD 2u

/* The gradient does not need the outputs of the last layer. If there is a trace, it runs that layer only to store its
 * inputs there. */
#ifdef GT_CA_GRADIENT
const uint LAYERS_TO_RUN = UPDATES - KEEP;
void store_trace(uint gate, V a, V b) {
  uint i = 2u * (group * TRACE + gate);
  GT_CAST(GT_LANES, trace).at[i] = a;
  GT_CAST(GT_LANES, trace).at[i + 1u] = b;
}
#else
const uint LAYERS_TO_RUN = UPDATES;
#define store_trace(gate, a, b)
#endif

gt_fetch fetch_gate_data(gt_layer layer, uint o) {
  return gt_fetch(layer, coefficients_of(layer.gate + o), wires_of(layer.wire + o));
}

/* Loads unconditionally, also if the data is not needed: after a conditional load a driver waits for the data. */
gt_fetch fetch(uint l) {
  gt_layer layer = layers[PERCEPTIONS + min(l, UPDATES - 1u)];
  return fetch_gate_data(layer, min(me, layer.width - 1u));
}

/* Evaluates gate o of a layer and stores its output to row `to`. */
void run_gate(uint o, gt_fetch f, uint to) {
  gt_layer layer = f.layer;
  uvec2 wire = clamp_wire(f.wire, layer.inputs);
  V a = memory[layer.row + wire.x], b = memory[layer.row + wire.y];
  memory[to] = gate_value(f.coefficient, a, b);
  if (KEEP == 0u) store_trace(layer.gate - layers[PERCEPTIONS].gate + o, a, b);
}

void update_layer(uint l, inout gt_fetch f) {
  gt_layer layer = f.layer;
  uint target = l + 1u < UPDATES ? layers[PERCEPTIONS + l + 1u].row : OUT;
  if (me < layer.width) run_gate(me, f, target + me);
  for (uint o = me + LOCAL_X; o < layer.width; o += LOCAL_X) run_gate(o, fetch_gate_data(layer, o), target + o);
  f = fetch(l + AHEAD);
  barrier();
}

/* Evaluates the layers of the update; f0, f1: the data of the first two. */
void update(gt_fetch f0, gt_fetch f1) {
  for (uint l = 0u; l < LAYERS_TO_RUN; l += AHEAD) {
    update_layer(l, f0);
    if (l + 1u < LAYERS_TO_RUN) update_layer(l + 1u, f1);
  }
}
#endif
