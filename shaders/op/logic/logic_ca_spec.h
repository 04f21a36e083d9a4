/* Specialization constants of the kernels for automata, on floats and on bits. Shared by C and GLSL. */
#ifndef GT_LOGIC_CA_SPEC_H
#define GT_LOGIC_CA_SPEC_H
/* For all kernels (op/logic/logic_ca_cells.glsl). Shared memory consists of rows with one float or word per
 * cell of the workgroup; src/op/logic/logic_ca_plan.c computes its layout. "row:" below is the first row of
 * an area. Constants without a comment are those of gt_logic_ca_attribute or the shape of the state. */
#define GT_CA_SPEC_SHARED      3 /* number of rows */
#define GT_CA_SPEC_CHANNELS    4
#define GT_CA_SPEC_KERNELS     5
#define GT_CA_SPEC_HEIGHT      6
#define GT_CA_SPEC_WIDTH       7
#define GT_CA_SPEC_PERIODIC    8
#define GT_CA_SPEC_PERCEPTIONS 9
#define GT_CA_SPEC_UPDATES     10
/* For floats, forward and backward (op/logic/logic_ca.glsl). */
#define GT_CA_SPEC_CHUNK   11 /* channels that the perception processes at a time */
#define GT_CA_SPEC_FIRE    12 /* 1: fire_rate < 1 */
#define GT_CA_SPEC_PATCHES 13 /* row: the neighborhoods of the chunk's channels */
#define GT_CA_SPEC_OUT     14 /* row: outputs of the update's last layer */
#define GT_CA_SPEC_SLOTS   16 /* partial sums per workgroup */
#define GT_CA_SPEC_KEEP    17 /* gradient. 1: the inputs of the update's gates stay in shared memory */
#define GT_CA_SPEC_WIDTHS  22 /* ..25: widths of the perception's first layers; 0: no such layer */
#define GT_CA_SPEC_WIRES   26 /* wires of the perception, per row of the wiring */
#define GT_CA_SPEC_WORDS   27 /* words of wiring in shared memory; gradient: and of inverse wiring */
#define GT_CA_WIDTHS       4
/* For the gradient (op/logic/logic_ca_gradient.glsl). */
#define GT_CA_SPEC_TRACE     18 /* gates in a workgroup's trace */
#define GT_CA_SPEC_GRADIENT  19 /* row: gradient of a layer's outputs, then of its inputs */
#define GT_CA_SPEC_PRODUCTS  20 /* row: gradients of the inputs of the update's gates, two per gate */
#define GT_CA_SPEC_PERCEIVED 21 /* row: the same for the perception's gates */
#define GT_CA_SPEC_SUMMED    28 /* row: the same for the perception's first layer, summed over kernels */
/* For bits (op/logic/logic_ca_bits_step.glsl). */
#define GT_CA_BITS_SPEC_FIRE       11 /* 1: fire_rate < 1 */
#define GT_CA_BITS_SPEC_CHUNK      12 /* channels that the perception processes at a time */
#define GT_CA_BITS_SPEC_SECOND     13 /* row: the second area; the first begins at row 0 */
#define GT_CA_BITS_SPEC_ODD_OFFSET 14 /* rows from the end of the patches to the outputs of odd layers */
#endif
