/* logic_ca: a cellular automaton whose rule is a circuit of logic gates, run for a number of steps
 * (op/logic/logic_ca.h). Its input is the first board, [batch, height, width, channels], its output the first
 * `outputs` channels of the last one. Wiring and initial logits with init: pass_through follow Miotti et al.,
 * "Differentiable Logic Cellular Automata", 2025. */
#include "layer/logic/logic_init.h"
#include "op/logic/logic_ca.h"
#include "layer/circuit.h"
#include "layer/layer.h"
#include "layer/review.h"
#include "layer/logic/wiring.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/logic/logic.h"
#include "op/logic/logic_bits.h"
#include "op/logic/logic_ca_bits.h"
#include "op/move.h"
#include <string.h>

/* Functions of two bits; neighbors of a cell (Moore neighborhood); index of the cell itself in the 3 by 3
 * cells. */
enum { GATE_FUNCTIONS = 16, MOORE = 8, CENTRE = 4 };

typedef struct ca_config {
  int64_t steps, kernels, outputs, average_last;
  gt_ints perception, update;
  bool periodic;
  double fire_rate, strength, rounding, sampling;
  const char *wiring, *init;
} ca_config;

static const char *const inits[] = {"directions", "normal", "pass_through", "residual", NULL};
static const char *const wirings[] = {"random", "unique", NULL};

static const gt_field fields[] = {
    GT_ROW(ca_config, steps, GT_FIELD_INT, .min = 1, .max = 100000, .flags = GT_FIELD_REQUIRED,
           .help = "number of steps of the automaton"),
    GT_ROW(ca_config, kernels, GT_FIELD_INT, .fallback = "16", .min = 1, .max = 1024,
           .help = "number of perception circuits per channel"),
    GT_ROW(ca_config, perception, GT_FIELD_INTS, .fallback = "[8, 4, 2]", .min = 1, .max = 65536,
           .help = "gates in each layer of a perception circuit; the first has 8: the cell with each "
                   "of its neighbors"),
    GT_ROW(ca_config, update, GT_FIELD_INTS, .min = 1, .max = 65536, .flags = GT_FIELD_REQUIRED,
           .help = "gates in each layer of the update circuit; the last layer gives the cell's new channels"),
    GT_ROW(ca_config, periodic, GT_FIELD_BOOL, .fallback = "false",
           .help = "periodic boundaries; false: zeros outside the board"),
    GT_ROW(ca_config, fire_rate, GT_FIELD_FLOAT, .fallback = "1", .min = 0, .max = 1,
           .flags = GT_FIELD_OPEN_MIN, .help = "probability that a cell is updated in a step"),
    GT_ROW(ca_config, outputs, GT_FIELD_INT, .min = 1, .max = 65536,
           .help = "number of channels of the last board to output (default: all)"),
    GT_ROW(ca_config, wiring, GT_FIELD_CHOICE, .fallback = "unique", .choices = wirings,
           .help = "wiring, as in layer `logic`"),
    GT_ROW(ca_config, init, GT_FIELD_CHOICE, .fallback = "directions", .choices = inits,
           .help = "initial logits, as in layer `logic`; directions: pass_through of another neighbor "
                   "for each kernel"),
    GT_ROW(ca_config, strength, GT_FIELD_FLOAT, .fallback = "10", .max = 100, .flags = GT_FIELD_OPEN_MIN,
           .help = "initial logit of the passed input, with init: directions or pass_through"),
    GT_ROW(ca_config, average_last, GT_FIELD_INT, .fallback = "1", .min = 1, .max = 100000,
           .help =
               "in training, output the mean of the last this many boards, which rewards patterns that stay"),
    GT_ROW(ca_config, rounding, GT_FIELD_FLOAT, .fallback = "0", .max = 1,
           .help = "in training, move states between steps this fraction of the way to the nearest bit"),
    GT_ROW(ca_config, sampling, GT_FIELD_FLOAT, .fallback = "0", .max = 1,
           .help = "in training, probability of replacing a state between steps by a random bit with "
                   "the state as its probability of 1"),
    {.name = NULL},
};

/* Fills in the op's attribute from the config; false after reporting. */
static bool read_layers(gt_build *build, const ca_config *c, gt_logic_ca_attribute *a) {
  if (c->perception.count < 1 || c->perception.count > GT_LOGIC_CA_PERCEPTION || c->update.count < 1 ||
      c->update.count > GT_LOGIC_CA_UPDATE)
    return gt_build_fail(
        build, c->update.count < 1 || c->update.count > GT_LOGIC_CA_UPDATE ? "update" : "perception",
        "needs 1 to %d layers of perception and 1 to %d of update", GT_LOGIC_CA_PERCEPTION,
        GT_LOGIC_CA_UPDATE);
  memset(a, 0, sizeof *a);
  a->steps = (uint32_t)c->steps;
  a->kernels = (uint32_t)c->kernels;
  a->periodic = c->periodic;
  a->bounded = true;
  a->fire_rate = build->clock == GT_NONE ? 1.0f : (float)c->fire_rate;
  if (build->training && build->clock != GT_NONE) {
    a->rounding = (float)c->rounding;
    a->sampling = (float)c->sampling;
  }
  a->perceptions = (uint32_t)c->perception.count;
  a->updates = (uint32_t)c->update.count;
  for (int i = 0; i < c->perception.count; i++) a->width[i] = (uint32_t)c->perception.items[i];
  for (int i = 0; i < c->update.count; i++)
    a->width[a->perceptions + (uint32_t)i] = (uint32_t)c->update.items[i];
  return true;
}

/* Chooses the wiring of layer l: the first inputs of its gates, a [width], and the second ones, b [width]. */
static bool wire_layer(gt_build *build, const ca_config *c, uint32_t l, uint32_t inputs, uint32_t width,
                       int32_t *a, int32_t *b) {
  const gt_init_stream stream = gt_build_stream(build, gt_arena_printf(build->arena, "wiring%u", l));
  if (l == 0 && width == MOORE) {
    gt_wiring_permutation(&stream, 0, MOORE, a);
    for (uint32_t o = 0; o < MOORE; o++) a[o] += a[o] >= CENTRE, b[o] = CENTRE;
    return true;
  }
  int32_t *wiring = GT_NEW_N(build->arena, int32_t, 2 * width);
  bool enough = 2 * (int64_t)width >= inputs;
  if (enough && !strcmp(c->wiring, "random"))
    gt_wiring_random(&stream, inputs, width, wiring);
  else
    enough = enough && (inputs == 1 || gt_wiring_unique(&stream, inputs, width, wiring));
  memcpy(a, wiring, width * sizeof *a);
  memcpy(b, wiring + width, width * sizeof *b);
  if (enough) return true;
  return gt_build_fail(
      build, l < (uint32_t)c->perception.count ? "perception" : "update",
      "has a layer of %u gates that reads %u values: a gate reads two values, and every value must be read%s",
      width, inputs, strcmp(c->wiring, "random") ? ", and each pair by at most one gate" : "");
}

static gt_id build_inverse(gt_build *build, const gt_logic_ca_attribute *a, uint32_t channels,
                           const int32_t *wiring) {
  const int64_t words = gt_logic_ca_inverse_words(a, channels);
  int32_t *inverse = GT_NEW_N(build->arena, int32_t, words);
  gt_logic_ca_inverse(a, channels, wiring, inverse);
  return gt_build_derived(build, "inverse", gt_shape_1(words), inverse);
}

/* The output channels of the last state, or of the mean of the last states. */
static gt_id last_board(gt_graph *graph, gt_id states, int64_t outputs, int64_t average) {
  if (states == GT_NONE) return GT_NONE;
  const gt_shape shape = gt_node_at(graph, states)->shape;
  gt_shape board = {.rank = 4};
  memcpy(board.dim, shape.dim + 1, 4 * sizeof *board.dim);
  const int64_t size = gt_shape_count(board), first = shape.dim[0] - average;
  gt_id last = gt_view(graph, states, first * size, board);
  for (int64_t t = first + 1; t < shape.dim[0]; t++)
    last = gt_add(graph, last, gt_view(graph, states, t * size, board));
  if (average > 1) last = gt_mul(graph, last, gt_constant(graph, 1.0 / (double)average));
  const int64_t start[4] = {0}, stop[4] = {board.dim[0], board.dim[1], board.dim[2], outputs};
  return outputs == board.dim[3] ? last : gt_shrink(graph, last, start, stop);
}

/* The output channels of the last board, for boards of bits: 32 samples per word. */
static gt_id run_bits(gt_build *build, const gt_logic_ca_attribute *a, gt_id boards, gt_id logits,
                      gt_id wiring, int64_t outputs) {
  gt_graph *graph = build->graph;
  const gt_shape b = gt_node_at(graph, boards)->shape;
  const int64_t batch = b.dim[0], words = gt_logic_words(batch), cells = b.dim[1] * b.dim[2];
  const gt_shape packed = {.rank = 4, .dim = {words, b.dim[1], b.dim[2], b.dim[3]}};
  gt_id x = gt_reshape(graph, boards, gt_shape_2(batch, cells * b.dim[3]));
  x = gt_reshape(graph, gt_logic_pack(graph, x, GT_WORDS_BY_WORD), packed);
  x = gt_logic_ca_bits(graph, x, gt_logic_codes(graph, logits), wiring,
                       a->fire_rate < 1 ? build->clock : GT_NONE, a);
  const int64_t start[4] = {0}, stop[4] = {words, b.dim[1], b.dim[2], outputs};
  if (outputs < b.dim[3]) x = gt_shrink(graph, x, start, stop);
  x = gt_reshape(graph, x, gt_shape_2(words, cells * outputs));
  const gt_shape last = {.rank = 4, .dim = {batch, b.dim[1], b.dim[2], outputs}};
  return gt_reshape(graph, gt_logic_unpack(graph, x, batch, GT_WORDS_BY_WORD), last);
}

/* Initial logits: those of logic_init.h, or directions. */
static const gt_init *initial_logits(gt_build *build, const ca_config *c, const gt_logic_ca_attribute *a,
                                     uint32_t channels, const int32_t *wiring) {
  if (!strcmp(c->init, "directions"))
    return gt_logic_init_pass(build->arena, c->strength, gt_directions(build->arena, a, channels, wiring));
  if (!strcmp(c->init, "pass_through")) return gt_logic_init_pass(build->arena, c->strength, NULL);
  return gt_logic_init(c->init);
}

static gt_id build_ca(gt_build *build, const void *config, const gt_id *input) {
  const ca_config *c = config;
  gt_logic_ca_attribute a;
  const gt_shape state = gt_node_at(build->graph, input[0])->shape;
  if (state.rank != 4)
    return gt_build_error(build, NULL, "needs a board [height, width, channels]; its input is %s",
                          gt_build_input_text(build, input, 0));
  if (!read_layers(build, c, &a)) return GT_NONE;
  const int64_t channels = state.dim[3], outputs = c->outputs ? c->outputs : channels;
  if (a.width[a.perceptions + a.updates - 1] != channels)
    return gt_build_error(build, "update", "ends with %u gates, but the cells have %lld channels",
                          a.width[a.perceptions + a.updates - 1], (long long)channels);
  if (c->average_last > c->steps)
    return gt_build_error(build, "average_last", "is larger than the automaton's %lld steps",
                          (long long)c->steps);
  if (outputs > channels)
    return gt_build_error(build, "outputs", "is larger than the number of channels of the cells");
  gt_logic_ca_layer layer[GT_LOGIC_CA_LAYERS] = {{0}};
  gt_logic_ca_layers(&a, (uint32_t)channels, layer);
  const int64_t wires = gt_logic_ca_wires(&a), gates = gt_logic_ca_gates(&a);
  int32_t *chosen = GT_NEW_N(build->arena, int32_t, 2 * wires);
  int32_t *limit = GT_NEW_N(build->arena, int32_t, 2 * wires);
  for (uint32_t l = 0; l < a.perceptions + a.updates; l++) {
    if (!wire_layer(build, c, l, layer[l].inputs, layer[l].width, chosen + layer[l].wire,
                    chosen + wires + layer[l].wire))
      return GT_NONE;
    for (uint32_t o = 0; o < layer[l].width; o++)
      limit[layer[l].wire + o] = limit[wires + layer[l].wire + o] = (int32_t)layer[l].inputs;
  }
  const gt_id logits = gt_build_parameter(build, "logits", gt_shape_2(gates, GATE_FUNCTIONS),
                                          initial_logits(build, c, &a, (uint32_t)channels, chosen));
  const gt_id wiring = gt_build_constant(build, "wiring", gt_shape_2(2, wires), chosen, limit);
  const gt_id inverse = build->training ? build_inverse(build, &a, (uint32_t)channels, chosen) : GT_NONE;
  build->has_hard = true;
  gt_review_bits(build, input);
  if (build->hard && gt_node_at(build->graph, input[0])->bits)
    return run_bits(build, &a, input[0], logits, wiring, outputs);
  const gt_id coefficients = gt_logic_coefficients(build->graph, logits, build->hard);
  const gt_id states = gt_logic_ca(build->graph, input[0], coefficients, wiring, inverse,
                                   gt_logic_ca_clocked(&a) ? build->clock : GT_NONE, &a);
  return last_board(build->graph, states, outputs, build->training ? c->average_last : 1);
}

/* --- conversion of a trained automaton to a circuit ----------------------------------------------------- */

static int64_t total(const gt_ints *widths) {
  int64_t sum = 0;
  for (int i = 0; i < widths->count; i++) sum += widths->items[i];
  return sum;
}

/* Layers of these widths for `kernels` circuits with the same wiring: the functions of all gates from op on,
 * the wiring from a and b on. */
static gt_circuit_layer *layers_of(gt_arena *arena, const gt_ints *widths, int64_t kernels, const uint8_t *op,
                                   const int32_t *a, const int32_t *b) {
  gt_circuit_layer *layer = GT_NEW_N(arena, gt_circuit_layer, widths->count + 1);
  for (int i = 0; i < widths->count; i++) {
    const int64_t width = widths->items[i];
    layer[i] = (gt_circuit_layer){(uint32_t)width, a, b, op};
    op += kernels * width;
    a += width, b += width;
  }
  return layer;
}

static bool ca_circuit(gt_layer_circuit *circuit, const void *config) {
  const ca_config *c = config;
  const int64_t perception_gates = total(&c->perception), wires = perception_gates + total(&c->update);
  const int64_t update_op = perception_gates * c->kernels;
  gt_layer_automaton *automaton = circuit->automaton;
  gt_arena *arena = circuit->arena;
  const uint8_t *op;
  const int32_t *a;
  if (circuit->source->count) return gt_layer_circuit_fail(circuit, "reads gates that are not its own");
  if (!gt_layer_circuit_read_gates(circuit, update_op + total(&c->update), 2, wires, &op, &a)) return false;
  const int32_t *b = a + wires;
  const gt_ca_parts parts = {
      .channels = (uint32_t)c->update.items[c->update.count - 1],
      .kernels = (uint32_t)c->kernels,
      .periodic = c->periodic,
      .perception = layers_of(arena, &c->perception, c->kernels, op, a, b),
      .update = layers_of(arena, &c->update, 1, op + update_op, a + perception_gates, b + perception_gates),
      .perception_layers = c->perception.count,
      .update_layers = c->update.count};
  *automaton = (gt_layer_automaton){.is_automaton = true,
                                    .height = circuit->output.dim[1],
                                    .width = circuit->output.dim[2],
                                    .steps = c->steps,
                                    .outputs = c->outputs ? c->outputs : parts.channels,
                                    .fire_rate = c->fire_rate};
  return gt_circuit_ca_build(&automaton->ca, &parts, circuit->error);
}

GT_DEFINE(layer, logic_ca) = {.name = "logic_ca",
                              .help = "cellular automaton whose rule is a circuit of logic gates",
                              .schema = GT_SCHEMA("logic_ca", "cellular automaton of logic gates", fields),
                              .config_size = sizeof(ca_config),
                              .family = GT_LAYER_GATES,
                              .ends_lengths = true,
                              .build = build_ca,
                              .circuit = ca_circuit};
