/* Class labels: unsigned integers. Shared by C and GLSL. */
#ifndef GT_LIB_LABELS_H
#define GT_LIB_LABELS_H
/* As a signed integer -1. The row is ignored: its loss, its gradient and its class weight are 0. */
#define GT_LABEL_IGNORED 0xffffffffu
#endif
