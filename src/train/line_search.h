/* Steps that are found by trying: L-BFGS (optim/lbfgs.h). A step evaluates the whole training data several
 * times, in batches whose gradients add up (net.h), and the host decides in between on a few numbers; all
 * vectors stay on the device. Stage "trial" sets the parameters to x + t d and clears the sums; then
 * "gradient" is replayed for each batch; "measure" makes the gradient of the mean loss and what the host
 * wants to know of it; "accept" moves x and the basis on, and lets the last pair join the history if told to;
 * "direct" makes d, the coefficients that the host gives times the basis. Between steps the state is the
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
/* What "measure" tells; and the control that the host writes. */
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

/* Adds the stages to a net whose "gradient" is built. */
bool gt_line_search_build(gt_net *net, gt_arena *arena, const gt_config *config,
                          const gt_net_options *options, gt_error *error);
#endif
