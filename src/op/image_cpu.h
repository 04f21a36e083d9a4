/* Shared by CPU kernels over images [batch, depth, rows, columns, channels]: a tile is a range of positions,
 * which are processed span by span. */
#ifndef GT_OP_IMAGE_CPU_H
#define GT_OP_IMAGE_CPU_H
#include "base/count.h"
#include "step/math.h"
#include <stddef.h>
#include <stdint.h>

enum { GT_IMAGE_AXES = 3, GT_IMAGE_TILE = 16384 /* values per tile, approximately */ };

/* Number of positions per tile. */
GT_MATH uint32_t gt_image_tile_positions(uint32_t channels) {
  return channels >= GT_IMAGE_TILE ? 1 : GT_IMAGE_TILE / channels;
}

/* Consecutive positions of [batch, size…] that differ only on the last axis, so that kernels compute the
 * bounds of the outer axes once per span. */
typedef struct gt_image_span {
  uint32_t first;                             /* its first position, counted over the whole batch */
  uint32_t sample, coordinate[GT_IMAGE_AXES]; /* of that position */
  uint32_t count;                             /* number of positions */
} gt_image_span;

/* The span of the tile that begins at position `first`; false if the tile has no such position. */
GT_MATH bool gt_image_span_at(uint32_t first, uint32_t batch, const uint32_t *size, uint32_t channels,
                              uint32_t tile, gt_image_span *span) {
  const uint32_t positions = batch * size[0] * size[1] * size[2];
  const uint32_t end = gt_min_u32(positions, (tile + 1) * gt_image_tile_positions(channels));
  if (first >= end) return false;
  span->first = span->sample = first;
  for (int k = GT_IMAGE_AXES; k-- > 0; span->sample /= size[k]) span->coordinate[k] = span->sample % size[k];
  span->count = gt_min_u32(end - first, size[2] - span->coordinate[2]);
  return true;
}

/* Calls `work` with the number of channels as a constant if it is a common one: loops of constant length are
 * several times faster. Each case is compiled for each instruction set, so there are only a few. */
#define GT_FOR_CHANNELS(channels, work, ...) \
  switch (channels) {                        \
  case 1: work(__VA_ARGS__, 1); break;       \
  case 6: work(__VA_ARGS__, 6); break;       \
  case 8: work(__VA_ARGS__, 8); break;       \
  case 16: work(__VA_ARGS__, 16); break;     \
  default: work(__VA_ARGS__, channels);      \
  }

/* --- the CPU kernels of src/op/pool.c, src/op/upsample.c and src/op/augment/augment.c --- */

/* The maximum number of values that a prologue computes for one window, including the gap before the next. */
enum { GT_POOL_ROOM = 65536 };

void gt_pool_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_pool_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_upsample_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_upsample_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_augment_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_augment_grey_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif
