/* One step forward. */
#include "op/logic_ca.h"
#include "lib/logic_ca.glsl"

void main() {
  prepare();
  GT_CA_RUN(out_at, p0, p1, p2, p3)
  for (uint i = me; i < CHANNELS * P; i += LOCAL_X) {
    uint c = i % CHANNELS, lane = i / CHANNELS, cell = cell_of(lane);
    if (cell < cells) {
      uint at = cell * CHANNELS + c;
      float value = LANE(memory[out_at + c], lane);
      if (round != 0u) value = value > 0.5 ? 1.0 : 0.0;
      if (fires[lane] == 0u) value = from.at[from_offset + at];
      states.at[to_offset + at] = value;
      if (copy != 0u) states.at[at] = from.at[from_offset + at];
    }
  }
}
