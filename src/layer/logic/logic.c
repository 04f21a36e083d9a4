/* logic: a layer of gates with two inputs each (op/logic/logic.h); group_sum: the sums that turn the last
 * layer's bits into class scores; both after Petersen et al., "Deep Differentiable Logic Gate Networks",
 * NeurIPS 2022. Inputs and outputs are [batch, features]; inside, the layers are feature-major, and the
 * permutes between two of them cancel. A hard evaluation of bits computes on words of 32 samples, also
 * between layers. If an input may hold numbers other than bits, the gates are evaluated as polynomials, as in
 * training. */
#include "layer/logic/logic_init.h"
#include "op/logic/logic.h"
#include "layer/circuit.h"
#include "layer/layer.h"
#include "layer/review.h"
#include "layer/logic/wiring.h"
#include "op/logic/logic_bits.h"
#include <string.h>

enum { GATE_FUNCTIONS = 16 }; /* of two bits: logits of a gate */

typedef struct logic_config {
  int64_t units;
  const char *wiring, *init, *precision;
} logic_config;

static const char *const precisions[] = {"single", "half", NULL};
static const char *const wirings[] = {"random", "unique", NULL};

static const gt_field fields[] = {
    GT_ROW(logic_config, units, GT_FIELD_INT, .min = 1, .max = 1 << 24, .help = "number of gates",
           .flags = GT_FIELD_REQUIRED),
    GT_ROW(logic_config, wiring, GT_FIELD_CHOICE, .fallback = "random", .choices = wirings,
           .help = "which two inputs each gate reads: random (each input equally often) or unique (no "
                   "pair twice, neighbors first)"),
    GT_ROW(logic_config, init, GT_FIELD_CHOICE, .fallback = "normal", .choices = gt_logic_inits,
           .help = "initial logits: normal (standard normal), pass_through (10 for the gate that "
                   "returns its first input, else 0) or residual (5 for that gate: probability 0.91)"),
    GT_ROW(logic_config, precision, GT_FIELD_CHOICE, .fallback = "single", .choices = precisions,
           .help = "storage of values read from another logic layer: single (f32) or half (f16, "
                   "gradients bf16; needs a batch size divisible by 4 and no other layer that reads "
                   "them)"),
    {.name = NULL},
};

static bool check_flat(gt_build *build, const gt_id *input) {
  if (gt_node_at(build->graph, input[0])->shape.rank == 2) return true;
  return gt_build_fail(build, NULL,
                       "needs one row of values per sample, as after a flatten layer; its input is %s",
                       gt_build_input_text(build, input, 0));
}

static bool choose_wiring(gt_build *build, const logic_config *c, const gt_id *input, int64_t in,
                          int32_t *wiring) {
  const gt_init_stream stream = gt_build_stream(build, "wiring");
  if (2 * c->units < in)
    return gt_build_fail(build, "units",
                         "has %lld gates with two inputs each, which are too few to read all values of %s",
                         (long long)c->units, gt_build_input_text(build, input, 0));
  if (!strcmp(c->wiring, "random"))
    gt_wiring_random(&stream, in, c->units, wiring);
  else if (!gt_wiring_unique(&stream, in, c->units, wiring))
    return gt_build_fail(build, "units", "has %lld gates, but %s has only %lld pairs of values",
                         (long long)c->units, gt_build_input_text(build, input, 0),
                         (long long)(in * (in - 1) / 2));
  return true;
}

/* For the gradient: the walk over the gates (glossary) or, if there is none that fits, the inverse wiring. */
static gt_id build_readers(gt_build *build, const int32_t *wiring, int64_t in, int64_t gates) {
  const int64_t runs = gt_logic_walk_runs(wiring, in, gates), capacity = gt_logic_walk_capacity(gates);
  const bool has_walk = runs && runs <= capacity;
  const int64_t words = has_walk ? capacity * GT_LOGIC_WALK_WORDS : gt_logic_inverse_count(in, gates);
  int32_t *out = GT_NEW_N(build->arena, int32_t, words);
  if (has_walk) {
    gt_logic_walk(wiring, in, gates, out);
    gt_logic_walk_fill(runs, capacity, out);
    return gt_build_derived(build, "walk", gt_shape_2(capacity, GT_LOGIC_WALK_WORDS), out);
  }
  gt_logic_inverse(wiring, in, gates, out);
  return gt_build_derived(build, "inverse", gt_shape_1(words), out);
}

static gt_id build_logic(gt_build *build, const void *config, const gt_id *input) {
  const logic_config *c = config;
  if (!check_flat(build, input)) return GT_NONE;
  const int64_t in = gt_node_at(build->graph, input[0])->shape.dim[1], gates = c->units;
  int32_t *chosen = GT_NEW_N(build->arena, int32_t, 2 * gates);
  int32_t *limit = GT_NEW_N(build->arena, int32_t, 2 * gates);
  for (int64_t i = 0; i < 2 * gates; i++) limit[i] = (int32_t)in;
  if (!choose_wiring(build, c, input, in, chosen)) return GT_NONE;
  const gt_id logits =
      gt_build_parameter(build, "logits", gt_shape_2(gates, GATE_FUNCTIONS), gt_logic_init(c->init));
  const gt_id wiring = gt_build_constant(build, "wiring", gt_shape_2(2, gates), chosen, limit);
  const gt_id readers = build->training ? build_readers(build, chosen, in, gates) : GT_NONE;
  build->has_hard = true;
  gt_review_bits(build, input);
  const gt_id words = build->hard ? gt_logic_words_of(build->graph, input[0]) : GT_NONE;
  if (words != GT_NONE) {
    const gt_id y = gt_logic_bits(build->graph, words, gt_logic_codes(build->graph, logits), wiring);
    return gt_logic_unpack(build->graph, y, gt_node_at(build->graph, input[0])->shape.dim[0],
                           GT_WORDS_BY_VALUE);
  }
  const gt_id coefficients = gt_logic_coefficients(build->graph, logits, build->hard);
  gt_id x = gt_feature_major(build->graph, input[0]);
  if (!strcmp(c->precision, "half")) x = gt_logic_half(build->graph, x);
  return gt_batch_major(build->graph, gt_logic(build->graph, x, coefficients, wiring, readers));
}

static bool logic_circuit(gt_layer_circuit *circuit, const void *config) {
  const uint32_t gates = (uint32_t)((const logic_config *)config)->units;
  const uint8_t *op;
  const int32_t *a;
  if (!gt_layer_circuit_start(circuit) || !gt_layer_circuit_read_gates(circuit, gates, 2, gates, &op, &a))
    return false;
  const gt_circuit_layer layer = {gates, a, a + gates, op};
  uint32_t *values = gt_layer_circuit_alloc_values(circuit, gates);
  return gt_circuit_add_layer(circuit->circuit, &layer, circuit->source->items,
                              (uint32_t)circuit->source->count, values, circuit->error) ||
         gt_layer_circuit_fail(circuit, "has a wiring that does not match its input");
}

GT_DEFINE(layer, logic) = {.name = "logic",
                           .help = "two-input logic gates, learned as a mixture of all 16",
                           .schema = GT_SCHEMA("logic", "logic gates with two inputs", fields, "units"),
                           .config_size = sizeof(logic_config),
                           .family = GT_LAYER_GATES,
                           .build = build_logic,
                           .circuit = logic_circuit};

/* --- group_sum ------------------------------------------------------------------------------------------ */

typedef struct group_config {
  int64_t groups;
  double tau;
} group_config;

static const gt_field group_fields[] = {
    GT_ROW(group_config, groups, GT_FIELD_INT, .min = 1, .max = 1 << 24,
           .help = "number of groups, one per class", .flags = GT_FIELD_REQUIRED),
    GT_ROW(group_config, tau, GT_FIELD_FLOAT, .fallback = "1", .flags = GT_FIELD_OPEN_MIN,
           .help = "temperature: each sum is divided by it"),
    {.name = NULL},
};

static gt_id build_group_sum(gt_build *build, const void *config, const gt_id *input) {
  const group_config *c = config;
  gt_graph *graph = build->graph;
  if (!check_flat(build, input)) return GT_NONE;
  const gt_shape shape = gt_node_at(graph, input[0])->shape;
  if (shape.dim[1] % c->groups)
    return gt_build_error(build, "groups", "cannot form %lld equal groups from %s", (long long)c->groups,
                          gt_build_input_text(build, input, 0));
  const gt_id words = build->hard ? gt_logic_words_of(graph, input[0]) : GT_NONE;
  if (words != GT_NONE) return gt_logic_bits_sum(graph, words, shape.dim[0], c->groups, 1 / c->tau);
  return gt_logic_group_sum(graph, gt_feature_major(graph, input[0]), c->groups, 1 / c->tau);
}

/* In a circuit, only the last layer of the model can be a group_sum: the outputs form groups. */
static bool group_circuit(gt_layer_circuit *circuit, const void *config) {
  if (!circuit->source->count) return true;
  if (!circuit->last) return gt_layer_circuit_fail(circuit, "comes after gates but has no gates");
  circuit->circuit->groups = (uint32_t)((const group_config *)config)->groups;
  return gt_layer_circuit_pass_through(circuit);
}

GT_DEFINE(layer, group_sum) = {
    .name = "group_sum",
    .help = "sums of equal groups of consecutive values, divided by tau",
    .schema = GT_SCHEMA("group_sum", "sums of equal groups of values", group_fields, "groups"),
    .config_size = sizeof(group_config),
    .family = GT_LAYER_GATES,
    .build = build_group_sum,
    .circuit = group_circuit};
