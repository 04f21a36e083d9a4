/* The automaton's kernels on the CPU (src/op/logic/logic_ca_cpu.c), and names for values that the lowering
 * writes and that these kernels and the shaders read. Private to the op. */
#ifndef GT_OP_LOGIC_CA_CPU_H
#define GT_OP_LOGIC_CA_CPU_H
#include "step/step.h"

enum { GT_CA_LANES = 16 }; /* cells per tile */

/* The words of a layer in `shape` (shaders/op/logic/logic_ca.h). */
enum { CA_WIDTH, CA_INPUTS, CA_GATE, CA_WIRE, CA_INVERSE, CA_ROW, CA_SLOT, CA_SPLIT };
enum { CA_SUM_TILE = 256 }; /* gates or cells per tile of logic_ca_sum */
/* Flags of a forward step: it also copies the initial state to the result; it clamps the new state. */
enum { CA_COPY = 1, CA_BOUNDED = 2 };
/* Flags of a backward step: it reads d_patch; it reads d_states. */
enum { CA_HAS_D_PATCH = 1, CA_HAS_D_STATES = 2 };

/* The cell at position j (0 … 8, row-major) of the neighborhood of `cell`; GT_NONE outside the board. Cells
 * are numbered over the whole batch. */
static inline uint32_t gt_logic_ca_neighbour(uint32_t cell, uint32_t j, uint32_t height, uint32_t width,
                                             bool periodic) {
  const uint32_t inside = cell % (height * width);
  const uint32_t y = inside / width + j / 3 + height - 1, x = inside % width + j % 3 + width - 1;
  if (!periodic && (y < height || y >= 2 * height || x < width || x >= 2 * width)) return GT_NONE;
  return cell - inside + y % height * width + x % width;
}

void gt_logic_ca_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_logic_ca_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_logic_ca_sum_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif
