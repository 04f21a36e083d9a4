/* Resizes images [batch, depth, rows, columns, channels] along their inner three axes, numbered 0 to 2 from
 * depth on. `table` has two lists per axis. From word `outputs`[axis] on: a pair {first, weight} for each
 * output position. It reads input position `first` with the weight 1 - weight and the next one with `weight`
 * (bits of a float). From word `inputs`[axis] on: a pair {first, end} for each input position, the range of
 * output positions that read it.
 *
 * Kernel upsample computes y, of out_size, from x, of in_size.
 *
 * Kernel upsample_gradient computes y, the gradient of the input, of in_size, from x, the gradient of the
 * output, of out_size. */
#include "lib/args.h"
#define GT_UPSAMPLE_SPEC_QUADS 3 /* 1: the number of channels is a multiple of 4 */
/* Per axis. 1: interpolates between two positions; 0: reads only the first. */
#define GT_UPSAMPLE_SPEC_D 4
#define GT_UPSAMPLE_SPEC_H 5
#define GT_UPSAMPLE_SPEC_W 6
GT_ARGS(gt_upsample_args) {
  GT_FLOATS x, y;
  GT_WORDS table;
  uint batch, channels;
  uint in_size[3], out_size[3], outputs[3], inputs[3];
};
