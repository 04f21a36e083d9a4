/* The automaton on bits on the CPU (src/op/logic/logic_ca_bits_cpu.c). Private to the op. */
#ifndef GT_OP_LOGIC_CA_BITS_CPU_H
#define GT_OP_LOGIC_CA_BITS_CPU_H
#include <stdint.h>

enum { GT_CA_BITS_LANES = 32 }; /* cells of a tile */

enum { LAYER_WIDTH, LAYER_INPUTS, LAYER_GATE, LAYER_WIRE }; /* words of a layer */

void gt_logic_ca_bits_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif
