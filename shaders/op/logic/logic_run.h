/* Shared by C and GLSL: the number of gates that an invocation of a logic kernel computes at a time (a run),
 * and the words that describe such a run of a walk (op/logic/logic_walk.h). */
#ifndef GT_LOGIC_RUN
#define GT_LOGIC_RUN        4
#define GT_LOGIC_WALK_WORDS (4 + 2 * GT_LOGIC_RUN)
#endif
