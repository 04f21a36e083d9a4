/* Constants of kernels that stage im2col tiles in shared memory.
 *
 * Of kernels that stage patches in shared memory: stage_patches.glsl. */
#define GT_STAGE_MOST_COLUMNS 64
#define GT_STAGE_MOST_BATCH   8
#define GT_STAGE_SPEC_BATCH   7 /* elements that an invocation reads at once, GT_STAGE_MOST_BATCH at most */
