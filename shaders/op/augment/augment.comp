#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/augment/augment.h"
#include "op/augment/drawn.h"
#include "op/augment/light.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_AUGMENT_SPEC_NEAREST) const uint NEAREST = 0u;
layout(constant_id = GT_AUGMENT_SPEC_LIGHTS) const uint LIGHTS = 0u;
layout(constant_id = GT_AUGMENT_SPEC_CONTRASTS) const uint CONTRASTS = 0u;
layout(constant_id = GT_AUGMENT_SPEC_SATURATES) const uint SATURATES = 0u;
layout(constant_id = GT_AUGMENT_SPEC_HUES) const uint HUES = 0u;
layout(constant_id = GT_AUGMENT_SPEC_TONES) const uint TONES = 0u;
layout(constant_id = GT_AUGMENT_SPEC_SCALED) const uint SCALED = 0u;
layout(constant_id = GT_AUGMENT_SPEC_MIXES) const uint MIXES = 0u;
layout(constant_id = GT_AUGMENT_SPEC_BORDER) const uint BORDER = 0u;

/* Up to four consecutive channels of a pixel, from channel c on. */
vec4 load(uint row, uint down, uint across, uint c, uint n) {
  uint from = ((row * height + down) * width + across) * channels + c;
  vec4 v = vec4(0.0);
  for (uint k = 0u; k < n; k++) v[k] = x.at[from + k];
  return v;
}

/* n values of the table from index `from` on. */
vec4 load_table(uint from, uint n) {
  vec4 v = vec4(0.0);
  for (uint k = 0u; k < n; k++) v[k] = table.at[from + k];
  return v;
}

/* One coordinate of the position in the sample to which the map sends the output pixel. Every product and sum is
 * rounded, so that all devices compute the same position. */
float map_coordinate(uint map, uint across, uint down) {
  precise float first = drawn.at[map] * float(across);
  precise float second = drawn.at[map + 1u] * float(down);
  precise float sum = first + second;
  precise float position = sum + drawn.at[map + 2u];
  return position;
}

/* The sample's value at a position between pixels: that of the nearest pixel, or bilinear. */
vec4 sample_image(uint row, float across, float down, uint c, uint n) {
  float right = float(width - 1u), bottom = float(height - 1u);
  across = clamp(across, 0.0, right);
  down = clamp(down, 0.0, bottom);
  if (NEAREST != 0u) return load(row, uint(down + 0.5), uint(across + 0.5), c, n);
  uint left = uint(across), top = uint(down);
  precise float to_right = across - float(left);
  precise float to_bottom = down - float(top);
  uint next = min(left + 1u, width - 1u), below = min(top + 1u, height - 1u);
  vec4 upper = load(row, top, left, c, n) * (1.0 - to_right) + load(row, top, next, c, n) * to_right;
  vec4 lower = load(row, below, left, c, n) * (1.0 - to_right) + load(row, below, next, c, n) * to_right;
  return upper * (1.0 - to_bottom) + lower * to_bottom;
}

/* Changes brightness, contrast, saturation and hue as the record says. */
vec4 change_colors(uint row, uint record, vec4 v) {
  uint light = record + GT_AUGMENT_BRIGHTNESS;
  v = clamp(v * drawn.at[light], 0.0, white);
  if (CONTRASTS != 0u) {
    float factor = drawn.at[light + 1u];
    v = clamp(factor * v + (1.0 - factor) * grey.at[row], 0.0, white);
  }
  if (SATURATES != 0u) {
    float factor = drawn.at[light + 2u];
    v = clamp(factor * v + (1.0 - factor) * gt_gray(v.x, v.y, v.z), 0.0, white);
  }
  if (HUES != 0u) v.xyz = gt_turn_hue(v.xyz, drawn.at[record + GT_AUGMENT_HUE]);
  return v;
}

/* Applies the tone curve of the sample's tone stage number `tone`, if it has drawn one: returns the curve's value at
 * the nearest level. */
vec4 apply_tone(uint record, uint tone, vec4 v, uint n) {
  float curve = drawn.at[record + GT_AUGMENT_TONES(boxes) + tone];
  if (curve < 0.0) return v;
  uint from = (1u + boxes) * channels + uint(curve) * GT_AUGMENT_LEVELS;
  for (uint k = 0u; k < n; k++) {
    precise float position = clamp(v[k], 0.0, white) * level;
    v[k] = table.at[from + min(uint(position + 0.5), GT_AUGMENT_LEVELS - 1u)];
  }
  return v;
}

/* True if the position is inside the image, along an axis of `pixels` pixels. */
bool inside(float position, uint pixels) { return position >= -0.5 && position < float(pixels) - 0.5; }

/* Maps a position outside the image to one inside, along an axis of `pixels` pixels. */
float fold(float position, uint pixels) {
  bool repeats_last = BORDER == GT_AUGMENT_SYMMETRIC;
  float half_pixel = repeats_last ? 0.5 : 0.0, period = 2.0 * float(repeats_last ? pixels : pixels - 1u);
  if (BORDER == GT_AUGMENT_EDGE || period <= 0.0) return position; /* sample_image clamps it */
  precise float moved = position + half_pixel;
  precise float before = period * floor(moved / period);
  precise float rest = moved - before;
  precise float back = period - rest;
  precise float folded = min(rest, back) - half_pixel;
  return folded;
}

/* True if the pixel is in the box that is stored at drawn.at[box]. */
bool in_box(uint box, uint across, uint down) {
  float px = float(across), py = float(down);
  return px >= drawn.at[box] && py >= drawn.at[box + 1u] && px < drawn.at[box + 2u] && py < drawn.at[box + 3u];
}

/* Computes n channels of a pixel of augmented sample `row`, before mixing. */
vec4 compute_pixel(uint row, uint across, uint down, uint c, uint n) {
  uint record = row * words;
  for (uint k = boxes; k-- > 0u;)
    if (in_box(record + GT_AUGMENT_BOXES + 4u * k, across, down)) return load_table((1u + k) * channels + c, n);
  float source_x = map_coordinate(record + GT_AUGMENT_MAP, across, down);
  float source_y = map_coordinate(record + GT_AUGMENT_MAP + 3u, across, down);
  vec4 value;
  if (BORDER != GT_AUGMENT_FILL && !inside(source_x, width)) source_x = fold(source_x, width);
  if (BORDER != GT_AUGMENT_FILL && !inside(source_y, height)) source_y = fold(source_y, height);
  if (BORDER != GT_AUGMENT_FILL || inside(source_x, width) && inside(source_y, height)) {
    value = sample_image(row, source_x, source_y, c, n);
    if (LIGHTS != 0u) value = change_colors(row, record, value);
    for (uint tone = 0u; tone < TONES; tone++) value = apply_tone(record, tone, value, n);
  } else value = load_table(c, n);
  if (SCALED != 0u)
    for (uint k = 0u; k < n; k++) {
      uint p = ((down * out_width + across) * channels + c + k) % period;
      value[k] = (value[k] - scaling.at[p]) * scaling.at[period + p] + scaling.at[2u * period + p];
    }
  return value;
}

void main() {
  uint count = batch * out_height * out_width, stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < count; i += stride) {
    uint line = i / out_width, across = i - line * out_width, row = line / out_height, down = line - row * out_height;
    uint record = row * words, other = (row == 0u ? batch : row) - 1u; /* the sample to mix with */
    bool pasted = MIXES != 0u && in_box(record + GT_AUGMENT_MIX_BOX, across, down);
    float share = drawn.at[record + GT_AUGMENT_PIXEL_SHARE];
    for (uint c = 0u; c < channels; c += 4u) {
      uint n = min(channels - c, 4u);
      vec4 v = compute_pixel(pasted ? other : row, across, down, c, n);
      if (MIXES != 0u && !pasted && share != 1.0)
        v = share * v + (1.0 - share) * compute_pixel(other, across, down, c, n);
      for (uint k = 0u; k < n; k++) y.at[i * channels + c + k] = v[k];
    }
  }
}
