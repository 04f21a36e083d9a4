/* Softmax cross-entropy with class labels, one fused op; accuracy is the share of samples whose largest
 * output is their label's. */
#include "op/cross_entropy.h"
#include "loss/loss.h"

typedef struct cross_entropy_config {
  double smoothing;
} cross_entropy_config;

static const gt_field fields[] = {
    GT_ROW_NAMED("label_smoothing", cross_entropy_config, smoothing, GT_FIELD_FLOAT, .fallback = "0",
                 .min = 0, .max = 1, .help = "share of the target that is spread over all classes",
                 .flags = GT_FIELD_OPEN_MAX),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "cross_entropy", .help = "softmax cross-entropy with class labels", .fields = fields};

static gt_id build(gt_graph *graph, const void *config, gt_id prediction, gt_id targets) {
  const cross_entropy_config *c = config;
  return gt_cross_entropy(graph, prediction, targets, c->smoothing);
}

static gt_id correct(gt_graph *graph, const void *config, gt_id prediction, gt_id targets) {
  (void)config;
  return gt_correct(graph, prediction, targets);
}

GT_DEFINE(loss, cross_entropy) = {.name = "cross_entropy",
                                  .help = "softmax cross-entropy with class labels (on logits)",
                                  .schema = &schema,
                                  .config_size = sizeof(cross_entropy_config),
                                  .labels = true,
                                  .applies = "softmax",
                                  .build = build,
                                  .correct = correct};
