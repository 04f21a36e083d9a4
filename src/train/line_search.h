/* Steps with a line search: L-BFGS (optim/lbfgs.h). A step evaluates all training data several times, in
 * batches whose gradients are added up (net.h). In between the host decides from a few numbers; vectors stay
 * on the device. Stages: "trial" sets the parameters to x + t d and clears the sums; "gradient" is replayed
 * for each batch; "measure" computes the gradient of the mean loss and the numbers that the host needs;
 * "accept" updates x and the basis, and adds the last pair to the history if the control says so; "direct"
 * computes d, the product of the host's coefficients and the basis. Between steps the state consists of the
 * parameters (x), the basis, and small slots that the host writes. */
#ifndef GT_TRAIN_LINE_SEARCH_H
#define GT_TRAIN_LINE_SEARCH_H
#include "train/net.h"

enum {
  GT_LINE_SEARCH_TRIAL,
  GT_LINE_SEARCH_MEASURE,
  GT_LINE_SEARCH_ACCEPT,
  GT_LINE_SEARCH_DIRECT,
  GT_LINE_SEARCH_STAGES
};
/* Results of "measure", and the control values that the host writes. */
enum {
  GT_MEASURED_LOSS,
  GT_MEASURED_DIVISOR, /* of the loss */
  GT_MEASURED_CORRECT,
  GT_MEASURED_SLOPE,
  GT_MEASURED_LARGEST,
  GT_MEASURED_L1,
  GT_MEASURED_DIRECTION,
  GT_MEASURED
};
enum { GT_CONTROL_T, GT_CONTROL_JOINS, GT_CONTROL };

typedef struct gt_line_search_net {
  gt_stage stage[GT_LINE_SEARCH_STAGES];
  int history;
} gt_line_search_net;

/* Adds the stages to a net whose stage "gradient" is built. */
bool gt_line_search_build(gt_net *net, gt_arena *arena, const gt_config *config,
                          const gt_net_options *options, gt_error *error);
#endif
