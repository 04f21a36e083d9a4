/* Resizes images [batch, depth, rows, columns, channels] along their inner three axes, numbered 0 to 2 from
 * depth on. `table` has for each axis, from word `outputs`[axis] on, a pair {first, weight} for each output
 * position: the input position that it reads, and the weight of the next one (bits of a float; the first has
 * the weight 1 - weight); and, from word `inputs`[axis] on, a pair {first, end} for each input position: the
 * output positions that read it.
 *
 * upsample           y, of out_size, from x, of in_size
 *
 * upsample_gradient  y, of in_size, from x, the gradient of the value, of out_size */
#include "lib/args.h"
#define GT_UPSAMPLE_SPEC_QUADS 3 /* 1: the number of channels is a multiple of 4 */
#define GT_UPSAMPLE_SPEC_D \
  4 /* 1: interpolates between two positions along the axis; 0: reads the first only */
#define GT_UPSAMPLE_SPEC_H 5
#define GT_UPSAMPLE_SPEC_W 6
GT_ARGS(gt_upsample_args) {
  GT_FLOATS x, y;
  GT_WORDS table;
  uint batch, channels;
  uint in_size[3], out_size[3], outputs[3], inputs[3];
};
