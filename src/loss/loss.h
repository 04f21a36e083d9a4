/* gt_loss_type: one constant row per loss (GT_DEFINE(loss, NAME) = {…}); in a config `loss: mse` or `loss:
 * {type: huber, delta: 1}`.
 *
 * A sample is what a batch draws; an item is what a loss counts: a sample or, if the targets are labels with
 * further axes ([samples, axes…]), one label of them: a pixel, a token. A loss computes one value per item
 * (of numbers the mean over the sample's outputs); the shared code weights and sums them. An item counts with
 * the weight of its sample, 0 for padding rows of the last batch, unless its label is -1 (`ignore_index`):
 * then it does not count. Means divide by the sum of weights; if no item of a step counts, the mean is 0. */
#ifndef GT_LOSS_LOSS_H
#define GT_LOSS_LOSS_H
#include "base/register.h"
#include "data/data.h"
#include "graph/graph.h"
#include "spec/schema.h"

struct gt_loss;
struct gt_loss_input;

typedef struct gt_loss_type {
  const char *name, *help;
  const gt_schema *schema;
  size_t config_size;
  /* Targets are class numbers, I32 [N], and the prediction F32 [N, classes], for N items; otherwise both are
   * F32 [B, T], and samples are the items. */
  bool labels;
  const char *applies; /* its predictions are logits, to which it applies "softmax" or "sigmoid" itself */
  bool sums_batch;     /* the gradient is that of the sum over the batch, not of the mean */
  const gt_data_range *range; /* range of valid targets; NULL: any */
  /* True if the config trains outputs to equal their targets. NULL: never; outputs are logits, or solve an
   * equation. */
  bool (*fits_targets)(const void *config);
  /* Emits the loss of each item, F32 [N]. */
  gt_id (*build)(gt_graph *graph, const void *config, gt_id prediction, gt_id targets);
  /* Instead of build: a loss that depends on the model, not on the targets; targets only measure its error
   * (metric rmse). One value per sample; GT_NONE after reporting. */
  gt_id (*residual)(gt_graph *graph, const struct gt_loss *loss, const struct gt_loss_input *input,
                    gt_diagnostics *diagnostics);
  /* Accuracy of each item, 0 to 1, F32 [N]; NULL if accuracy has no meaning. */
  gt_id (*correct)(gt_graph *graph, const void *config, gt_id prediction, gt_id targets);
  /* Weight of each item in the mean, F32 [N]; its loss is already multiplied by it. NULL, or GT_NONE: 1. */
  gt_id (*weigh)(gt_graph *graph, const void *config, gt_id targets);
  /* True if the config fits this number of outputs per sample; false after gt_loss_error. NULL: always. */
  bool (*check)(const struct gt_loss *loss, int64_t outputs, gt_diagnostics *diagnostics);
} gt_loss_type;

typedef struct gt_loss {
  const gt_loss_type *type;
  const void *config;
  const gt_spec *spec; /* its settings: a map, or only its name */
  gt_position at;
  double weight; /* with several targets: factor on its mean in the objective; else 1 */
} gt_loss;

int gt_loss_count(void);
const gt_loss_type *gt_loss_at(int index);

/* The loss type that the root names, for decisions before the data is read; NULL without one. target: one of
 * several; NULL: the only one. Reports nothing. */
const gt_loss_type *gt_loss_named(const gt_spec *root, const char *target);
/* Without a type: for data with class labels, and for other data. */
#define GT_LOSS_FOR_CLASSES "cross_entropy"
#define GT_LOSS_FOR_NUMBERS "mse"
#define GT_LOSS_FOR_BITS    "bce" /* several columns of booleans */
/* Reads the root's `loss:`; without one, the loss for this target. NULL after reporting. */
const gt_loss *gt_loss_read(gt_arena *arena, const gt_spec *root, const gt_data_target *target,
                            gt_diagnostics *diagnostics);
/* Reads a loss for each of several targets: `loss: {load: mse, kind: {type: cross_entropy, weight: 0.5}}`. A
 * target that is not listed has the default loss. False after reporting; then out[0] is NULL. */
bool gt_losses_read(gt_arena *arena, const gt_spec *root, const gt_data_target *target, int targets,
                    const gt_loss **out, gt_diagnostics *diagnostics);
extern const gt_schema gt_loss_target_schema; /* additional keys of an entry, with several targets */

typedef struct gt_loss_mixture {
  gt_id targets, share;
} gt_loss_mixture;

/* The model that computes the prediction, as a function. */
typedef struct gt_loss_model {
  gt_id input; /* input of the prediction: F32 [B, …] */
  /* Emits the model's output for other inputs, any number of rows; GT_NONE after reporting. */
  gt_id (*at)(const struct gt_loss_model *model, gt_id input);
  /* Position of the layer of this name in the config, or `otherwise`. */
  gt_position (*place)(const struct gt_loss_model *model, const char *layer, gt_position otherwise);
} gt_loss_model;

typedef struct gt_loss_input {
  gt_id prediction; /* the model's output, F32 [B, …] */
  gt_id targets;    /* I32 [B, …] labels, or F32 [B, …] */
  bool ignores;     /* some labels are -1 */
  /* If samples are mixed (mixup): the label of each sample's other part, I32 [B], and the weight of its own
   * label, F32 [B] from 0 to 1. NULL: no sample is mixed. */
  const struct gt_loss_mixture *mixture;
  /* F32 [outputs], added to logits for accuracy and metrics, not for the loss; NULL: none. */
  const gt_id *shift;
  gt_id weight;               /* F32 [B]: that of each sample; 0 for padding rows */
  bool weighted;              /* samples have weights other than 1: those of a batch may all be 0 */
  int64_t classes;            /* number of classes of the data (labels only; 0: unknown) */
  const char *layer;          /* name of the layer that outputs the prediction, for messages */
  bool named;                 /* it predicts one of several targets; else it is the last layer */
  const char *applied;        /* what that layer applies to logits (gt_layer_type.applies) */
  gt_position at;             /* position of that layer */
  const char *advice;         /* what to change if its outputs do not fit the targets; may be NULL */
  const char *expected;       /* what its outputs must be, from the data; NULL: a general text says it */
  const gt_loss_model *model; /* NULL: unknown, or it has several inputs */
} gt_loss_input;

/* Items in rows. */
typedef struct gt_loss_items {
  gt_id prediction, targets; /* F32 [N, classes] and I32 [N], or both F32 [B, T] */
  gt_id weight;              /* F32 [N] */
  gt_id
      shifted; /* prediction + gt_loss_input.shift: its largest value, or its sign, is the predicted class */
} gt_loss_items;

typedef struct gt_loss_nodes { /* scalars, except items */
  gt_loss_items items;
  gt_id loss_sum;    /* Σ w_i l_i */
  gt_id weight_sum;  /* Σ w_i */
  gt_id divisor;     /* of loss_sum: weight_sum, or Σ w_i v_i if the type has sample weights v */
  gt_id mean;        /* loss_sum / divisor, or loss_sum if the type sums_batch */
  gt_id correct_sum; /* Σ w_i c_i with c_i in [0, 1]; GT_NONE if accuracy has no meaning */
} gt_loss_nodes;

/* Reports an error at the value of a key; returns false. */
bool gt_loss_error(const gt_loss *loss, const char *key, gt_diagnostics *diagnostics, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* True if it trains the model's outputs to equal their targets. */
bool gt_loss_fits_targets(const gt_loss *loss);
/* fits_targets of loss types that always train outputs to equal their targets. */
bool gt_loss_always(const void *config);
/* A divisor that is a sum of weights; 1 instead of 0, so that the mean of no weight is 0. */
gt_id gt_loss_divisor_or_one(gt_graph *graph, gt_id divisor);
/* The mean of (x - t)² over each sample's outputs, both [B, T]. */
gt_id gt_loss_distance(gt_graph *graph, gt_id prediction, gt_id targets);
/* Emits the loss; false after reporting, if the model's output does not fit the data's targets. */
bool gt_loss_build(gt_graph *graph, const gt_loss *loss, const gt_loss_input *input, gt_loss_nodes *out,
                   gt_diagnostics *diagnostics);
#endif
