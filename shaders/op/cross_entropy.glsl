#include "lib/labels.h"
/* The loss, gradient or class weight of a row whose label is not a class: 0 if the row is ignored, otherwise NaN. */
float gt_no_label(uint label) { return label == GT_LABEL_IGNORED ? 0.0 : gt_nan(); }

/* factor * d loss / d logit, given the largest logit of the row and `sum`, the sum of exp(logit - largest) over the
 * row. target_sum: the sum of the row's targets; target: the target of this logit. Include after lib/math.glsl. */
V gt_cross_entropy_slope(V logit, float largest, float sum, float target_sum, V target, float factor) {
  return (gt_exp(logit - largest) / sum * target_sum - target) * factor;
}
