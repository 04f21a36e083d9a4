#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/move.h"
#include "op/reduce.h"
#include "optim/lbfgs.h"
#include "train/net/line_search.h"

typedef struct builder {
  gt_net *net;
  gt_graph *graph;
  gt_store *store;
  int64_t n;   /* number of trained values, including alignment gaps */
  int m, rows; /* pairs of the history; rows of the basis */
} builder;

static uint32_t declare(const builder *b, const char *name, gt_shape shape) {
  return gt_graph_variable(b->graph, name, shape, GT_F32, false);
}

static uint32_t vector(const builder *b, const char *name) { return declare(b, name, gt_shape_1(b->n)); }
static uint32_t basis(const builder *b) { return declare(b, "lbfgs.basis", gt_shape_2(b->rows, b->n)); }
static gt_id read(const builder *b, uint32_t variable) { return gt_variable_read(b->graph, variable); }

static gt_id scalar(const builder *b, const char *variable, int count, int which) {
  return gt_view(b->graph, read(b, declare(b, variable, gt_shape_1(count))), which, gt_shape_of(0, NULL));
}

static gt_id rows_of(const builder *b, gt_id matrix, int first, int count) {
  return gt_view(b->graph, matrix, first * b->n, gt_shape_2(count, b->n));
}

/* t d and x + t d; "trial" and "accept" both use it, so that they round in the same way. */
static gt_id trial_step(const builder *b) {
  return gt_mul(b->graph, scalar(b, "lbfgs.control", GT_CONTROL, GT_CONTROL_T),
                read(b, vector(b, "lbfgs.d")));
}
static gt_id trial_point(const builder *b) {
  const gt_id step = trial_step(b);
  return gt_add(b->graph, read(b, vector(b, "lbfgs.x")), step);
}

static void build_trial(const builder *b) {
  gt_assign(b->graph, declare(b, GT_PARAMETERS_VARIABLE, gt_shape_1(b->store->total)), 0, trial_point(b));
  gt_net_clear_sums(b->net, b->graph);
}

static void build_measure(const builder *b, const gt_loss *objective) {
  gt_graph *g = b->graph;
  const gt_id loss = gt_net_sum(b->net, g, 0, GT_SUM_LOSS);
  const bool weighed = b->net->target[0].loss.sum[GT_SUM_DIVISOR] != GT_NONE;
  const gt_id divisor = gt_net_sum(b->net, g, 0, weighed ? GT_SUM_DIVISOR : GT_SUM_WEIGHT);
  gt_id gradient = read(b, vector(b, GT_GRADIENT_VARIABLE));
  const gt_id scale = gt_net_gradient_scale(b->net, g, objective, divisor);
  if (scale != GT_NONE) gradient = gt_mul(g, gradient, scale);
  const gt_id d = read(b, vector(b, "lbfgs.d")), magnitude = gt_abs(g, gradient);
  gt_id result[GT_MEASURED] = {
      [GT_MEASURED_LOSS] = loss,
      [GT_MEASURED_DIVISOR] = divisor,
      [GT_MEASURED_CORRECT] = gt_net_sum(b->net, g, 0, GT_SUM_CORRECT),
      [GT_MEASURED_SLOPE] = gt_sum(g, gt_mul(g, gradient, d), 0, false),
      [GT_MEASURED_LARGEST] = gt_reduce_max(g, magnitude, 0, false),
      [GT_MEASURED_L1] = gt_sum(g, magnitude, 0, false),
      [GT_MEASURED_DIRECTION] = gt_reduce_max(g, gt_abs(g, d), 0, false),
  };
  /* Adding 0 gives each value a node of its own, also if it is part of a variable. */
  for (int i = 0; i < GT_MEASURED; i++)
    result[i] = gt_reshape(g, gt_add(g, result[i], gt_constant(g, 0)), gt_shape_1(1));
  gt_assign(g, vector(b, "lbfgs.g"), 0, gradient);
  gt_assign(g, declare(b, "lbfgs.measured", gt_shape_1(GT_MEASURED)), 0, gt_pack(g, result, GT_MEASURED));
}

/* The m rows of the history from row `first` on: if the last pair is appended, without the oldest row and
 * with `row` at the end; otherwise unchanged. */
static gt_id updated_history(const builder *b, gt_id old, int first, gt_id row) {
  gt_graph *g = b->graph;
  const gt_id parts[2] = {rows_of(b, old, first + 1, b->m - 1), row};
  const gt_id next = b->m > 1 ? gt_concatenate(g, parts, 2, 0) : row;
  const gt_id appends = scalar(b, "lbfgs.control", GT_CONTROL, GT_CONTROL_APPENDS);
  return gt_where(g, appends, next, rows_of(b, old, first, b->m));
}

static void build_accept(const builder *b) {
  gt_graph *g = b->graph;
  const int m = b->m;
  const gt_id old = read(b, basis(b)),
              gradient = gt_reshape(g, read(b, vector(b, "lbfgs.g")), gt_shape_2(1, b->n));
  const gt_id step = trial_step(b);
  const gt_id change = gt_sub(g, gradient, rows_of(b, old, 2 * m + 2, 1));
  const gt_id last[3] = {gt_reshape(g, step, gt_shape_2(1, b->n)), change,
                         gt_add(g, gradient, gt_constant(g, 0))};
  const gt_id parts[5] = {updated_history(b, old, 0, rows_of(b, old, 2 * m, 1)),
                          updated_history(b, old, m, rows_of(b, old, 2 * m + 1, 1)), last[0], last[1],
                          last[2]};
  const gt_id next = gt_concatenate(g, parts, 5, 0);
  gt_assign(g, basis(b), 0, next);
  gt_assign(g, vector(b, "lbfgs.x"), 0, trial_point(b));
  gt_assign(g, declare(b, "lbfgs.products", gt_shape_2(3, b->rows)), 0,
            gt_matmul(g, rows_of(b, next, 2 * m, 3), next, false, true));
}

static void build_direct(const builder *b) {
  gt_graph *g = b->graph;
  const gt_id coefficients = read(b, declare(b, "lbfgs.coefficients", gt_shape_2(1, b->rows)));
  const gt_id d = gt_matmul(g, coefficients, read(b, basis(b)), false, false);
  gt_assign(g, vector(b, "lbfgs.d"), 0, gt_reshape(g, d, gt_shape_1(b->n)));
}

/* Adds the slots that checkpoints need besides the parameters. lbfgs.last: what was measured at the accepted
 * point (lbfgs.measured is of the last trial). counts: steps since the last reset; pairs in the history. */
static void add_slots(const builder *b) {
  const struct {
    const char *name, *variable;
    gt_shape shape;
  } slots[] = {{"state.lbfgs.basis", "lbfgs.basis", gt_shape_2(b->rows, b->n)},
               {"state.lbfgs.gram", "lbfgs.gram", gt_shape_2(b->rows, b->rows)},
               {"state.lbfgs.measured", "lbfgs.last", gt_shape_1(GT_MEASURED)},
               {"state.lbfgs.counts", "lbfgs.counts", gt_shape_1(2)}};
  for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
    gt_store_add(b->store, (gt_slot){.name = slots[i].name,
                                     .role = GT_RUN,
                                     .shape = slots[i].shape,
                                     .variable = slots[i].variable});
}

bool gt_line_search_build(gt_net *net, gt_arena *arena, const gt_config *config,
                          const gt_net_options *options, gt_error *error) {
  const gt_lbfgs_config *settings = (const gt_lbfgs_config *)config->optim->config;
  gt_line_search_net *search = net->search = GT_NEW(arena, gt_line_search_net);
  search->history = (int)settings->history_size;
  builder b = {.net = net,
               .store = net->model->store,
               .n = net->model->store->trainable,
               .m = search->history,
               .rows = GT_LBFGS_ROWS(search->history)};
  add_slots(&b);
  for (int s = 0; s < GT_LINE_SEARCH_STAGES; s++) {
    b.graph = gt_graph_create(arena);
    gt_graph_set_scope(b.graph, "lbfgs");
    if (s == GT_LINE_SEARCH_TRIAL) build_trial(&b);
    if (s == GT_LINE_SEARCH_MEASURE) build_measure(&b, config->loss[0]);
    if (s == GT_LINE_SEARCH_ACCEPT) {
      build_accept(&b);
      /* Of these slots a kernel writes only the basis, so no other stage declares the others: declaring them
       * here allocates them. */
      for (int i = 0; i < b.store->slots; i++)
        if (b.store->slot[i]->role == GT_RUN)
          declare(&b, b.store->slot[i]->variable, b.store->slot[i]->shape);
    }
    if (s == GT_LINE_SEARCH_DIRECT) build_direct(&b);
    search->stage[s] = (gt_stage){.graph = b.graph, .times = 1};
    if (b.graph->error.status) return gt_fail(error, b.graph->error.status, "%s", b.graph->error.message);
    if (!gt_graph_verify(b.graph, error) || !gt_net_plan(&search->stage[s], arena, options, error))
      return false;
  }
  return true;
}
