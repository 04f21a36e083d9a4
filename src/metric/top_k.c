/* Top-k accuracy, as sklearn.metrics.top_k_accuracy_score: the fraction of items whose label is among the k
 * classes with the largest logits. Compares logarithms of probabilities, which do not underflow: the label's
 * is the negative cross-entropy; another class is larger if its logarithm exceeds this by more than the
 * rounding error of float32. */
#include "metric/metric.h"
#include "op/core.h"
#include "op/cross_entropy.h"
#include "op/elementwise.h"
#include "op/reduce.h"
#include "op/softmax.h"

/* Sets *term to 1 for items in which fewer than k classes have a larger logit than the label, else to 0. */
static void emit(gt_graph *graph, const gt_loss_items *items, int k, gt_id *term) {
  const int64_t n = gt_node_at(graph, items->prediction)->shape.dim[0];
  const gt_id loss = gt_cross_entropy(graph, items->prediction, items->targets, 0, NULL),
              label_log_p = gt_reshape(graph, gt_neg(graph, loss), gt_shape_2(n, 1)),
              scale = gt_add(graph, gt_constant(graph, 1), gt_abs(graph, label_log_p)),
              limit = gt_add(graph, label_log_p, gt_mul(graph, scale, gt_constant(graph, 1e-5))),
              larger = gt_less(graph, limit, gt_log_softmax(graph, items->prediction, -1)),
              count = gt_sum(graph, larger, 1u << 1, false);
  term[0] = gt_less(graph, count, gt_constant(graph, k));
}

#define TOP(k)                                                                                          \
  static void emit_##k(gt_graph *graph, const gt_loss_items *items, gt_metric_task task, gt_id *term) { \
    (void)task;                                                                                         \
    emit(graph, items, k, term);                                                                        \
  }
TOP(3)
TOP(5)

GT_DEFINE(metric, top_3) = {.name = "top_3",
                            .help = "fraction of items whose label is among the 3 most likely classes",
                            .tasks = GT_METRIC_CLASSES,
                            .larger = true,
                            .sums = 1,
                            .emit = emit_3};
GT_DEFINE(metric, top_5) = {.name = "top_5",
                            .help = "fraction of items whose label is among the 5 most likely classes",
                            .tasks = GT_METRIC_CLASSES,
                            .larger = true,
                            .sums = 1,
                            .emit = emit_5};
