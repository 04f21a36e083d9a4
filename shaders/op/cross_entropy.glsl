#include "lib/labels.h"
/* The value for a row whose label is not a class: 0 if it is ignored, else NaN. */
float gt_no_label(uint label) { return label == GT_LABEL_IGNORED ? 0.0 : gt_nan(); }

/* factor * d loss / d logit, given the largest logit of the row and sum = sum of exp(logit - largest). all: the sum of the
 * row's targets; target: that of this logit. Include after lib/math.glsl. */
V gt_cross_entropy_slope(V logit, float largest, float sum, float all, V target, float factor) {
  return (gt_exp(logit - largest) / sum * all - target) * factor;
}
