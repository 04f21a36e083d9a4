/* Class labels, unsigned. */
#ifndef GT_LIB_LABELS_H
#define GT_LIB_LABELS_H
/* -1: the row is ignored: its loss, its gradient and its class weight are 0. */
#define GT_LABEL_IGNORED 0xffffffffu
#endif
