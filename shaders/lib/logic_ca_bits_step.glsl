/* One step forward on words of boards. */
#include "op/logic_ca_bits.h"
#define GT_CA_BITS
#define GT_LOGIC_WORDS V
#define from_offset 0u
#include "lib/logic_bits.glsl"
#include "lib/logic_ca.glsl"

void main() {
  prepare();
  GT_CA_RUN(out_at, p0, p1, p2, p3)
  for (uint i = me; i < CHANNELS * P; i += LOCAL_X) {
    uint c = i % CHANNELS, lane = i / CHANNELS, cell = cell_of(lane);
    if (cell < cells) {
      uint at = cell * CHANNELS + c, value = LANE(memory[out_at + c], lane);
      if (fires[lane] == 0u) value = from.at[at];
      to.at[at] = value;
    }
  }
}
