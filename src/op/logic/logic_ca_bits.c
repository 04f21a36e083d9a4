#include "op/logic/logic_ca_bits.h"
#include "base/count.h"
#include "base/philox.h"
#include "op/check.h"
#include "op/logic/logic_ca_bits_cpu.h"
#include "op/logic/logic_ca_plan.h"
#include "op/op.h"
#include "shaders/op/logic/logic_ca_bits.h"
#include "step/lowering.h"
#include <stddef.h>
#include <string.h>

enum { THREADS = 256, MAX_LANES = 4 /* cells per workgroup */ };
/* Bytes of shared memory that every device has, and bytes that kernels use besides the rows. */
enum { MIN_SHARED = 16384, FIXED_SHARED = 1024 };
static const gt_op ops[1];

GT_DEFINE(op, logic_ca_bits) = {ops, 1};

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_logic_ca_attribute *a = node->attribute;
  const gt_node *state = gt_node_at(graph, node->input[0]);
  if (!gt_logic_ca_check(a, state->shape, error)) return false;
  if (state->dtype != GT_I32 || !gt_is_i32(gt_node_at(graph, node->input[1]), gt_logic_ca_gates(a)) ||
      !gt_is_i32(gt_node_at(graph, node->input[2]), 2 * gt_logic_ca_wires(a)))
    return gt_fail(error, GT_ERR_INTERNAL, "logic_ca_bits: the words, codes or wiring do not match");
  if (node->inputs != (a->fire_rate < 1 ? 4 : 3))
    return gt_fail(error, GT_ERR_INTERNAL, "logic_ca_bits: random firing needs a clock");
  *shape = state->shape;
  *dtype = GT_I32;
  return true;
}

/* --- lowering ------------------------------------------------------------------------------------------- */

typedef struct geometry {
  gt_logic_ca_layer layer[GT_LOGIC_CA_LAYERS];
  uint32_t layers, channels, threads;
  uint32_t lanes; /* cells per workgroup */
  uint32_t chunk; /* channels that are processed at once */
  /* Shared memory of a workgroup, in rows (shaders/op/logic/logic_ca_bits_step.glsl): first row of the second
   * area, distance of the outputs of odd layers from those of even ones, and number of rows. */
  uint32_t second, odd_offset, shared;
  uint32_t words[GT_LOGIC_CA_LAYERS * GT_CA_BITS_WORDS]; /* the argument `shape` */
} geometry;

/* Lays out shared memory for `chunk` channels at a time. */
static void lay_out(geometry *g, const gt_logic_ca_attribute *a, uint32_t chunk) {
  uint32_t area[2] = {g->layer[a->perceptions].inputs, 0}, perceived[2] = {0, 0};
  for (uint32_t l = 0; l + 1 < a->perceptions; l++)
    perceived[l % 2] = gt_max_u32(perceived[l % 2], a->kernels * a->width[l] * chunk);
  for (uint32_t l = a->perceptions; l < g->layers; l++) {
    const uint32_t to = 1 - (l - a->perceptions) % 2;
    area[to] = gt_max_u32(area[to], a->width[l]);
  }
  g->chunk = chunk;
  g->second = area[0];
  g->odd_offset = perceived[0];
  g->shared = area[0] + gt_max_u32(area[1], GT_LOGIC_CA_PATCH * chunk + perceived[0] + perceived[1]);
}

/* Chooses the smallest number of cells per workgroup, up to MAX_LANES, with which there are no more
 * workgroups than multiprocessors. The number of channels at a time is halved until they fit; if one channel
 * does not, the number of cells is halved. One cell and one channel always fit (gt_logic_ca_check). */
static void plan(geometry *g, const gt_target *target, const gt_logic_ca_attribute *a, gt_shape state) {
  const uint32_t cells = (uint32_t)(state.dim[0] * state.dim[1] * state.dim[2]);
  const uint32_t bytes = gt_max_u32(target->shared_bytes, MIN_SHARED) - FIXED_SHARED;
  g->layers = a->perceptions + a->updates;
  g->channels = g->chunk = (uint32_t)state.dim[3];
  gt_logic_ca_layers(a, g->channels, g->layer);
  for (g->lanes = 1; g->lanes < MAX_LANES && gt_ceil_div(cells, g->lanes) > target->units;) g->lanes *= 2;
  lay_out(g, a, g->channels);
  while (4 * g->lanes * g->shared > bytes && (g->chunk > 1 || g->lanes > 1)) {
    if (g->chunk > 1)
      lay_out(g, a, (g->chunk + 1) / 2);
    else
      g->lanes /= 2, lay_out(g, a, g->channels);
  }
  for (uint32_t l = 0; l < g->layers; l++) {
    const gt_logic_ca_layer *layer = &g->layer[l];
    const uint32_t words[GT_CA_BITS_WORDS] = {layer->width, layer->inputs, layer->gate, layer->wire};
    memcpy(g->words + (size_t)l * GT_CA_BITS_WORDS, words, sizeof words);
  }
}

static void set_spec(gt_step *step, const geometry *g, const gt_logic_ca_attribute *a, gt_shape state) {
  gt_logic_ca_set_spec(step, a, state, g->shared, g->channels);
  step->spec[GT_CA_BITS_SPEC_FIRE] = a->fire_rate < 1;
  step->spec[GT_CA_BITS_SPEC_CHUNK] = g->chunk;
  step->spec[GT_CA_BITS_SPEC_SECOND] = g->second;
  step->spec[GT_CA_BITS_SPEC_ODD_OFFSET] = g->odd_offset;
}

/* States alternate between two buffers; the last one is the result. */
static void lower(gt_lowering *lowering, const gt_group *group) {
  static const gt_kernel kernels[] = {{"logic_ca_bits1", gt_logic_ca_bits_cpu},
                                      {"logic_ca_bits2", gt_logic_ca_bits_cpu},
                                      {"logic_ca_bits4", gt_logic_ca_bits_cpu}};
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const gt_logic_ca_attribute *a = node->attribute;
  geometry g = {.threads = gt_lower_workgroup(lowering, THREADS, 1)};
  uint32_t buffer[2] = {0, 0};
  plan(&g, gt_lowering_target(lowering), a, node->shape);
  const uint32_t cells = (uint32_t)gt_shape_count(node->shape) / g.channels;
  for (uint32_t i = 0; i < 2 && i + 1 < a->steps; i++)
    buffer[i] = gt_lower_scratch(lowering, 4 * (uint64_t)gt_shape_count(node->shape));
  for (uint32_t t = 0; t < a->steps; t++) {
    const struct gt_logic_ca_bits_args args = {.step = t,
                                               .cells = cells,
                                               .wires = (uint32_t)gt_logic_ca_wires(a),
                                               .purpose = a->purpose,
                                               .fire_rate = a->fire_rate};
    gt_step *step = gt_lower_step(lowering, &kernels[g.lanes / 2], &args, sizeof args);
    set_spec(step, &g, a, node->shape);
    step->tiles = gt_ceil_div(cells, GT_CA_BITS_LANES);
    gt_lower_workgroups(lowering, gt_ceil_div(cells, g.lanes), g.threads);
#define AT(field) offsetof(struct gt_logic_ca_bits_args, field)
    if (t)
      gt_lower_use_scratch(lowering, AT(from), buffer[(t - 1) % 2], false);
    else
      gt_lower_read(lowering, AT(from), node->input[0]);
    if (t + 1 < a->steps)
      gt_lower_use_scratch(lowering, AT(to), buffer[t % 2], true);
    else
      gt_lower_write(lowering, AT(to), group->leader);
    gt_lower_read(lowering, AT(codes), node->input[1]);
    gt_lower_read(lowering, AT(wiring), node->input[2]);
    gt_lower_constants(lowering, AT(shape), g.words, sizeof g.words);
    if (a->fire_rate < 1) gt_lower_read(lowering, AT(clock), node->input[3]);
#undef AT
  }
}

/* --- builder and op ------------------------------------------------------------------------------------- */

gt_id gt_logic_ca_bits(gt_graph *graph, gt_id state, gt_id codes, gt_id wiring, gt_id clock,
                       const gt_logic_ca_attribute *attribute) {
  gt_logic_ca_attribute a = *attribute;
  const bool fires = a.fire_rate < 1;
  if (fires) a.purpose = GT_PURPOSE_GRAPH + graph->next_purpose++;
  const gt_id input[4] = {state, codes, wiring, clock};
  return gt_node_add(graph, &ops[0], input, fires ? 4 : 3, &a, sizeof a);
}

/* Nine operations on a word for each gate, cell, channel and step. */
static double flops(const gt_graph *graph, const gt_node *node) {
  const gt_logic_ca_attribute *a = node->attribute;
  double gates = 0;
  (void)graph;
  for (uint32_t l = 0; l < a->perceptions + a->updates; l++)
    gates += (double)a->width[l] * (l < a->perceptions ? a->kernels * (double)node->shape.dim[3] : 1);
  return 9 * gates * (double)(node->shape.dim[0] * node->shape.dim[1] * node->shape.dim[2]) * a->steps;
}

static const gt_op ops[1] = {{.name = "logic_ca_bits",
                              .kind = GT_OP_KERNEL,
                              .min_inputs = 3,
                              .max_inputs = 4,
                              .infer = infer,
                              .lower = lower,
                              .flops = flops}};
