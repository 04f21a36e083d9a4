/* The table of a model's parameters and how they lie in the flat variable "parameters" (F32 [count]).
 * Gradients and optimizer state use the same layout, so that one optimizer group is one contiguous range of
 * each. Order in memory: group by group, frozen groups last; within a group first the parameters of a
 * multiple of GT_PARAMETER_ALIGN elements, then the others, each in the model's order. Every offset is a
 * multiple of GT_PARAMETER_ALIGN; the gaps that this leaves hold zeros and stay zero. Owner: the arena of the
 * model. */
#ifndef GT_OPTIM_PARAMETERS_H
#define GT_OPTIM_PARAMETERS_H
#include "graph/graph.h"
#include "spec/diagnostics.h"

struct gt_init;
struct gt_optim;

enum { GT_PARAMETER_ALIGN = 4 };
#define GT_PARAMETERS_VARIABLE "parameters"

typedef struct gt_parameter {
  const char *name; /* "linear1.weight" */
  gt_shape shape;
  int64_t count, offset; /* in elements of the flat variable */
  int group;             /* index into gt_parameters.group */
  const struct gt_init *init;
} gt_parameter;

typedef struct gt_parameter_group { /* one contiguous range */
  int64_t offset, count;
  bool frozen;
} gt_parameter_group;

typedef struct gt_parameters {
  gt_parameter *item; /* in the model's order */
  int count, capacity;
  int *order;                /* indices of items by ascending offset */
  gt_parameter_group *group; /* as in gt_optim.group; those nothing belongs to have count 0 */
  int groups;
  int64_t total;                    /* elements of the flat variable, gaps included */
  int64_t trainable;                /* the first so many are trained; the rest is frozen */
  int64_t values, trainable_values; /* the same without gaps: what users call the number of parameters */
} gt_parameters;

/* Sorts the parameters into the groups of `optim` (NULL: one group, nothing frozen) and gives each its
 * offset. */
void gt_parameters_layout(gt_parameters *parameters, const struct gt_optim *optim, gt_arena *arena);
/* Reports groups whose pattern matches no parameter, with the nearest name; false if there was one. */
bool gt_parameters_check_groups(const gt_parameters *parameters, const struct gt_optim *optim,
                                gt_diagnostics *diagnostics);
/* NULL if there is none of that name. */
const gt_parameter *gt_parameters_find(const gt_parameters *parameters, const char *name);
#endif
