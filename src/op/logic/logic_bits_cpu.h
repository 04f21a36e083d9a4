/* CPU kernels of logic gates on bits, and how they are tiled. Private to this family. */
#ifndef GT_OP_LOGIC_BITS_CPU_H
#define GT_OP_LOGIC_BITS_CPU_H
#include <stdint.h>

/* Per tile: gates of logic_codes; values of logic_pack and logic_unpack, each of the 32 samples of a word. */
enum { GT_BITS_CODE_TILE = 1024, GT_BITS_VALUE_TILE = 1024 };

uint32_t gt_logic_bits_tile_gates(uint32_t words); /* of logic_bits; words: per gate */
void gt_logic_codes_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_logic_pack_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_logic_unpack_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_logic_bits_cpu(const void *args, const uint32_t *spec, uint32_t tile);
/* A tile is a group of gates whose outputs are added. */
void gt_logic_bits_sum_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif
