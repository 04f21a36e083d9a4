/* Images [batch, depth, rows, columns, channels] at other sizes along their inner three axes; axes are
 * numbered 0 to 2 from depth on. table holds of each axis, from word `outputs`[axis] on, for each place of
 * the result {first, weight}: the place of the image that it comes from and what the next one weighs (bits of
 * a float; the first weighs the rest); and from word `inputs`[axis] on for each place of the image {first,
 * end}, the places of the result that come from it.
 *
 * upsample           y, of out_size, from x, of in_size
 *
 * upsample_gradient  y, of in_size, from x, the gradient of the value, of out_size */
#include "lib/args.h"
#define GT_UPSAMPLE_SPEC_QUADS 3 /* 1: channels are a multiple of 4 */
#define GT_UPSAMPLE_SPEC_D     4 /* 1: two places are mixed along the axis; 0: the first is all */
#define GT_UPSAMPLE_SPEC_H     5
#define GT_UPSAMPLE_SPEC_W     6
GT_ARGS(gt_upsample_args) {
  GT_FLOATS x, y;
  GT_WORDS table;
  uint batch, channels;
  uint in_size[3], out_size[3], outputs[3], inputs[3];
};
