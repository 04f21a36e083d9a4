/* Images at other sizes (src/op/upsample.c), larger or smaller: F32 [batch, spatial…, channels] with one to
 * three spatial axes, each value that of the nearest one or mixed linearly along each axis. Which and how is
 * torch.nn.Upsample's, to the rounding of places to the nearest. */
#ifndef GT_OP_UPSAMPLE_H
#define GT_OP_UPSAMPLE_H
#include "graph/graph.h"

enum { GT_UPSAMPLE_AXES = 3 };
typedef struct gt_upsample_attribute {
  int64_t axes;                    /* spatial ones */
  int64_t out[GT_UPSAMPLE_AXES];   /* their new lengths */
  double factor[GT_UPSAMPLE_AXES]; /* by which they grow; 0: as the lengths say */
  int64_t linear;                  /* mixed; else the nearest */
  int64_t align_corners;           /* the first and last values stay what they are */
} gt_upsample_attribute;

gt_id gt_upsample(gt_graph *graph, gt_id x, const gt_upsample_attribute *attribute);
#endif
