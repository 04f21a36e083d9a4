#include "op/logic/logic_ca.h"
#include "base/philox.h"
#include "op/check.h"
#include "op/core.h"
#include "op/logic/logic_ca_plan.h"
#include "op/move.h"
#include "op/op.h"
#include <stddef.h>
#include <string.h>

enum { OP_RUN, OP_GRADIENT, OPS };
static const gt_op ops[OPS];

GT_DEFINE(op, logic_ca) = {ops, OPS};

/* --- layers and wiring --- */

/* Words of the inverse wiring of a layer: a multiple of four, so that an input's words can be read at
 * once. */
static uint32_t inverse_size(uint32_t inputs, uint32_t width) { return 4 * inputs + (2 * width + 3) / 4 * 4; }

void gt_logic_ca_layers(const gt_logic_ca_attribute *attribute, uint32_t channels,
                        gt_logic_ca_layer layer[GT_LOGIC_CA_LAYERS]) {
  uint32_t inputs = GT_LOGIC_CA_PATCH, gate = 0, wire = 0, inverse = 0;
  for (uint32_t l = 0; l < attribute->perceptions + attribute->updates; l++) {
    const uint32_t width = attribute->width[l];
    if (l == attribute->perceptions) inputs = channels * (1 + inputs * attribute->kernels);
    layer[l] = (gt_logic_ca_layer){width, inputs, gate, wire, inverse};
    gate += l < attribute->perceptions ? attribute->kernels * width : width;
    wire += width;
    inverse += inverse_size(inputs, width);
    inputs = width;
  }
}

int64_t gt_logic_ca_gates(const gt_logic_ca_attribute *attribute) {
  int64_t gates = 0;
  for (uint32_t l = 0; l < attribute->perceptions + attribute->updates; l++)
    gates += (int64_t)attribute->width[l] * (l < attribute->perceptions ? attribute->kernels : 1);
  return gates;
}

int64_t gt_logic_ca_wires(const gt_logic_ca_attribute *attribute) {
  int64_t wires = 0;
  for (uint32_t l = 0; l < attribute->perceptions + attribute->updates; l++) wires += attribute->width[l];
  return wires;
}

int64_t gt_logic_ca_inverse_words(const gt_logic_ca_attribute *attribute, uint32_t channels) {
  gt_logic_ca_layer layer[GT_LOGIC_CA_LAYERS] = {{0}};
  gt_logic_ca_layers(attribute, channels, layer);
  const gt_logic_ca_layer *last = &layer[attribute->perceptions + attribute->updates - 1];
  return (int64_t)last->inverse + inverse_size(last->inputs, last->width);
}

enum { INLINE_READERS = 3 }; /* readers that are stored in the words of the input itself */

static void add_reader(int32_t *inverse, int32_t *input, int32_t reader) {
  int k = 0;
  while (k < INLINE_READERS && input[k] >= 0) k++;
  if (k < INLINE_READERS) {
    input[k] = reader;
  } else {
    int32_t *list = inverse + input[INLINE_READERS];
    list[++list[0]] = reader;
  }
}

void gt_logic_ca_inverse(const gt_logic_ca_attribute *attribute, uint32_t channels, const int32_t *wiring,
                         int32_t *inverse) {
  gt_logic_ca_layer layer[GT_LOGIC_CA_LAYERS] = {{0}};
  const int64_t wires = gt_logic_ca_wires(attribute);
  gt_logic_ca_layers(attribute, channels, layer);
  for (uint32_t l = 0; l < attribute->perceptions + attribute->updates; l++) {
    const gt_logic_ca_layer *current = &layer[l];
    const int32_t *a = wiring + current->wire, *b = a + wires;
    int32_t *input = inverse + current->inverse,
            free_word = (int32_t)(current->inverse + 4 * current->inputs);
    memset(input, 0, sizeof *input * inverse_size(current->inputs, current->width));
    /* First, the number of readers of each input. */
    for (uint32_t o = 0; o < current->width; o++) input[4 * a[o]]++, input[4 * b[o]]++;
    for (uint32_t i = 0; i < current->inputs; i++) {
      const int32_t further_readers = input[4 * i] - INLINE_READERS;
      for (int k = 0; k < INLINE_READERS; k++) input[4 * i + k] = -1;
      if (further_readers <= 0) continue;
      input[4 * i + INLINE_READERS] = free_word;
      free_word += 1 + further_readers;
    }
    for (uint32_t o = 0; o < current->width; o++)
      for (int side = 0; side < 2; side++)
        add_reader(inverse, input + 4 * (side ? b[o] : a[o]), (int32_t)(2 * o) + side);
  }
}

/* --- ops ---- */

static bool check_layers(const gt_logic_ca_attribute *a, gt_error *error) {
  if (a->perceptions < 1 || a->perceptions > GT_LOGIC_CA_PERCEPTION || a->updates < 1 ||
      a->updates > GT_LOGIC_CA_UPDATE)
    return gt_fail(error, GT_ERR_CONFIG, "logic_ca takes 1 to %d perception layers and 1 to %d update layers",
                   GT_LOGIC_CA_PERCEPTION, GT_LOGIC_CA_UPDATE);
  if (a->steps < 1 || a->steps > 100000 || a->kernels < 1 || a->kernels > 1024)
    return gt_fail(error, GT_ERR_CONFIG, "logic_ca takes 1 to 100000 steps and 1 to 1024 kernels");
  for (uint32_t l = 0; l < a->perceptions + a->updates; l++)
    if (a->width[l] < 1 || a->width[l] > 65536)
      return gt_fail(error, GT_ERR_CONFIG, "a layer has 1 to 65536 gates, not %u", a->width[l]);
  return true;
}

bool gt_logic_ca_check(const gt_logic_ca_attribute *a, gt_shape state, gt_error *error) {
  char text[128];
  if (!check_layers(a, error)) return false;
  if (state.rank != 4 || gt_shape_count(state) < 1 || gt_shape_count(state) * (a->steps + 1) > INT32_MAX)
    return gt_fail(error, GT_ERR_CONFIG, "logic_ca takes a state [batch, height, width, channels], not %s",
                   gt_shape_text(state, text));
  if (a->width[a->perceptions + a->updates - 1] != state.dim[3])
    return gt_fail(error, GT_ERR_CONFIG,
                   "the last update layer has %u gates, but the cells have %lld channels",
                   a->width[a->perceptions + a->updates - 1], (long long)state.dim[3]);
  if (!gt_logic_ca_fits(a, state))
    return gt_fail(error, GT_ERR_CONFIG,
                   "logic_ca: the circuit's layers are too wide for a workgroup's memory");
  return true;
}

/* Checks the inputs that both ops have. state: [B, H, W, C]; wiring: index of that input. */
static bool check_inputs(const gt_graph *graph, const gt_node *node, gt_shape state, int wiring,
                         gt_error *error) {
  const gt_logic_ca_attribute *a = node->attribute;
  const gt_node *coefficients = gt_node_at(graph, node->input[1]);
  char text[128];
  if (!gt_logic_ca_check(a, state, error)) return false;
  if (coefficients->dtype != GT_F32 ||
      !gt_shape_equal(coefficients->shape, gt_shape_2(gt_logic_ca_gates(a), 4)))
    return gt_fail(error, GT_ERR_CONFIG, "logic_ca: %lld gates, but coefficients %s",
                   (long long)gt_logic_ca_gates(a), gt_shape_text(coefficients->shape, text));
  if (!gt_is_i32(gt_node_at(graph, node->input[wiring]), 2 * gt_logic_ca_wires(a)))
    return gt_fail(error, GT_ERR_INTERNAL, "logic_ca: the wiring does not match");
  if (gt_logic_ca_clocked(a) && gt_node_at(graph, node->input[node->inputs - 1])->dtype != GT_F32)
    return gt_fail(error, GT_ERR_INTERNAL, "logic_ca: random numbers need a clock");
  return true;
}

static bool infer_run(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                      gt_error *error) {
  const gt_logic_ca_attribute *a = node->attribute;
  const gt_node *state = gt_node_at(graph, node->input[0]);
  if (state->dtype != GT_F32) return gt_fail(error, GT_ERR_CONFIG, "logic_ca takes a float32 state");
  if (!check_inputs(graph, node, state->shape, 2, error)) return false;
  *shape = (gt_shape){.rank = 5, .dim = {a->steps + 1}};
  memcpy(shape->dim + 1, state->shape.dim, 4 * sizeof *shape->dim);
  *dtype = GT_F32;
  return true;
}

static gt_shape state_shape(const gt_node *states) {
  gt_shape shape = {.rank = 4};
  memcpy(shape.dim, states->shape.dim + 1, 4 * sizeof *shape.dim);
  return shape;
}

/* Results: the gradients of the coefficients and of the first state. */
static bool infer_gradient(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                           gt_error *error) {
  const gt_logic_ca_attribute *a = node->attribute;
  const gt_node *states = gt_node_at(graph, node->input[0]), *d = gt_node_at(graph, node->input[4]);
  if (states->shape.rank != 5 || d->dtype != GT_F32)
    return gt_fail(error, GT_ERR_INTERNAL, "logic_ca_gradient takes the states and their gradient");
  const gt_shape state = state_shape(states);
  if (!check_inputs(graph, node, state, 2, error)) return false;
  const int64_t expected = gt_shape_count(state) * (a->final_only ? 1 : a->steps + 1);
  if (gt_shape_count(d->shape) != expected ||
      !gt_is_i32(gt_node_at(graph, node->input[3]), gt_logic_ca_inverse_words(a, (uint32_t)state.dim[3])))
    return gt_fail(error, GT_ERR_INTERNAL,
                   "logic_ca_gradient: the gradient or the inverse wiring does not match");
  shape[0] = gt_shape_2(gt_logic_ca_gates(a), 4);
  shape[1] = state;
  dtype[0] = dtype[1] = GT_F32;
  return true;
}

/* Usually only the last state has a gradient: that of a view, padded with zeros. Returns it without the
 * padding, so that zeros are neither written nor read; GT_NONE if other states have gradients. */
static gt_id last_gradient(const gt_graph *graph, gt_id gradient, int64_t count, int64_t total) {
  gradient = gt_reshape_origin(graph, gradient);
  const gt_node *node = gt_node_at(graph, gradient);
  if (node->shape.rank != 1 || gt_pad_before(graph, gradient, 0) != total - count) return GT_NONE;
  return gt_shape_count(gt_node_at(graph, node->input[0])->shape) == count ? node->input[0] : GT_NONE;
}

static void gradient_run(gt_graph *graph, gt_id id, const gt_id *output_gradient, const bool *wanted,
                         gt_id *input_gradient) {
  const gt_node *node = gt_node_at(graph, id);
  gt_logic_ca_attribute attribute = *(const gt_logic_ca_attribute *)node->attribute;
  const bool fires = attribute.fire_rate < 1;
  if (node->inputs != (gt_logic_ca_clocked(&attribute) ? 5 : 4))
    return; /* built without the inverse wiring: not for training */
  const gt_shape state = state_shape(node);
  const gt_id last =
      last_gradient(graph, output_gradient[0], gt_shape_count(state), gt_shape_count(node->shape));
  attribute.final_only = last != GT_NONE;
  gt_id input[6] = {id, node->input[1], node->input[2], node->input[3],
                    last == GT_NONE ? output_gradient[0] : last};
  if (fires) input[5] = node->input[4];
  const gt_id gradients =
      gt_node_add(graph, &ops[OP_GRADIENT], input, fires ? 6 : 5, &attribute, sizeof attribute);
  if (wanted[0]) input_gradient[0] = gt_result(graph, gradients, 1);
  if (wanted[1]) input_gradient[1] = gradients;
}

/* Number of evaluations of gates, for all cells, channels and steps. */
static double evaluations(const gt_graph *graph, const gt_node *node) {
  const gt_logic_ca_attribute *a = node->attribute;
  const gt_node *states = node->op == &ops[OP_RUN] ? node : gt_node_at(graph, node->input[0]);
  const gt_shape state = state_shape(states);
  double gates = 0;
  for (uint32_t l = 0; l < a->perceptions + a->updates; l++)
    gates += (double)a->width[l] * (l < a->perceptions ? a->kernels * (double)state.dim[3] : 1);
  return gates * (double)(state.dim[0] * state.dim[1] * state.dim[2]) * a->steps;
}

/* An evaluation counts as 6 operations forward and 20 backward. */
static double flops_run(const gt_graph *graph, const gt_node *node) { return 6 * evaluations(graph, node); }
static double flops_gradient(const gt_graph *graph, const gt_node *node) {
  return 20 * evaluations(graph, node);
}

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  const gt_logic_ca_attribute *a = node->attribute;
  snprintf(buffer, size, "%u steps, %u kernels, %u + %u layers%s", a->steps, a->kernels, a->perceptions,
           a->updates, a->periodic ? ", periodic" : "");
}

gt_id gt_logic_ca(gt_graph *graph, gt_id state, gt_id coefficients, gt_id wiring, gt_id inverse, gt_id clock,
                  const gt_logic_ca_attribute *attribute) {
  gt_logic_ca_attribute a = *attribute;
  const bool fires = a.fire_rate < 1;
  if (fires) a.purpose = GT_PURPOSE_GRAPH + graph->next_purpose++;
  if (a.sampling > 0) a.sampling_purpose = GT_PURPOSE_GRAPH + graph->next_purpose++;
  gt_id input[5] = {state, coefficients, wiring};
  int inputs = 3;
  if (inverse != GT_NONE) input[inputs++] = inverse;
  if (gt_logic_ca_clocked(&a)) input[inputs++] = clock;
  return gt_node_add(graph, &ops[OP_RUN], input, inputs, &a, sizeof a);
}

static const gt_op ops[OPS] = {
    [OP_RUN] = {.name = "logic_ca",
                .kind = GT_OP_KERNEL,
                .min_inputs = 3,
                .max_inputs = 5,
                .infer = infer_run,
                .gradient = gradient_run,
                .lower = gt_logic_ca_lower,
                .flops = flops_run,
                .print = print},
    [OP_GRADIENT] = {.name = "logic_ca_gradient",
                     .kind = GT_OP_KERNEL,
                     .min_inputs = 5,
                     .max_inputs = 6,
                     .further = 1,
                     .infer = infer_gradient,
                     .lower = gt_logic_ca_gradient_lower,
                     .flops = flops_gradient,
                     .print = print},
};
