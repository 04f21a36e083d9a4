/* CPU kernels of the logic ops, and how they are tiled. Private to this family. */
#ifndef GT_OP_LOGIC_CPU_H
#define GT_OP_LOGIC_CPU_H
#include <stdint.h>

enum { GT_LOGIC_GATE_TILE = 512 }; /* gates per tile of logic_coefficients */

/* Rows of the result per tile of the next three kernels. */
uint32_t gt_logic_tile_rows(uint32_t batch);
void gt_logic_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_logic_inputs_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_logic_coefficient_sums_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_logic_coefficients_cpu(const void *args, const uint32_t *spec, uint32_t tile);
uint32_t gt_logic_walk_tiles(uint32_t runs, uint32_t batch); /* of logic_walk and logic_walk_gradient */
void gt_logic_walk_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_logic_walk_sum_cpu(const void *args, const uint32_t *spec, uint32_t tile); /* one tile per chunk */
void gt_logic_walk_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif
