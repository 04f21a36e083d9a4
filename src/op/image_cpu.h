/* Shared by CPU kernels over images [batch, depth, rows, columns, channels]: a tile is a range of positions,
 * which are processed line by line. */
#ifndef GT_OP_IMAGE_CPU_H
#define GT_OP_IMAGE_CPU_H
#include "base/count.h"
#include "step/math.h"
#include <stddef.h>
#include <stdint.h>

enum { GT_IMAGE_AXES = 3, GT_IMAGE_TILE = 16384 /* values per tile, about */ };

/* Number of positions per tile. */
GT_MATH uint32_t gt_image_tile_rows(uint32_t channels) {
  return channels >= GT_IMAGE_TILE ? 1 : GT_IMAGE_TILE / channels;
}

/* A line: consecutive positions of [batch, size…] that differ only on the last axis, so that kernels compute
 * the bounds of the outer axes once per line. */
typedef struct gt_image_line {
  uint32_t row;                       /* its first position, counted over the batch */
  uint32_t sample, at[GT_IMAGE_AXES]; /* the sample and coordinates of that position */
  uint32_t rows;                      /* number of positions */
} gt_image_line;

/* The line of the tile that begins at position `row`; false if the tile has no such position. */
GT_MATH bool gt_image_line_at(uint32_t row, uint32_t batch, const uint32_t *size, uint32_t channels,
                              uint32_t tile, gt_image_line *line) {
  const uint32_t all = batch * size[0] * size[1] * size[2];
  const uint32_t end = gt_least_u32(all, (tile + 1) * gt_image_tile_rows(channels));
  if (row >= end) return false;
  line->row = line->sample = row;
  for (int k = GT_IMAGE_AXES; k-- > 0; line->sample /= size[k]) line->at[k] = line->sample % size[k];
  line->rows = gt_least_u32(end - row, size[2] - line->at[2]);
  return true;
}

/* Calls `work` with the number of channels as a constant if it is small and common: loops of constant length
 * are several times faster. Each case is compiled for each instruction set, so there are few cases. */
#define GT_FOR_CHANNELS(channels, work, ...) \
  switch (channels) {                        \
  case 1: work(__VA_ARGS__, 1); break;       \
  case 6: work(__VA_ARGS__, 6); break;       \
  case 8: work(__VA_ARGS__, 8); break;       \
  case 16: work(__VA_ARGS__, 16); break;     \
  default: work(__VA_ARGS__, channels);      \
  }
#endif
