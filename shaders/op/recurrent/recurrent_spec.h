/* Cells and specialization constants of the recurrence; shared by C and GLSL. Steps are numbered in the order
 * in which they are computed: step s is time s, or all_steps - 1 - s if REVERSE. Time t has row t of `gates`
 * and `extra`; `y` has a row more: h after time t in row t + 1, or t if REVERSE, so that h before the first
 * step, which is 0, is the first or the last row.
 *
 * Way A, recurrent_alone and recurrent_alone_gradient: a workgroup owns four rows for `steps` steps; a tile
 * of the CPU likewise. Way C, recurrent_step and recurrent_step_gradient: one step, a workgroup for a tile of
 * rows and units. */
#ifndef GT_RECURRENT_SPEC_H
#define GT_RECURRENT_SPEC_H
#define GT_LSTM     0u
#define GT_GRU      1u
#define GT_RNN_TANH 2u
#define GT_RNN_RELU 3u

#define GT_RECURRENT_SPEC_CELL    3
#define GT_RECURRENT_SPEC_REVERSE 4
#define GT_RECURRENT_SPEC_LENGTHS 5  /* 1: rows have lengths of their own */
#define GT_RECURRENT_SPEC_BIASED  6  /* 1: the GRU's hidden product has a bias */
#define GT_RECURRENT_SPEC_HIDDEN  7  /* units */
#define GT_RECURRENT_SPEC_LAST    8  /* gradient; 1: given for h after the last step only, [batch, hidden] */
#define GT_RECURRENT_SPEC_QUADS   9  /* rows of a workgroup / 4; way A: 1 */
#define GT_RECURRENT_SPEC_SETS    10 /* invocations across the product's columns */
#define GT_RECURRENT_SPEC_SLICES  11 /* invocations along its depth; LOCAL_X = SETS * SLICES */
/* Rows of the weight that an invocation has in registers; way A: for all steps; way C: of a chunk of the
 * depth. */
#define GT_RECURRENT_SPEC_KEEP 12
#define GT_RECURRENT_AT_ONCE \
  64u /* way A: rows of the weight that are loaded together, if there are no more … */
#define GT_RECURRENT_STRIP 8u /* … else this many */
#endif
