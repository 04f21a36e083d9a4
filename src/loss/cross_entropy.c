/* Softmax cross-entropy with class labels, as torch.nn.CrossEntropyLoss, in one fused op. With class weights
 * the mean is weighted. Accuracy is the fraction of items whose largest logit is that of their label; class
 * weights do not affect it. */
#include "op/cross_entropy.h"
#include "loss/loss.h"

typedef struct cross_entropy_config {
  double smoothing;
  gt_floats class_weights;
} cross_entropy_config;

static const gt_field fields[] = {
    GT_ROW_NAMED("label_smoothing", cross_entropy_config, smoothing, GT_FIELD_FLOAT, .fallback = "0",
                 .min = 0, .max = 1, .help = "fraction of the target spread evenly over all classes",
                 .flags = GT_FIELD_OPEN_MAX),
    GT_ROW(cross_entropy_config, class_weights, GT_FIELD_FLOATS, .min = 0, .max = 1e9,
           .help =
               "weight of each class, one number per class, or balanced: by the inverse of its share of the "
               "training samples (default: all 1)"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "cross_entropy", .help = "softmax cross-entropy with class labels", .fields = fields};

static gt_id build(gt_graph *graph, const void *config, gt_id prediction, gt_id targets) {
  const cross_entropy_config *c = config;
  const double *weight = c->class_weights.count ? c->class_weights.items : NULL;
  return gt_cross_entropy(graph, prediction, targets, c->smoothing, weight);
}

static gt_id weigh(gt_graph *graph, const void *config, gt_id targets) {
  const gt_floats weights = ((const cross_entropy_config *)config)->class_weights;
  return weights.count ? gt_class_weight(graph, targets, weights.items, weights.count) : GT_NONE;
}

static bool check(const gt_loss *loss, int64_t outputs, gt_diagnostics *diagnostics) {
  const gt_floats weights = ((const cross_entropy_config *)loss->config)->class_weights;
  double largest = 0;
  for (int c = 0; c < weights.count; c++) largest = weights.items[c] > largest ? weights.items[c] : largest;
  if (weights.count && weights.count != outputs)
    return gt_loss_error(loss, "class_weights", diagnostics,
                         "has %d class weights; the data has %lld classes", weights.count,
                         (long long)outputs);
  if (weights.count && largest <= 0)
    return gt_loss_error(loss, "class_weights", diagnostics, "needs at least one class weight above 0");
  return true;
}

static gt_id correct(gt_graph *graph, const void *config, gt_id prediction, gt_id targets) {
  (void)config;
  return gt_correct(graph, prediction, targets);
}

GT_DEFINE(loss, cross_entropy) = {.name = "cross_entropy",
                                  .help = "softmax cross-entropy with class labels, on logits",
                                  .schema = &schema,
                                  .config_size = sizeof(cross_entropy_config),
                                  .labels = true,
                                  .applies = "softmax",
                                  .build = build,
                                  .correct = correct,
                                  .weigh = weigh,
                                  .check = check};
