/* gt_adapter: what lets layers adapt to the data between steps (gt_adaptation): a net that shows them a part
 * of the training data as they read it now, and their values on the host meanwhile. Owner: the run, by
 * generation. */
#ifndef GT_TRAIN_ADAPT_H
#define GT_TRAIN_ADAPT_H
#include "train/session.h"

typedef struct gt_adapter {
  gt_net *net; /* NULL: no layer adapts */
  gt_executable *executable;
} gt_adapter;

struct gt_run;
bool gt_adapter_open(struct gt_run *run, gt_error *error);
/* The first step after `step` at which a layer adapts: INT64_MAX if none does. */
int64_t gt_adapter_next(const struct gt_run *run, int64_t step);
/* Adapts the layers that do so at the present step, unless that has been done. */
bool gt_run_adapt(struct gt_run *run, gt_error *error);
#endif
