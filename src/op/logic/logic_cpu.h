/* CPU kernels of the logic ops, and how they are tiled. Private to this family. */
#ifndef GT_OP_LOGIC_CPU_H
#define GT_OP_LOGIC_CPU_H
#include <stdint.h>

enum { GT_LOGIC_MIXTURE, GT_LOGIC_HARD, GT_LOGIC_GRADIENT }; /* modes of logic_coefficients */
enum { GT_LOGIC_SPEC_MODE = 3, GT_LOGIC_SPEC_LANES = 3, GT_LOGIC_SPEC_QUADS = 4, GT_LOGIC_SPEC_SLICE = 5 };
enum { GT_LOGIC_SPEC_X = 6, GT_LOGIC_SPEC_G = 7, GT_LOGIC_SPEC_Y = 8 }; /* types */
enum { GT_LOGIC_SPEC_TO_LOGITS = 9 };
enum { GT_LOGIC_F32, GT_LOGIC_F16, GT_LOGIC_BF16 };
enum { GT_LOGIC_GATE_TILE = 512 }; /* gates a tile of logic_coefficients */

uint32_t gt_logic_tile_rows(uint32_t batch); /* rows of the result a tile of the others */
void gt_logic_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_logic_inputs_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_logic_coefficient_sums_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_logic_coefficients_cpu(const void *args, const uint32_t *spec, uint32_t tile);
uint32_t gt_logic_walk_tiles(uint32_t runs, uint32_t batch);
void gt_logic_walk_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_logic_walk_sum_cpu(const void *args, const uint32_t *spec, uint32_t tile); /* a tile a chunk */
void gt_logic_walk_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif
