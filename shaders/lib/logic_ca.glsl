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
  for (uint i = me; i < 9u * P; i += LOCAL_X) neighbour[i] = neighbour_of(cell_of(i % P), i / P);
  if (me < P) {
    fires[me] = 1u;
    if (FIRE != 0u) {
      uint board = HEIGHT * WIDTH, element = step * board + cell_of(me) % board;
      vec4 draw = gt_random_block(uvec2(clock.at[1], clock.at[2]), purpose, clock.at[0], element >> 2u);
      fires[me] = draw[element & 3u] <= fire_rate ? 1u : 0u;
    }
  }
  for (uint i = me; i < PERCEPTIONS + UPDATES; i += LOCAL_X)
    layers[i] = gt_layer(shape.at[8u * i], shape.at[8u * i + 1u], shape.at[8u * i + 2u], shape.at[8u * i + 3u],
                         shape.at[8u * i + 4u], shape.at[8u * i + 5u], shape.at[8u * i + 6u], shape.at[8u * i + 7u]);
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

uvec2 wires_of(uint wire) { return uvec2(wiring.at[wire], wiring.at[wires + wire]); }

/* A gate's inputs are held inside the layer's, whatever the wiring of a damaged file says: here, not as they are read,
 * since nothing may wait for them there. */
uvec2 inside(uvec2 wire, uint inputs) { return min(wire, uvec2(inputs - 1u)); }

/* What an invocation needs of global memory for its gate of a layer. It is asked for several layers ahead: a layer takes
 * less time than memory. */
struct gt_fetch {
  vec4 coefficient;
  uvec2 wire;
};

#define AHEAD 4u

gt_fetch fetch(uint l, uint items, uint gate, uint wire) {
  gt_fetch f = gt_fetch(vec4(0.0), uvec2(0u));
  if (me < items) f = gt_fetch(coefficients_of(layers[l].gate + gate), wires_of(layers[l].wire + wire));
  return f;
}

gt_fetch fetch_update(uint l) {
  gt_fetch f = gt_fetch(vec4(0.0), uvec2(0u));
  if (l < UPDATES) f = fetch(PERCEPTIONS + l, layers[PERCEPTIONS + l].width, me, me);
  return f;
}

gt_fetch fetch_perception(uint l) {
  gt_fetch f = gt_fetch(vec4(0.0), uvec2(0u));
  if (l < PERCEPTIONS) {
    uint width = layers[l].width, gate = me % (KERNELS * width);
    f = fetch(l, KERNELS * width * layers[l].split, gate, gate % width);
  }
  return f;
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

/* A layer of perception; f is for the invocation's first gate. */
void perceive_layer(uint l, gt_fetch f, uint first, uint count, uint source, uint target) {
  gt_layer at = layers[l];
  uint gates = KERNELS * at.width;
  for (uint i = me; i < gates * at.split; i += LOCAL_X) {
    uint g = i % gates, k = g / at.width, o = g % at.width;
    if (i != me) f = gt_fetch(coefficients_of(at.gate + g), wires_of(at.wire + o));
    uvec2 wire = inside(f.wire, at.inputs);
    for (uint c = i / gates; c < count; c += at.split) {
      uint base = source + (l == 0u ? 9u * c : (c * KERNELS + k) * at.inputs);
      V a = memory[base + wire.x], b = memory[base + wire.y];
      uint to = target + c * gates + g;
      if (l == PERCEPTIONS - 1u) to = CHANNELS + ((first + c) * at.width + o) * KERNELS + k;
      memory[to] = gate_of(f.coefficient, a, b);
      note(at.trace + (first + c) * gates + g, a, b);
    }
  }
  barrier();
}

/* Perception of all channels: the update's inputs lie at the beginning of shared memory. f: for the first four layers. */
void perceive(gt_fetch f0, gt_fetch f1, gt_fetch f2, gt_fetch f3) {
  const uint even = SECOND + 9u * CHUNK, odd = even + OTHER;
  for (uint first = 0u; first < CHANNELS; first += CHUNK) {
    uint count = min(CHUNK, CHANNELS - first);
    load_patches(first, count);
    perceive_layer(0u, f0, first, count, SECOND, even);
    if (PERCEPTIONS > 1u) perceive_layer(1u, f1, first, count, even, odd);
    if (PERCEPTIONS > 2u) perceive_layer(2u, f2, first, count, odd, even);
    if (PERCEPTIONS > 3u) perceive_layer(3u, f3, first, count, even, odd);
    for (uint l = 4u; l < PERCEPTIONS; l++)
      perceive_layer(l, fetch_perception(l), first, count, (l & 1u) != 0u ? even : odd, (l & 1u) != 0u ? odd : even);
  }
}

void update_layer(uint l, inout gt_fetch f, inout uint source) {
  gt_layer at = layers[PERCEPTIONS + l];
  uint target = SECOND - source;
  for (uint o = me; o < at.width; o += LOCAL_X) {
    if (o != me) f = gt_fetch(coefficients_of(at.gate + o), wires_of(at.wire + o));
    uvec2 wire = inside(f.wire, at.inputs);
    V a = memory[source + wire.x], b = memory[source + wire.y];
    memory[target + o] = gate_of(f.coefficient, a, b);
    note(at.trace + o, a, b);
  }
  f = fetch_update(l + AHEAD);
  barrier();
  source = target;
}

/* The update's layers; returns where the last one's outputs lie. f: for the first four of them. */
uint update(gt_fetch f0, gt_fetch f1, gt_fetch f2, gt_fetch f3) {
  uint source = 0u;
  for (uint l = 0u; l < UPDATES; l += AHEAD) {
    update_layer(l, f0, source);
    if (l + 1u < UPDATES) update_layer(l + 1u, f1, source);
    if (l + 2u < UPDATES) update_layer(l + 2u, f2, source);
    if (l + 3u < UPDATES) update_layer(l + 3u, f3, source);
  }
  return source;
}

/* The whole circuit, forward. */
#define GT_CA_RUN(out_at, p0, p1, p2, p3) \
  gt_fetch p0 = fetch_perception(0u), p1 = fetch_perception(1u), p2 = fetch_perception(2u), p3 = fetch_perception(3u); \
  gt_fetch u0 = fetch_update(0u), u1 = fetch_update(1u), u2 = fetch_update(2u), u3 = fetch_update(3u); \
  perceive(p0, p1, p2, p3); \
  uint out_at = update(u0, u1, u2, u3);
#endif
