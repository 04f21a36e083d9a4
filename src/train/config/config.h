/* gt_config: a config file, read and checked: its top-level keys, the `train:` section, and what other rooms
 * read (optimizer, loss, dataset). All errors of the file are reported in one pass. The resolved config is
 * the same config with every default written out, except `train.threads`, which does not affect results, and
 * keys that have no effect and that older versions do not know, such as the default of `precision`; parsing
 * it again gives the same text. Owner: its arena; the caller calls gt_config_finish. */
#ifndef GT_TRAIN_CONFIG_H
#define GT_TRAIN_CONFIG_H
#include "augment/augment.h"
#include "data/data.h"
#include "loss/loss.h"
#include "metric/metric.h"
#include "optim/optim.h"
#include "train/config/change.h"
#include "train/config/result.h"

struct gt_init_from;

typedef struct gt_early_stopping {
  int64_t patience;     /* evaluations without improvement; 0: never stop */
  const char *metric;   /* the name of the watched result */
  gt_result_id watched; /* set once the data is known */
  double min_delta, goal;
  bool has_goal, restore_best;
} gt_early_stopping;

/* Metrics that evaluations compute besides loss and accuracy, in the order of requests. */
typedef struct gt_metric_list {
  int count;
  const struct gt_metric_type *type[GT_METRIC_MAX];
} gt_metric_list;

typedef struct gt_checkpoint_config {
  int64_t every, keep_last; /* every: in epochs or steps, like the length; -1: with each evaluation */
  bool keep_best;
} gt_checkpoint_config;

typedef struct gt_threshold {   /* threshold.h */
  bool used;                    /* the config has `eval.threshold` */
  bool automatic;               /* the end of training chooses the thresholds */
  double given;                 /* otherwise: the number in the config, for all labels; 0: none */
  int count;                    /* number of thresholds: 1, or one per label (multi-label) */
  double *value;                /* [count], 0: not chosen yet; in the arena of the diagnostics */
  const gt_metric_type *metric; /* the metric that the choice maximizes */
  gt_position at;
} gt_threshold;

typedef struct gt_train_config {
  int64_t epochs, steps; /* the length; exactly one is nonzero, unless there are phases */
  const gt_spec *phases;
  int64_t eval_samples; /* number of windows of a text that an evaluation reads; 0: all */
  int64_t batch_size, eval_batch_size;
  int64_t eval_every;    /* in epochs or steps, like the length; 0: only at the end */
  int64_t log_every;     /* in steps; 0: with each evaluation */
  int64_t threads;       /* of the CPU; 0: the default */
  int64_t accumulate;    /* number of batches of a step */
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
  const char *resolved; /* the resolved config, a YAML text */
  int64_t seed;
  gt_precision products; /* precision of matrix products, forward and backward */
  gt_train_config train;
  const gt_optim *optim;
  const gt_loss *loss[GT_DATA_MAX_TARGETS]; /* of each target; loss[0] NULL: not read */
  const gt_augment_list *augment;           /* augmentation of the training samples; NULL: none */
  gt_metric_list *metrics;                  /* of each target; shared with the phases */
  bool flips; /* evaluations and predictions average the outputs for each sample and its mirror image */
  gt_threshold threshold;
  struct gt_init_from *init_from; /* or NULL */
  gt_dataset dataset;
  bool has_dataset, outline; /* outline: the values of the data are not needed */
  struct gt_config *phase;   /* the configs of train.phases; then this config equals phase[0] */
  int phases;                /* number of phases; 0: train.phases is not used */
  gt_change change;          /* the change at the start of this phase */
  gt_position at;            /* of a phase in train.phases */
  gt_position batch_at;      /* where a phase sets batch_size or accumulate; line 0: no phase does */
  gt_diagnostics diagnostics;
} gt_config;

/* Division of an epoch into `steps` steps of `parts` batches of `batch` samples (phases.c). batch and parts
 * are the settings, reduced to what the samples suffice for. */
typedef struct gt_batching {
  int64_t batch, parts, steps;
} gt_batching;
gt_batching gt_batching_of(int64_t samples, int64_t batch, int64_t parts);

extern const gt_schema gt_config_schema; /* the top level, in which sections of other rooms are plain nodes */
extern const gt_schema gt_train_schema;
extern const gt_schema gt_precision_schema;
extern const gt_schema gt_eval_schema;

/* Reads a file, with --set overrides. False on errors, which are in config->diagnostics or, if a file could
 * not be read, in *error. outline: the caller does not need the values of the data (gt_data_requirements);
 * they are read only if the config needs them. */
bool gt_config_read(gt_config *config, gt_arena *arena, const char *path, bool outline,
                    const char *const *overrides, int count, gt_error *error);

/* The same for the config in a model file, to evaluate that model: data is read as during its training. name:
 * of the file, for messages. */
bool gt_config_parse(gt_config *config, gt_arena *arena, const char *name, const char *text,
                     const gt_data_requirements *wanted, const char *const *overrides, int count,
                     gt_error *error);
/* The same for predictions: reads only what defines the model, and opens no data. False on errors, which are
 * in config->diagnostics. */
bool gt_config_parse_model(gt_config *config, gt_arena *arena, const char *name, const char *text,
                           const gt_data_signature *signature);
/* Silences the findings in the config's `quiet:`; accepts NULL. */
void gt_config_silence(const gt_spec *root, gt_diagnostics *diagnostics);
/* Makes evaluations compute a metric of a target. Returns NULL, or for a message why they cannot: "needs
 * class labels". Does not check whether the model has a soft and a hard form. */
const char *gt_config_add_metric(gt_config *config, int target, const gt_metric_kind *kind);
/* The same for the name of a result. With several targets the name has a target ("load.mae"), or it is the
 * objective ("loss") or a metric that only one target can have, whose result is then *out. */
const char *gt_config_add_result(gt_config *config, const char *name, gt_result_id *out);
/* Sets train.early_stopping.watched, or reports why the model has no such result. hard: some layer has a hard
 * form. */
void gt_config_check_watched(gt_config *config, bool hard, gt_diagnostics *diagnostics);
void gt_config_finish(gt_config *config); /* accepts a zeroed config */
/* Prints diagnostics and error; returns the exit code, of the diagnostics if they have errors. */
int gt_config_report(gt_config *config, const gt_error *error);
/* Reports errors of model and loss: also of shapes if the data could be opened, otherwise only of keys
 * (config_check.c). untrusted: messages contain no names or values of the data, because the model file that
 * names the data is not trusted. */
void gt_config_check_model(gt_config *config, bool untrusted, gt_arena *arena);
/* Plans the augmentation of the training samples; config->augment is not NULL. False after reporting why it
 * is impossible. */
bool gt_config_augment(const gt_config *config, gt_augment_plan *out, gt_diagnostics *diagnostics);
/* Reports errors and findings of the augmentation, if there is one. */
void gt_config_check_augment(const gt_config *config, gt_diagnostics *diagnostics);
/* Checks that samples can be mirrored, if `eval.flip` requires it. False after reporting an error. */
bool gt_config_check_flip(const gt_config *config, gt_diagnostics *diagnostics);
/* Applies an assignment a.b.c=VALUE, or an entry whose key is a path (config_short.c). The path contains the
 * number of a layer, or its name as `gtrain check` prints it. Short forms along the path, such as `optimizer:
 * adam`, become maps. The options "--init=FILE" and "--data=FILE" stand for assignments of any text. */
void gt_config_override(gt_arena *arena, gt_spec *root, const char *assignment, gt_diagnostics *diagnostics);
void gt_config_set(gt_arena *arena, gt_spec *root, const gt_spec *entry, gt_diagnostics *diagnostics);
/* For phases (phases.c): reads the sections that a phase can change (train, optimizer, schedule, augment),
 * and builds the model; NULL after reporting an error. */
void gt_config_read_sections(gt_config *config, gt_arena *arena, gt_diagnostics *diagnostics);
struct gt_model *gt_config_build_model(gt_config *config, gt_arena *arena, gt_diagnostics *diagnostics);
/* The resolved config (config_resolve.c). */
const char *gt_config_resolve(const gt_config *config, gt_arena *arena);
#endif
