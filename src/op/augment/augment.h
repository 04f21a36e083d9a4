/* Augmentation of pictures (src/op/augment): what is done to each sample of a batch is drawn first
 * (augment_draw), from Philox by the clock's seed and step, the row and the stage, with the same bits on
 * every device; then one pass reads the batch and writes it changed (augment). No gradient goes through
 * either: the samples are data. Stages work in this order, whatever order they are given in but for those of
 * the map:
 *
 *   map      where pixels come from; all stages of it together are one affine map. What lies beyond the
 *            sample's border is a constant, `fill`, or the sample reflected there. A map that only moves by
 *            whole pixels, or flips, copies.
 *   light    brightness, contrast, saturation, hue, as torchvision computes them, in this order; not of
 *            `fill`
 *   scaling  what the batch op would have done: (value - center) * scale + shift
 *   erased   boxes of a constant value
 *   mixed    with the row before it, the first with the last
 *
 * Channels come last: samples are [height, width, channels] or [height, width]. */
#ifndef GT_OP_AUGMENT_H
#define GT_OP_AUGMENT_H
#include "graph/graph.h"
#include "shaders/op/augment/kinds.h"

enum { GT_AUGMENT_MOST_STAGES = 16, GT_AUGMENT_MOST_BOXES = 4, GT_AUGMENT_MOST_VALUES = 4 };

typedef enum gt_augment_kind {
#define X(name, number) name = number,
  GT_AUGMENT_KINDS(X)
#undef X
      GT_DRAW_KINDS
} gt_augment_kind;

typedef struct gt_augment_stage {
  uint32_t kind;
  float value[10];
  uint32_t height, width; /* of the piece that a crop cuts out; 0: the size that samples have already */
} gt_augment_stage;

typedef struct gt_augment_rule { /* attribute of augment_draw: zero where it is not used */
  int64_t batch;
  uint32_t height, width, stages, boxes; /* of the samples; boxes: stages that erase */
  gt_augment_stage stage[GT_AUGMENT_MOST_STAGES];
} gt_augment_rule;

typedef enum gt_augment_border {                     /* what lies beyond a sample's border */
                                 GT_BORDER_FILL,     /* a constant value */
                                 GT_BORDER_EDGE,     /* the value at the border */
                                 GT_BORDER_REFLECT,  /* the sample, reflected at its last pixels, which come
                                                        once */
                                 GT_BORDER_SYMMETRIC /* the sample, reflected behind them */
} gt_augment_border;

typedef struct gt_augment_look { /* attribute of augment: zero where it is not used */
  uint32_t height, width;        /* of what is seen; 0: all of the sample */
  uint32_t border;               /* gt_augment_border */
  uint32_t nearest;              /* the nearest pixel, not a bilinear mixture */
  uint32_t lights, contrasts, saturates,
      hues; /* which factors are drawn: any of them, of contrast, of saturation, of hue */
  uint32_t mixes;
  uint32_t boxes;                     /* so many of those that are drawn are erased */
  float white;                        /* what light reaches at most, in the units of the samples */
  float fill[GT_AUGMENT_MOST_VALUES]; /* by channel; further channels have the last one */
  float value[GT_AUGMENT_MOST_BOXES][GT_AUGMENT_MOST_VALUES]; /* of erased boxes, scaled already */
} gt_augment_look;

/* F32 [batch, words]: what is drawn (shaders/op/augment/augment_draw.h). */
gt_id gt_augment_draw(gt_graph *graph, gt_id clock, const gt_augment_rule *rule);
/* F32 [batch]: what each sample's own label weighs. */
gt_id gt_augment_share(gt_graph *graph, gt_id drawn);
/* x F32 [batch, height, width(, channels)] changed, of the look's size. scaling as in gt_batch, of what a
 * sample holds: GT_NONE for none. */
gt_id gt_augment(gt_graph *graph, gt_id x, gt_id drawn, gt_id scaling, const gt_augment_look *look);
/* The middle of x [batch, height, width(, channels)], as torchvision's center_crop cuts it; x itself where it
 * has that size. */
gt_id gt_middle(gt_graph *graph, gt_id x, int64_t height, int64_t width);
/* x F32 [batch, height, width(, channels)] mirrored left to right. */
gt_id gt_mirror(gt_graph *graph, gt_id clock, gt_id x);
/* F32 [batch]: the mean of a sample's greys, brightness changed: what contrast is seen against. */
gt_id gt_augment_grey(gt_graph *graph, gt_id x, gt_id drawn, const gt_augment_look *look);
#endif
