/* gt_result_id: which number an evaluation or a training step reports: a metric, and what it is of. This file
 * alone reads and writes the names of results:
 *    one target:       METRIC or METRIC.COLUMN            "mae", "mae.price", "mae.price+2" (the second step)
 *    several targets:  TARGET.METRIC or TARGET.METRIC.COLUMN, and "loss", the objective over all targets
 * Targets and columns may have any name, also that of a metric, so a name is compared with those of the data,
 * not divided at its dots. Two results of one dataset have the same name only if a forecast has columns "x"
 * and "x+1"; the name then means the column. */
#ifndef GT_TRAIN_RESULT_H
#define GT_TRAIN_RESULT_H
#include "data/data.h"
#include "metric/metric.h"

/* Forms of a model with logic gates: the circuit, "loss"; the mixtures of gates that are trained,
 * "soft_loss". "hard_loss" is another name for the loss of the circuit. Other models have only GT_PLAIN. */
enum { GT_PLAIN, GT_SOFT, GT_HARD };

typedef struct gt_metric_kind {
  const char *name;
  const char *help;           /* NULL: type->help */
  bool larger;                /* larger values are better; not used if there is a type */
  bool correct;               /* it needs a loss that counts correct predictions */
  int form;                   /* of loss and accuracy */
  const gt_metric_type *type; /* NULL: the loss computes it */
} gt_metric_kind;
extern const char *const gt_metric_names[]; /* NULL-terminated, for schemas */
/* The kind with this name; NULL: there is none. */
const gt_metric_kind *gt_metric_find(const char *name);
/* In the order of gt_metric_names: loss and accuracy of each form, then the metrics; NULL after the last. */
const gt_metric_kind *gt_metric_at(int index);
const char *gt_metric_help(const gt_metric_kind *kind);
bool gt_metric_is_larger_better(const gt_metric_kind *kind);

typedef struct gt_result_id {
  const gt_metric_kind *kind; /* NULL: no result */
  int target;                 /* -1: the objective, if there are several targets */
  int column;                 /* -1: the mean over the target's columns */
  int step;                   /* of a forecast, from 1; 0: over all steps */
} gt_result_id;

/* Finds the result with this name, also if the model does not compute it. With several targets, a METRIC
 * without a target has target -1. False: there is none, and *why completes "'NAME' …". */
bool gt_result_parse(const gt_dataset *data, const char *name, gt_result_id *out, gt_arena *arena,
                     const char **why);
const char *gt_result_print(const gt_dataset *data, gt_result_id id, gt_arena *arena);
/* True if the ids are of the same number: of the same result, or one of loss and the other of hard_loss. */
bool gt_result_is_same(gt_result_id a, gt_result_id b);
/* Before the data is known: the first metric that stands between dots of the text; NULL: there is none, so
 * this is no name of a result. */
const gt_metric_kind *gt_result_metric_in(const char *text);

/* The metric of one output of a target. */
gt_result_id gt_result_of_output(const gt_dataset *data, const gt_metric_kind *kind, int target,
                                 int64_t output);
/* COLUMN of an id: "price", or "price+2" at a step of a forecast. Columns without names are numbered. */
const char *gt_result_column(const gt_dataset *data, gt_result_id id, gt_arena *arena);
#endif
