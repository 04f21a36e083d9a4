/* Binary cross-entropy on logits: -t log σ(x) - (1-t) log(1-σ(x)) = softplus(x) - t x, which cannot overflow.
 * An output is correct if σ(x) and t are on the same side of 1/2; a sample's accuracy is the fraction of its
 * outputs that are correct. */
#include "loss/loss.h"
#include "op/elementwise.h"
#include "op/reduce.h"

typedef struct bce_config {
  double smoothing;
} bce_config;

static const gt_field fields[] = {
    GT_ROW_NAMED("label_smoothing", bce_config, smoothing, GT_FIELD_FLOAT, .fallback = "0", .min = 0,
                 .max = 1, .help = "label smoothing s: targets become t (1 - s) + s/2",
                 .flags = GT_FIELD_OPEN_MAX),
    {.name = NULL},
};
static const gt_schema schema = {.name = "bce", .help = "binary cross-entropy", .fields = fields};

static gt_id build(gt_graph *graph, const void *config, gt_id prediction, gt_id targets) {
  const bce_config *c = config;
  if (c->smoothing > 0) {
    targets = gt_mul(graph, targets, gt_constant(graph, 1 - c->smoothing));
    targets = gt_add(graph, targets, gt_constant(graph, c->smoothing / 2));
  }
  const gt_id each = gt_sub(graph, gt_softplus(graph, prediction), gt_mul(graph, targets, prediction));
  return gt_mean(graph, each, 1u << 1, false);
}

static gt_id correct(gt_graph *graph, const void *config, gt_id prediction, gt_id targets) {
  (void)config;
  const gt_id predicted = gt_less(graph, gt_constant(graph, 0), prediction);
  const gt_id expected = gt_less(graph, gt_constant(graph, 0.5), targets);
  const gt_id wrong = gt_abs(graph, gt_sub(graph, predicted, expected));
  return gt_mean(graph, gt_sub(graph, gt_constant(graph, 1), wrong), 1u << 1, false);
}

static const gt_data_range range = {0, 1, "loss 'bce'"};

GT_DEFINE(loss, bce) = {.name = "bce",
                        .help = "binary cross-entropy per output, on logits",
                        .schema = &schema,
                        .config_size = sizeof(bce_config),
                        .applies = "sigmoid",
                        .range = &range,
                        .build = build,
                        .correct = correct};
