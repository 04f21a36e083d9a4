/* Shared by C and GLSL: gates that an invocation of a logic kernel has in hand at a time. */
#ifndef GT_LOGIC_RUN
#define GT_LOGIC_RUN 4
#endif
