/* Optimizers. An optimizer is one constant row (GT_DEFINE(optim, NAME) = {…}): its settings, the scalars it
 * needs each step, and a function that emits the update of one contiguous range of parameters. All nodes of
 * an update are elementwise over that range, so they become one fused kernel if they keep within a program's
 * limits (8 inputs, 4 outputs, 32 instructions). Formulas are PyTorch's. Sources: Sutskever et al. 2013
 * (momentum, Nesterov), Kingma and Ba 2015 (Adam), Loshchilov and Hutter 2019 (AdamW), Tieleman and Hinton
 * 2012 (RMSprop), Chen et al. 2023 (Lion). For L-BFGS see lbfgs.h. */
#ifndef GT_OPTIM_OPTIM_H
#define GT_OPTIM_OPTIM_H
#include "base/register.h"
#include "graph/graph.h"
#include "optim/schedule.h"
#include "spec/schema.h"

typedef struct gt_optim_context gt_optim_context; /* the update of one range of parameters (training.c) */

typedef struct gt_optim_common { /* the first members of every optimizer's settings */
  double lr, weight_decay;
} gt_optim_common;

/* A number that changes with the step. The host computes it in double from the settings, the learning rate of
 * the step and the step's number t, which begins at 1. */
typedef double (*gt_optim_scalar_fn)(const void *config, double lr, uint64_t t);
enum { GT_OPTIM_SCALARS = 4 };

/* Schema rows for the settings of every optimizer; a config struct begins with gt_optim_common. */
#define GT_OPTIM_LR(standard)                                                             \
  GT_ROW(gt_optim_common, lr, GT_FIELD_FLOAT, .fallback = standard, .min = 0, .max = 1e6, \
         .help = "learning rate", .flags = GT_FIELD_OPEN_MIN)
#define GT_OPTIM_WEIGHT_DECAY(standard, text)                                                       \
  GT_ROW(gt_optim_common, weight_decay, GT_FIELD_FLOAT, .fallback = standard, .min = 0, .max = 1e6, \
         .help = text)

typedef struct gt_optim_type {
  const char *name, *help;
  const gt_schema *schema; /* with rows for lr and weight_decay, whose defaults differ */
  size_t config_size;
  gt_optim_scalar_fn scalar[GT_OPTIM_SCALARS]; /* the first NULL ends the list */
  /* Checks settings that are valid one by one as a combination: returns what is wrong, or NULL. The pointer
   * is NULL if there is nothing to check. */
  const char *(*check)(const void *config);
  bool line_search; /* a line search (train/net/line_search.h) finds each step; update is NULL */
  /* parameter, gradient: F32 [n]. Returns the new parameter, F32 [n]. */
  gt_id (*update)(gt_optim_context *context, const void *config, gt_id parameter, gt_id gradient);
} gt_optim_type;

gt_graph *gt_optim_graph(const gt_optim_context *context);
/* The value of the state variable "optimizer.NAME" in this range before the step; initially 0. */
gt_id gt_optim_state(gt_optim_context *context, const char *name);
/* Sets the value of that variable after the step. */
void gt_optim_set_state(gt_optim_context *context, const char *name, gt_id value);
gt_id gt_optim_scalar(gt_optim_context *context, int index); /* this step's type->scalar[index], shape [] */
/* x + factor * y. Emits nothing for a factor of 0, and no multiplication for 1. */
gt_id gt_optim_add_scaled(gt_optim_context *context, gt_id x, double factor, gt_id y);
/* x + weight * (y - x); y itself for a weight of 1. */
gt_id gt_optim_lerp(gt_optim_context *context, gt_id x, gt_id y, double weight);
/* The scalar function that returns the learning rate itself. */
double gt_optim_learning_rate(const void *config, double lr, uint64_t t);

typedef struct gt_optim_group { /* parameters with settings of their own; group 0: all others */
  const char *match;            /* pattern of fnmatch(3) on "linear1.weight"; NULL for group 0 */
  gt_position at;
  bool frozen;
  const gt_optim_common *config; /* the type's settings with this group's own lr and weight_decay */
} gt_optim_group;

typedef struct gt_optim { /* the settings under `optimizer:` and `schedule:` */
  const gt_optim_type *type;
  const gt_optim_common *config;
  const gt_schedule *schedule;
  const gt_optim_group *group; /* [groups] a parameter is in the first group with a matching pattern */
  int groups;
  double clip_value, clip_norm, ema; /* 0: off */
  bool ema_statistics;               /* with ema: also average the layers' states */
} gt_optim;

int gt_optim_count(void);
const gt_optim_type *gt_optim_at(int index);
extern const gt_schema gt_optim_common_schema; /* keys that do not depend on the type: clip_norm, ema, … */
extern const gt_schema gt_optim_group_schema;  /* one entry of `parameters:` */

#define GT_OPTIM_STANDARD "adam" /* the default type */

/* Reads the root's `optimizer:` (default: GT_OPTIM_STANDARD) and `schedule:`; NULL after reporting errors. */
const gt_optim *gt_optim_read(gt_arena *arena, const gt_spec *root, gt_diagnostics *diagnostics);
/* The slot roles that have moving averages, as a bit mask. */
unsigned gt_optim_averages(const gt_optim *optim);
/* True if the group's pattern matches the parameter. */
bool gt_optim_matches(const gt_optim_group *group, const char *parameter);
/* Index of the parameter's group. */
int gt_optim_group_of(const gt_optim *optim, const char *parameter);
/* Number of columns in the clock's table (one row per step): the learning rate of group 0, then the type's
 * scalars for each group. */
int gt_optim_table_width(const gt_optim *optim);
#endif
