/* Steps with a line search: L-BFGS (optim/lbfgs.h). A step evaluates all training data several times, in
 * batches whose gradients are added (net.h). Between evaluations the host decides from a few numbers; vectors
 * stay on the device. Stages: "trial" sets the parameters to x + t d and clears the sums; "gradient" is
 * replayed for each batch; "measure" computes the gradient of the mean loss and the numbers that the host
 * needs; "accept" updates x and the basis, and appends the last pair to the history if the control says so;
 * "direct" computes d, the product of the host's coefficients and the basis. Between steps the state consists
 * of the parameters (x), the basis, and small slots that the host writes. */
#ifndef GT_TRAIN_LINE_SEARCH_H
#define GT_TRAIN_LINE_SEARCH_H
#include "train/net/net.h"

enum {
  GT_LINE_SEARCH_TRIAL,
  GT_LINE_SEARCH_MEASURE,
  GT_LINE_SEARCH_ACCEPT,
  GT_LINE_SEARCH_DIRECT,
  GT_LINE_SEARCH_STAGES
};
/* Results of "measure" at a trial. */
enum {
  GT_MEASURED_LOSS,      /* sum of the losses */
  GT_MEASURED_DIVISOR,   /* of the loss */
  GT_MEASURED_CORRECT,   /* sum of correct predictions */
  GT_MEASURED_SLOPE,     /* gradient times d */
  GT_MEASURED_LARGEST,   /* largest magnitude in the gradient */
  GT_MEASURED_L1,        /* sum of the magnitudes in the gradient */
  GT_MEASURED_DIRECTION, /* largest magnitude in d */
  GT_MEASURED
};
/* Control values that the host writes: the step length t; 1 if the last pair is appended to the history. */
enum { GT_CONTROL_T, GT_CONTROL_APPENDS, GT_CONTROL };

typedef struct gt_line_search_net {
  gt_stage stage[GT_LINE_SEARCH_STAGES];
  int history;
} gt_line_search_net;

/* Adds the stages to a net whose stage "gradient" is built. */
bool gt_line_search_build(gt_net *net, gt_arena *arena, const gt_config *config,
                          const gt_net_options *options, gt_error *error);
#endif
