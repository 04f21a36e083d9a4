/* The number of gates that an invocation of a logic kernel computes at a time (a run), and the number of
 * words that describe a run of a walk (op/logic/logic_walk.h). Shared by C and GLSL. */
#ifndef GT_LOGIC_RUN
#define GT_LOGIC_RUN        4
#define GT_LOGIC_WALK_WORDS (4 + 2 * GT_LOGIC_RUN)
#endif
