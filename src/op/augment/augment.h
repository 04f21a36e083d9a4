/* Augmentation of images (src/op/augment): first the parameters of each sample of a batch are drawn
 * (augment_draw), from Philox with the clock's seed and step, the row and the stage, with the same bits on
 * every device; then one pass transforms the batch (augment). Neither has a gradient: the samples are data.
 * The stages run in the following order, whatever their order in the list; only those of the map are composed
 * in the order of the list:
 *
 *   map      geometric: all its stages together are one affine map. Pixels outside the sample have a constant
 *            value, `fill`, or are those of the reflected sample. A map that only shifts by whole pixels, or
 *            flips, copies pixels exactly.
 *   light    brightness, contrast, saturation, hue, as in torchvision, in this order; not for `fill`
 *   tones    curves that map the value of each channel, with an amount that is drawn for each sample; not for
 *            `fill`
 *   scaling  that of the batch op: (value - center) * scale + shift
 *   erased   boxes of a constant value
 *   mixed    with the previous row of the batch; the first row with the last
 *
 * Channels come last: samples are [height, width, channels] or [height, width]. */
#ifndef GT_OP_AUGMENT_H
#define GT_OP_AUGMENT_H
#include "graph/graph.h"
#include "shaders/op/augment/kinds.h"

enum {
  GT_AUGMENT_MAX_STAGES = 16,
  GT_AUGMENT_MAX_BOXES = 4,
  GT_AUGMENT_MAX_TONES = 4,
  GT_AUGMENT_MAX_VALUES = 4
};

typedef enum gt_augment_kind {
#define X(name, number) name = number,
  GT_AUGMENT_KINDS(X)
#undef X
      GT_DRAW_KINDS
} gt_augment_kind;

typedef struct gt_augment_stage {
  uint32_t kind;          /* gt_augment_kind */
  float value[10];        /* settings of the kind (shaders/op/augment/kinds.h) */
  uint32_t height, width; /* size of the output of a crop; 0: the size does not change */
} gt_augment_stage;

typedef struct gt_augment_rule { /* attribute of augment_draw; unused elements are zero */
  int64_t batch;
  uint32_t height, width, stages; /* height, width: of the samples */
  uint32_t boxes, tones;          /* number of stages that erase boxes, and of GT_DRAW_TONE */
  gt_augment_stage stage[GT_AUGMENT_MAX_STAGES];
} gt_augment_rule;

typedef enum gt_augment_border {                     /* values outside the sample */
                                 GT_BORDER_FILL,     /* a constant value */
                                 GT_BORDER_EDGE,     /* the value at the border */
                                 GT_BORDER_REFLECT,  /* reflection without repeating the last pixels */
                                 GT_BORDER_SYMMETRIC /* reflection that repeats the last pixels */
} gt_augment_border;

/* A tone curve maps the value v of a channel to another; both are from 0 (black) to 1 (white). The kernel
 * reads it from a table with 256 levels and `rows` amounts, of which one is drawn: low + (high - low) * (k +
 * 1/2) / rows, k from 0. */
typedef struct gt_tone {
  double (*curve)(double v, double amount);
  double low, high;
  uint32_t rows;
} gt_tone;

typedef struct gt_augment_look {               /* attribute of augment; unused elements are zero */
  uint32_t height, width;                      /* size of the output; 0: that of the sample */
  uint32_t border;                             /* gt_augment_border */
  uint32_t nearest;                            /* nearest pixel instead of bilinear interpolation */
  uint32_t lights, contrasts, saturates, hues; /* color changes in use: any, contrast, saturation, hue */
  uint32_t mixes;                              /* samples are mixed */
  uint32_t boxes, tones;                       /* number of erased boxes, and of tone curves */
  float white;                                 /* the maximum of a channel, in the units of the samples */
  float fill[GT_AUGMENT_MAX_VALUES];           /* per channel; further channels use the last value */
  float value[GT_AUGMENT_MAX_BOXES][GT_AUGMENT_MAX_VALUES]; /* of erased boxes, after scaling */
  gt_tone tone[GT_AUGMENT_MAX_TONES];                       /* in the order of their stages */
} gt_augment_look;

/* F32 [batch, words]: the random parameters of each sample (shaders/op/augment/augment_draw.h). */
gt_id gt_augment_draw(gt_graph *graph, gt_id clock, const gt_augment_rule *rule);
/* F32 [batch]: after mixup or CutMix, the weight of each sample's own label. drawn, here and below: the
 * result of gt_augment_draw. */
gt_id gt_augment_share(gt_graph *graph, gt_id drawn);
/* Transforms x F32 [batch, height, width(, channels)]; the result has the size in `look`. scaling: as in
 * gt_batch, for the values of a sample; or GT_NONE. */
gt_id gt_augment(gt_graph *graph, gt_id x, gt_id drawn, gt_id scaling, const gt_augment_look *look);
/* The center crop of x [batch, height, width(, channels)], as in torchvision; x itself if it has this
 * size. */
gt_id gt_center_crop(gt_graph *graph, gt_id x, int64_t height, int64_t width);
/* x F32 [batch, height, width(, channels)], every sample mirrored left to right. */
gt_id gt_mirror(gt_graph *graph, gt_id clock, gt_id x);
/* F32 [batch]: the mean gray level of a sample after the change of brightness, the reference for contrast. */
gt_id gt_augment_grey(gt_graph *graph, gt_id x, gt_id drawn, const gt_augment_look *look);
#endif
