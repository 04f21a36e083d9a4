/* Operand loader (load.glsl): im2col of images, for convolutions as implicit GEMM (patches.h). */
#include "op/matmul/patches.h"
#include "op/matmul/own.glsl"
const uint PATCHES_RANK = OWN_FIRST, PATCHES_QUADS = OWN_SECOND, PATCHES_HOLES = OWN_THIRD; /* GT_PATCHES_SPEC_… */

/* A kernel that computes the spots of many lines defines PATCHES_KEPT as true: the part of the geometry that they need
 * then stays in registers. For other kernels this would cost more registers than it saves loads. */
#ifndef PATCHES_KEPT
#define PATCHES_KEPT false
#endif
uvec3 patches_size = uvec3(1u), patches_positions = uvec3(1u), patches_magic = uvec3(0u), patches_shift = uvec3(0u);
uvec3 patches_each = uvec3(1u), patches_lift = uvec3(0u), patches_low = uvec3(0u), patches_step = uvec3(0u);

uint patches_word(uint axis, uint word) {
  return geometry.at[GT_PATCHES_AXIS + axis * GT_PATCHES_OF_AXIS + word];
}
#define PATCHES_WORD(axis, kept, word) (PATCHES_KEPT ? kept[axis] : patches_word(axis, word))

void patches_begin() {
  [[unroll]] for (uint axis = 0u; axis < 3u; axis++)
    if (axis < PATCHES_RANK) {
      patches_size[axis] = patches_word(axis, GT_PATCHES_SIZE);
      if (PATCHES_KEPT) {
        patches_positions[axis] = patches_word(axis, GT_PATCHES_POSITIONS);
        patches_magic[axis] = patches_word(axis, GT_PATCHES_MAGIC);
        patches_shift[axis] = patches_word(axis, GT_PATCHES_SHIFT);
        patches_each[axis] = patches_word(axis, GT_PATCHES_EACH);
        patches_lift[axis] = patches_word(axis, GT_PATCHES_LIFT);
        patches_low[axis] = patches_word(axis, GT_PATCHES_LOW);
        patches_step[axis] = patches_word(axis, GT_PATCHES_STEP);
      }
    }
}

/* Divides `rest` by the number of positions along the axis and returns the remainder, the line's position along it. */
uint patches_take(uint axis, inout uint rest) {
  uint high, low, number = rest;
  umulExtended(2u * rest, PATCHES_WORD(axis, patches_magic, GT_PATCHES_MAGIC), high, low);
  rest = high >> PATCHES_WORD(axis, patches_shift, GT_PATCHES_SHIFT);
  return number - rest * PATCHES_WORD(axis, patches_positions, GT_PATCHES_POSITIONS);
}

/* Adds the line's position along an axis to its spot. */
void patches_along(uint axis, inout uint rest, inout gt_spot spot) {
  uint each = PATCHES_WORD(axis, patches_each, GT_PATCHES_EACH);
  uint at = patches_take(axis, rest) * each + PATCHES_WORD(axis, patches_lift, GT_PATCHES_LIFT);
  if (PATCHES_HOLES != 0u) {
    uint holes = patches_word(axis, GT_PATCHES_HOLES), whole = at / holes;
    spot.phase |= at - whole * holes << axis * GT_PATCHES_PHASE;
    at = whole;
  }
  at -= PATCHES_WORD(axis, patches_low, GT_PATCHES_LOW);
  spot.place[axis] = int(at);
  spot.at += at * PATCHES_WORD(axis, patches_step, GT_PATCHES_STEP);
}

gt_spot patches_line(uint z, uint line) {
  gt_spot spot = gt_spot(z * geometry.at[GT_PATCHES_CHANNELS], ivec3(0), 0u);
  uint rest = line;
  patches_along(0u, rest, spot);
  if (PATCHES_RANK > 1u) patches_along(1u, rest, spot);
  if (PATCHES_RANK > 2u) patches_along(2u, rest, spot);
  spot.at += rest * geometry.at[GT_PATCHES_IMAGE];
  return spot;
}

/* Entry `number` of the table: what a quad of a line (without QUADS an element) adds to the spot of the line. */
gt_spot patches_entry(uint number) {
  uint at = GT_PATCHES_TABLE + min(number, geometry.at[GT_PATCHES_ENTRIES] - 1u) * GT_PATCHES_ENTRY;
  gt_spot spot = gt_spot(geometry.at[at], ivec3(0), 0u);
  spot.place.x = int(geometry.at[at + 1u]);
  if (PATCHES_RANK > 1u) spot.place.y = int(geometry.at[at + 2u]);
  if (PATCHES_RANK > 2u) spot.place.z = int(geometry.at[at + 3u]);
  if (PATCHES_HOLES != 0u) spot.phase = geometry.at[at + 4u];
  return spot;
}

gt_spot patches_position(uint position) {
  gt_spot spot = gt_spot(0u, ivec3(0), 0u);
  if (PATCHES_QUADS != 0u) spot = patches_entry(position / 4u);
  return spot;
}

/* True if the element at a line and a tap is inside the image. */
bool patches_has(gt_spot line, gt_spot tap) {
  bvec3 inside = lessThan(uvec3(line.place + tap.place), patches_size);
  bool has = inside.x;
  if (PATCHES_RANK > 1u) has = has && inside.y;
  if (PATCHES_RANK > 2u) has = has && inside.z;
  if (PATCHES_HOLES != 0u) has = has && line.phase == tap.phase;
  return has;
}

vec4 patches_quad(GT_FLOATS from, gt_spot line, gt_spot tap, uint position, int left) {
  vec4 v = vec4(0.0);
  if (PATCHES_QUADS != 0u) {
    v = fetch(from, line.at + tap.at, left > 0 && patches_has(line, tap) ? 4 : 0, ALIGNED != 0u);
  } else {
    [[unroll]] for (int i = 0; i < 4; i++)
      if (i < left) {
        gt_spot one = patches_entry(position + uint(i));
        if (patches_has(line, one)) v[i] = from.at[line.at + one.at];
      }
  }
  return v;
}

/* The buffer and the index (in vec4s) of the quad `inner` elements after the one at a line and a tap, with the same
 * tap: in the image or, outside of it, in the zeros of the geometry. */
GT_FLOATS4 patches_quad_address(GT_FLOATS from, gt_spot line, gt_spot tap, uint inner, out uint at) {
  bool has = patches_has(line, tap);
  at = has ? line.at + tap.at + inner >> 2 : uint(GT_PATCHES_ZEROS / 4);
  return GT_FLOATS4(mix(uvec2(geometry), uvec2(from), bvec2(has)));
}

/* Line `line` of the weights' lines that the list names. */
gt_spot taps_line(uint z, uint line, uint wide, uint stride) {
  uint listed = geometry.at[geometry.at[GT_PATCHES_LIST] + min(line, geometry.at[GT_PATCHES_LISTED] - 1u)];
  return gt_spot(z * stride + listed * wide, ivec3(0), 0u);
}

uint patches_row_along(uint axis, inout uint rest) {
  uint at = patches_take(axis, rest) * patches_word(axis, GT_PATCHES_APART) + patches_word(axis, GT_PATCHES_FIRST);
  return at * patches_word(axis, GT_PATCHES_ROW);
}

/* The row of the result to which row i of the product is stored (GT_RESULT_PLACED). */
uint patches_row(uint i) {
  uint rest = i, to = patches_row_along(0u, rest);
  if (PATCHES_RANK > 1u) to += patches_row_along(1u, rest);
  if (PATCHES_RANK > 2u) to += patches_row_along(2u, rest);
  return to + rest * geometry.at[GT_PATCHES_ROWS];
}
