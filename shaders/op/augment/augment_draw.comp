#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "lib/philox.glsl"
#include "op/augment/rules.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

void write_box(uint to, gt_box box) {
  y.at[to] = box.left;
  y.at[to + 1u] = box.top;
  y.at[to + 2u] = box.right;
  y.at[to + 3u] = box.bottom;
}

void main() {
  uvec2 key = uvec2(clock.at[1], clock.at[2]);
  for (uint row = gl_GlobalInvocationID.x; row < batch; row += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    gt_drawn drawn = gt_nothing_drawn();
    uint to = row * GT_AUGMENT_WORDS(boxes), box = 0u;
    for (uint i = 0u; i < stages; i++) {
      gt_stage_at at;
      at.word = i * GT_AUGMENT_STAGE_WORDS;
      at.draw = clock.at[0];
      at.block = (row * stages + i) * GT_AUGMENT_BLOCKS;
      at.height = table.at[at.word + GT_AUGMENT_STAGE_HEIGHT];
      at.width = table.at[at.word + GT_AUGMENT_STAGE_WIDTH];
      drawn = gt_draw_stage(table, at, key, drawn);
      if (gt_erases(table.at[at.word])) write_box(to + GT_AUGMENT_BOXES + 4u * box++, drawn.erased);
    }
    y.at[to] = drawn.map.a;
    y.at[to + 1u] = drawn.map.b;
    y.at[to + 2u] = drawn.map.c;
    y.at[to + 3u] = drawn.map.d;
    y.at[to + 4u] = drawn.map.e;
    y.at[to + 5u] = drawn.map.f;
    y.at[to + GT_AUGMENT_LIGHT] = drawn.brightness;
    y.at[to + GT_AUGMENT_LIGHT + 1u] = drawn.contrast;
    y.at[to + GT_AUGMENT_LIGHT + 2u] = drawn.saturation;
    y.at[to + GT_AUGMENT_SHARE] = drawn.share;
    y.at[to + GT_AUGMENT_PIXEL_SHARE] = drawn.pixel_share;
    y.at[to + GT_AUGMENT_HUE] = drawn.hue;
    write_box(to + GT_AUGMENT_MIX_BOX, drawn.mixed);
  }
}
