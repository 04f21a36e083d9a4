/* The automaton on bits on the CPU (src/op/logic/logic_ca_bits_cpu.c), and the numbers of its spec constants.
 * Private to the op. */
#ifndef GT_OP_LOGIC_CA_BITS_CPU_H
#define GT_OP_LOGIC_CA_BITS_CPU_H
#include <stdint.h>

enum { GT_CA_BITS_LANES = 32 }; /* cells of a tile */

enum { /* op/logic/logic_ca_bits_step.glsl */
       BITS_SHARED = 3,
       BITS_CHANNELS,
       BITS_KERNELS,
       BITS_HEIGHT,
       BITS_WIDTH,
       BITS_PERIODIC,
       BITS_PERCEPTIONS,
       BITS_UPDATES,
       BITS_FIRE,
       BITS_CHUNK,
       BITS_SECOND,
       BITS_OTHER,
};
enum { LAYER_WIDTH, LAYER_INPUTS, LAYER_GATE, LAYER_WIRE }; /* words of a layer */

void gt_logic_ca_bits_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif
