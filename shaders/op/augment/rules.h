/* Draws the augmentation parameters of a sample. The code is shared by C and GLSL and gives the same bits in
 * both: it only adds, multiplies and compares; values of other functions are read from a table that the host
 * computes. In GLSL, GT_EXACT prevents the contraction of a product and a sum to an fma; C is compiled with
 * -ffp-contract=off. */
#ifndef GT_AUGMENT_RULES_H
#define GT_AUGMENT_RULES_H
#include "op/augment/augment_draw.h"
#ifdef GL_core_profile
#include "op/augment/kinds.h"
#define X(name, number) const uint name = number;
GT_AUGMENT_KINDS(X)
#undef X
#define GT_RECORDS            GT_FLOATS
#define GT_STORE(y, i, value) y.at[i] = value
#define GT_RULE(type)         type
#define GT_STRUCT(name)       struct name
#define GT_EXACT              precise
#define GT_RANDOM             uvec4
#define GT_KEY                uvec2
#define GT_TABLE              GT_WORDS
#define GT_WORD_AT(table, i)  table.at[i]
#define GT_REAL_AT(table, i)  uintBitsToFloat(table.at[i])
#define GT_REAL(n)            float(n)
#define GT_TO_UINT(x)         uint(x)
#define GT_FLOOR(x)           floor(x)
/* A random integer less than n. */
uint gt_below(uint bits, uint n) {
  uint high, low;
  umulExtended(bits, n, high, low);
  return high;
}
uvec4 gt_random(uvec2 key, uint draw, uint block) {
  return gt_philox4x32(uvec4(block, draw, GT_PURPOSE_AUGMENT, 0x67747261u), key);
}
#else
#include "base/philox.h"
#include "op/augment/augment.h"
#include "step/math.h"
#define GT_RULE(type) GT_MATH type
#define GT_STRUCT(name)     \
  typedef struct name name; \
  struct name
#define GT_EXACT              const
#define GT_RECORDS            float *
#define GT_STORE(y, i, value) (y)[i] = (value)
typedef struct gt_random_words {
  uint x, y, z, w;
} gt_random_words;
#define GT_RANDOM             gt_random_words
#define GT_KEY                uint64_t
#define GT_TABLE              const uint32_t *
#define GT_WORD_AT(table, i)  (table)[i]
#define GT_REAL_AT(table, i)  gt_from_bits((table)[i])
#define GT_REAL(n)            (float)(n)
#define GT_TO_UINT(x)         (uint)(x)
#define GT_FLOOR(x)           floorf(x)
GT_MATH uint gt_below(uint bits, uint n) { return (uint)((uint64_t)bits * n >> 32); }
GT_MATH gt_random_words gt_random(uint64_t key, uint draw, uint block) {
  const gt_philox words = gt_philox_block(key, GT_PURPOSE_AUGMENT, draw, block);
  return (gt_random_words){words.v[0], words.v[1], words.v[2], words.v[3]};
}
#endif

/* A pixel (x, y) is mapped to (a x + b y + c, d x + e y + f). */
GT_STRUCT(gt_map) { float a, b, c, d, e, f; };
GT_STRUCT(gt_box) { float left, top, right, bottom; };
/* The parameters that the stages have drawn so far (augment/drawn.h). `erased` and `tone` are those of the
 * current stage. */
GT_STRUCT(gt_drawn) {
  gt_map map;
  gt_box pasted, erased;
  float brightness, contrast, saturation, hue, share, pixel_share;
  float tone;
};
/* A stage: the index of its words in the table; the draw and the first block of its random words (arguments
 * of gt_random); and the size of images at this stage. */
GT_STRUCT(gt_stage_at) { uint word, draw, block, height, width; };

/* Uniform in [0, 1). */
GT_RULE(float) gt_unit(uint bits) { return GT_REAL(bits >> 8) * 5.9604644775390625e-8f; }

/* Uniform in [low, high). */
GT_RULE(float) gt_uniform(float low, float high, uint bits) {
  GT_EXACT float part = (high - low) * gt_unit(bits);
  GT_EXACT float value = low + part;
  return value;
}

GT_RULE(float) gt_round_half_up(float x) {
  GT_EXACT float up = x + 0.5f;
  return GT_FLOOR(up);
}

/* Setting i of a stage. */
GT_RULE(uint) gt_word(GT_TABLE table, gt_stage_at at, uint i) { return GT_WORD_AT(table, at.word + 1u + i); }
GT_RULE(float) gt_real(GT_TABLE table, gt_stage_at at, uint i) { return GT_REAL_AT(table, at.word + 1u + i); }

/* Column c of a random row, chosen by `bits`, of the quantile table that begins at `first`. */
GT_RULE(float) gt_quantile(GT_TABLE table, uint first, uint columns, uint c, uint bits) {
  return GT_REAL_AT(table, first + (bits >> (32u - GT_AUGMENT_QUANTILE_BITS)) * columns + c);
}

GT_RULE(gt_map) gt_map_of(float a, float b, float c, float d, float e, float f) {
  gt_map map;
  map.a = a, map.b = b, map.c = c, map.d = d, map.e = e, map.f = f;
  return map;
}

/* a x + b y + c, evaluated in this order. */
GT_RULE(float) gt_dot(float a, float x, float b, float y, float c) {
  GT_EXACT float first = a * x;
  GT_EXACT float second = b * y;
  GT_EXACT float sum = first + second;
  GT_EXACT float result = sum + c;
  return result;
}

/* Composition of two maps: m maps output pixels to positions in an intermediate image, `first` maps these to
 * positions in the sample. */
GT_RULE(gt_map) gt_map_compose(gt_map first, gt_map m) {
  return gt_map_of(gt_dot(first.a, m.a, first.b, m.d, 0.0f), gt_dot(first.a, m.b, first.b, m.e, 0.0f),
                   gt_dot(first.a, m.c, first.b, m.f, first.c), gt_dot(first.d, m.a, first.e, m.d, 0.0f),
                   gt_dot(first.d, m.b, first.e, m.e, 0.0f), gt_dot(first.d, m.c, first.e, m.f, first.f));
}

GT_RULE(gt_box) gt_box_of(float left, float top, float right, float bottom) {
  gt_box box;
  box.left = left, box.top = top, box.right = right, box.bottom = bottom;
  return box;
}

/* Clips a box to the image. */
GT_RULE(gt_box) gt_box_clip(gt_box box, gt_stage_at at) {
  const float width = GT_REAL(at.width), height = GT_REAL(at.height);
  return gt_box_of(box.left < 0.0f ? 0.0f : box.left, box.top < 0.0f ? 0.0f : box.top,
                   box.right > width ? width : box.right, box.bottom > height ? height : box.bottom);
}

/* Settings: maximum shift along x and y; by how many pixels the sample is wider and higher than the crop. */
GT_RULE(gt_map) gt_crop(GT_TABLE table, gt_stage_at at, GT_RANDOM bits) {
  const uint x = gt_word(table, at, 0u), y = gt_word(table, at, 1u);
  const uint wider = gt_word(table, at, 2u), higher = gt_word(table, at, 3u);
  const float dx = GT_REAL(gt_below(bits.x, 2u * x + wider + 1u)) - GT_REAL(x);
  const float dy = GT_REAL(gt_below(bits.y, 2u * y + higher + 1u)) - GT_REAL(y);
  return gt_map_of(1.0f, 0.0f, dx, 0.0f, 1.0f, dy);
}

/* Settings: probability. */
GT_RULE(gt_map) gt_flip(GT_TABLE table, gt_stage_at at, GT_RANDOM bits, uint kind) {
  const bool flips = gt_unit(bits.x) < gt_real(table, at, 0u);
  const bool across = flips && kind == GT_DRAW_HORIZONTAL_FLIP, down = flips && !across;
  return gt_map_of(across ? -1.0f : 1.0f, 0.0f, across ? GT_REAL(at.width - 1u) : 0.0f, 0.0f,
                   down ? -1.0f : 1.0f, down ? GT_REAL(at.height - 1u) : 0.0f);
}

/* A rectangle of random area and aspect ratio: width and height, rounded. Settings: the offsets of the tables
 * of areas and ratios. */
GT_RULE(gt_box) gt_rectangle(GT_TABLE table, gt_stage_at at, GT_RANDOM bits) {
  const uint areas = gt_word(table, at, 0u), ratios = gt_word(table, at, 1u);
  const float root = gt_quantile(table, areas, 1u, 0u, bits.x);
  GT_EXACT float width = root * gt_quantile(table, ratios, 2u, 0u, bits.y);
  GT_EXACT float height = root * gt_quantile(table, ratios, 2u, 1u, bits.y);
  return gt_box_of(0.0f, 0.0f, gt_round_half_up(width), gt_round_half_up(height));
}

/* Settings: those of the rectangle, which may be as large as the image; the offsets of two tables, of k /
 * (width of the output) for k = 0 … width and the same for heights; left, top, width and height to use if no
 * attempt fits. */
GT_RULE(gt_map) gt_resized_crop(GT_TABLE table, gt_stage_at at, GT_KEY key) {
  uint left = gt_word(table, at, 4u), top = gt_word(table, at, 5u);
  uint width = gt_word(table, at, 6u), height = gt_word(table, at, 7u);
  for (uint i = 0u; i < GT_AUGMENT_ATTEMPTS; i++) {
    const GT_RANDOM bits = gt_random(key, at.draw, at.block + i);
    const gt_box box = gt_rectangle(table, at, bits);
    if (box.right >= 1.0f && box.bottom >= 1.0f && box.right <= GT_REAL(at.width) &&
        box.bottom <= GT_REAL(at.height)) {
      width = GT_TO_UINT(box.right), height = GT_TO_UINT(box.bottom);
      left = gt_below(bits.z, at.width - width + 1u);
      top = gt_below(bits.w, at.height - height + 1u);
      break;
    }
  }
  const float x = GT_REAL_AT(table, gt_word(table, at, 2u) + width);
  const float y = GT_REAL_AT(table, gt_word(table, at, 3u) + height);
  return gt_map_of(x, 0.0f, gt_dot(0.5f, x, 1.0f, -0.5f, GT_REAL(left)), 0.0f, y,
                   gt_dot(0.5f, y, 1.0f, -0.5f, GT_REAL(top)));
}

/* Rotation about the center, scale, shear, and a shift by whole pixels. Settings: the offset of the table;
 * maximum shift along x and y. */
GT_RULE(gt_map) gt_affine(GT_TABLE table, gt_stage_at at, GT_KEY key) {
  const GT_RANDOM bits = gt_random(key, at.draw, at.block), more = gt_random(key, at.draw, at.block + 1u);
  const uint first = gt_word(table, at, 0u), columns = GT_AUGMENT_AFFINE_COLUMNS;
  const float cosine = gt_quantile(table, first, columns, 0u, bits.x);
  const float sine = gt_quantile(table, first, columns, 1u, bits.x);
  const float inverse = gt_quantile(table, first, columns, 2u, bits.y);
  const float along_x = gt_quantile(table, first, columns, 3u, more.x);
  const float along_y = gt_quantile(table, first, columns, 4u, more.y);
  const float x = gt_real(table, at, 1u), y = gt_real(table, at, 2u);
  const float middle_x = 0.5f * GT_REAL(at.width - 1u), middle_y = 0.5f * GT_REAL(at.height - 1u);
  const float from_x = -middle_x - gt_round_half_up(gt_uniform(-x, x, bits.z));
  const float from_y = -middle_y - gt_round_half_up(gt_uniform(-y, y, bits.w));
  gt_map m = gt_map_of(cosine, sine, 0.0f, -sine, cosine, 0.0f);
  m = gt_map_compose(gt_map_of(1.0f, 0.0f, 0.0f, along_y, 1.0f, 0.0f), m);
  m = gt_map_compose(gt_map_of(1.0f, along_x, 0.0f, 0.0f, 1.0f, 0.0f), m);
  m = gt_map_compose(gt_map_of(inverse, 0.0f, middle_x, 0.0f, inverse, middle_y), m);
  return gt_map_compose(m, gt_map_of(1.0f, 0.0f, from_x, 0.0f, 1.0f, from_y));
}

/* Settings: probability, width, height. The center is uniform over the image. */
GT_RULE(gt_box) gt_cutout(GT_TABLE table, gt_stage_at at, GT_RANDOM bits) {
  const uint width = gt_word(table, at, 1u), height = gt_word(table, at, 2u);
  const float left = GT_REAL(gt_below(bits.x, at.width)) - GT_REAL(width / 2u);
  const float top = GT_REAL(gt_below(bits.y, at.height)) - GT_REAL(height / 2u);
  if (gt_unit(bits.z) >= gt_real(table, at, 0u)) return gt_box_of(0.0f, 0.0f, 0.0f, 0.0f);
  return gt_box_clip(gt_box_of(left, top, left + GT_REAL(width), top + GT_REAL(height)), at);
}

/* Settings: those of the rectangle, which must be smaller than the image; probability. */
GT_RULE(gt_box) gt_erase(GT_TABLE table, gt_stage_at at, GT_KEY key) {
  const GT_RANDOM decision = gt_random(key, at.draw, at.block + GT_AUGMENT_ATTEMPTS);
  const gt_box none = gt_box_of(0.0f, 0.0f, 0.0f, 0.0f);
  if (gt_unit(decision.x) >= gt_real(table, at, 2u)) return none;
  for (uint i = 0u; i < GT_AUGMENT_ATTEMPTS; i++) {
    const GT_RANDOM bits = gt_random(key, at.draw, at.block + i);
    const gt_box box = gt_rectangle(table, at, bits);
    if (box.right < GT_REAL(at.width) && box.bottom < GT_REAL(at.height)) {
      const float left = GT_REAL(gt_below(bits.z, at.width - GT_TO_UINT(box.right) + 1u));
      const float top = GT_REAL(gt_below(bits.w, at.height - GT_TO_UINT(box.bottom) + 1u));
      return gt_box_of(left, top, left + box.right, top + box.bottom);
    }
  }
  return none;
}

/* Settings: the offset of the table; the probability of mixup; the probability of mixup or CutMix; 1 / (width
 * height). */
GT_RULE(gt_drawn) gt_mix(GT_TABLE table, gt_stage_at at, GT_KEY key, gt_drawn drawn) {
  const GT_RANDOM bits = gt_random(key, at.draw, at.block), more = gt_random(key, at.draw, at.block + 1u);
  const uint first = gt_word(table, at, 0u), columns = GT_AUGMENT_MIX_COLUMNS;
  const float choice = gt_unit(bits.x);
  if (choice < gt_real(table, at, 1u)) {
    drawn.share = drawn.pixel_share = gt_quantile(table, first, columns, 0u, bits.y);
  } else if (choice < gt_real(table, at, 2u)) {
    const float half_side = gt_quantile(table, first, columns, 2u, bits.y);
    const float across = GT_FLOOR(half_side * GT_REAL(at.width));
    const float down = GT_FLOOR(half_side * GT_REAL(at.height));
    const float x = GT_REAL(gt_below(more.x, at.width)), y = GT_REAL(gt_below(more.y, at.height));
    drawn.pasted = gt_box_clip(gt_box_of(x - across, y - down, x + across, y + down), at);
    const float area = (drawn.pasted.right - drawn.pasted.left) * (drawn.pasted.bottom - drawn.pasted.top);
    GT_EXACT float covered = area * gt_real(table, at, 3u);
    GT_EXACT float uncovered = 1.0f - covered;
    drawn.share = uncovered;
  }
  return drawn;
}

/* Settings: probability, the first tone curve, the number of curves. Returns the curve, or -1 for none. */
GT_RULE(float) gt_draw_tone(GT_TABLE table, gt_stage_at at, GT_RANDOM bits) {
  if (gt_unit(bits.x) >= gt_real(table, at, 0u)) return -1.0f;
  return GT_REAL(gt_word(table, at, 1u) + gt_below(bits.y, gt_word(table, at, 2u)));
}

/* The parameters that leave a sample unchanged. */
GT_RULE(gt_drawn) gt_drawn_identity(void) {
  gt_drawn drawn;
  drawn.map = gt_map_of(1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f);
  drawn.brightness = drawn.contrast = drawn.saturation = 1.0f;
  drawn.hue = 0.0f;
  drawn.share = drawn.pixel_share = 1.0f;
  drawn.tone = -1.0f;
  drawn.pasted = drawn.erased = gt_box_of(0.0f, 0.0f, 0.0f, 0.0f);
  return drawn;
}

GT_RULE(gt_drawn) gt_draw_stage(GT_TABLE table, gt_stage_at at, GT_KEY key, gt_drawn drawn) {
  const uint kind = GT_WORD_AT(table, at.word);
  const GT_RANDOM bits = gt_random(key, at.draw, at.block);
  if (kind <= GT_DRAW_AFFINE) {
    gt_map map = drawn.map;
    if (kind == GT_DRAW_CROP)
      map = gt_crop(table, at, bits);
    else if (kind == GT_DRAW_RESIZED_CROP)
      map = gt_resized_crop(table, at, key);
    else if (kind == GT_DRAW_AFFINE)
      map = gt_affine(table, at, key);
    else
      map = gt_flip(table, at, bits, kind);
    drawn.map = gt_map_compose(drawn.map, map);
  } else if (kind == GT_DRAW_COLOR) {
    drawn.brightness = gt_uniform(gt_real(table, at, 0u), gt_real(table, at, 1u), bits.x);
    drawn.contrast = gt_uniform(gt_real(table, at, 2u), gt_real(table, at, 3u), bits.y);
    drawn.saturation = drawn.saturation * gt_uniform(gt_real(table, at, 4u), gt_real(table, at, 5u), bits.z);
    drawn.hue = gt_uniform(gt_real(table, at, 6u), gt_real(table, at, 7u), bits.w);
  } else if (kind == GT_DRAW_GRAYSCALE) {
    if (gt_unit(bits.x) < gt_real(table, at, 0u)) drawn.saturation = 0.0f;
  } else if (kind == GT_DRAW_TONE) {
    drawn.tone = gt_draw_tone(table, at, bits);
  } else if (kind == GT_DRAW_CUTOUT) {
    drawn.erased = gt_cutout(table, at, bits);
  } else if (kind == GT_DRAW_ERASE) {
    drawn.erased = gt_erase(table, at, key);
  } else {
    drawn = gt_mix(table, at, key, drawn);
  }
  return drawn;
}

GT_RULE(bool) gt_erases(uint kind) { return kind == GT_DRAW_CUTOUT || kind == GT_DRAW_ERASE; }

GT_RULE(void) gt_store_box(GT_RECORDS y, uint to, gt_box box) {
  GT_STORE(y, to, box.left);
  GT_STORE(y, to + 1u, box.top);
  GT_STORE(y, to + 2u, box.right);
  GT_STORE(y, to + 3u, box.bottom);
}

/* Draws and writes the record of a row of the batch, which the kernel `augment` reads. */
GT_RULE(void)
gt_draw_row(GT_TABLE table, GT_RECORDS y, GT_KEY key, uint draw, uint row, uint stages, uint boxes,
            uint tones) {
  const uint to = row * GT_AUGMENT_WORDS(boxes, tones);
  gt_drawn drawn = gt_drawn_identity();
  uint box = to + GT_AUGMENT_BOXES, tone = to + GT_AUGMENT_TONES(boxes);
  for (uint i = 0u; i < stages; i++) {
    gt_stage_at at;
    at.word = i * GT_AUGMENT_STAGE_WORDS;
    at.draw = draw;
    at.block = (row * stages + i) * GT_AUGMENT_BLOCKS;
    at.height = GT_WORD_AT(table, at.word + GT_AUGMENT_STAGE_HEIGHT);
    at.width = GT_WORD_AT(table, at.word + GT_AUGMENT_STAGE_WIDTH);
    drawn = gt_draw_stage(table, at, key, drawn);
    if (gt_erases(GT_WORD_AT(table, at.word))) {
      gt_store_box(y, box, drawn.erased);
      box += 4u;
    }
    if (GT_WORD_AT(table, at.word) == GT_DRAW_TONE) GT_STORE(y, tone++, drawn.tone);
  }
  GT_STORE(y, to + GT_AUGMENT_MAP, drawn.map.a);
  GT_STORE(y, to + GT_AUGMENT_MAP + 1u, drawn.map.b);
  GT_STORE(y, to + GT_AUGMENT_MAP + 2u, drawn.map.c);
  GT_STORE(y, to + GT_AUGMENT_MAP + 3u, drawn.map.d);
  GT_STORE(y, to + GT_AUGMENT_MAP + 4u, drawn.map.e);
  GT_STORE(y, to + GT_AUGMENT_MAP + 5u, drawn.map.f);
  GT_STORE(y, to + GT_AUGMENT_BRIGHTNESS, drawn.brightness);
  GT_STORE(y, to + GT_AUGMENT_BRIGHTNESS + 1u, drawn.contrast);
  GT_STORE(y, to + GT_AUGMENT_BRIGHTNESS + 2u, drawn.saturation);
  GT_STORE(y, to + GT_AUGMENT_SHARE, drawn.share);
  GT_STORE(y, to + GT_AUGMENT_PIXEL_SHARE, drawn.pixel_share);
  GT_STORE(y, to + GT_AUGMENT_HUE, drawn.hue);
  gt_store_box(y, to + GT_AUGMENT_MIX_BOX, drawn.pasted);
}
#endif
