/* Shared by C and GLSL: gates that an invocation of a logic kernel has in hand at a time, and the words of a
 * run of as many along a walk (op/logic/logic_walk.h). */
#ifndef GT_LOGIC_RUN
#define GT_LOGIC_RUN        4
#define GT_LOGIC_WALK_WORDS (4 + 2 * GT_LOGIC_RUN)
#endif
