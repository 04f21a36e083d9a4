/* Resizes images (src/op/upsample.c), up or down: F32 [batch, spatial…, channels] with one to three spatial
 * axes, by nearest neighbor or linear interpolation along each axis, as torch.nn.Upsample does, including its
 * rounding. */
#ifndef GT_OP_UPSAMPLE_H
#define GT_OP_UPSAMPLE_H
#include "graph/graph.h"

enum { GT_UPSAMPLE_AXES = 3 };
typedef struct gt_upsample_attribute {
  int64_t axes;                    /* number of spatial axes */
  int64_t out[GT_UPSAMPLE_AXES];   /* new lengths of the axes */
  double factor[GT_UPSAMPLE_AXES]; /* scale factors; 0: the ratio of the lengths */
  int64_t linear;                  /* linear interpolation; else nearest neighbor */
  int64_t align_corners;           /* the first and last elements of input and output are aligned */
} gt_upsample_attribute;

gt_id gt_upsample(gt_graph *graph, gt_id x, const gt_upsample_attribute *attribute);
#endif
