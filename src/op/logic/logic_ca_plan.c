/* Launch configuration and shared memory layout of the automaton: one launch per step; a workgroup has a few
 * cells, the lanes (components) of a vector. Rows of shared memory have one number per lane:
 * 1. The update's inputs, from row 0; then the outputs of its layers. Forward: two alternating areas.
 *    Backward: if there is room (`keep`), one area per layer, so that the backward pass finds the inputs of
 *    the gates; else two areas, and the inputs are stored in a trace in global memory. During perception this
 *    memory has the inputs of perception's layers, for `chunk` channels at a time; backward also the products
 *    of its gates, and those of its first layer summed over kernels.
 * 2. Backward: the gradient of the update's current layer and the products of its gates; without `keep`, in
 *    the memory of the layers' outputs.
 * 3. The patches, nine rows per channel of the chunk.
 * 4. Backward: the gradient of the cells' new states.
 * More cells per workgroup mean fewer reads of coefficients and fewer partial sums, but fewer workgroups
 * (wanted_lanes). A workgroup in which no cell fires returns early. */
#include "op/logic/logic_ca_plan.h"
#include "base/count.h"
#include "base/text.h"
#include "op/logic/logic_ca_cpu.h"
#include "shaders/op/logic/logic_ca.h"
#include "shaders/op/logic/logic_ca_gradient.h"
#include "shaders/op/logic/logic_ca_sum.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  THREADS = 256,
  MAX_THREADS = 512,
  MIN_SHARED = 16384,  /* bytes of shared memory that every device has */
  FIXED_SHARED = 2048, /* bytes that kernels use besides the rows and the wiring */
  MAX_LANES = 4,       /* cells per workgroup */
  SUM_LOCAL = 256      /* workgroup of logic_ca_sum */
};

typedef struct geometry {
  gt_logic_ca_layer layer[GT_LOGIC_CA_LAYERS];
  uint32_t row[GT_LOGIC_CA_LAYERS];                 /* first row of each layer's inputs */
  uint32_t layers, channels, lanes, chunk, threads; /* chunk: channels that perception processes at a time */
  bool keep;
  /* Number of rows of shared memory; first rows of its areas (as the kernels' constants). */
  uint32_t shared, out, patches, gradient, products, perceived, summed;
  uint32_t wires, shared_words;  /* perception's wires; words of these and of the inverse in shared memory */
  uint32_t slots, trace, groups; /* partial sums and traced gates per workgroup; workgroups or tiles */
  uint32_t words[GT_LOGIC_CA_LAYERS * GT_CA_WORDS]; /* the argument `shape` */
} geometry;

/* Assigns rows to the update's layers; returns the first row after them. */
static uint32_t place_update(geometry *g, const gt_logic_ca_attribute *a) {
  const uint32_t second = g->layer[a->perceptions].inputs;
  uint32_t end = second, area[2] = {second, 0};
  g->row[a->perceptions] = 0;
  for (uint32_t l = a->perceptions + 1; l < g->layers && g->keep; l++) {
    g->row[l] = end;
    end += g->layer[l].inputs;
  }
  if (g->keep) return end;
  for (uint32_t l = a->perceptions; l < g->layers; l++) {
    const uint32_t u = (l + 1 - a->perceptions) % 2;
    area[u] = gt_max_u32(area[u], a->width[l]);
  }
  for (uint32_t l = a->perceptions + 1; l < g->layers; l++) g->row[l] = (l - a->perceptions) % 2 * area[0];
  g->out = a->updates % 2 * area[0];
  return area[0] + area[1];
}

/* Assigns the rows of shared memory for `chunk` channels at a time; returns the number of rows. */
static uint32_t lay_out(geometry *g, const gt_logic_ca_attribute *a, uint32_t chunk, bool backward) {
  uint32_t end = place_update(g, a), perceived = 0, widest = g->layer[a->perceptions].inputs,
           widest_update = 0;
  uint32_t row = widest;
  for (uint32_t l = 0; l < a->perceptions; l++) {
    g->row[l] = row;
    if (l) row += a->kernels * g->layer[l].inputs * chunk;
    perceived = gt_max_u32(perceived, 2 * a->kernels * a->width[l] * chunk);
  }
  for (uint32_t l = a->perceptions; l < g->layers; l++)
    widest_update = gt_max_u32(widest_update, a->width[l]);
  widest = gt_max_u32(widest, widest_update);
  g->chunk = chunk;
  g->perceived = row;
  g->summed = row + perceived;
  if (backward) row = g->summed + 2 * a->width[0] * chunk;
  end = gt_max_u32(end, row);
  g->gradient = g->keep ? end : 0;
  g->products = g->gradient + widest;
  if (backward) end = gt_max_u32(end, g->products + 2 * widest_update);
  g->patches = end;
  g->shared = end + GT_LOGIC_CA_PATCH * chunk + (backward ? g->channels : 0);
  return g->shared;
}

/* Chooses the largest number of channels at a time that fits in `bytes`; false if not even one does. */
static bool choose_chunk(geometry *g, const gt_logic_ca_attribute *a, uint32_t lanes, bool keep,
                         uint32_t bytes, bool backward) {
  uint32_t chunk = g->channels;
  g->wires = 0;
  for (uint32_t l = 0; l < a->perceptions; l++) g->wires += a->width[l];
  g->shared_words = 2 * g->wires + (backward ? g->layer[a->perceptions].inverse : 0);
  g->lanes = lanes;
  g->keep = keep;
  if (bytes < FIXED_SHARED + 4 * g->shared_words) return false;
  const uint32_t max_rows = (bytes - FIXED_SHARED - 4 * g->shared_words) / (4 * lanes);
  while (chunk > 1 && lay_out(g, a, chunk, backward) > max_rows) chunk--;
  const uint32_t chunks = gt_ceil_div(g->channels, chunk);
  chunk = gt_ceil_div(g->channels, chunks); /* chunks of about equal size */
  return lay_out(g, a, chunk, backward) <= max_rows;
}

/* Cells per workgroup: one if that gives each multiprocessor at most one workgroup; MAX_LANES if each still
 * has two; otherwise two. Backward, more than two cells are slower (docs/notes/thresholds.md). */
static uint32_t wanted_lanes(uint32_t cells, uint32_t units, bool backward) {
  if (cells <= units) return 1;
  return backward || cells < 8 * units ? 2 : MAX_LANES;
}

/* One thread per gate of a wide layer is faster if no second workgroup competes for the registers of the
 * multiprocessor (docs/notes/thresholds.md). */
static uint32_t wanted_threads(const geometry *g, const gt_logic_ca_attribute *a, uint32_t units) {
  uint32_t widest = 0;
  for (uint32_t l = a->perceptions; l < g->layers; l++) widest = gt_max_u32(widest, a->width[l]);
  return widest > THREADS && g->groups <= units ? MAX_THREADS : THREADS;
}

/* Chooses the largest number of cells at a time that fits, at most `lanes`. Backward, the inputs of the
 * update's gates are kept in shared memory if they fit, else stored in the trace. */
static void choose_lanes(geometry *g, const gt_logic_ca_attribute *a, uint32_t lanes, uint32_t bytes,
                         bool backward) {
  while (!choose_chunk(g, a, lanes, false, bytes, backward) && lanes > 1) lanes /= 2;
  if (backward && !choose_chunk(g, a, lanes, true, bytes, true))
    choose_chunk(g, a, lanes, false, bytes, true);
}

bool gt_logic_ca_fits(const gt_logic_ca_attribute *attribute, gt_shape state) {
  geometry g = {.layers = attribute->perceptions + attribute->updates, .channels = (uint32_t)state.dim[3]};
  gt_logic_ca_layers(attribute, g.channels, g.layer);
  return choose_chunk(&g, attribute, 1, false, MIN_SHARED, true);
}

/* Writes the words of the argument `shape`, and numbers the slots of each gate's partial sums. */
static void write_words(geometry *g, const gt_logic_ca_attribute *a, bool device) {
  for (uint32_t l = 0; l < g->layers; l++) {
    const gt_logic_ca_layer *layer = &g->layer[l];
    const bool perceives = l < a->perceptions;
    const uint32_t gates = layer->width * (perceives ? a->kernels : 1);
    const uint32_t split = perceives && device ? gt_min_u32(g->chunk, gt_max_u32(1, g->threads / gates)) : 1;
    const uint32_t words[GT_CA_WORDS] = {layer->width,   layer->inputs, layer->gate, layer->wire,
                                         layer->inverse, g->row[l],     g->slots,    split};
    memcpy(g->words + (size_t)l * GT_CA_WORDS, words, sizeof words);
    if (!perceives && !g->keep && device) g->trace += gates;
    g->slots += gates * split;
  }
}

static uint32_t cells_of(gt_shape state) { return (uint32_t)(state.dim[0] * state.dim[1] * state.dim[2]); }

/* The geometry with this number of lanes, or the largest that fits; threads 0: chosen by wanted_threads. */
static geometry geometry_with(const gt_lowering *lowering, const gt_logic_ca_attribute *a, gt_shape state,
                              bool backward, uint32_t lanes, uint32_t threads) {
  const gt_target *target = gt_lowering_target(lowering);
  geometry g = {.layers = a->perceptions + a->updates, .channels = (uint32_t)state.dim[3], .lanes = lanes};
  gt_logic_ca_layers(a, g.channels, g.layer);
  if (target->device) choose_lanes(&g, a, lanes, gt_max_u32(target->shared_bytes, MIN_SHARED), backward);
  g.groups = gt_ceil_div(cells_of(state), g.lanes);
  if (!threads) threads = wanted_threads(&g, a, target->units);
  g.threads = gt_lower_workgroup(lowering, threads, 1);
  return g;
}

/* --- candidates --- */

enum { LANES, THREAD_COUNT }; /* the words of a candidate */
enum { MAX_CANDIDATES = 6 };

static void candidate_text(const gt_candidate *candidate, char *text, size_t size) {
  snprintf(text, size, "%u at a time by %u threads", candidate->what[LANES], candidate->what[THREAD_COUNT]);
}

/* The heuristic's choice has cost 1, all other valid candidates cost 2; there is no finer estimate. */
static uint32_t list_candidates(gt_candidate *candidate, const gt_lowering *lowering,
                                const gt_logic_ca_attribute *a, gt_shape state, bool backward) {
  const uint32_t units = gt_lowering_target(lowering)->units;
  const geometry best =
      geometry_with(lowering, a, state, backward, wanted_lanes(cells_of(state), units, backward), 0);
  uint32_t count = 0;
  for (uint32_t lanes = 1; lanes <= (backward ? 2 : MAX_LANES); lanes *= 2)
    for (uint32_t threads = THREADS; threads <= MAX_THREADS; threads *= 2) {
      const geometry g = geometry_with(lowering, a, state, backward, lanes, threads);
      if (g.lanes != lanes || (threads > THREADS && g.threads < threads)) continue;
      const bool is_best = g.lanes == best.lanes && g.threads == best.threads;
      candidate[count++] =
          (gt_candidate){.cost = is_best ? 1 : 2, .family = lanes, .what = {lanes, g.threads}};
    }
  return count;
}

static geometry plan(gt_lowering *lowering, const gt_logic_ca_attribute *a, gt_shape state, bool backward) {
  const bool device = gt_lowering_target(lowering)->device;
  uint32_t lanes = GT_CA_LANES, threads = 0;
  if (device) {
    char key[96];
    gt_candidate candidate[MAX_CANDIDATES];
    /* The key has a hash of the whole attribute, so that no field can be forgotten. */
    _Static_assert(sizeof *a == (12 + GT_LOGIC_CA_LAYERS) * sizeof(uint32_t), "the struct has no padding");
    const uint64_t hash =
        gt_hash(gt_hash(GT_HASH_START, a, sizeof *a), state.dim, (size_t)state.rank * sizeof *state.dim);
    snprintf(key, sizeof key, "automaton%s, %u cells of %u, %u + %u layers x%u (%016llx)",
             backward ? "'s gradient" : "", cells_of(state), (uint32_t)state.dim[3], a->perceptions,
             a->updates, a->kernels, (unsigned long long)hash);
    const gt_candidate *chosen = gt_lower_reuse_choice(lowering, key);
    if (!chosen)
      chosen = gt_lower_choice(lowering, key, candidate_text, candidate,
                               list_candidates(candidate, lowering, a, state, backward));
    lanes = chosen->what[LANES];
    threads = chosen->what[THREAD_COUNT];
  }
  geometry g = geometry_with(lowering, a, state, backward, lanes, threads);
  write_words(&g, a, device);
  return g;
}

static const gt_kernel *kernel_of(bool backward, uint32_t lanes) {
  static const gt_kernel forward[] = {
      {"logic_ca1", gt_logic_ca_cpu}, {"logic_ca2", gt_logic_ca_cpu}, {"logic_ca4", gt_logic_ca_cpu}};
  static const gt_kernel gradient[] = {{"logic_ca_gradient1", gt_logic_ca_gradient_cpu},
                                       {"logic_ca_gradient2", gt_logic_ca_gradient_cpu}};
  if (backward) return &gradient[lanes > 1]; /* the CPU has one kernel for all numbers of lanes */
  return &forward[lanes == 1 ? 0 : lanes == 2 ? 1 : 2];
}

void gt_logic_ca_set_spec(gt_step *step, const gt_logic_ca_attribute *a, gt_shape state, uint32_t shared,
                          uint32_t channels) {
  step->spec[GT_CA_SPEC_SHARED] = shared;
  step->spec[GT_CA_SPEC_CHANNELS] = channels;
  step->spec[GT_CA_SPEC_KERNELS] = a->kernels;
  step->spec[GT_CA_SPEC_HEIGHT] = (uint32_t)state.dim[1];
  step->spec[GT_CA_SPEC_WIDTH] = (uint32_t)state.dim[2];
  step->spec[GT_CA_SPEC_PERIODIC] = a->periodic;
  step->spec[GT_CA_SPEC_PERCEPTIONS] = a->perceptions;
  step->spec[GT_CA_SPEC_UPDATES] = a->updates;
}

static void emit_step(gt_lowering *lowering, bool backward, const void *args, size_t size, const geometry *g,
                      const gt_logic_ca_attribute *a, gt_shape state) {
  gt_step *step = gt_lower_step(lowering, kernel_of(backward, g->lanes), args, size);
  gt_logic_ca_set_spec(step, a, state, g->shared, g->channels);
  step->spec[GT_CA_SPEC_CHUNK] = g->chunk;
  step->spec[GT_CA_SPEC_FIRE] = a->fire_rate < 1;
  step->spec[GT_CA_SPEC_PATCHES] = g->patches;
  step->spec[GT_CA_SPEC_OUT] = g->out;
  step->spec[GT_CA_SPEC_SLOTS] = g->slots;
  step->spec[GT_CA_SPEC_KEEP] = g->keep;
  step->spec[GT_CA_SPEC_TRACE] = g->trace;
  step->spec[GT_CA_SPEC_GRADIENT] = g->gradient;
  step->spec[GT_CA_SPEC_PRODUCTS] = g->products;
  step->spec[GT_CA_SPEC_PERCEIVED] = g->perceived;
  step->spec[GT_CA_SPEC_SUMMED] = g->summed;
  for (uint32_t l = 0; l < gt_min_u32(GT_CA_WIDTHS, a->perceptions); l++)
    step->spec[GT_CA_SPEC_WIDTHS + l] = a->width[l];
  step->spec[GT_CA_SPEC_WIRES] = g->wires;
  step->spec[GT_CA_SPEC_WORDS] = g->shared_words;
  step->tiles = g->groups;
  gt_lower_workgroups(lowering, g->groups, g->threads);
}

void gt_logic_ca_lower(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const gt_logic_ca_attribute *a = node->attribute;
  gt_shape state = {.rank = 4};
  memcpy(state.dim, node->shape.dim + 1, 4 * sizeof *state.dim);
  const geometry g = plan(lowering, a, state, false);
  const uint32_t size = (uint32_t)gt_shape_count(state);
  for (uint32_t t = 0; t < a->steps; t++) {
    const struct gt_logic_ca_args args = {.step = t,
                                          .cells = size / g.channels,
                                          .wires = (uint32_t)gt_logic_ca_wires(a),
                                          .purpose = a->purpose,
                                          .fire_rate = a->fire_rate,
                                          .from_offset = t * size,
                                          .to_offset = (t + 1) * size,
                                          .flags = (t == 0 ? CA_COPY : 0) |
                                                   (a->bounded && t + 1 < a->steps ? CA_BOUNDED : 0),
                                          .sampling_purpose = a->sampling_purpose,
                                          .rounding = t + 1 < a->steps ? a->rounding : 0,
                                          .sampling = t + 1 < a->steps ? a->sampling : 0};
    emit_step(lowering, false, &args, sizeof args, &g, a, state);
    gt_lower_read(lowering, offsetof(struct gt_logic_ca_args, from), t ? group->leader : node->input[0]);
    gt_lower_write(lowering, offsetof(struct gt_logic_ca_args, states), group->leader);
    gt_lower_read(lowering, offsetof(struct gt_logic_ca_args, coefficients), node->input[1]);
    gt_lower_read(lowering, offsetof(struct gt_logic_ca_args, wiring), node->input[2]);
    gt_lower_constants(lowering, offsetof(struct gt_logic_ca_args, shape), g.words, sizeof g.words);
    if (gt_logic_ca_clocked(a))
      gt_lower_read(lowering, offsetof(struct gt_logic_ca_args, clock), node->input[node->inputs - 1]);
  }
}

typedef struct memory { /* scratch memory of the gradient */
  uint32_t d_patch[2], partial, trace;
} memory;

static void gradient_step(gt_lowering *lowering, const gt_group *group, const geometry *g, const memory *m,
                          gt_shape state, uint32_t t) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const gt_logic_ca_attribute *a = node->attribute;
  const uint32_t size = (uint32_t)gt_shape_count(state);
  const bool is_not_last = t + 1 < a->steps, reads_gradient = !is_not_last || !a->final_only;
  const struct gt_logic_ca_gradient_args args = {.step = t,
                                                 .cells = size / g->channels,
                                                 .wires = (uint32_t)gt_logic_ca_wires(a),
                                                 .purpose = a->purpose,
                                                 .fire_rate = a->fire_rate,
                                                 .from_offset = t * size,
                                                 .d_offset = a->final_only ? 0 : (t + 1) * size,
                                                 .flags = (is_not_last ? CA_HAS_D_PATCH : 0) |
                                                          (reads_gradient ? CA_HAS_D_STATES : 0)};
  emit_step(lowering, true, &args, sizeof args, g, a, state);
#define AT(field) offsetof(struct gt_logic_ca_gradient_args, field)
  gt_lower_read(lowering, AT(from), node->input[0]);
  gt_lower_read(lowering, AT(coefficients), node->input[1]);
  gt_lower_read(lowering, AT(wiring), node->input[2]);
  gt_lower_read(lowering, AT(inverse), node->input[3]);
  if (reads_gradient) gt_lower_read(lowering, AT(d_states), node->input[4]);
  if (a->fire_rate < 1) gt_lower_read(lowering, AT(clock), node->input[5]);
  gt_lower_constants(lowering, AT(shape), g->words, sizeof g->words);
  if (is_not_last) gt_lower_use_scratch(lowering, AT(d_patch), m->d_patch[(t + 1) % 2], false);
  gt_lower_use_scratch(lowering, AT(d_patch_out), m->d_patch[t % 2], true);
  gt_lower_use_scratch(lowering, AT(partial), m->partial, true);
  if (g->trace) gt_lower_use_scratch(lowering, AT(trace), m->trace, true);
#undef AT
}

/* Emits the last step of a result of the gradient. The mode, GT_CA_SUM_COEFFICIENTS or
 * GT_CA_SUM_STATE, is also the number of the result. */
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
                                            .d_states_given = mode && !a->final_only};
  gt_step *step = gt_lower_step(lowering, &kernel, &args, sizeof args);
  step->spec[GT_CA_SUM_SPEC_MODE] = mode;
  const uint32_t items = mode ? args.cells : args.gates;
  step->tiles = gt_ceil_div(items, CA_SUM_TILE);
#define AT(field) offsetof(struct gt_logic_ca_sum_args, field)
  if (mode)
    gt_lower_use_scratch(lowering, AT(d_patch), m->d_patch[0], false);
  else
    gt_lower_use_scratch(lowering, AT(partial), m->partial, false);
  if (args.d_states_given) gt_lower_read(lowering, AT(d_states), node->input[4]);
  gt_lower_constants(lowering, AT(shape), g->words, sizeof g->words);
  gt_lower_write(lowering, AT(y), gt_result(gt_lowering_graph(lowering), group->leader, (int)mode));
#undef AT
  if (mode)
    gt_lower_grid(lowering, (uint64_t)args.cells * args.channels, SUM_LOCAL);
  else
    gt_lower_grid(lowering, (uint64_t)args.gates * 8, SUM_LOCAL); /* eight invocations per gate */
}

void gt_logic_ca_gradient_lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader), *states = gt_node_at(graph, node->input[0]);
  const gt_logic_ca_attribute *a = node->attribute;
  gt_shape state = {.rank = 4};
  memcpy(state.dim, states->shape.dim + 1, 4 * sizeof *state.dim);
  const geometry g = plan(lowering, a, state, true);
  const uint64_t patches = 4ull * GT_LOGIC_CA_PATCH * (uint64_t)gt_shape_count(state);
  const memory m = {.d_patch = {gt_lower_scratch(lowering, patches), gt_lower_scratch(lowering, patches)},
                    .partial = gt_lower_scratch(lowering, 16ull * g.groups * g.slots),
                    .trace = gt_lower_scratch(lowering, g.trace ? 8ull * g.groups * g.trace * g.lanes : 16)};
  for (uint32_t t = a->steps; t-- > 0;) gradient_step(lowering, group, &g, &m, state, t);
  sum_step(lowering, group, &g, &m, state, GT_CA_SUM_COEFFICIENTS);
  sum_step(lowering, group, &g, &m, state, GT_CA_SUM_STATE);
}
