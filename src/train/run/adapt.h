/* gt_adapter: lets layers adapt to the training data between steps (gt_adaptation), for example a KAN's grid.
 * A net evaluates the layers on training samples; then the host changes the layers' parameters. Owner: the
 * run, one per generation. */
#ifndef GT_TRAIN_ADAPT_H
#define GT_TRAIN_ADAPT_H
#include "train/net/session.h"

typedef struct gt_adapter {
  gt_net *net; /* NULL: no layer adapts */
  gt_executable *executable;
} gt_adapter;

struct gt_run;
bool gt_adapter_open(struct gt_run *run, gt_error *error);
/* The first step after `step` at which a layer adapts: INT64_MAX if none does. */
int64_t gt_adapter_next(const struct gt_run *run, int64_t step);
/* Adapts the layers that are due at the current step, unless the run did so before it was resumed. */
bool gt_run_adapt(struct gt_run *run, gt_error *error);
#endif
