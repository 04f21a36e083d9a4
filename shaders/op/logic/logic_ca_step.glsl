/* One forward step of an automaton. */
#include "op/logic/logic_ca.h"
#include "op/logic/logic_ca.glsl"

/* The new state after clamping, rounding and sampling (src/op/logic/logic_ca.h). */
float next_state(float value, uint element) {
  if ((flags & 2u) != 0u) { /* not clamp(), which may hide a NaN */
    if (value < 0.0) value = 0.0;
    else if (value > 1.0) value = 1.0;
  }
  if (rounding > 0.0) value += rounding * ((value > 0.5 ? 1.0 : 0.0) - value);
  if (sampling > 0.0) {
    element += step * cells * CHANNELS;
    vec4 draw = gt_random_block(uvec2(clock.at[1], clock.at[2]), sampling_purpose, clock.at[0], element);
    if (draw.x < sampling) value = draw.y < value ? 1.0 : 0.0;
  }
  return value;
}

void main() {
  if (no_cells()) return;
  GT_CA_FIRST_COEFFICIENTS(c)
  load_patches(0u, CHUNK, true);
  prepare();
  barrier();
  if (any_fires()) {
    gt_fetch f0 = fetch(0u), f1 = fetch(1u);
    perceive_all(c);
    update(f0, f1);
  }
  for (uint i = me; i < CHANNELS * P; i += LOCAL_X) {
    uint c = i % CHANNELS, lane = i / CHANNELS, cell = cell_of(lane);
    if (cell < cells) {
      uint at = cell * CHANNELS + c;
      float value = LANE(memory[OUT + c], lane);
      value = next_state(value, at);
      if (LANE(fired, lane) == 0.0) value = from.at[from_offset + at];
      states.at[to_offset + at] = value;
      if ((flags & 1u) != 0u) states.at[at] = from.at[from_offset + at];
    }
  }
}
