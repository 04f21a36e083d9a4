/* Brier score, as sklearn.metrics.brier_score_loss: the mean of (p - y)² for the predicted probability p and
 * the outcome y: of one class if there are two, otherwise summed over all classes. y is 1 for the label and 0
 * for the other classes, so the sum over the classes is Σ p² - 2 p[label] + 1, with p[label] =
 * exp(-cross-entropy). */
#include "metric/metric.h"
#include "op/cross_entropy.h"
#include "op/elementwise.h"
#include "op/reduce.h"
#include "op/softmax.h"

static void emit(gt_graph *graph, const gt_loss_items *items, gt_metric_task task, gt_id *term) {
  if (task == GT_METRIC_BITS) {
    const gt_id error = gt_sub(graph, gt_sigmoid(graph, items->prediction), items->targets);
    term[0] = gt_mul(graph, error, error);
    return;
  }
  const bool is_binary = gt_node_at(graph, items->prediction)->shape.dim[1] == 2;
  const gt_id p = gt_softmax(graph, items->prediction, -1),
              square = gt_sum(graph, gt_mul(graph, p, p), 1u << 1, false),
              loss = gt_cross_entropy(graph, items->prediction, items->targets, 0, NULL),
              label_p = gt_exp(graph, gt_neg(graph, loss)),
              one_minus_2p =
                  gt_sub(graph, gt_constant(graph, 1), gt_mul(graph, gt_constant(graph, 2), label_p));
  term[0] = gt_mul(graph, gt_add(graph, square, one_minus_2p), gt_constant(graph, is_binary ? 0.5 : 1));
}

GT_DEFINE(metric, brier) = {.name = "brier",
                            .help = "Brier score: mean squared error of the predicted probabilities",
                            .tasks = GT_METRIC_CLASSES | GT_METRIC_BITS,
                            .sums = 1,
                            .emit = emit};
