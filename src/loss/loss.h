/* gt_loss_type: one constant row per loss (GT_DEFINE(loss, NAME) = {…}); in a config `loss: mse`
 * or `loss: {type: huber, delta: 1}`. A loss gives one value for each sample (the mean over the sample's
 * outputs); the shared code weights and sums them, so that padding rows of the last batch (weight 0) count
 * for nothing. */
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
  /* Targets are class numbers, I32 [B], and the prediction F32 [B, classes]; otherwise both are F32 [B, T].
   */
  bool labels;
  const char *applies; /* its predictions are logits, to which it applies "softmax" or "sigmoid" itself */
  bool sums_batch;     /* differentiated is the sum over the batch, not the mean */
  const gt_data_range *range; /* where its targets must lie; NULL: anywhere */
  /* True if the config trains outputs to equal their targets. NULL: never; outputs are logits, or solve an
   * equation. */
  bool (*fits_targets)(const void *config);
  /* One loss a sample, F32 [B]. */
  gt_id (*build)(gt_graph *graph, const void *config, gt_id prediction, gt_id targets);
  /* Instead of build: one loss a sample of what the model is, not of how far its output is from the targets,
   * which only judge it (gt_loss_nodes.error_sum). GT_NONE after reporting. */
  gt_id (*residual)(gt_graph *graph, const struct gt_loss *loss, const struct gt_loss_input *input,
                    gt_diagnostics *diagnostics);
  /* How right each sample is, 0 to 1, F32 [B]; NULL where accuracy means nothing. */
  gt_id (*correct)(gt_graph *graph, const void *config, gt_id prediction, gt_id targets);
  /* What each sample weighs in the mean, F32 [B], with which its loss has been multiplied; NULL, or
   * GT_NONE: 1. */
  gt_id (*weigh)(gt_graph *graph, const void *config, gt_id targets);
  /* True if the config fits so many outputs a sample; false after reporting by gt_loss_error. NULL:
   * always. */
  bool (*check)(const struct gt_loss *loss, int64_t outputs, gt_diagnostics *diagnostics);
} gt_loss_type;

typedef struct gt_loss {
  const gt_loss_type *type;
  const void *config;
  const gt_spec *spec; /* its settings: a map, or its name alone */
  gt_position at;
} gt_loss;

int gt_loss_count(void);
const gt_loss_type *gt_loss_at(int index);

/* The loss that the root names, for what must be known of it before the data is; NULL without one. Reports
 * nothing. */
const gt_loss_type *gt_loss_named(const gt_spec *root);
/* Reads the root's `loss:`. Without one: cross_entropy if the data has class labels, else mse. NULL after
 * reporting. */
const gt_loss *gt_loss_read(gt_arena *arena, const gt_spec *root, bool labels, gt_diagnostics *diagnostics);

typedef struct gt_loss_mixture {
  gt_id targets, share;
} gt_loss_mixture;

/* What gives the prediction, as a function. */
typedef struct gt_loss_model {
  gt_id input; /* that the prediction is of: F32 [B, …] */
  /* The output at other inputs, of any number of rows; GT_NONE after reporting. */
  gt_id (*at)(const struct gt_loss_model *model, gt_id input);
  /* Where the layer of a name stands, or else `otherwise`. */
  gt_position (*place)(const struct gt_loss_model *model, const char *layer, gt_position otherwise);
} gt_loss_model;

typedef struct gt_loss_input {
  gt_id prediction; /* the model's output, F32 [B, …] */
  gt_id targets;    /* I32 [B] labels, or F32 [B] or [B, …] */
  /* Of labels where samples are mixed: that of each one's other part, I32 [B], and what its own weighs beside
   * it, F32 [B] from 0 to 1. NULL: no sample is mixed. */
  const struct gt_loss_mixture *mixture;
  gt_id weight;               /* F32 [B]: 1, or 0 for padding rows */
  int64_t classes;            /* number of classes of the data (labels only; 0: unknown) */
  const char *layer;          /* name of the layer that gives the prediction, for messages */
  const char *applied;        /* what that layer makes of logits (gt_layer_type.applies) */
  gt_position at;             /* where that layer stands */
  const gt_loss_model *model; /* NULL: not known, or of several inputs */
} gt_loss_input;

typedef struct gt_loss_nodes { /* scalars */
  gt_id loss_sum;              /* Σ w_i l_i */
  gt_id weight_sum;            /* Σ w_i */
  gt_id divisor;               /* of loss_sum: weight_sum, but of a type that weighs Σ w_i v_i */
  /* Their quotient, or loss_sum if the type sums_batch: what is differentiated, with the penalty added. */
  gt_id mean;
  gt_id penalty;     /* what the model adds to the mean (gt_model.penalty); GT_NONE: nothing */
  gt_id error_sum;   /* Σ w_i of the mean (x - t)² of a sample's outputs; GT_NONE where the loss tells it */
  gt_id correct_sum; /* Σ w_i c_i with c_i in [0, 1]; GT_NONE where accuracy means nothing */
} gt_loss_nodes;

/* Reports an error at the value of a key; returns false. */
bool gt_loss_error(const gt_loss *loss, const char *key, gt_diagnostics *diagnostics, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* True if it trains the model's outputs to equal their targets. */
bool gt_loss_fits_targets(const gt_loss *loss);
/* For rows that always do. */
bool gt_loss_always(const void *config);
/* The mean of (x - t)² over each sample's outputs, both [B, T]. */
gt_id gt_loss_distance(gt_graph *graph, gt_id prediction, gt_id targets);
/* Emits the loss; false after reporting, if the model's output does not fit the data's targets. */
bool gt_loss_build(gt_graph *graph, const gt_loss *loss, const gt_loss_input *input, gt_loss_nodes *out,
                   gt_diagnostics *diagnostics);
#endif
