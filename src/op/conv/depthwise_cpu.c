#include "op/conv/depthwise_cpu.h"
#include "base/count.h"
#include "base/pool.h"
#include "shaders/op/conv/depthwise.h"
#include "step/math.h"
#include "step/program.h"
#include <string.h>

uint32_t gt_depthwise_tile_positions(uint32_t channels) {
  return gt_max_u32(GT_DEPTHWISE_VALUES / channels, 1);
}

/* The window at an output position (shaders/op/matmul/patches.h): the offset of its first element in the
 * image, its place along each axis, and its phases. */
typedef struct place {
  uint32_t offset, along[GT_PATCHES_AXES], phase;
} place;

static place place_of(const uint32_t *geometry, uint32_t rank, uint32_t position) {
  place p = {0};
  const uint32_t *axis = geometry + GT_PATCHES_AXIS;
  for (uint32_t a = 0; a < rank; a++, axis += GT_PATCHES_OF_AXIS) {
    const uint32_t coordinate =
        position % axis[GT_PATCHES_POSITIONS] * axis[GT_PATCHES_EACH] + axis[GT_PATCHES_LIFT];
    p.phase |= coordinate % axis[GT_PATCHES_HOLES] << a * GT_PATCHES_PHASE;
    p.along[a] = coordinate / axis[GT_PATCHES_HOLES] - axis[GT_PATCHES_LOW];
    p.offset += p.along[a] * axis[GT_PATCHES_STEP];
    position /= axis[GT_PATCHES_POSITIONS];
  }
  p.offset += position * geometry[GT_PATCHES_IMAGE];
  return p;
}

/* True if the tap of the window at p is inside the image. tap: an entry of the geometry's table: offset,
 * three places, phases. */
static bool is_inside(const uint32_t *geometry, uint32_t rank, const place *p, const uint32_t *tap) {
  const uint32_t *axis = geometry + GT_PATCHES_AXIS;
  for (uint32_t a = 0; a < rank; a++, axis += GT_PATCHES_OF_AXIS)
    if (p->along[a] + tap[1 + a] >= axis[GT_PATCHES_SIZE]) return false;
  return p->phase == tap[4];
}

GT_CLONES static void add_products(float *to, const float *a, const float *b, uint32_t n) {
  GT_VECTOR_LOOP
  for (uint32_t i = 0; i < n; i++) to[i] += a[i] * b[i];
}

void gt_depthwise_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_depthwise_args *a = args;
  const uint32_t *geometry = GT_PTR(const uint32_t, a->geometry), rank = spec[GT_PATCHES_SPEC_RANK];
  const uint32_t tile_positions = gt_depthwise_tile_positions(a->channels), first = tile * tile_positions;
  const uint32_t positions = gt_min_u32(tile_positions, a->lines - first);
  const float *image = GT_PTR(const float, a->image), *w = GT_PTR(const float, a->other);
  _Static_assert((GT_DEPTHWISE_WEIGHTS + GT_DEPTHWISE_VALUES) * sizeof(float) <= GT_POOL_SCRATCH,
                 "the transposed weights and the sums fit");
  float *transposed = gt_pool_scratch(); /* [taps, channels] */
  float *sum = transposed + GT_DEPTHWISE_WEIGHTS;
  for (uint32_t c = 0; c < a->channels; c++)
    for (uint32_t t = 0; t < a->taps; t++) transposed[t * a->channels + c] = w[c * a->taps + t];
  memset(sum, 0, (size_t)positions * a->channels * sizeof *sum);
  for (uint32_t i = 0; i < positions; i++) {
    const place p = place_of(geometry, rank, first + i);
    const uint32_t *tap = geometry + GT_PATCHES_TABLE;
    for (uint32_t t = 0; t < a->taps; t++, tap += GT_PATCHES_ENTRY)
      if (is_inside(geometry, rank, &p, tap))
        add_products(sum + i * a->channels, image + (uint32_t)(p.offset + tap[0]),
                     transposed + t * a->channels, a->channels);
  }
  gt_program program;
  gt_program_from_spec(spec, &program);
  gt_program_context context = {
      .program = &program, .clock = GT_PTR(const uint32_t, a->clock), .row_length = a->channels};
  float *out[GT_PROGRAM_OUTPUTS] = {0};
  for (uint32_t i = 0; i < program.inputs; i++) context.x[i] = GT_PTR(const float, a->x[i]);
  for (uint32_t o = 0; o < program.outputs; o++)
    out[o] = GT_PTR(float, a->y[o]) + (size_t)first * a->channels;
  gt_program_evaluate(&context, first * a->channels, positions * a->channels, sum, out);
}

void gt_depthwise_weight_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_depthwise_args *a = args;
  const uint32_t *geometry = GT_PTR(const uint32_t, a->geometry), rank = spec[GT_PATCHES_SPEC_RANK];
  const uint32_t end = gt_min_u32((tile + 1) * a->lines_per_part, a->lines);
  const float *image = GT_PTR(const float, a->image), *g = GT_PTR(const float, a->other);
  float *sum = gt_pool_scratch(); /* [taps, channels] */
  memset(sum, 0, (size_t)a->taps * a->channels * sizeof *sum);
  for (uint32_t position = tile * a->lines_per_part; position < end; position++) {
    const place p = place_of(geometry, rank, position);
    const uint32_t *tap = geometry + GT_PATCHES_TABLE;
    for (uint32_t t = 0; t < a->taps; t++, tap += GT_PATCHES_ENTRY)
      if (is_inside(geometry, rank, &p, tap))
        add_products(sum + t * a->channels, image + (uint32_t)(p.offset + tap[0]),
                     g + (size_t)position * a->channels, a->channels);
  }
  float *to = GT_PTR(float, a->partial) + (size_t)tile * a->channels * a->taps;
  for (uint32_t c = 0; c < a->channels; c++)
    for (uint32_t t = 0; t < a->taps; t++) to[c * a->taps + t] = sum[t * a->channels + c];
}
