/* gt_config: a config file, read and checked: its top-level keys, the `train:` section, and the results of
 * other rooms (optimizer, loss, dataset). All errors of the file are reported in one pass. The resolved
 * config is the same with every default written out, except `train.threads`, which does not affect results,
 * and `precision` if it is the default; parsing it again gives the same text. Owner: its arena and
 * gt_config_finish. */
#ifndef GT_TRAIN_CONFIG_H
#define GT_TRAIN_CONFIG_H
#include "augment/augment.h"
#include "data/data.h"
#include "loss/loss.h"
#include "metric/metric.h"
#include "optim/optim.h"
#include "train/change.h"

struct gt_init_from;

typedef struct gt_early_stopping {
  int64_t patience;   /* 0: off */
  const char *metric; /* name of a result: "loss", "accuracy", "kind.accuracy"; for gates also
                         "soft_…" and "hard_…" */
  const struct gt_metric_kind *watched; /* the metric; NULL if it is invalid */
  double min_delta, goal;
  bool has_goal, restore_best;
} gt_early_stopping;

/* Metrics that evaluations compute, besides loss and accuracy, in the order in which they were asked for. */
typedef struct gt_metric_list {
  int count;
  const struct gt_metric_type *type[GT_METRIC_MAX];
} gt_metric_list;

typedef struct gt_checkpoint_config {
  int64_t every, keep_last; /* every -1: with each evaluation */
  bool keep_best;
} gt_checkpoint_config;

typedef struct gt_threshold {   /* threshold.h */
  bool used;                    /* there is an `eval.threshold` */
  bool automatic;               /* chosen at the end of training */
  double given;                 /* a number given in the config, for all; 0: none */
  int count;                    /* thresholds: 1, or one per label (multi-label) */
  double *value;                /* [count], 0: not chosen yet; in the arena of the diagnostics */
  const gt_metric_type *metric; /* the choice maximizes it */
  gt_position at;
} gt_threshold;

typedef struct gt_train_config {
  int64_t epochs, steps; /* exactly one is nonzero, unless there are phases */
  const gt_spec *phases;
  int64_t eval_samples; /* windows of a text that an evaluation reads; 0: all */
  int64_t batch_size, eval_batch_size, eval_every, log_every, threads;
  int64_t accumulate;    /* batches of a step */
  const char *sampler;   /* "shuffle", "balanced" (sampler.h) */
  int64_t restart_every; /* in epochs or steps, like the length; 0: never */
  bool recompute;        /* see gt_build */
  gt_early_stopping early_stopping;
  gt_checkpoint_config checkpoint;
} gt_train_config;

typedef struct gt_config {
  const char *path; /* path given by the user; "-": standard input */
  const char *name; /* file name without folder and extension, or "stdin" */
  gt_spec *root;
  const char *resolved; /* YAML text */
  int64_t seed;
  gt_precision products; /* of matrix products, forward and backward */
  gt_train_config train;
  const gt_optim *optim;
  const gt_loss *loss[GT_DATA_MAX_TARGETS]; /* by target; loss[0] NULL: not read */
  const gt_augment_list *augment;           /* of the training samples; NULL: none */
  gt_metric_list *metrics;                  /* by target; shared with the phases */
  bool flips; /* evaluations and predictions average over each sample and its mirror image */
  gt_threshold threshold;
  struct gt_init_from *init_from; /* or NULL */
  gt_dataset dataset;
  bool has_dataset, outline; /* outline: the values of its data are not needed */
  struct gt_config *phase;   /* from train.phases; the config itself then equals the first */
  int phases;                /* 0: there are none */
  gt_change change;          /* at the start of a phase */
  gt_position batch_at;      /* what sets its batch_size or accumulate, if a phase does; else line 0 */
  gt_diagnostics diagnostics;
} gt_config;

/* How an epoch is divided: `steps` steps of `parts` batches of `batch` samples, none
 * larger than necessary. */
typedef struct gt_batching {
  int64_t batch, parts, steps;
} gt_batching;
gt_batching gt_batching_of(int64_t samples, int64_t batch, int64_t parts);

extern const gt_schema gt_config_schema; /* the top level; sections of other rooms are unparsed nodes */
extern const gt_schema gt_train_schema;
extern const gt_schema gt_precision_schema;
extern const gt_schema gt_eval_schema;

/* Reads a file, with --set overrides. False on any error, which is in config->diagnostics or, for files, in
 * *error. outline: the values of the data are not needed (gt_data_wanted), unless something else in the
 * config needs them. */
bool gt_config_read(gt_config *config, gt_arena *arena, const char *path, bool outline,
                    const char *const *overrides, int count, gt_error *error);

/* The same for the config inside a model file, for evaluating that model: data is read as during its
 * training. `name` is the file's, for messages. */
bool gt_config_parse(gt_config *config, gt_arena *arena, const char *name, const char *text,
                     const gt_data_wanted *wanted, const char *const *overrides, int count, gt_error *error);
/* The same for predictions: reads only what defines the model, and opens no data. False on any error, which
 * is in config->diagnostics. */
bool gt_config_parse_model(gt_config *config, gt_arena *arena, const char *name, const char *text,
                           const gt_data_signature *signature);
/* Silences the findings in the config's `quiet:`; accepts NULL. */
void gt_config_silence(const gt_spec *root, gt_diagnostics *diagnostics);
/* Makes evaluations compute a metric of a target. NULL, or why they cannot, for a message: "needs class
 * labels". Whether the model has a soft and a hard form is not checked. */
const char *gt_config_want_metric(gt_config *config, int target, const struct gt_metric_kind *kind);
/* The same for the name of a result. With several targets it is that of one of them ("load.mae"), the
 * objective ("loss"), or a metric that exactly one target can have; *name becomes the whole name. */
const char *gt_config_want_result(gt_config *config, const char **name);
/* How sums of losses become results. */
struct gt_result_form gt_config_result_form(const gt_config *config);
void gt_config_finish(gt_config *config); /* accepts a zeroed one */
/* Prints diagnostics and error; returns the exit code: that of the diagnostics, else the error's own. */
int gt_config_report(gt_config *config, const gt_error *error);
/* Reports errors of model and loss: with shapes if the data could be opened, else only errors of the keys
 * (config_check.c). quiet: nothing of the data is quoted, because it is that of a model from elsewhere. */
void gt_config_check_model(gt_config *config, bool quiet, gt_arena *arena);
/* Plans the augmentation of the training samples, if there is an `augment:`. False after reporting why it is
 * impossible. */
bool gt_config_augment(const gt_config *config, gt_augment_plan *out, gt_diagnostics *diagnostics);
/* Reports the same, and findings of the augmentation. */
void gt_config_check_augment(const gt_config *config, gt_diagnostics *diagnostics);
/* True if samples can be mirrored, or need not be. False after reporting. */
bool gt_config_check_flip(const gt_config *config, gt_diagnostics *diagnostics);
/* Applies an assignment a.b.c=VALUE, or an entry whose key is a path (config_short.c). A layer is given by
 * its number, or by its name as `check` prints it. Short forms along the path, such as `optimizer: adam`,
 * become the maps that they stand for. */
void gt_config_override(gt_arena *arena, gt_spec *root, const char *assignment, gt_diagnostics *diagnostics);
void gt_config_set(gt_arena *arena, gt_spec *root, const gt_spec *entry, gt_diagnostics *diagnostics);
/* The argument of --set that sets a path of the config to a text of any content. In the arena. */
const char *gt_config_assign(gt_arena *arena, const char *path, const char *text);
/* For phases (phases.c): reads the sections that a phase can change (train, optimizer, schedule, augment),
 * and builds the model; NULL after reporting. */
void gt_config_read_sections(gt_config *config, gt_arena *arena, gt_diagnostics *diagnostics);
struct gt_model *gt_config_build_model(gt_config *config, gt_arena *arena, gt_diagnostics *diagnostics);
/* The resolved config (config_resolve.c). */
const char *gt_config_resolve(const gt_config *config, gt_arena *arena);
/* True if the text starts like a resolved config, also of an earlier version. */
bool gt_config_is_resolved(const char *text);
#endif
