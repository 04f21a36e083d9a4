/* What the steps of a logic-gate automaton share, forward and backward: the cells of a workgroup and the circuit's
 * forward pass over them in shared memory, laid out as src/op/logic_ca_plan.c says.
 * Include after the argument struct. Define before: P, the number of cells of a workgroup, V, the vector that holds one
 * value of each, and for the gradient GT_CA_TRACE. */
#ifndef GT_LOGIC_CA_GLSL
#define GT_LOGIC_CA_GLSL
#include "lib/philox.glsl"
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_X = 1u;
layout(constant_id = 3) const uint SHARED = 1u;
layout(constant_id = 4) const uint CHANNELS = 1u;
layout(constant_id = 5) const uint KERNELS = 1u;
layout(constant_id = 6) const uint HEIGHT = 1u;
layout(constant_id = 7) const uint WIDTH = 1u;
layout(constant_id = 8) const uint PERIODIC = 0u;
layout(constant_id = 9) const uint PERCEPTIONS = 1u;
layout(constant_id = 10) const uint UPDATES = 1u;
layout(constant_id = 11) const uint CHUNK = 1u;
layout(constant_id = 12) const uint FIRE = 0u;
layout(constant_id = 13) const uint SECOND = 0u;
layout(constant_id = 14) const uint OTHER = 0u;
layout(constant_id = 15) const uint ALIGNED = 0u;
layout(constant_id = 16) const uint SLOTS = 0u;
layout(constant_id = 17) const uint TRACE = 0u;

layout(buffer_reference, scalar, buffer_reference_align = 4 * P) buffer GT_LANES { V at[]; };

#if P == 1
#define LANE(value, lane) value
#else
#define LANE(value, lane) value[lane]
#endif

const uint NONE = 0xffffffffu;
struct gt_layer {
  uint width, inputs, gate, wire, inverse, trace, slot, split;
};

shared V memory[SHARED];
shared uint neighbour[9 * P]; /* the cell at each place of each cell's neighbourhood */
shared uint fires[P];
shared gt_layer layers[48];

#define me gl_LocalInvocationID.x
#define group gl_WorkGroupID.x

uint cell_of(uint lane) { return group * P + lane; }

/* The cell at place j of a cell's neighbourhood; NONE beyond the border or the last cell. */
uint neighbour_of(uint cell, uint j) {
  uint inside = cell % (HEIGHT * WIDTH);
  uint y = inside / WIDTH + j / 3u + HEIGHT - 1u, x = inside % WIDTH + j % 3u + WIDTH - 1u;
  bool beyond = y < HEIGHT || y >= 2u * HEIGHT || x < WIDTH || x >= 2u * WIDTH;
  return cell >= cells || beyond && PERIODIC == 0u ? NONE : cell - inside + y % HEIGHT * WIDTH + x % WIDTH;
}

void prepare() {
  for (uint i = me; i < PERCEPTIONS + UPDATES; i += LOCAL_X)
    layers[i] = gt_layer(shape.at[8u * i], shape.at[8u * i + 1u], shape.at[8u * i + 2u], shape.at[8u * i + 3u],
                         shape.at[8u * i + 4u], shape.at[8u * i + 5u], shape.at[8u * i + 6u], shape.at[8u * i + 7u]);
  for (uint i = me; i < 9u * P; i += LOCAL_X) neighbour[i] = neighbour_of(cell_of(i % P), i / P);
  if (me < P) {
    fires[me] = 1u;
    if (FIRE != 0u) {
      uint board = HEIGHT * WIDTH, element = step * board + cell_of(me) % board;
      vec4 draw = gt_random_block(uvec2(clock.at[1], clock.at[2]), purpose, clock.at[0], element >> 2u);
      fires[me] = draw[element & 3u] <= fire_rate ? 1u : 0u;
    }
  }
  barrier();
}

vec4 coefficients_of(uint gate) {
  vec4 c;
  if (ALIGNED != 0u) c = GT_FLOATS4(coefficients).at[gate];
  else
    c = vec4(coefficients.at[4u * gate], coefficients.at[4u * gate + 1u], coefficients.at[4u * gate + 2u],
             coefficients.at[4u * gate + 3u]);
  return c;
}

/* Which two inputs; held inside the layer's, whatever the wiring of a damaged file says. */
uvec2 wires_of(uint wire, uint inputs) {
  return min(uvec2(wiring.at[wire], wiring.at[wires + wire]), uvec2(inputs - 1u));
}

#ifdef GT_CA_TRACE
void note(uint gate, V a, V b) {
  uint i = 2u * (group * TRACE + gate);
  GT_LANES(trace).at[i] = a;
  GT_LANES(trace).at[i + 1u] = b;
}
#else
#define note(gate, a, b)
#endif

V gate_of(vec4 c, V a, V b) { return c.x + c.y * a + b * (c.z + c.w * a); }

/* The patches of channels first … first+count-1, and the cells' own values for the update. */
void load_patches(uint first, uint count) {
  for (uint i = me; i < 9u * P * count; i += LOCAL_X) {
    uint c = i % count, lane = i / count % P, j = i / count / P;
    uint cell = neighbour[j * P + lane];
    float value = 0.0;
    if (cell != NONE) value = from.at[from_offset + cell * CHANNELS + first + c];
    LANE(memory[SECOND + 9u * c + j], lane) = value;
    if (j == 4u) LANE(memory[first + c], lane) = value;
  }
  barrier();
}

/* Perception of all channels: the update's inputs lie at the beginning of shared memory. */
void perceive() {
  for (uint first = 0u; first < CHANNELS; first += CHUNK) {
    uint count = min(CHUNK, CHANNELS - first), source = SECOND;
    load_patches(first, count);
    for (uint l = 0u; l < PERCEPTIONS; l++) {
      gt_layer at = layers[l];
      uint gates = KERNELS * at.width, target = SECOND + 9u * CHUNK + ((l & 1u) != 0u ? OTHER : 0u);
      for (uint i = me; i < gates * at.split; i += LOCAL_X) {
        uint g = i % gates, k = g / at.width, o = g % at.width;
        vec4 coefficient = coefficients_of(at.gate + g);
        uvec2 wire = wires_of(at.wire + o, at.inputs);
        for (uint c = i / gates; c < count; c += at.split) {
          uint base = source + (l == 0u ? 9u * c : (c * KERNELS + k) * at.inputs);
          V a = memory[base + wire.x], b = memory[base + wire.y];
          uint to = target + c * gates + g;
          if (l == PERCEPTIONS - 1u) to = CHANNELS + ((first + c) * at.width + o) * KERNELS + k;
          memory[to] = gate_of(coefficient, a, b);
          note(at.trace + (first + c) * gates + g, a, b);
        }
      }
      barrier();
      source = target;
    }
  }
}

/* The update's layers; returns where the last one's outputs lie. What a layer needs of global memory is asked for while
 * the one before it is at work. */
uint update() {
  uint source = 0u, target = SECOND;
  gt_layer at = layers[PERCEPTIONS];
  vec4 next_coefficient = vec4(0.0);
  uvec2 next_wire = uvec2(0u);
  if (me < at.width) next_coefficient = coefficients_of(at.gate + me), next_wire = wires_of(at.wire + me, at.inputs);
  for (uint l = 0u; l < UPDATES; l++) {
    vec4 coefficient = next_coefficient;
    uvec2 wire = next_wire;
    gt_layer next = at;
    if (l + 1u < UPDATES) {
      next = layers[PERCEPTIONS + l + 1u];
      if (me < next.width) {
        next_coefficient = coefficients_of(next.gate + me);
        next_wire = wires_of(next.wire + me, next.inputs);
      }
    }
    for (uint o = me; o < at.width; o += LOCAL_X) {
      if (o != me) coefficient = coefficients_of(at.gate + o), wire = wires_of(at.wire + o, at.inputs);
      V a = memory[source + wire.x], b = memory[source + wire.y];
      memory[target + o] = gate_of(coefficient, a, b);
      note(at.trace + o, a, b);
    }
    barrier();
    at = next;
    source = target;
    target = SECOND - target;
  }
  return source;
}
#endif
