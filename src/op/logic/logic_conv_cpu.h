/* CPU kernels of logic_conv, and how they are tiled. Private to this family. */
#ifndef GT_OP_LOGIC_CONV_CPU_H
#define GT_OP_LOGIC_CONV_CPU_H
#include "op/logic/logic_conv.h"
#include "shaders/op/logic/logic_conv.h"
#include "step/lowering.h"
#include <stdint.h>

/* Sets the spec constants that logic_conv_bits also has: GT_CONV_SPEC_DEPTH … GT_CONV_SPEC_COLUMNS. */
void gt_logic_conv_spec(const gt_logic_conv_attribute *attribute, gt_shape x, gt_shape wiring,
                        uint32_t *spec);
/* Emits a step with these arguments and constants GT_CONV_SPEC_DEPTH … GT_CONV_SPEC_COLUMNS of `spec`. */
gt_step *gt_logic_conv_step(gt_lowering *lowering, const gt_kernel *kernel, const void *args, size_t size,
                            const uint32_t *spec);

/* Samples per block. A tile is a block with all kernels; in the forward pass, a block with `chunks` kernels.
 * Its part of the scratch memory `leaves` (shaders/op/logic/logic_conv.h) is [channels, height, width,
 * GT_CONV_BLOCK], including the padding; for the gradient of x there is a second such array. */
enum { GT_CONV_BLOCK = 16 };

void gt_logic_conv_cpu(const void *args, const uint32_t *spec, uint32_t tile);
/* No other tile writes the gradient of the tile's samples, so it is added in place: neither the gradients of
 * the leaves nor the inverse wiring are needed. */
void gt_logic_conv_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile);
/* Adds partial sums, slice by slice. */
void gt_logic_conv_sums_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif
