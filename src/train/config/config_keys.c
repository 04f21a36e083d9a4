#include "train/config/config_keys.h"
#include "train/config/results.h"
#include <string.h>

static const gt_field stopping_fields[] = {
    GT_ROW(gt_early_stopping, patience, GT_FIELD_INT, .fallback = "0", .max = 1e9,
           .help = "stop after this many evaluations without improvement; 0: never"),
    GT_ROW(gt_early_stopping, metric, GT_FIELD_CHOICE, .fallback = "loss", .choices = gt_metric_names,
           .flags = GT_FIELD_QUALIFIED,
           .help =
               "metric to watch, also for keep_best; for logic gates, loss and accuracy are those "
               "of the circuit, soft_loss and soft_accuracy those of the mixtures; also METRIC.COLUMN, and "
               "with several targets TARGET.METRIC"),
    GT_ROW(gt_early_stopping, min_delta, GT_FIELD_FLOAT, .fallback = "0", .max = 1e30,
           .help = "smallest change that counts as an improvement"),
    GT_ROW(gt_early_stopping, goal, GT_FIELD_FLOAT, .min = -1e30, .max = 1e30,
           .help = "stop when the metric reaches this value; model.bin gets those weights"),
    GT_ROW(gt_early_stopping, restore_best, GT_FIELD_BOOL, .fallback = "true",
           .help = "write the best weights to model.bin instead of the last (with patience, restart_every or "
                   "checkpoint.keep_best)"),
    {.name = NULL},
};
static const gt_schema stopping_schema = {
    .name = "early_stopping", .help = "early stopping", .fields = stopping_fields, .shorthand = "patience"};

static const gt_field checkpoint_fields[] = {
    GT_ROW(gt_checkpoint_config, every, GT_FIELD_INT, .max = 1e12,
           .help = "interval of checkpoints, in epochs or, with `steps`, in steps; 0: only when "
                   "interrupted (default: with each evaluation)"),
    GT_ROW(gt_checkpoint_config, keep_last, GT_FIELD_INT, .fallback = "2", .min = 1, .max = 1e6,
           .help = "number of newest checkpoints to keep"),
    GT_ROW(gt_checkpoint_config, keep_best, GT_FIELD_BOOL, .fallback = "false",
           .help = "write the best model so far to best.bin, and at the end to model.bin (see "
                   "early_stopping.restore_best)"),
    {.name = NULL},
};
static const gt_schema checkpoint_schema = {.name = "checkpoint",
                                            .help = "checkpoints during the run",
                                            .fields = checkpoint_fields,
                                            .shorthand = "every"};

static const char *const samplers[] = {"shuffle", "balanced", NULL};

static const gt_field train_fields[] = {
    GT_ROW(gt_train_config, epochs, GT_FIELD_INT, .min = 1, .max = 1e9,
           .help = "number of passes over the training data (default: 10, unless `steps` is given)"),
    GT_ROW(gt_train_config, steps, GT_FIELD_INT, .min = 1, .max = 4e9,
           .help = "number of optimizer steps, instead of `epochs`"),
    GT_ROW(gt_train_config, phases, GT_FIELD_NODE, .definition = "phases",
           .help = "parts of the run, instead of `epochs` and `steps`: each has its own epochs or "
                   "steps and settings that change from then on, such as optimizer.lr"),
    GT_ROW(gt_train_config, batch_size, GT_FIELD_INT, .fallback = "128", .min = 1, .max = 1e8,
           .help = "number of samples per step"),
    GT_ROW(gt_train_config, sampler, GT_FIELD_CHOICE, .fallback = "shuffle", .choices = samplers,
           .help = "order of the training samples: shuffle (each sample once per epoch) or balanced (drawn "
                   "with replacement, so that each class is equally likely; an epoch has as many draws as "
                   "there are samples)"),
    GT_ROW(gt_train_config, accumulate, GT_FIELD_INT, .fallback = "1", .min = 1, .max = 1e6,
           .help = "gradient accumulation: number of batches per optimizer step, like a batch this many "
                   "times larger, in the memory of one"),
    GT_ROW(gt_train_config, recompute, GT_FIELD_BOOL, .fallback = "false",
           .help = "recompute activations in the backward pass instead of storing them (normalized "
                   "and rectified inputs of convolutions): less memory, a little slower, same results"),
    GT_ROW(gt_train_config, eval_every, GT_FIELD_INT, .min = 0, .max = 1e12,
           .help = "interval of evaluations, in epochs or, with `steps`, in steps; 0: only at the end "
                   "(default: every epoch)"),
    GT_ROW(gt_train_config, eval_batch_size, GT_FIELD_INT, .fallback = "500", .min = 1, .max = 1e8,
           .help = "number of samples per step of an evaluation"),
    GT_ROW(gt_train_config, eval_samples, GT_FIELD_INT, .fallback = "0", .max = 1e9,
           .help = "of a text: number of windows of a split that an evaluation reads, evenly spread; 0: all"),
    GT_ROW(gt_train_config, log_every, GT_FIELD_INT, .fallback = "0", .max = 1e9,
           .help = "write the training loss to metrics.jsonl every this many steps; 0: once per evaluation"),
    GT_ROW(gt_train_config, restart_every, GT_FIELD_INT, .fallback = "0", .max = 1e12,
           .help = "restart with new initial values and wiring after this many epochs (or steps) "
                   "until early_stopping.goal is reached; model.bin is the best of all attempts; 0: "
                   "never"),
    GT_ROW(gt_train_config, threads, GT_FIELD_INT, .fallback = "0", .max = 4096,
           .help =
               "number of CPU threads; 0: $GTRAIN_THREADS, else one for each processor that this process may "
               "use (affinity, and the control group's quota); results do not depend on it"),
    GT_ROW(gt_train_config, early_stopping, GT_FIELD_MAP, .fallback = "{}", .sub = &stopping_schema,
           .help = "early stopping"),
    GT_ROW(gt_train_config, checkpoint, GT_FIELD_MAP, .fallback = "{}", .sub = &checkpoint_schema,
           .help = "checkpoints during the run"),
    {.name = NULL},
};
const gt_schema gt_train_schema = {.name = "train", .help = "the training loop", .fields = train_fields};

static const char *const products_names[] = {"auto", "scalar", "half", NULL}; /* by gt_precision */

gt_precision gt_precision_named(const char *products) {
  int k = 0;
  while (products && products_names[k] && strcmp(products_names[k], products)) k++;
  return products && products_names[k] ? (gt_precision)k : GT_PRECISION_AUTO;
}

static const gt_field precision_fields[] = {
    GT_ROW(gt_precision_keys, products, GT_FIELD_CHOICE, .fallback = "auto", .choices = products_names,
           .help = "precision of matrix products: scalar (float32), half (operands are rounded to 16 "
                   "bits on GPUs with matrix units, sums stay float32) or auto (the fastest that is as "
                   "accurate as scalar)"),
    {.name = NULL},
};
const gt_schema gt_precision_schema = {
    .name = "precision", .help = "numerical precision", .fields = precision_fields};

static const gt_field eval_fields[] = {
    GT_ROW(gt_eval_keys, flip, GT_FIELD_BOOL, .fallback = "false",
           .help = "average the outputs for each image and its mirror image"),
    GT_ROW(
        gt_eval_keys, threshold, GT_FIELD_MAP, .sub = &gt_threshold_schema,
        .help =
            "probability above which a binary classifier predicts the positive class: auto or a number, or "
            "{metric: balanced_accuracy} (default: 0.5)"),
    {.name = NULL},
};
const gt_schema gt_eval_schema = {.name = "eval", .help = "evaluation and prediction", .fields = eval_fields};

static const gt_field top_fields[] = {
    GT_ROW(gt_config_top, seed, GT_FIELD_INT, .fallback = "1", .max = 9e15,
           .help = "seed of all random numbers"),
    GT_ROW(gt_config_top, data, GT_FIELD_NODE, .definition = "data", .flags = GT_FIELD_REQUIRED,
           .help = "the dataset"),
    GT_ROW(gt_config_top, augment, GT_FIELD_NODE, .definition = "augment",
           .help = "random changes to training images, such as [{random_crop: 4}]"),
    GT_ROW(gt_config_top, model, GT_FIELD_NODE, .definition = "layers", .help = "the layers, in order"),
    GT_ROW(gt_config_top, init_from, GT_FIELD_NODE, .definition = "init_from",
           .help = "trained model to start from (fine-tuning)"),
    GT_ROW(gt_config_top, loss, GT_FIELD_NODE, .definition = "loss",
           .help =
               "loss to minimize (default: cross_entropy for classes, else mse); for several targets, a map "
               "from names to losses"),
    GT_ROW(gt_config_top, optimizer, GT_FIELD_NODE, .definition = "optimizer",
           .help = "optimizer (default: adam)"),
    GT_ROW(gt_config_top, schedule, GT_FIELD_NODE, .definition = "schedule",
           .help = "learning rate schedule (default: constant)"),
    GT_ROW(gt_config_top, precision, GT_FIELD_MAP, .fallback = "{}", .sub = &gt_precision_schema,
           .help = "numerical precision"),
    GT_ROW(gt_config_top, eval, GT_FIELD_MAP, .fallback = "{}", .sub = &gt_eval_schema,
           .help = "evaluation and prediction"),
    GT_ROW(gt_config_top, train, GT_FIELD_NODE, .definition = "train", .help = "the training loop"),
    GT_ROW(gt_config_top, metrics, GT_FIELD_STRINGS, .choices = gt_metric_names, .flags = GT_FIELD_QUALIFIED,
           .help = "further metrics of evaluations, such as [f1, roc_auc] (`gtrain schema metrics`); with "
                   "several targets, each gets those that are defined for it, and TARGET.METRIC is for one"),
    GT_ROW(gt_config_top, quiet, GT_FIELD_STRINGS, .choices = gt_finding_names,
           .help = "warnings to silence, by the name in brackets at their end"),
    {.name = NULL},
};
const gt_schema gt_config_schema = {.name = "config", .help = "the config as a whole", .fields = top_fields};
