/* gt_config: a whole config file, read and checked: its top-level keys, the `train:` section, and what the
 * other rooms made of theirs (optimizer, loss, dataset). All errors of the file are found in one pass. The
 * resolved config is the same with every default written out, except `train.threads`, which changes no
 * result, and `precision` where it is the default; parsing it again gives the same text. Owner: its arena and
 * gt_config_finish. */
#ifndef GT_TRAIN_CONFIG_H
#define GT_TRAIN_CONFIG_H
#include "augment/augment.h"
#include "data/data.h"
#include "loss/loss.h"
#include "optim/optim.h"
#include "train/change.h"

struct gt_init_from;

typedef struct gt_early_stopping {
  int64_t patience; /* 0: off */
  const char
      *metric; /* "loss" or "accuracy"; of gates also "soft_…", and "hard_…", which is the plain name */
  const struct gt_metric_kind *watched; /* that metric; NULL when it could not be read */
  double min_delta, goal;
  bool has_goal, restore_best;
} gt_early_stopping;

typedef struct gt_checkpoint_config {
  int64_t every, keep_last; /* every -1: with each evaluation */
  bool keep_best;
} gt_checkpoint_config;

typedef struct gt_train_config {
  int64_t epochs, steps; /* exactly one is not 0, unless there are phases */
  const gt_spec *phases;
  int64_t batch_size, eval_batch_size, eval_every, log_every, threads;
  int64_t accumulate;    /* batches of a step */
  int64_t restart_every; /* in the unit of the length; 0: never */
  bool recompute;        /* see gt_build */
  gt_early_stopping early_stopping;
  gt_checkpoint_config checkpoint;
} gt_train_config;

typedef struct gt_config {
  const char *path; /* as the user named it; "-": standard input */
  const char *name; /* the file's name without folder and ending, or "stdin" */
  gt_spec *root;
  const char *resolved; /* YAML text */
  int64_t seed;
  gt_precision products; /* of the model's products, forwards and backwards */
  gt_train_config train;
  const gt_optim *optim;
  const gt_loss *loss;
  const gt_augment_list *augment; /* of the training samples; NULL: they are taken as they are */
  bool flips; /* evaluations and predictions average over each sample and its mirror image */
  struct gt_init_from *init_from; /* or NULL */
  gt_dataset dataset;
  bool has_dataset, outline; /* outline: of its data no values are needed */
  struct gt_config *phase;   /* those of train.phases; the config itself is then as the first of them */
  int phases;                /* 0: there are none */
  gt_change change;          /* that a phase begins with */
  gt_diagnostics diagnostics;
} gt_config;

/* How samples make up the steps of an epoch: so many parts of a batch each, none larger than there is need.
 */
typedef struct gt_batching {
  int64_t batch, parts, steps;
} gt_batching;
gt_batching gt_batching_of(int64_t samples, int64_t batch, int64_t parts);

extern const gt_schema gt_config_schema; /* the top level; sections of other rooms are raw nodes */
extern const gt_schema gt_train_schema;
extern const gt_schema gt_precision_schema;
extern const gt_schema gt_eval_schema;

/* Reads a file with --set overrides. False on any error: in config->diagnostics or, for files, in *error.
 * outline: of the data no values are needed (gt_data_wanted), as long as nothing else in the config does. */
bool gt_config_read(gt_config *config, gt_arena *arena, const char *path, bool outline,
                    const char *const *overrides, int count, gt_error *error);

/* The same from the config inside a model, for evaluating that model: data is read as the model was taught.
 * `name` is the file's, for messages. */
bool gt_config_parse(gt_config *config, gt_arena *arena, const char *name, const char *text,
                     const gt_data_wanted *wanted, const char *const *overrides, int count, gt_error *error);
/* The same for predictions: only what says what the model computes is read, and no data is opened. False on
 * any error, which is in config->diagnostics. */
bool gt_config_parse_model(gt_config *config, gt_arena *arena, const char *name, const char *text,
                           bool classification);
/* Silences the findings that the config's `quiet:` names; accepts NULL. */
void gt_config_silence(const gt_spec *root, gt_diagnostics *diagnostics);
void gt_config_finish(gt_config *config); /* accepts a zeroed one */
/* Prints diagnostics and error; returns the exit code: that of the diagnostics, else the error's own. */
int gt_config_report(gt_config *config, const gt_error *error);
/* Reports what is wrong with model and loss: with their shapes if the data could be opened, else the keys
 * alone (config_check.c). advice: what helps outputs that do not fit the targets (gt_class_advice); may be
 * NULL. */
void gt_config_check_model(gt_config *config, const char *advice, gt_arena *arena);
/* How the training samples are changed, where there is an `augment:`; false after reporting why they cannot
 * be. */
bool gt_config_augment(const gt_config *config, gt_augment_plan *out, gt_diagnostics *diagnostics);
/* Reports that, and what else is wrong with it. */
void gt_config_check_augment(const gt_config *config, gt_diagnostics *diagnostics);
/* Can samples be mirrored, if they are to be? False after reporting. */
bool gt_config_check_flip(const gt_config *config, gt_diagnostics *diagnostics);
/* Sets what an assignment a.b.c=VALUE, or an entry whose key is a path, says (config_short.c). A layer is a
 * number or a name, as `check` prints it. Short forms on the way, as the `adam` of `optimizer: adam`, become
 * the maps that they stand for. */
void gt_config_override(gt_arena *arena, gt_spec *root, const char *assignment, gt_diagnostics *diagnostics);
void gt_config_set(gt_arena *arena, gt_spec *root, const gt_spec *entry, gt_diagnostics *diagnostics);
/* What --set is given to set a path of the config to a text, whatever that holds. In the arena. */
const char *gt_config_assign(gt_arena *arena, const char *path, const char *text);
/* For phases (phases.c): reads the sections that a phase may have otherwise, train, optimizer, schedule
 * and augment; and builds the model alone, NULL after reporting. */
void gt_config_read_sections(gt_config *config, gt_arena *arena, gt_diagnostics *diagnostics);
struct gt_model *gt_config_build_model(gt_config *config, gt_arena *arena, gt_diagnostics *diagnostics);
/* The resolved config (config_resolve.c). */
const char *gt_config_resolve(const gt_config *config, gt_arena *arena);
/* Does this text begin as resolved configs do, those of older versions too? */
bool gt_config_is_resolved(const char *text);
#endif
