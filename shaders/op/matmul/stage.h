/* Constants of kernels that stage im2col tiles in shared memory (stage_patches.glsl). */
#define GT_STAGE_MOST_COLUMNS 64 /* elements of a patch, at most */
#define GT_STAGE_MOST_BATCH   8
#define GT_STAGE_SPEC_BATCH   7 /* elements that an invocation loads at once, at most GT_STAGE_MOST_BATCH */
