/* gt_net: the graphs that a run replays, from the data to a row of the log: the training step, in one stage
 * or several, or the evaluation of a split. Nets share variables by name (store/buffers.h):
 *    data.SPLIT.inputs, data.SPLIT.targets       samples in their stored type (with .NAME for named ones)
 *    window.SPLIT.inputs, window.SPLIT.targets   the same if they are streamed through a window
 *    data.SPLIT.starts                           first rows of the windows of a series
 *    data.SPLIT.weights, window.SPLIT.weights    weights of the samples, if the data has them
 *    data.scaling                                normalization of the inputs (with .NAME for named ones)
 *    data.target_scaling                         scaling of the targets, if they are scaled (with .NAME)
 *    KIND.state, KIND.table                      state of the clock, and values of the schedule;
 *                                                KIND: train, eval.SPLIT, eval.SPLIT.hard or
 *                                                sample (gt_net_adaptation)
 *    KIND.log                                    the log, a row per step
 *    KIND.outputs                                without targets: outputs of a batch, instead of a log
 *    KIND.confusion                              counts of the confusion matrix
 *    KIND.scores                                 predictions of a batch, for metrics that need all of them
 *                                                (these three with .NAME for named targets)
 *    eval.shift                                  added to the logits for accuracy and metrics (threshold.h)
 *
 * The other variables are those of the store (store/store.h). Owner: the arena. */
#ifndef GT_TRAIN_NET_H
#define GT_TRAIN_NET_H
#include "model/model.h"
#include "op/batch.h"
#include "optim/training.h"
#include "backend/backend.h"
#include "train/config/config.h"
#include "train/net/feed.h"
#include "train/config/results.h"
#include "train/net/samples.h"

enum {
  GT_TABLE_ROWS = 4096,
  GT_LOG_ROWS = 8192
}; /* steps in the rings KIND.table and KIND.log of training */
/* Columns of a log row; -1: absent. In training: loss, weight, ok, lr, norm, correct, divisor; in
 * evaluations: loss, weight, correct, divisor. Then loss, weight, correct and divisor of the other targets,
 * and the sums of the metrics of all targets. sum: by gt_sum_kind; metrics: the first sum of each target's.
 */
typedef struct gt_log_columns {
  int sum[GT_DATA_MAX_TARGETS][GT_SUMS], metrics[GT_DATA_MAX_TARGETS];
  int ok, lr, norm, count;
} gt_log_columns;

/* A graph that is replayed `times` times per step; stages run one after the other. There is one stage unless
 * gradients are accumulated: then the stage "gradient" adds the gradient of one batch to the variable
 * "train.gradient", and the stage "update" uses the sum. */
typedef struct gt_stage {
  gt_graph *graph;
  gt_plan *plan;
  uint32_t times;
  gt_executable *executable;
} gt_stage;
enum { GT_MAX_STAGES = 2 };

/* Sums over the batches of a step: gradients in the layout of the trained parameters, and scalars. 0 between
 * steps, except with a line search. */
#define GT_GRADIENT_VARIABLE "train.gradient"
#define GT_SUMS_VARIABLE     "train.sums"

#define GT_SHIFT_VARIABLE "eval.shift"

typedef struct gt_net_target {
  const char *name;      /* NULL: the only target */
  gt_loss_nodes loss;    /* if the data has targets */
  gt_id output;          /* if it has none: as in gt_forward_target; otherwise GT_NONE */
  int64_t items;         /* number of items per sample, if there are metrics */
  int64_t counted;       /* number of classes of the confusion matrix */
  float confusion_scale; /* integers per unit of weight in its sums (op/confusion.h); 0: it only counts */
  const char *confusion; /* variable of the confusion matrix (op/confusion.h); NULL: none */
  gt_metric_set metrics; /* of evaluations */
  const char *scores;    /* variable of a batch's predictions, [items of a batch, metrics.outputs]; or NULL */
} gt_net_target;

typedef struct gt_net {
  const char *kind;  /* "train", "eval.test": KIND of its variables */
  const char *state; /* variable KIND.state, which is reset for each evaluation */
  int part;          /* the split that it reads */
  const gt_split *data;
  gt_stage stage[GT_MAX_STAGES]; /* in order; the last one writes the log */
  int stages;
  struct gt_line_search_net *search; /* line search (line_search.h), or NULL; the only stage is "gradient" */
  gt_model *model;
  int targets; /* at least 1 */
  gt_net_target target[GT_DATA_MAX_TARGETS];
  gt_result_form form;  /* how results are computed from the sums of its log */
  bool predicts;        /* the data has no targets: outputs instead of a log */
  gt_id objective;      /* as in gt_forward */
  gt_training training; /* only of training */
  bool may_be_empty;    /* all items of a batch may have weight 0 */
  gt_id weight;         /* F32 [B]: 0 for padding rows, 1 for others */
  bool shifted;         /* GT_SHIFT_VARIABLE is added to the logits for accuracy and metrics */
  bool shuffles;        /* samples in random order, as for training */
  bool trains, hard;    /* hard: evaluates the hard gates, not their mixtures (gt_build.hard) */
  gt_log_columns column;
  gt_shape item_shape[GT_DATA_MAX_TARGETS]; /* stage "gradient": shape of the items' weights in a batch */
  int64_t batch, parts, steps;              /* samples per batch; batches per step; steps per epoch */
  gt_batch_attribute order;                 /* order of the samples; with a window, they are streamed */
  const int32_t *members; /* for the balanced order (op/batch.h), in the arena; NULL: another order */
  uint32_t classes;       /* number of classes in the balanced order; 0: another order */
  gt_feed *feed;          /* fills the window (owned by the session); NULL: no window */
  int64_t first_step, first_epoch; /* of the phase */
  uint64_t draw;                   /* seed of its constants */
  uint32_t log_rows;
  int table_width; /* values in a row of KIND.table */
} gt_net;

typedef struct gt_net_work { /* of a step, for all stages together */
  double flops;
  uint32_t kernels, levels; /* levels: without those that run at the same time as the previous step */
  uint32_t tuned;           /* number of candidates chosen by gtrain tune */
} gt_net_work;
gt_net_work gt_net_work_of(const gt_net *net);
/* Samples per step. */
static inline int64_t gt_net_rows(const gt_net *net) { return net->batch * net->parts; }

/* Batches per window of each split; 0: the split is resident on the device. */
typedef struct gt_windows {
  uint32_t of[GT_PARTS];
} gt_windows;

typedef struct gt_net_options {
  gt_target target;
  const gt_tuned *tuned; /* tuned candidates for the step (train/bench/tune.h), or NULL */
  bool unfused;          /* no fusion and no reuse of memory */
  bool hard;             /* evaluations: see gt_net.hard */
  unsigned averaged;     /* evaluations: see gt_model_mode */
  bool scores;           /* evaluations: keep the predictions of a batch, even if no metric needs them */
  bool confusion;        /* evaluations: count a confusion matrix, if there are classes and not too many */
  bool unplanned;        /* graphs only, for gt_net_adopt */
  gt_windows windows;
  const uint64_t *draw;            /* seed for constants; NULL: the seed of the config */
  int64_t first_step, first_epoch; /* training: start of the phase (op/batch.h) */
  const gt_id *keep;               /* as in gt_plan_options */
  int keep_count;
} gt_net_options;

/* Declares GT_GRADIENT_VARIABLE and GT_SUMS_VARIABLE in a stage's graph. */
uint32_t gt_net_gradient(const gt_net *net, gt_graph *graph);
uint32_t gt_net_sums(const gt_net *net, gt_graph *graph);
/* One of the sums of a target, as a scalar. */
gt_id gt_net_sum(const gt_net *net, gt_graph *graph, int target, int which);
/* Sets the gradient and all sums to 0. */
void gt_net_clear_sums(const gt_net *net, gt_graph *graph);
/* The scalar by which the summed gradient is multiplied to get the gradient of the mean loss; GT_NONE if the
 * loss needs the sum. */
gt_id gt_net_gradient_scale(const gt_net *net, gt_graph *graph, const gt_loss *loss, gt_id divisor);

/* The sums in a row of the log, for one step. */
gt_sums gt_net_sums_of(const gt_net *net, const float *row);

/* NULL on errors, which are in config->diagnostics or *error. */
gt_net *gt_net_training(gt_arena *arena, gt_config *config, const gt_net_options *options, gt_error *error);
gt_net *gt_net_evaluation(gt_arena *arena, gt_config *config, int part, const gt_net_options *options,
                          gt_error *error);
/* Builds the training step of each phase as the run does later, to report its errors before the run. False
 * after reporting that a phase cannot start. */
bool gt_phases_can_start(gt_config *config, gt_arena *arena);
/* A net that evaluates the layers that adapt (gt_adaptation) on one batch of at most `samples` training
 * samples: variable GT_SAMPLE_VARIABLE gets the rows of each adaptation, by its number. The clock counts
 * these batches. */
#define GT_SAMPLE_VARIABLE "sample.%d"
gt_net *gt_net_adaptation(gt_arena *arena, gt_config *config, int64_t samples, const gt_net_options *options,
                          gt_error *error);
/* Copies plans and executables from another net to an unplanned net. False if their graphs differ. */
bool gt_net_adopt(gt_net *net, const gt_net *planned);
/* Plans a stage, or plans it again: options->keep may list nodes of its graph. */
bool gt_net_plan(gt_stage *stage, gt_arena *arena, const gt_net_options *options, gt_error *error);
/* KIND.NAME, such as "train.log", in the arena. */
const char *gt_net_variable(const gt_net *net, gt_arena *arena, const char *name);

gt_samples gt_net_samples(const gt_net *net, const gt_dataset *dataset);

/* The variable of a target's outputs, in a net that predicts. */
const char *gt_net_output_variable(const gt_net *net, int target, gt_arena *arena);

/* Queues `times` steps of a net, `executable`, and streams its samples if necessary. net NULL: the executable
 * reads no samples. */
bool gt_net_run(const gt_net *net, gt_backend *backend, gt_executable *executable, uint32_t times,
                uint64_t *ticket, gt_error *error);
/* The same for replays of one stage. */
bool gt_net_run_stage(const gt_net *net, gt_backend *backend, int stage, uint32_t times, uint64_t *ticket,
                      gt_error *error);
#endif
