/* im2col tiles in shared memory, computed once for kernels that read each element many times: the patches of POSITIONS
 * lines, GT_STAGE_COLUMNS elements each, transposed (a row of the tile has one element of all lines), from the
 * beginning of pool[]. Define before the inclusion:
 *   GT_STAGE_IMAGE    the buffer of the images
 *   GT_STAGE_COLUMNS  elements of a patch
 *   LOCAL             constant: the size of the workgroup
 *   POSITIONS         constant: lines, at most LOCAL
 *   ROWS              constant: rows of the tile, at least GT_STAGE_COLUMNS; further rows are 0
 *   STRIDE            constant: vec4s from one row of the tile to the next
 *   BATCH             constant: elements that an invocation loads at once
 *   pool[]            shared vec4s, at least ROWS * STRIDE */
#include "op/matmul/load_patches.glsl"
#include "op/matmul/stage.h"
const uint ACROSS = LOCAL / POSITIONS; /* invocations per line */
shared uvec4 taps[GT_STAGE_MOST_COLUMNS]; /* entries of the table (patches.h): offset, places */

void stage_begin(uint me) {
  patches_begin();
  for (uint i = me; i < GT_STAGE_COLUMNS; i += LOCAL) {
    gt_spot tap = patches_entry(PATCHES_QUADS != 0u ? i / 4u : i);
    taps[i] = uvec4(tap.at + (PATCHES_QUADS != 0u ? i % 4u : 0u), uvec3(tap.place));
  }
  for (uint i = me; i < ROWS * STRIDE; i += LOCAL) pool[i] = vec4(0.0);
  barrier();
}

/* Stages the patches of the lines from `at` on; from `end` on they are 0. */
void stage_patches(uint me, uint at, uint end) {
  uint position = me % POSITIONS, lane = me / POSITIONS, to = position / 4u, columns = GT_STAGE_COLUMNS;
  bool there = at + position < end;
  gt_spot line = patches_line(0u, min(at + position, end - 1u));
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
      if (i < BATCH && first + i * ACROSS < columns) pool[(first + i * ACROSS) * STRIDE + to][position & 3u] = v[i];
  }
}
