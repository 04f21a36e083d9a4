#include "optim/training.h"
#include "op/autodiff.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/reduce.h"
#include <assert.h>
#include <string.h>

enum { STATES = 8 }; /* most state variables of an optimizer */

struct gt_optim_context {
  gt_training *training;
  gt_graph *graph;
  gt_id clock;
  gt_id is_valid; /* 0: the step is discarded; a scalar, or F32 [n] */
  int group;      /* the parameter group whose update is emitted, and its range */
  gt_store_group range;
  struct {
    const char *name;
    uint32_t variable;
    gt_id before;
  } state[STATES];
  int states;
};

gt_graph *gt_optim_graph(const gt_optim_context *context) { return context->graph; }

static int type_scalars(const gt_optim_type *type) {
  int n = 0;
  while (n < GT_OPTIM_SCALARS && type->scalar[n]) n++;
  return n;
}

int gt_optim_table_width(const gt_optim *optim) { return 1 + optim->groups * type_scalars(optim->type); }

gt_id gt_optim_scalar(gt_optim_context *context, int index) {
  const int n = type_scalars(context->training->optim->type);
  assert(index < n);
  return gt_clock_scalar(context->graph, context->clock, 1 + context->group * n + index);
}

void gt_training_scalars(const gt_optim *optim, const gt_schedule_state *state, uint64_t step, uint64_t total,
                         uint64_t steps_per_epoch, uint64_t t, float *row) {
  const double factor =
      gt_schedule_factor(optim->schedule, state, step, total, steps_per_epoch, optim->config->lr);
  const int n = type_scalars(optim->type);
  row[0] = (float)(optim->config->lr * factor);
  for (int g = 0; g < optim->groups; g++) {
    const gt_optim_common *config = optim->group[g].config;
    for (int k = 0; k < n; k++)
      row[1 + g * n + k] = (float)optim->type->scalar[k](config, config->lr * factor, t);
  }
}

gt_id gt_optim_add_scaled(gt_optim_context *context, gt_id x, double factor, gt_id y) {
  gt_graph *graph = context->graph;
  if (factor == 0) return x;
  if (factor == 1) return gt_add(graph, x, y);
  return gt_add(graph, x, gt_mul(graph, gt_constant(graph, factor), y));
}

gt_id gt_optim_lerp(gt_optim_context *context, gt_id x, gt_id y, double weight) {
  return weight == 1 ? y : gt_optim_add_scaled(context, x, weight, gt_sub(context->graph, y, x));
}

/* --- state --- */

static uint32_t declare_optimizer_slots(gt_training *training, gt_graph *graph, const char *name,
                                        gt_fill fill) {
  gt_store_add_optimizer_slots(training->store, name, fill);
  return gt_graph_variable(graph, name, gt_shape_1(training->store->trainable), GT_F32, false);
}

/* The context's range of a flat variable in the parameters' layout, before the step. */
static gt_id read_range(const gt_optim_context *context, uint32_t variable) {
  const gt_id whole = gt_variable_read(context->graph, variable);
  return gt_view(context->graph, whole, context->range.offset, gt_shape_1(context->range.count));
}

/* Assigns `after` to the range, or `before` if the step is discarded. */
static void write_range(const gt_optim_context *context, uint32_t variable, gt_id before, gt_id after) {
  const gt_id guarded = gt_where(context->graph, context->is_valid, after, before);
  gt_assign(context->graph, variable, context->range.offset, guarded);
}

static int find_state(gt_optim_context *context, const char *name) {
  for (int i = 0; i < context->states; i++)
    if (!strcmp(context->state[i].name, name)) return i;
  assert(context->states < STATES);
  const char *full = gt_arena_printf(context->graph->arena, "optimizer.%s", name);
  const uint32_t variable = declare_optimizer_slots(context->training, context->graph, full, (gt_fill){0});
  context->state[context->states].name = name;
  context->state[context->states].variable = variable;
  context->state[context->states].before = read_range(context, variable);
  return context->states++;
}

gt_id gt_optim_state(gt_optim_context *context, const char *name) {
  return context->state[find_state(context, name)].before;
}

void gt_optim_set_state(gt_optim_context *context, const char *name, gt_id value) {
  const int i = find_state(context, name);
  write_range(context, context->state[i].variable, context->state[i].before, value);
}

/* --- the step --- */

/* Merges gradients that are adjacent views of one value and adjacent in the layout, so that one kernel can
 * write them in place. Returns how many are left. */
static int merge_adjacent(gt_graph *graph, gt_id *gradient, int64_t *offset, int count) {
  int kept = 0;
  for (int k = 0; k < count; k++) {
    int64_t begin, last_begin = 0;
    const gt_id origin = gt_view_origin(graph, gradient[k], &begin);
    const gt_id last_origin = kept ? gt_view_origin(graph, gradient[kept - 1], &last_begin) : GT_NONE;
    const int64_t last_length = kept ? gt_shape_count(gt_node_at(graph, gradient[kept - 1])->shape) : 0;
    const int64_t length = gt_shape_count(gt_node_at(graph, gradient[k])->shape);
    if (origin == last_origin && begin == last_begin + last_length &&
        offset[k] == offset[kept - 1] + last_length) {
      gradient[kept - 1] = gt_view(graph, origin, last_begin, gt_shape_1(last_length + length));
    } else {
      gradient[kept] = gradient[k];
      offset[kept++] = offset[k];
    }
  }
  return kept;
}

/* Parameters that the loss does not depend on become gaps, which hold zeros. */
gt_id gt_training_gradient(gt_graph *graph, const gt_store *store, const gt_id *node, gt_id loss, gt_id sum,
                           gt_error *error) {
  if (!store->trainable) {
    gt_fail(error, GT_ERR_CONFIG, "nothing to train: the model has no parameters");
    return GT_NONE;
  }
  gt_id *wrt = GT_NEW_N(graph->arena, gt_id, store->parameters);
  gt_id *gradient = GT_NEW_N(graph->arena, gt_id, store->parameters);
  int64_t *offset = GT_NEW_N(graph->arena, int64_t, store->parameters);
  int n = 0, used = 0;
  for (int i = 0; i < store->parameters; i++) {
    const gt_slot *p = store->parameter[i];
    if (gt_slot_is_frozen(store, p)) continue;
    wrt[n] = node[p->index];
    offset[n++] = p->offset;
  }
  const char *outer = gt_graph_set_scope(graph, "gradient");
  const bool ok = gt_autodiff(graph, loss, wrt, n, gradient, error);
  gt_graph_set_scope(graph, outer);
  if (!ok) {
    gt_fail(error, GT_ERR_INTERNAL, "the loss could not be differentiated: %s", graph->error.message);
    return GT_NONE;
  }
  for (int k = 0; k < n; k++) {
    if (gradient[k] == GT_NONE) continue;
    const gt_shape shape = gt_node_at(graph, gradient[k])->shape;
    if (sum != GT_NONE) gradient[k] = gt_add(graph, gt_view(graph, sum, offset[k], shape), gradient[k]);
    gradient[used] = gradient[k];
    offset[used++] = offset[k];
  }
  if (!used) {
    gt_fail(error, GT_ERR_CONFIG, "nothing to train: the loss does not depend on any trainable parameter");
    return GT_NONE;
  }
  used = merge_adjacent(graph, gradient, offset, used);
  return gt_pack_at(graph, gradient, offset, used, store->trainable);
}

static gt_id scaled(const gt_training *training, gt_graph *graph, gt_id gradient) {
  return training->scale == GT_NONE ? gradient : gt_mul(graph, gradient, training->scale);
}

static gt_id clipped_by_value(gt_graph *graph, gt_id gradient, double limit) {
  if (limit <= 0) return gradient;
  return gt_max(graph, gt_min(graph, gradient, gt_constant(graph, limit)), gt_constant(graph, -limit));
}

/* Returns `ok`, or 0 if the gradient is not finite and the step must be skipped. Clipping by value makes an
 * infinite gradient finite, but NaN must still be found, and a device's min and max may drop it. So NaN is
 * detected before clipping: 1 / (|g| + 1) is finite for all other values. */
static gt_id gradient_ok(gt_training *training, gt_graph *graph, gt_id ok) {
  gt_id g = scaled(training, graph, training->gradient);
  const char *outer = gt_graph_set_scope(graph, "gradient");
  if (training->optim->clip_value > 0)
    g = gt_reciprocal(graph, gt_add(graph, gt_abs(graph, g), gt_constant(graph, 1)));
  ok = gt_all_finite(graph, g, ok);
  gt_graph_set_scope(graph, outer);
  return ok;
}

/* Scalar factor of clipping by norm, as torch.nn.utils.clip_grad_norm_: min(1, limit / (norm + 1e-6)). */
static gt_id norm_factor(gt_training *training, gt_graph *graph) {
  const gt_id g =
      clipped_by_value(graph, scaled(training, graph, training->gradient), training->optim->clip_value);
  training->gradient_norm = gt_sqrt(graph, gt_sum(graph, gt_mul(graph, g, g), 0, false));
  const gt_id norm = gt_add(graph, training->gradient_norm, gt_constant(graph, 1e-6));
  return gt_min(graph, gt_constant(graph, 1),
                gt_div(graph, gt_constant(graph, training->optim->clip_norm), norm));
}

/* Emits the update of the context's range of `variable`, the parameters. factor: of clipping by norm,
 * infinite or NaN if the step must be skipped; GT_NONE without clipping by norm. */
static void update_range(gt_optim_context *context, uint32_t variable, gt_id factor) {
  gt_training *training = context->training;
  gt_graph *graph = context->graph;
  const gt_optim *optim = training->optim;
  const gt_id parameter = read_range(context, variable);
  const gt_id range_gradient =
      gt_view(graph, training->gradient, context->range.offset, gt_shape_1(context->range.count));
  gt_id gradient = clipped_by_value(graph, scaled(training, graph, range_gradient), optim->clip_value);
  context->is_valid = training->ok;
  if (factor != GT_NONE) {
    /* One scalar carries both conditions, because a fused program has few inputs: parameters are finite, so
     * their product with the factor is finite exactly if the factor is. */
    gradient = gt_mul(graph, gradient, factor);
    context->is_valid = gt_is_finite(graph, gt_mul(graph, parameter, factor));
  }
  const gt_id updated =
      optim->type->update(context, optim->group[context->group].config, parameter, gradient);
  write_range(context, variable, parameter, updated);
  if (optim->ema <= 0) return;
  const uint32_t ema =
      declare_optimizer_slots(training, graph, GT_AVERAGE_VARIABLE, (gt_fill){.copies = true});
  const gt_id average = read_range(context, ema);
  write_range(context, ema, average, gt_optim_lerp(context, average, updated, 1 - optim->ema));
}

void gt_training_average_states(const gt_training *training, gt_graph *graph, gt_id updated) {
  gt_store *store = training->store;
  if (!store->states || !(gt_optim_averages(training->optim) & GT_ROLE(GT_STATE))) return;
  const gt_shape shape = gt_shape_1(store->states);
  gt_store_add_state_averages(store, GT_AVERAGE_STATES, (gt_fill){.copies = true});
  const uint32_t variable = gt_graph_variable(graph, GT_AVERAGE_STATES, shape, GT_F32, false);
  const gt_id before = gt_variable_read(graph, variable);
  if (updated == GT_NONE)
    updated = gt_variable_read(graph, gt_graph_variable(graph, GT_STATES_VARIABLE, shape, GT_F32, false));
  gt_optim_context context = {.graph = graph};
  const gt_id after = gt_optim_lerp(&context, before, updated, 1 - training->optim->ema);
  gt_assign(graph, variable, 0, gt_where(graph, training->ok, after, before));
}

gt_id gt_training_ok(gt_store *store, gt_graph *graph, uint32_t *variable) {
  gt_store_add(store, (gt_slot){.name = "state.ok",
                                .role = GT_RUN,
                                .shape = gt_shape_1(1),
                                .variable = "ok",
                                .fill = {.value = 1}});
  *variable = gt_graph_variable(graph, "ok", gt_shape_1(1), GT_F32, false);
  return gt_variable_read(graph, *variable);
}

bool gt_training_update(gt_training *training, gt_graph *graph, const gt_optim *optim, gt_store *store,
                        gt_id gradient, gt_id scale, gt_id loss, gt_id clock, gt_error *error) {
  *training = (gt_training){
      .optim = optim, .store = store, .gradient = gradient, .scale = scale, .gradient_norm = GT_NONE};
  uint32_t ok;
  const char *outer = gt_graph_set_scope(graph, "optimizer");
  training->learning_rate = gt_clock_scalar(graph, clock, 0);
  training->ok = gt_mul(graph, gt_training_ok(store, graph, &ok), gt_is_finite(graph, loss));
  gt_id factor = GT_NONE;
  /* Without clipping by value, the norm below is finite only if the gradient is. */
  if (optim->clip_norm <= 0 || optim->clip_value > 0)
    training->ok = gradient_ok(training, graph, training->ok);
  if (optim->clip_norm > 0) {
    factor = norm_factor(training, graph);
    training->ok = gt_mul(graph, training->ok, gt_is_finite(graph, training->gradient_norm));
    factor = gt_div(graph, factor, training->ok);
  }
  gt_assign(graph, ok, 0, training->ok);
  const uint32_t variable =
      gt_graph_variable(graph, GT_PARAMETERS_VARIABLE, gt_shape_1(store->total), GT_F32, false);
  for (int g = 0; g < store->groups; g++) {
    if (store->group[g].frozen || !store->group[g].count) continue;
    gt_optim_context context = {.training = training, .graph = graph, .clock = clock, .group = g};
    context.range = store->group[g];
    update_range(&context, variable, factor);
  }
  gt_graph_set_scope(graph, outer);
  if (graph->error.status) return gt_fail(error, graph->error.status, "%s", graph->error.message);
  return true;
}
