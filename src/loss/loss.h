/* gt_loss_type: one constant row per loss (GT_DEFINE(loss, NAME) = {…}); in a config `loss: mse` or `loss:
 * {type: huber, delta: 1}`.
 *
 * A batch consists of samples; a loss counts items. An item is a sample or, if the targets are labels with
 * further axes ([samples, axes…]), one label: a pixel, a token. A loss computes one value per item (for
 * number targets the mean over the sample's outputs); the shared code weights and sums the values. An item
 * has the weight of its sample, which is 0 for padding rows of the last batch; an item whose label is -1
 * (`ignore_index`) has weight 0. Means divide by the sum of the weights; if this sum is 0, the mean is 0. */
#ifndef GT_LOSS_LOSS_H
#define GT_LOSS_LOSS_H
#include "base/register.h"
#include "data/data.h"
#include "graph/graph.h"
#include "spec/schema.h"

struct gt_loss;
struct gt_loss_input;

typedef struct gt_loss_type {
  const char *name, *help; /* help NULL: that of the schema */
  const gt_schema *schema;
  size_t config_size;
  /* True: targets are class numbers, I32 [N], and the prediction is F32 [N, classes], for N items. False:
   * both are F32 [B, T], and samples are the items. */
  bool labels;
  const char *applies; /* "softmax" or "sigmoid" if predictions are logits and the loss applies it; or NULL */
  bool sums_batch;     /* the gradient is that of the sum over the batch, not of the mean */
  const gt_data_range *range; /* range of valid targets; NULL: any */
  /* True if a loss with this config trains outputs to equal their targets. NULL: never; outputs are logits or
   * the solution of an equation. */
  bool (*regresses_targets)(const void *config);
  /* Emits the loss of each item, F32 [N]. */
  gt_id (*build)(gt_graph *graph, const void *config, gt_id prediction, gt_id targets);
  /* Instead of build: a loss that depends on the model, not on the targets, which only measure the error
   * (metric rmse). Emits one value per sample; GT_NONE after reporting an error. */
  gt_id (*residual)(gt_graph *graph, const struct gt_loss *loss, const struct gt_loss_input *input,
                    gt_diagnostics *diagnostics);
  /* Accuracy of each item, 0 to 1, F32 [N]; NULL if accuracy has no meaning. */
  gt_id (*correct)(gt_graph *graph, const void *config, gt_id prediction, gt_id targets);
  /* Weight of each item in the mean, F32 [N]; `build` has already multiplied the loss by it. NULL, or
   * GT_NONE: all weights are 1. */
  gt_id (*weigh)(gt_graph *graph, const void *config, gt_id targets);
  /* True if the config fits this number of outputs per sample; false after gt_loss_error. NULL: always. */
  bool (*check)(const struct gt_loss *loss, int64_t outputs, gt_diagnostics *diagnostics);
} gt_loss_type;

typedef struct gt_loss {
  const gt_loss_type *type;
  const void *config;
  const gt_spec *spec; /* its settings in the config: a map, or only its name */
  gt_position at;
  double weight; /* with several targets: factor on this loss in the objective; otherwise 1 */
} gt_loss;

int gt_loss_count(void);
const gt_loss_type *gt_loss_at(int index);

/* The loss type that the config `root` names, for decisions before the data is read; NULL if it names none.
 * target: the name of one of several targets; NULL: the only one. Reports nothing. */
const gt_loss_type *gt_loss_named(const gt_spec *root, const char *target);
/* The default losses for class labels, for numbers and for several boolean columns. */
#define GT_LOSS_FOR_CLASSES "cross_entropy"
#define GT_LOSS_FOR_NUMBERS "mse"
#define GT_LOSS_FOR_BITS    "bce"
/* Reads `loss:` of the config `root`; the default depends on the target. NULL after reporting an error. */
const gt_loss *gt_loss_read(gt_arena *arena, const gt_spec *root, const gt_data_target *target,
                            gt_diagnostics *diagnostics);
/* Reads a loss for each of several targets: `loss: {load: mse, kind: {type: cross_entropy, weight: 0.5}}`. A
 * target that is not listed has the default loss. False after reporting an error; then out[0] is NULL. */
bool gt_losses_read(gt_arena *arena, const gt_spec *root, const gt_data_target *target, int targets,
                    const gt_loss **out, gt_diagnostics *diagnostics);
extern const gt_schema gt_loss_target_schema; /* additional keys of a loss if there are several targets */

/* Samples that augmentation mixes from two samples each (mixup): the label of the second one, I32 [B], and
 * the weight of the first one's label, F32 [B] from 0 to 1. */
typedef struct gt_loss_mixture {
  gt_id targets, share;
} gt_loss_mixture;

/* The model that computes the prediction, as a function. */
typedef struct gt_loss_model {
  gt_id input; /* input of the prediction: F32 [B, …] */
  /* The range of the training samples, for a review, which reports findings; otherwise NULL. */
  const gt_value_range *reviewed;
  /* Emits the model's output for other inputs, with any number of rows; GT_NONE after reporting an error. */
  gt_id (*at)(const struct gt_loss_model *model, gt_id input);
  /* Position of the layer of this name in the config, or `otherwise`. */
  gt_position (*place)(const struct gt_loss_model *model, const char *layer, gt_position otherwise);
} gt_loss_model;

typedef struct gt_loss_input {
  gt_id prediction;                      /* the model's output, F32 [B, …] */
  gt_id targets;                         /* I32 [B, …] labels, or F32 [B, …] */
  bool ignores;                          /* some labels are -1 */
  const struct gt_loss_mixture *mixture; /* NULL: no sample is mixed */
  /* F32 [outputs], added to logits for accuracy and metrics, not for the loss; NULL: none. */
  const gt_id *shift;
  gt_id weight;         /* F32 [B]: weight of each sample; 0 for padding rows */
  bool weighted;        /* samples have weights other than 1, which may all be 0 in a batch */
  int64_t classes;      /* number of classes of the data (labels only; 0: unknown) */
  const char *layer;    /* name of the layer that outputs the prediction, for messages */
  bool named;           /* true: it predicts one of several targets; false: it is the last layer */
  const char *applied;  /* what that layer applies to its result (gt_layer_type.applies), or NULL */
  gt_position at;       /* position of that layer */
  const char *advice;   /* for an error: what to change if its outputs do not fit the targets; or NULL */
  const char *expected; /* for an error: which outputs the data needs; NULL: a general text */
  const gt_loss_model *model; /* NULL: unknown, or the model has several inputs */
} gt_loss_input;

/* Predictions, targets and weights with one row per item. */
typedef struct gt_loss_items {
  gt_id prediction, targets; /* F32 [N, classes] and I32 [N], or both F32 [B, T] */
  gt_id weight;              /* F32 [N] */
  /* prediction + gt_loss_input.shift: its largest value, or for bce its sign, gives the predicted class */
  gt_id shifted;
} gt_loss_items;

/* Sums over the items of a batch, of a step, or of a split: in graphs, in a log row and on the host. */
typedef enum gt_sum_kind {
  GT_SUM_LOSS,    /* Σ w_i l_i */
  GT_SUM_WEIGHT,  /* Σ w_i */
  GT_SUM_CORRECT, /* Σ w_i c_i with c_i in [0, 1]; absent if accuracy has no meaning */
  GT_SUM_DIVISOR, /* of the loss: Σ w_i v_i if the type has item weights v (weigh); absent: GT_SUM_WEIGHT */
  GT_SUMS
} gt_sum_kind;

typedef struct gt_loss_nodes { /* scalars, except items */
  gt_loss_items items;
  gt_id sum[GT_SUMS]; /* by gt_sum_kind; GT_NONE: absent */
  gt_id mean;         /* the loss divided by its divisor; its sum, if the type sums_batch */
} gt_loss_nodes;
/* The sum by which the loss is divided. */
static inline gt_id gt_loss_divisor(const gt_loss_nodes *nodes) {
  return nodes->sum[nodes->sum[GT_SUM_DIVISOR] == GT_NONE ? GT_SUM_WEIGHT : GT_SUM_DIVISOR];
}

/* Reports an error at the value of a key; returns false. */
bool gt_loss_error(const gt_loss *loss, const char *key, gt_diagnostics *diagnostics, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* True if the loss trains the model's outputs to equal their targets. */
bool gt_loss_regresses_targets(const gt_loss *loss);
/* gt_loss_type.regresses_targets of losses that always train outputs to equal their targets: returns true. */
bool gt_loss_always_regresses_targets(const void *config);
/* The divisor, a sum of weights, or 1 if it is 0, so that a mean without any weight is 0. */
gt_id gt_loss_divisor_or_one(gt_graph *graph, gt_id divisor);
/* The mean of (x - t)² over each sample's outputs, both [B, T]. */
gt_id gt_loss_squared_error(gt_graph *graph, gt_id prediction, gt_id targets);
/* Emits the loss. False after reporting an error, if the model's output does not fit the data's targets. */
bool gt_loss_build(gt_graph *graph, const gt_loss *loss, const gt_loss_input *input, gt_loss_nodes *out,
                   gt_diagnostics *diagnostics);
#endif
