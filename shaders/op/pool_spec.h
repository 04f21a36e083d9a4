/* Pooling over the three spatial axes of [batch, depth, rows, columns, channels]; axes are numbered 0 to 2
 * from depth on. Window o of an axis begins at o * stride - padding and has `window` elements, `dilation`
 * apart. A stride of 0 stands for adaptive windows: window o has the elements floor(o * in / out) to ceil((o
 * + 1) * in / out) - 1. The index of a maximum is its position in the window, (d * WINDOW_H + h) * WINDOW_W +
 * w, or GT_POOL_NOWHERE if the whole window is padding.
 *
 * Kernel pool: y = maxima or means of prologue(x), and optionally the index of each maximum.
 *
 * Kernel pool_gradient: y = epilogue(gradient of the pool's input), computed from the gradient of its result
 * and the indices. */
#ifndef GT_POOL_SPEC_H
#define GT_POOL_SPEC_H
#define GT_POOL_SPEC_AVERAGE    3 /* 1: means; 0: maxima */
#define GT_POOL_SPEC_QUADS      4 /* 1: the number of channels is a multiple of 4 */
#define GT_POOL_SPEC_INDEX      5 /* one of GT_POOL_INDEX_NONE, … below */
#define GT_POOL_SPEC_WINDOW_D   6 /* the length of a window along the axis; adaptive: of the longest one */
#define GT_POOL_SPEC_WINDOW_H   7
#define GT_POOL_SPEC_WINDOW_W   8
#define GT_POOL_SPEC_STRIDE_D   9
#define GT_POOL_SPEC_STRIDE_H   10
#define GT_POOL_SPEC_STRIDE_W   11
#define GT_POOL_SPEC_PADDING_D  12
#define GT_POOL_SPEC_PADDING_H  13
#define GT_POOL_SPEC_PADDING_W  14
#define GT_POOL_SPEC_DILATION_D 16
#define GT_POOL_SPEC_DILATION_H 17
#define GT_POOL_SPEC_DILATION_W 18
#define GT_POOL_SPEC_INCLUDE    19 /* 1: a mean includes padding as zeros */
#define GT_POOL_SPEC_DIVISOR    20 /* bits of a float, the divisor of a mean; 0: the number of elements */
/* How an index is stored: not at all, as a word, or as a byte, four per word. */
#define GT_POOL_INDEX_NONE  0
#define GT_POOL_INDEX_WORDS 1
#define GT_POOL_INDEX_BYTES 2
#define GT_POOL_NOWHERE     0xffffffffu /* as a byte: 255 */
#endif
