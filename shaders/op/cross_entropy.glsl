#include "lib/labels.h"
/* Value of a row whose label is none of the classes. */
float gt_no_label(uint label) { return label == GT_LABEL_IGNORED ? 0.0 : gt_nan(); }

/* d loss / d logit, of a row whose largest logit and whose sum of exponentials above that are known: `all` is the sum of
 * the row's targets, `target` the logit's own. Include after lib/math.glsl. */
V gt_cross_entropy_slope(V logit, float largest, float sum, float all, V target, float factor) {
  return (gt_exp(logit - largest) / sum * all - target) * factor;
}
