/* Trees of gates on bits on the CPU (src/op/logic/logic_conv_bits_cpu.c), and how they are tiled. Private to
 * the op. */
#ifndef GT_OP_LOGIC_CONV_BITS_CPU_H
#define GT_OP_LOGIC_CONV_BITS_CPU_H
#include "base/count.h"
#include "op/logic/logic_conv_cpu.h"
#include "shaders/op/logic/logic_conv_bits.h"

/* Words per block, and kernels per tile. */
enum { GT_CONV_BITS_BLOCK = 8, GT_CONV_BITS_KERNELS = 8 };

static inline uint32_t gt_logic_conv_bits_blocks(uint32_t words) {
  return gt_ceil_div(words, GT_CONV_BITS_BLOCK);
}

/* The image is first copied to scratch memory, with the padding and one plane per channel, so that the words
 * that a leaf reads at neighboring positions are contiguous. Returns the number of positions of a plane. */
uint64_t gt_logic_conv_bits_plane(const struct gt_logic_conv_bits_args *args, uint32_t stride);
/* Fills the planes; a tile is one channel of a block. */
void gt_logic_conv_planes_cpu(const void *args, const uint32_t *spec, uint32_t tile);
/* Evaluates the trees; a tile is GT_CONV_BITS_KERNELS kernels on a block. */
void gt_logic_conv_bits_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif
