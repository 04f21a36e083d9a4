/* Named axes: along which axes of parameters and states the inputs' features and the targets' values are
 * counted. They have names in the data (columns, tokens, classes), by which fine-tuning matches them. An
 * input's features are followed from layer to layer as long as these keep them, and a target's values
 * likewise from its head backward (gt_layer_type.features). */
#ifndef GT_MODEL_NAMED_AXES_H
#define GT_MODEL_NAMED_AXES_H
#include "loss/loss.h"
#include "model/model.h"

/* A list of names: that of input k is list k, that of target t is list GT_DATA_MAX_INPUTS + t. */
enum { GT_NAME_LISTS = GT_DATA_MAX_INPUTS + GT_DATA_MAX_TARGETS };

typedef struct gt_named_axis {
  int list;   /* -1: the axis counts something else */
  bool tiled; /* the axis may be several times as long as the list, such as for each step of a window */
} gt_named_axis;

typedef struct gt_named_axes {
  const gt_model *model;
  gt_named_axis (*slot)[GT_MAX_RANK]; /* [slots of the store] */
  /* [layers] bits of lists: parameters of the layer depend on the order of the names, but along no axis. */
  uint32_t *by_place;
} gt_named_axes;

/* input: names of the inputs in the order of the data. head: names of the heads, NULL: the last layer. */
gt_named_axes gt_model_named_axes(const gt_model *model, const char *const *input, int inputs,
                                  const char *const *head, int heads, gt_arena *arena);
#endif
