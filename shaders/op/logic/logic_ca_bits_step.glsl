/* One step of an automaton on words with one bit per board. Define before: P, the number of cells per workgroup, and V,
 * a vector of P words, one per cell.
 *
 * Shared memory has two areas. During the perception the first has the inputs of the update. The second, from row
 * SECOND on, has for CHUNK channels at a time the patches (9 rows per channel), then the outputs of even layers and,
 * ODD_OFFSET rows after the first of these, the outputs of odd layers. The update's layers, counted from 0, write
 * alternately to the second and the first area. */
#include "op/logic/logic_ca_bits.h"
#define GT_LOGIC_WORDS V
#include "op/logic/logic_bits.glsl"
#include "op/logic/logic_ca_cells.glsl"
layout(constant_id = GT_CA_BITS_SPEC_FIRE) const uint FIRE = 0u;
layout(constant_id = GT_CA_BITS_SPEC_CHUNK) const uint CHUNK = 1u;
layout(constant_id = GT_CA_BITS_SPEC_SECOND) const uint SECOND = 0u;
layout(constant_id = GT_CA_BITS_SPEC_ODD_OFFSET) const uint ODD_OFFSET = 0u;

struct gt_layer {
  uint width, inputs, gate, wire;
};

shared V memory[SHARED];
shared uint neighbors[9 * P]; /* the cell at each position of each cell's neighborhood */
shared uint fires[P];

void prepare() {
  for (uint i = me; i < 9u * P; i += LOCAL_X) neighbors[i] = neighbor_of(cell_of(i % P), i / P);
  if (me < P) fires[me] = FIRE == 0u || is_drawn(cell_of(me)) ? 1u : 0u;
  barrier();
}

gt_layer layer_at(uint l) {
  return gt_layer(shape.at[4u * l], shape.at[4u * l + 1u], shape.at[4u * l + 2u], shape.at[4u * l + 3u]);
}

/* The code and inputs of a gate. Indices are clamped, because the wiring of a damaged file may be out of range. */
uvec3 gate_at(gt_layer layer, uint gate, uint wire) {
  uint last = layer.inputs - 1u;
  return uvec3(codes.at[layer.gate + gate], min(wiring.at[layer.wire + wire], last),
               min(wiring.at[wires + layer.wire + wire], last));
}

V gate_value(uvec3 gate, uint base) {
  return gt_logic_of_bits(gate.x, memory[base + gate.y], memory[base + gate.z]);
}

/* Loads the patches of channels first … first + count - 1, and the cells' own words, for the update. */
void load_patches(uint first, uint count) {
  for (uint i = me; i < 9u * P * count; i += LOCAL_X) {
    uint c = i % count, lane = i / count % P, j = i / count / P, cell = neighbors[j * P + lane], word = 0u;
    if (cell != NONE) word = from.at[cell * CHANNELS + first + c];
    LANE(memory[SECOND + 9u * c + j], lane) = word;
    if (j == 4u) LANE(memory[first + c], lane) = word;
  }
  barrier();
}

/* Evaluates a layer of the perception for `count` channels from `first` on. source, target: rows of the inputs and
 * outputs. */
void perceive_layer(uint l, uint first, uint count, uint source, uint target) {
  gt_layer layer = layer_at(l);
  uint gates = KERNELS * layer.width;
  for (uint i = me; i < gates * count; i += LOCAL_X) {
    uint c = i / gates, g = i - c * gates, k = g / layer.width, o = g - k * layer.width;
    uint base = source + (l == 0u ? 9u * c : (c * KERNELS + k) * layer.inputs), to = target + i;
    if (l == PERCEPTIONS - 1u) to = CHANNELS + ((first + c) * layer.width + o) * KERNELS + k;
    memory[to] = gate_value(gate_at(layer, g, o), base);
  }
  barrier();
}

void perceive() {
  const uint even = SECOND + 9u * CHUNK, odd = even + ODD_OFFSET;
  for (uint first = 0u; first < CHANNELS; first += CHUNK) {
    uint count = min(CHUNK, CHANNELS - first), source = SECOND;
    load_patches(first, count);
    for (uint l = 0u; l < PERCEPTIONS; l++) {
      uint target = (l & 1u) != 0u ? odd : even;
      perceive_layer(l, first, count, source, target);
      source = target;
    }
  }
}

/* Evaluates the update's layers and returns the row of the last layer's outputs. Each invocation loads its gate of the
 * next layer before the barrier that waits for its inputs. */
uint update() {
  gt_layer layer = layer_at(PERCEPTIONS);
  uvec3 next = gate_at(layer, min(me, layer.width - 1u), min(me, layer.width - 1u));
  uint source = 0u;
  for (uint l = 1u; l <= UPDATES; l++) {
    uint target = SECOND - source;
    if (me < layer.width) memory[target + me] = gate_value(next, source);
    for (uint o = me + LOCAL_X; o < layer.width; o += LOCAL_X)
      memory[target + o] = gate_value(gate_at(layer, o, o), source);
    if (l < UPDATES) {
      layer = layer_at(PERCEPTIONS + l);
      next = gate_at(layer, min(me, layer.width - 1u), min(me, layer.width - 1u));
    }
    barrier();
    source = target;
  }
  return source;
}

void main() {
  if (no_cells()) return;
  prepare();
  perceive();
  uint outputs = update();
  for (uint i = me; i < CHANNELS * P; i += LOCAL_X) {
    uint c = i % CHANNELS, lane = i / CHANNELS, cell = cell_of(lane);
    if (cell < cells) {
      uint at = cell * CHANNELS + c, word = LANE(memory[outputs + c], lane);
      if (fires[lane] == 0u) word = from.at[at];
      to.at[at] = word;
    }
  }
}
