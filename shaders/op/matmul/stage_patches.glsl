/* im2col tiles in shared memory, computed once for kernels that read each element many times.
 *
 * Patches made once in shared memory, for kernels that read each many times: POSITIONS lines of COLUMNS elements, a
 * row of lines for each element, in `pool` from 0 on. To be defined before: GT_STAGE_IMAGE, the images, and
 * GT_STAGE_COLUMNS, how many there are; the constants LOCAL (the workgroup), POSITIONS (at most LOCAL), ROWS (at least
 * GT_STAGE_COLUMNS; the others are 0) and BATCH (elements that an invocation reads at once); and the shared vec4
 * pool[], of ROWS * STRIDE at least. */
#include "op/matmul/load_patches.glsl"
#include "op/matmul/stage.h"
const uint ACROSS = LOCAL / POSITIONS; /* invocations that make a line */
shared uvec4 taps[GT_STAGE_MOST_COLUMNS]; /* what columns add: offset, places */

void stage_begin(uint me) {
  patches_begin();
  for (uint i = me; i < GT_STAGE_COLUMNS; i += LOCAL) {
    gt_spot tap = patches_entry(PATCHES_QUADS != 0u ? i / 4u : i);
    taps[i] = uvec4(tap.at + (PATCHES_QUADS != 0u ? i % 4u : 0u), uvec3(tap.place));
  }
  for (uint i = me; i < ROWS * STRIDE; i += LOCAL) pool[i] = vec4(0.0);
  barrier();
}

/* The patches of the lines from `at` on; 0 from `end` on. */
void stage_patches(uint me, uint at, uint end) {
  uint place = me % POSITIONS, lane = me / POSITIONS, to = place / 4u, columns = GT_STAGE_COLUMNS;
  bool there = at + place < end;
  gt_spot line = patches_line(0u, min(at + place, end - 1u));
  for (uint first = lane; first - lane < columns; first += BATCH * ACROSS) {
    float v[GT_STAGE_MOST_BATCH];
    [[unroll]] for (uint i = 0u; i < GT_STAGE_MOST_BATCH; i++)
      if (i < BATCH) {
        uvec4 tap = taps[min(first + i * ACROSS, columns - 1u)];
        bool has = there && patches_has(line, gt_spot(tap.x, ivec3(tap.yzw), 0u));
        float x = GT_STAGE_IMAGE.at[has ? line.at + tap.x : 0u];
        v[i] = has ? x : 0.0;
      }
    [[unroll]] for (uint i = 0u; i < GT_STAGE_MOST_BATCH; i++)
      if (i < BATCH && first + i * ACROSS < columns) pool[(first + i * ACROSS) * STRIDE + to][place & 3u] = v[i];
  }
}
