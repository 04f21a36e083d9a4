/* Results that a net writes for the host: a row of its log, or outputs. */
#include "train/net/net_parts.h"
#include "op/core.h"

typedef struct log_values {                           /* values of the log row that the host reads */
  gt_id value[3 + GT_SUMS * GT_DATA_MAX_TARGETS + 1]; /* as gt_log_columns; the metrics are one vector */
  int count;
} log_values;

static int add_value(log_values *log, gt_id value) {
  if (value == GT_NONE) return -1;
  log->value[log->count] = value;
  return log->count++;
}

/* The sums of the metrics of all targets, as one vector; GT_NONE: there are none. first: the column where
 * they start. */
static gt_id add_metrics(gt_net *net, gt_graph *graph, int first) {
  gt_id target_sums[GT_DATA_MAX_TARGETS];
  int count = 0;
  for (int k = 0; k < net->targets; k++) {
    gt_net_target *target = &net->target[k];
    const gt_id sums =
        target->metrics.count ? gt_metrics_emit(&target->metrics, graph, &target->loss.items) : GT_NONE;
    if (sums == GT_NONE) continue;
    net->column.metrics[k] = first;
    first += target->metrics.sum_count;
    target_sums[count++] = sums;
  }
  net->column.count = first;
  return count > 1 ? gt_pack(graph, target_sums, count) : count ? target_sums[0] : GT_NONE;
}

void gt_net_build_log(gt_net *net, gt_graph *graph, gt_arena *arena, gt_id clock) {
  const char *outer = gt_graph_set_scope(graph, "step");
  log_values log = {0};
  gt_log_columns *c = &net->column;
  *c = (gt_log_columns){.ok = -1, .lr = -1, .norm = -1};
  for (int k = 0; k < net->targets; k++) {
    c->metrics[k] = -1;
    for (int s = 0; s < GT_SUMS; s++) {
      c->sum[k][s] = add_value(&log, net->target[k].loss.sum[s]);
      if (k || s != GT_SUM_WEIGHT || !net->trains) continue;
      c->ok = add_value(&log, net->training.ok);
      c->lr = add_value(&log, net->training.learning_rate);
      c->norm = add_value(&log, net->training.gradient_norm);
    }
  }
  const gt_id sums = add_metrics(net, graph, log.count);
  add_value(&log, sums);
  const uint32_t variable = gt_graph_variable(graph, gt_net_variable(net, arena, "log"),
                                              gt_shape_2(net->log_rows, c->count), GT_F32, true);
  /* gt_log_row accepts only few values; several targets have more. */
  if (net->targets > 1 && !graph->error.status) {
    log.value[0] = gt_pack(graph, log.value, log.count);
    log.count = 1;
  }
  gt_log_row(graph, variable, clock, log.value, log.count);
  gt_graph_set_scope(graph, outer);
}

gt_sums gt_net_sums_of(const gt_net *net, const float *row) {
  gt_sums sums = {.steps = 1};
  for (int k = 0; k < net->targets; k++)
    for (int s = 0; s < GT_SUMS; s++)
      if (net->column.sum[k][s] >= 0) sums.sum[k][s] = (double)row[net->column.sum[k][s]];
  return sums;
}

void gt_net_build_outputs(const gt_net *net, gt_graph *graph, gt_arena *arena) {
  if (graph->error.status) return;
  for (int k = 0; k < net->targets; k++) {
    const gt_net_target *target = &net->target[k];
    const gt_shape shape = gt_node_at(graph, target->output)->shape;
    const uint32_t outputs =
        gt_graph_variable(graph, gt_net_output_variable(net, k, arena), shape, GT_F32, false);
    gt_assign(graph, outputs, 0, target->output);
  }
}
