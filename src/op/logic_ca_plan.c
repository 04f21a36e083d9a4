/* How the automaton is launched: one step after another, each a workgroup for every few cells (the lanes of a
 * vector). Shared memory, in lane groups, in two uses that follow each other: forward   region 0 [the
 * update's inputs | outputs of its odd layers] region 1 at `second` [9 rows a channel | perception's layers
 * in turn, the odd ones at +other] for `chunk` channels at a time, then outputs of the update's even layers
 *   backward  the gradient of the layer, at D its gates' two products, at E perception's gradients between
 * layers and, for the gradient, at the very end 2 C rows: what passes a cell by, and the gradient of its new
 * state. The more cells a workgroup has, the less often coefficients are read and partial sums written; the
 * fewer, the more workgroups there are: as many cells as leave no multiprocessor without work. */
#include "op/logic_ca_plan.h"
#include "op/logic_ca_cpu.h"
#include "shaders/op/logic_ca.h"
#include "shaders/op/logic_ca_gradient.h"
#include "shaders/op/logic_ca_sum.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 256, LEAST_SHARED = 16384, FIXED_SHARED = 2048, MOST_LANES = 4, SUM_LOCAL = 256 };

typedef struct geometry {
  gt_logic_ca_layer layer[GT_LOGIC_CA_LAYERS];
  uint32_t layers, channels, lanes, chunk, threads;
  uint32_t shared, second, other, d, e; /* in lane groups */
  uint32_t slots, trace, groups;        /* a workgroup's partial sums and gates; workgroups or tiles */
  uint32_t words[GT_LOGIC_CA_LAYERS * GT_CA_WORDS];
} geometry;

static uint32_t most(uint32_t a, uint32_t b) { return a > b ? a : b; }
static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Lays out shared memory for so many channels at a time; the number of lane groups. */
static uint32_t lay_out(geometry *g, const gt_logic_ca_attribute *a, uint32_t chunk, bool gradient) {
  const uint32_t input = g->layer[a->perceptions].inputs;
  uint32_t region[2] = {input, 0}, perceived[2] = {0, 0}, widest = input, products = 0;
  uint32_t between = 2 * a->width[0] * chunk; /* the first layer's products summed over kernels */
  for (uint32_t l = 0; l < a->perceptions; l++) {
    const uint32_t rows = a->kernels * a->width[l] * chunk;
    products = most(products, 2 * rows);
    if (l == a->perceptions - 1) continue;
    perceived[l % 2] = most(perceived[l % 2], rows);
    between = most(between, rows);
  }
  for (uint32_t l = a->perceptions; l < g->layers; l++) {
    const uint32_t u = (l - a->perceptions) % 2;
    region[1 - u] = most(region[1 - u], a->width[l]);
    products = most(products, 2 * a->width[l]);
    widest = most(widest, a->width[l]);
  }
  region[1] = most(region[1], GT_LOGIC_CA_PATCH * chunk + perceived[0] + perceived[1]);
  g->chunk = chunk;
  g->second = region[0];
  g->other = perceived[0];
  g->shared = region[0] + region[1];
  if (!gradient) return g->shared;
  g->d = widest;
  g->e = g->d + products;
  g->shared = most(g->shared, g->e + between) + 2 * g->channels;
  return g->shared;
}

/* The most channels at a time that fit, with one item a thread being enough of them. */
static bool fit(geometry *g, const gt_logic_ca_attribute *a, uint32_t lanes, uint32_t bytes, bool gradient) {
  const uint32_t room = (bytes - FIXED_SHARED) / (4 * lanes);
  uint32_t chunk = g->channels;
  while (chunk > 1 && lay_out(g, a, chunk, gradient) > room) chunk = (chunk + 1) / 2;
  g->lanes = lanes;
  return lay_out(g, a, chunk, gradient) <= room;
}

bool gt_logic_ca_fits(const gt_logic_ca_attribute *attribute, gt_shape state) {
  geometry g = {.layers = attribute->perceptions + attribute->updates, .channels = (uint32_t)state.dim[3]};
  gt_logic_ca_layers(attribute, g.channels, g.layer);
  return fit(&g, attribute, 1, LEAST_SHARED, true);
}

/* The shape's words, and with them where each gate's sums and inputs lie. */
static void write_words(geometry *g, const gt_logic_ca_attribute *a, bool device) {
  for (uint32_t l = 0; l < g->layers; l++) {
    const gt_logic_ca_layer *at = &g->layer[l];
    const bool perceives = l < a->perceptions;
    const uint32_t gates = at->width * (perceives ? a->kernels : 1);
    const uint32_t split = perceives && device ? least(g->chunk, most(1, g->threads / gates)) : 1;
    const uint32_t words[GT_CA_WORDS] = {at->width,   at->inputs, at->gate, at->wire,
                                         at->inverse, g->trace,   g->slots, split};
    memcpy(g->words + (size_t)l * GT_CA_WORDS, words, sizeof words);
    g->trace += gates * (perceives ? g->channels : 1);
    g->slots += gates * split;
  }
}

static geometry plan(const gt_target *target, const gt_logic_ca_attribute *a, gt_shape state, bool gradient) {
  geometry g = {.layers = a->perceptions + a->updates, .channels = (uint32_t)state.dim[3]};
  const uint32_t cells = (uint32_t)(state.dim[0] * state.dim[1] * state.dim[2]);
  gt_logic_ca_layers(a, g.channels, g.layer);
  g.lanes = GT_CA_LANES;
  g.threads = THREADS;
  if (target->device) {
    const uint32_t bytes = most(target->shared_bytes, LEAST_SHARED);
    if (target->max_workgroup && target->max_workgroup < THREADS) g.threads = target->max_workgroup;
    if (getenv("CA_THREADS")) g.threads = (uint32_t)atoi(getenv("CA_THREADS"));
    uint32_t lanes = 1;
    while (lanes < MOST_LANES && (cells + lanes - 1) / lanes > target->units) lanes *= 2;
    if (getenv("CA_LANES")) lanes = (uint32_t)atoi(getenv("CA_LANES"));
    while (!fit(&g, a, lanes, bytes, gradient) && lanes > 1) lanes /= 2;
  }
  g.groups = (cells + g.lanes - 1) / g.lanes;
  write_words(&g, a, target->device);
  return g;
}

static void set_spec(gt_step *step, const geometry *g, const gt_logic_ca_attribute *a, gt_shape state) {
  step->spec[GT_SPEC_LOCAL_X] = g->threads;
  step->spec[SPEC_CA_SHARED] = g->shared;
  step->spec[SPEC_CA_CHANNELS] = g->channels;
  step->spec[SPEC_CA_KERNELS] = a->kernels;
  step->spec[SPEC_CA_HEIGHT] = (uint32_t)state.dim[1];
  step->spec[SPEC_CA_WIDTH] = (uint32_t)state.dim[2];
  step->spec[SPEC_CA_PERIODIC] = a->periodic;
  step->spec[SPEC_CA_PERCEPTIONS] = a->perceptions;
  step->spec[SPEC_CA_UPDATES] = a->updates;
  step->spec[SPEC_CA_CHUNK] = g->chunk;
  step->spec[SPEC_CA_FIRE] = a->fire_rate < 1;
  step->spec[SPEC_CA_SECOND] = g->second;
  step->spec[SPEC_CA_OTHER] = g->other;
  step->spec[SPEC_CA_SLOTS] = g->slots;
  step->spec[SPEC_CA_TRACE] = g->trace;
  step->spec[SPEC_CA_D] = g->d;
  step->spec[SPEC_CA_E] = g->e;
  step->tiles = step->grid[0] = g->groups;
}

static const gt_kernel *kernel_of(bool gradient, uint32_t lanes) {
  static const gt_kernel forward[] = {
      {"logic_ca1", gt_logic_ca_cpu}, {"logic_ca2", gt_logic_ca_cpu}, {"logic_ca4", gt_logic_ca_cpu}};
  static const gt_kernel backward[] = {{"logic_ca_gradient1", gt_logic_ca_gradient_cpu},
                                       {"logic_ca_gradient2", gt_logic_ca_gradient_cpu},
                                       {"logic_ca_gradient4", gt_logic_ca_gradient_cpu}};
  const int which = lanes == 1 ? 0 : lanes == 2 ? 1 : 2;
  return gradient ? &backward[which] : &forward[which];
}

void gt_logic_ca_lower(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const gt_logic_ca_attribute *a = node->attribute;
  gt_shape state = {.rank = 4};
  memcpy(state.dim, node->shape.dim + 1, 4 * sizeof *state.dim);
  const geometry g = plan(gt_lowering_target(lowering), a, state, false);
  const uint32_t size = (uint32_t)gt_shape_count(state);
  for (uint32_t t = 0; t < a->steps; t++) {
    const struct gt_logic_ca_args args = {.step = t,
                                          .cells = size / g.channels,
                                          .wires = (uint32_t)gt_logic_ca_wires(a),
                                          .purpose = a->purpose,
                                          .fire_rate = a->fire_rate,
                                          .from_offset = t * size,
                                          .to_offset = (t + 1) * size,
                                          .copy = t == 0,
                                          .round = a->digital && t + 1 < a->steps};
    set_spec(gt_lower_step(lowering, kernel_of(false, g.lanes), &args, sizeof args), &g, a, state);
    gt_lower_read(lowering, offsetof(struct gt_logic_ca_args, from), t ? group->leader : node->input[0]);
    gt_lower_write(lowering, offsetof(struct gt_logic_ca_args, states), group->leader);
    gt_lower_read(lowering, offsetof(struct gt_logic_ca_args, coefficients), node->input[1]);
    gt_lower_read(lowering, offsetof(struct gt_logic_ca_args, wiring), node->input[2]);
    gt_lower_constants(lowering, offsetof(struct gt_logic_ca_args, shape), g.words, sizeof g.words);
    if (a->fire_rate < 1)
      gt_lower_read(lowering, offsetof(struct gt_logic_ca_args, clock), node->input[node->inputs - 1]);
  }
}

typedef struct memory { /* of the gradient: scratch numbers */
  uint32_t d_patch[2], partial, trace;
} memory;

static void gradient_step(gt_lowering *lowering, const gt_group *group, const geometry *g, const memory *m,
                          gt_shape state, uint32_t t) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const gt_logic_ca_attribute *a = node->attribute;
  const uint32_t size = (uint32_t)gt_shape_count(state);
  const bool later = t + 1 < a->steps, given = !later || !a->final_only;
  const struct gt_logic_ca_gradient_args args = {.step = t,
                                                 .cells = size / g->channels,
                                                 .wires = (uint32_t)gt_logic_ca_wires(a),
                                                 .purpose = a->purpose,
                                                 .fire_rate = a->fire_rate,
                                                 .from_offset = t * size,
                                                 .d_offset = a->final_only ? 0 : (t + 1) * size,
                                                 .flags =
                                                     (later ? CA_HAS_PATCH : 0) | (given ? CA_HAS_GIVEN : 0)};
  set_spec(gt_lower_step(lowering, kernel_of(true, g->lanes), &args, sizeof args), g, a, state);
#define AT(field) offsetof(struct gt_logic_ca_gradient_args, field)
  gt_lower_read(lowering, AT(from), node->input[0]);
  gt_lower_read(lowering, AT(coefficients), node->input[1]);
  gt_lower_read(lowering, AT(wiring), node->input[2]);
  gt_lower_read(lowering, AT(inverse), node->input[3]);
  if (given) gt_lower_read(lowering, AT(d_states), node->input[4]);
  if (a->fire_rate < 1) gt_lower_read(lowering, AT(clock), node->input[5]);
  gt_lower_constants(lowering, AT(shape), g->words, sizeof g->words);
  if (later) gt_lower_use_scratch(lowering, AT(d_patch), m->d_patch[(t + 1) % 2], false);
  gt_lower_use_scratch(lowering, AT(d_patch_out), m->d_patch[t % 2], true);
  gt_lower_use_scratch(lowering, AT(partial), m->partial, true);
  if (gt_lowering_target(lowering)->device) gt_lower_use_scratch(lowering, AT(trace), m->trace, true);
#undef AT
}

/* Mode 0, coefficients, or 1, the first state. */
static void sum_step(gt_lowering *lowering, const gt_group *group, const geometry *g, const memory *m,
                     gt_shape state, uint32_t mode) {
  static const gt_kernel kernel = {"logic_ca_sum", gt_logic_ca_sum_cpu};
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const gt_logic_ca_attribute *a = node->attribute;
  const struct gt_logic_ca_sum_args args = {.groups = g->groups,
                                            .slots = g->slots,
                                            .gates = (uint32_t)gt_logic_ca_gates(a),
                                            .layers = g->layers,
                                            .kernels = a->kernels,
                                            .perceptions = a->perceptions,
                                            .cells = (uint32_t)gt_shape_count(state) / g->channels,
                                            .height = (uint32_t)state.dim[1],
                                            .width = (uint32_t)state.dim[2],
                                            .channels = g->channels,
                                            .periodic = a->periodic,
                                            .offset = 4 * (uint32_t)gt_logic_ca_gates(a),
                                            .d_states_given = mode && !a->final_only};
  gt_step *step = gt_lower_step(lowering, &kernel, &args, sizeof args);
  step->spec[SPEC_CA_SUM_MODE] = mode;
  const uint32_t items = mode ? args.cells : args.gates;
  step->tiles = (items + CA_SUM_TILE - 1) / CA_SUM_TILE;
#define AT(field) offsetof(struct gt_logic_ca_sum_args, field)
  if (mode)
    gt_lower_use_scratch(lowering, AT(d_patch), m->d_patch[0], false);
  else
    gt_lower_use_scratch(lowering, AT(partial), m->partial, false);
  if (args.d_states_given) gt_lower_read(lowering, AT(d_states), node->input[4]);
  gt_lower_constants(lowering, AT(shape), g->words, sizeof g->words);
  gt_lower_write_part(lowering, AT(y), group->leader);
#undef AT
  if (mode)
    gt_lower_grid(lowering, (uint64_t)args.cells * args.channels, SUM_LOCAL);
  else
    gt_lower_grid(lowering, (uint64_t)args.gates * 8, SUM_LOCAL); /* eight invocations a gate */
}

void gt_logic_ca_gradient_lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader), *states = gt_node_at(graph, node->input[0]);
  const gt_logic_ca_attribute *a = node->attribute;
  const gt_target *target = gt_lowering_target(lowering);
  gt_shape state = {.rank = 4};
  memcpy(state.dim, states->shape.dim + 1, 4 * sizeof *state.dim);
  const geometry g = plan(target, a, state, true);
  const uint64_t patches = 4ull * GT_LOGIC_CA_PATCH * (uint64_t)gt_shape_count(state);
  const memory m = {
      .d_patch = {gt_lower_scratch(lowering, patches), gt_lower_scratch(lowering, patches)},
      .partial = gt_lower_scratch(lowering, 16ull * g.groups * g.slots),
      .trace = gt_lower_scratch(lowering, target->device ? 8ull * g.groups * g.trace * g.lanes : 16)};
  for (uint32_t t = a->steps; t-- > 0;) gradient_step(lowering, group, &g, &m, state, t);
  sum_step(lowering, group, &g, &m, state, 0);
  sum_step(lowering, group, &g, &m, state, 1);
}
