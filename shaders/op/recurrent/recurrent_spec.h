/* Cells and specialization constants of the recurrence (src/op/recurrent/recurrent.h). Shared by C and GLSL.
 *
 * Steps are numbered in the order in which the forward kernels compute them: step s is time s, or all_steps -
 * 1 - s if REVERSE. Time t is block t of the arguments `gates` and `extra` (op/recurrent/recurrent.h in
 * shaders/). `y` has one block more: h after time t is block t + 1, or t if REVERSE, so that h before the
 * first step, which is 0, is the first or the last block.
 *
 * Each step multiplies h (forward), or the gradient of the hidden product (backward), by the recurrent
 * weight. Rows are samples of the batch, unless they are called rows of the weight. There are two pairs of
 * kernels:
 *
 * recurrent_alone, recurrent_alone_gradient: one dispatch for `steps` steps; a workgroup computes four rows
 * for all of them, independently of the others. The kernels on the CPU do the same with a tile of rows.
 *
 * recurrent_step, recurrent_step_gradient: one dispatch per step; a workgroup computes a tile of rows and
 * units. */
#ifndef GT_RECURRENT_SPEC_H
#define GT_RECURRENT_SPEC_H
#define GT_LSTM     0u
#define GT_GRU      1u
#define GT_RNN_TANH 2u
#define GT_RNN_RELU 3u

#define GT_RECURRENT_SPEC_CELL    3  /* one of the cells above */
#define GT_RECURRENT_SPEC_REVERSE 4  /* 1: from the last time to the first */
#define GT_RECURRENT_SPEC_LENGTHS 5  /* 1: rows have different lengths */
#define GT_RECURRENT_SPEC_BIASED  6  /* 1: the GRU's hidden product has a bias */
#define GT_RECURRENT_SPEC_HIDDEN  7  /* units */
#define GT_RECURRENT_SPEC_LAST    8  /* 1: only h after the last step has a gradient, [batch, hidden] */
#define GT_RECURRENT_SPEC_QUADS   9  /* rows of a workgroup / 4; recurrent_alone: 1 */
#define GT_RECURRENT_SPEC_SETS    10 /* invocations across the product's columns */
#define GT_RECURRENT_SPEC_SLICES  11 /* invocations along its depth; LOCAL_X = SETS * SLICES */
/* Rows of the weight that an invocation has in registers: for all steps (recurrent_alone), or those of a
 * chunk of the depth (recurrent_step). */
#define GT_RECURRENT_SPEC_KEEP 12
/* recurrent_alone: if an invocation reads at most AT_ONCE rows of the weight per step, it loads all of them
 * together, otherwise STRIP at a time. */
#define GT_RECURRENT_AT_ONCE 64u
#define GT_RECURRENT_STRIP   8u
#endif
