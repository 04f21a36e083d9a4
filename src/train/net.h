/* gt_net: what a run replays, from data to log row: the training step, in one stage or several, or an
 * evaluation of one split. The variables of its graphs are shared by name between nets (store/buffers.h):
 * data.SPLIT.inputs and data.SPLIT.targets are the samples in their stored type (window.SPLIT.inputs and
 * window.SPLIT.targets where they come through a window), data.scaling the
 * normalisation of the inputs (data.SPLIT.inputs.NAME and data.scaling.NAME of those that have names);
 * KIND.state, KIND.table and KIND.log the clock's, where KIND is train,
 * eval.SPLIT or eval.SPLIT.hard; KIND.outputs those of a batch, in the log's place where a split has no
 * targets; KIND.confusion how often which class was taken for which; the others are the store's
 * (store/store.h). Owner: the arena. */
#ifndef GT_TRAIN_NET_H
#define GT_TRAIN_NET_H
#include "model/model.h"
#include "op/batch.h"
#include "optim/training.h"
#include "backend/backend.h"
#include "train/config.h"
#include "train/feed.h"
#include "train/samples.h"

enum { GT_TABLE_ROWS = 4096, GT_LOG_ROWS = 8192 };
/* Columns of a log row; of an evaluation's only the first two and the last two. -1: not there. */
typedef struct gt_log_columns {
  int loss, weight, ok, lr, norm, correct, divisor, error, count; /* error: of evaluations */
} gt_log_columns;

/* What is replayed so many times in a step, one stage after the other. One stage does all, unless gradients
 * are accumulated: then "gradient" adds those of one batch to the variable "train.gradient", and "update"
 * takes that. */
typedef struct gt_stage {
  gt_graph *graph;
  gt_plan *plan;
  uint32_t times;
  gt_executable *executable;
} gt_stage;
enum { GT_MOST_STAGES = 2 };

/* What batches of one step add up to, in the layout of the trained parameters and as sums; zero between
 * steps. */
#define GT_GRADIENT_VARIABLE "train.gradient"
#define GT_SUMS_VARIABLE     "train.sums"
enum { GT_SUM_LOSS, GT_SUM_WEIGHT, GT_SUM_CORRECT, GT_SUM_DIVISOR, GT_SUMS }; /* the last of gt_net.weighs */

typedef struct gt_net {
  const char *kind;  /* "train", "eval.test" */
  const char *state; /* the clock's variable, set again for each evaluation */
  const char *split; /* "train", "validation", "test" */
  const gt_split *data;
  gt_stage stage[GT_MOST_STAGES]; /* in order; the last one writes the log */
  int stages;
  struct gt_line_search_net
      *search; /* of an optimizer that searches (line_search.h): the stage is the gradient's; else NULL */
  gt_model *model;
  gt_loss_nodes loss;   /* where there are targets */
  gt_id output;         /* where there are none, as in gt_forward; else GT_NONE */
  gt_training training; /* training only */
  bool weighs; /* losses are divided by something else than the number of samples (gt_loss_nodes.divisor) */
  int64_t counted;       /* classes whose answers are counted */
  const char *confusion; /* the variable that counts answers (op/confusion.h); NULL: none does */
  bool draws;            /* rows in the order of training, not of the data */
  bool trains,
      hard; /* hard: evaluates the gates that a model has come to, not its mixtures (gt_build.hard) */
  gt_log_columns column;
  int64_t batch, parts, steps; /* batches of a step; steps in an epoch */
  gt_batch_attribute order;    /* of the samples; with a window, they come through it */
  gt_feed *feed;               /* the session's, that fills the window; NULL: there is none */
  int64_t first_step, first_epoch;
  uint64_t draw; /* the seed of its constants */
  uint32_t log_rows;
  int table_width;
} gt_net;

typedef struct gt_net_work { /* of a step, all stages together */
  double flops;
  uint32_t kernels, levels; /* levels: without those beside others of the step before */
  uint32_t tuned;           /* choices whose answer was found by timing */
} gt_net_work;
gt_net_work gt_net_work_of(const gt_net *net);
/* Rows of a step. */
static inline int64_t gt_net_rows(const gt_net *net) { return net->batch * net->parts; }

/* Batches of the windows that splits come through; 0: the split lies on the device. */
typedef struct gt_windows {
  uint32_t train, validation, test;
} gt_windows;

typedef struct gt_net_options {
  gt_target target;
  const gt_tuned *tuned; /* ways of the step that were found best (train/tune.h); or NULL */
  bool unfused;          /* no fusion, no reuse of memory */
  bool hard;             /* evaluations: see gt_net.hard */
  unsigned averaged;     /* evaluations: see gt_model_mode */
  bool confusion;        /* evaluations: count answers, where there are classes, and not too many */
  bool unplanned;        /* graphs only, for gt_net_adopt */
  gt_windows windows;
  const uint64_t *draw;            /* the seed that constants are drawn by; NULL: the config's */
  int64_t first_step, first_epoch; /* training: where the phase begins (op/batch.h) */
  const gt_id *keep;
  int keep_count;
} gt_net_options;

/* Those two variables, declared in a stage's graph. */
uint32_t gt_net_gradient(const gt_net *net, gt_graph *graph);
uint32_t gt_net_sums(const gt_net *net, gt_graph *graph);
/* One of the sums, a scalar. */
gt_id gt_net_sum(const gt_net *net, gt_graph *graph, int which);
void gt_net_clear_sums(const gt_net *net, gt_graph *graph); /* sets both to zero */
/* What makes of the summed gradient that of the mean loss, a scalar; GT_NONE where the sum is what is asked
 * for. */
gt_id gt_net_gradient_scale(const gt_net *net, gt_graph *graph, const gt_loss *loss, gt_id divisor);

/* NULL on failure: the reason is in config->diagnostics or *error. */
gt_net *gt_net_training(gt_arena *arena, gt_config *config, const gt_net_options *options, gt_error *error);
gt_net *gt_net_evaluation(gt_arena *arena, gt_config *config, const char *split,
                          const gt_net_options *options, gt_error *error);
/* One batch of the training data, of at most so many samples, as layers want to see it that adapt to it
 * (gt_adaptation): of each one's sample the variable GT_SAMPLE_VARIABLE, a number behind it, holds the rows.
 * Its clock counts such batches. */
#define GT_SAMPLE_VARIABLE "sample.%d"
gt_net *gt_net_sampling(gt_arena *arena, gt_config *config, int64_t samples, const gt_net_options *options,
                        gt_error *error);
/* Gives an unplanned net the plans and executables of another; false if it does not compute the same. */
bool gt_net_adopt(gt_net *net, const gt_net *planned);
/* Plans a stage (again): options->keep may name nodes of its graph. */
bool gt_net_plan(gt_stage *stage, gt_arena *arena, const gt_net_options *options, gt_error *error);
/* "train.log" and so on, in the arena. */
const char *gt_net_variable(const gt_net *net, gt_arena *arena, const char *name);
const gt_split *gt_dataset_split(const gt_dataset *dataset, const char *name); /* NULL if unknown or absent */

gt_samples gt_net_samples(const gt_net *net, const gt_dataset *dataset, gt_arena *arena);
const char *gt_net_targets(const gt_net *net, gt_arena *arena); /* their variable */
uint32_t *gt_windows_of(gt_windows *windows, const char *split);

/* Queues so many steps of a net, whose executable that is; through it come its samples. net NULL: the
 * executable reads none. */
bool gt_net_run(const gt_net *net, gt_backend *backend, gt_executable *executable, uint32_t times,
                uint64_t *ticket, gt_error *error);
/* … replays of one of its stages. */
bool gt_net_run_stage(const gt_net *net, gt_backend *backend, int stage, uint32_t times, uint64_t *ticket,
                      gt_error *error);
#endif
