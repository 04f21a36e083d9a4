/* The automaton on bits on the CPU (src/op/logic/logic_ca_bits_cpu.c). Private to the op. */
#ifndef GT_OP_LOGIC_CA_BITS_CPU_H
#define GT_OP_LOGIC_CA_BITS_CPU_H
#include <stdint.h>

enum { GT_CA_BITS_LANES = 32 }; /* cells per tile */

/* The words of a layer in `shape` (shaders/op/logic/logic_ca_bits.h). */
enum { LAYER_WIDTH, LAYER_INPUTS, LAYER_GATE, LAYER_WIRE };

void gt_logic_ca_bits_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif
