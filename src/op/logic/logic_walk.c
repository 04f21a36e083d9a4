#include "op/logic/logic_walk.h"
#include "base/count.h"
#include "base/memory.h"
#include "op/check.h"
#include "op/group_sum.h"
#include "op/logic/logic.h"
#include "op/logic/logic_cpu.h"
#include "op/move.h"
#include "op/op.h"
#include "shaders/op/logic/logic_walk.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
  RUN = GT_LOGIC_RUN,
  WORDS = GT_LOGIC_WALK_WORDS,
  WORKGROUP = 256,
  MIN_LANES = 32, /* per run, if there are enough samples */
  FILL = 512      /* invocations that keep a multiprocessor busy */
};
enum { SUM_WORKGROUP = 128, MIN_CHUNK = 2 /* runs per lane */, CPU_CHUNK = 256 /* runs */ };
enum { OP_GRADIENT, OP_SUM, OPS };
static const gt_op ops[OPS];

GT_DEFINE(op, logic_walk) = {ops, OPS};

static const gt_kernel walk_kernel = {"logic_walk", gt_logic_walk_cpu};
static const gt_kernel sum_kernel = {"logic_walk_sum", gt_logic_walk_sum_cpu};
static const gt_kernel gradient_kernel = {"logic_walk_gradient", gt_logic_walk_gradient_cpu};

/* --- the walk ------------------------------------------------------------------------------------------- */

/* A pin is 2 * gate + side. */
static int32_t input_of(const int32_t *wiring, int64_t gates, int32_t pin) {
  return wiring[pin % 2 * gates + pin / 2];
}

/* Sets reader [inputs, 2] to the two pins that read each input; false if an input has another number. */
static bool find_readers(const int32_t *wiring, int64_t inputs, int64_t gates, int32_t *reader) {
  if (inputs != gates) return false;
  for (int64_t i = 0; i < 2 * inputs; i++) reader[i] = -1;
  for (int64_t pin = 0; pin < 2 * gates; pin++) {
    int32_t *entry = reader + 2 * input_of(wiring, gates, (int32_t)pin);
    if (entry[1] >= 0) return false;
    entry[entry[0] >= 0] = (int32_t)pin;
  }
  return true; /* there are as many pins as entries, so all entries are set */
}

/* The cycle that leaves an input through pin `first`, as a list of pins: for each gate the one by which the
 * walk enters it. Returns its length. */
static int64_t find_cycle(const int32_t *wiring, int64_t gates, const int32_t *reader, int32_t first,
                          int32_t *cycle, bool *seen) {
  int64_t n = 0;
  for (int32_t pin = first; n == 0 || pin != first;) {
    const int32_t arrival = pin ^ 1, *next = reader + 2 * input_of(wiring, gates, arrival);
    seen[input_of(wiring, gates, pin)] = true;
    cycle[n++] = pin;
    pin = next[next[0] == arrival];
  }
  return n;
}

/* Writes the run from pin `first` on of a cycle of n pins, in the format of shaders/op/logic/logic_walk.h. */
static void write_run(const int32_t *wiring, int64_t gates, const int32_t *cycle, int64_t n, int64_t first,
                      int32_t *out) {
  const int32_t count = n - first < RUN ? (int32_t)(n - first) : RUN, *pin = cycle + first;
  const int32_t before = cycle[(first + n - 1) % n], last = input_of(wiring, gates, pin[count - 1] ^ 1);
  out[0] = input_of(wiring, gates, before);
  out[1] = before;
  out[2] = count;
  out[3] = last;
  for (int j = 0; j < RUN; j++) {
    out[4 + j] = pin[j < count ? j : count - 1];
    out[4 + RUN + j] = j < count ? input_of(wiring, gates, pin[j]) : last;
  }
}

/* Returns the number of runs, 0 without a walk; writes them unless out is NULL. */
static int64_t walk(const int32_t *wiring, int64_t inputs, int64_t gates, int32_t *out) {
  int32_t *reader = gt_alloc((size_t)inputs * 2 * sizeof *reader);
  int32_t *cycle = gt_alloc((size_t)gates * sizeof *cycle);
  bool *seen = gt_alloc((size_t)inputs);
  int64_t runs = 0;
  const bool has_walk = find_readers(wiring, inputs, gates, reader);
  for (int64_t i = 0; i < inputs && has_walk; i++) {
    if (seen[i]) continue;
    const int64_t n = find_cycle(wiring, gates, reader, reader[2 * i], cycle, seen);
    for (int64_t first = 0; first < n; first += RUN, runs++)
      if (out) write_run(wiring, gates, cycle, n, first, out + runs * WORDS);
  }
  free(reader);
  free(cycle);
  free(seen);
  return runs;
}

int64_t gt_logic_walk_runs(const int32_t *wiring, int64_t inputs, int64_t gates) {
  const int64_t runs = walk(wiring, inputs, gates, NULL);
  return runs * RUN > 2 * gates + RUN ? 0 : runs;
}

void gt_logic_walk(const int32_t *wiring, int64_t inputs, int64_t gates, int32_t *out) {
  walk(wiring, inputs, gates, out);
}

/* Each cycle may end with a short run. A random wiring has about as many cycles as a random permutation: the
 * logarithm of the number of gates. */
int64_t gt_logic_walk_capacity(int64_t gates) {
  const int64_t capacity = gt_ceil_div(gates, RUN) + 32;
  return capacity < gates ? capacity : gates;
}

void gt_logic_walk_fill(int64_t runs, int64_t capacity, int32_t *out) {
  for (; runs < capacity; runs++) {
    memcpy(out + runs * WORDS, out, WORDS * sizeof *out);
    out[runs * WORDS + 2] = 0;
  }
}

bool gt_logic_is_walk(const gt_graph *graph, gt_id readers) {
  return readers != GT_NONE && gt_node_at(graph, readers)->shape.rank == 2;
}

/* --- the gradient, with both results -------------------------------------------------------------------- */

/* The outputs of each group of gates_per_row gates are added and multiplied by scale, by OP_SUM or by the op
 * after the gates. So the gates of a group have the same gradient, scale times a row. */
typedef struct gradient_attribute {
  uint32_t gates_per_row;
  float scale;
} gradient_attribute;

/* Inputs: x, coefficients, walk, gradient. Results: the gradients of the coefficients and of x. */
static bool infer_gradient(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                           gt_error *error) {
  const gt_node *x = gt_node_at(graph, node->input[0]), *g = gt_node_at(graph, node->input[3]);
  const int64_t gates = gt_node_at(graph, node->input[1])->shape.dim[0];
  const gradient_attribute *a = node->attribute;
  if (!a->gates_per_row || gates % a->gates_per_row ||
      !gt_shape_equal(g->shape, gt_shape_2(gates / a->gates_per_row, x->shape.dim[1])))
    return gt_fail(error, GT_ERR_INTERNAL, "logic_walk_gradient: the gradient does not match");
  shape[0] = gt_shape_2(gates, 4);
  shape[1] = x->shape;
  dtype[0] = GT_F32;
  dtype[1] = x->dtype == GT_F16 ? GT_BF16 : GT_F32;
  return gt_check_size(node->op->name, shape[0], error);
}

static void add_gradient_node(gt_graph *graph, gt_id logic, gt_id gradient, gradient_attribute attribute,
                              const bool *wanted, gt_id *input_gradient) {
  const gt_node *node = gt_node_at(graph, logic);
  const gt_id input[4] = {node->input[0], node->input[1], node->input[3], gradient};
  const gt_id gradients = gt_node_add(graph, &ops[OP_GRADIENT], input, 4, &attribute, sizeof attribute);
  if (wanted[0]) input_gradient[0] = gt_result(graph, gradients, 1);
  if (wanted[1]) input_gradient[1] = gradients;
}

void gt_logic_walk_gradient(gt_graph *graph, gt_id logic, gt_id gradient, const bool *wanted,
                            gt_id *input_gradient) {
  gradient_attribute attribute = {1, 1};
  const gt_id source = gt_group_sum_source(graph, gradient, &attribute.gates_per_row, &attribute.scale);
  add_gradient_node(graph, logic, source == GT_NONE ? gradient : source, attribute, wanted, input_gradient);
}

/* --- sums of groups of gates ---------------------------------------------------------------------------- */

/* Inputs: x, coefficients, wiring, walk. */
static bool infer_sum(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                      gt_error *error) {
  const gradient_attribute *a = node->attribute;
  const int64_t gates = gt_node_at(graph, node->input[1])->shape.dim[0];
  if (!a->gates_per_row || gates % a->gates_per_row)
    return gt_fail(error, GT_ERR_CONFIG, "logic_walk_sum: cannot make equal groups of %lld gates",
                   (long long)gates);
  *shape = gt_shape_2(gt_node_at(graph, node->input[0])->shape.dim[1], gates / a->gates_per_row);
  *dtype = GT_F32;
  return gt_check_size(node->op->name, *shape, error);
}

static void gradient_sum(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                         gt_id *input_gradient) {
  const gradient_attribute attribute = *(const gradient_attribute *)gt_node_at(graph, node)->attribute;
  const gt_id g = gt_permute(graph, output_gradient[0], (const int[]){1, 0});
  if (wanted[0] || wanted[1]) add_gradient_node(graph, node, g, attribute, wanted, input_gradient);
}

gt_id gt_logic_walk_sum(gt_graph *graph, gt_id logic, int64_t groups, double scale) {
  const gt_node node = *gt_node_at(graph, logic); /* a copy: adding nodes may move the array */
  const gradient_attribute attribute = {(uint32_t)(node.shape.dim[0] / groups), (float)scale};
  if (groups > GT_LOGIC_MAX_GROUPS || node.shape.dim[0] % groups) return GT_NONE;
  const char *scope = gt_graph_set_scope(graph, node.scope);
  const gt_id sum = gt_node_add(graph, &ops[OP_SUM], node.input, 4, &attribute, sizeof attribute);
  gt_graph_set_scope(graph, scope);
  return sum;
}

/* --- lowering ------------------------------------------------------------------------------------------- */

uint32_t gt_logic_lanes(const gt_target *target, uint32_t width, uint32_t runs, uint32_t workgroup) {
  uint32_t lanes = RUN;
  while (lanes < width && lanes < workgroup &&
         (lanes < MIN_LANES || (uint64_t)runs * lanes < (uint64_t)target->units * FILL))
    lanes *= 2;
  return lanes;
}

static gt_step *lower_step(gt_lowering *lowering, const gt_kernel *kernel, gt_id x_id, gt_id coefficients,
                           gt_id walk_id, gradient_attribute attribute) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_target *target = gt_lowering_target(lowering);
  const gt_shape x = gt_node_at(graph, x_id)->shape;
  const struct gt_logic_walk_args args = {.inputs = (uint32_t)x.dim[0],
                                          .gates = (uint32_t)gt_node_at(graph, coefficients)->shape.dim[0],
                                          .batch = (uint32_t)x.dim[1],
                                          .runs = (uint32_t)gt_node_at(graph, walk_id)->shape.dim[0],
                                          .gates_per_row = attribute.gates_per_row,
                                          .scale = attribute.scale};
  const bool quads = args.batch % 4 == 0;
  const uint32_t local = gt_lower_workgroup(lowering, WORKGROUP, RUN);
  const uint32_t lanes = gt_logic_lanes(target, quads ? args.batch / 4 : args.batch, args.runs, local);
  gt_step *step = gt_lower_step(lowering, kernel, &args, sizeof args);
  step->tiles = gt_logic_walk_tiles(args.runs, args.batch);
  step->spec[GT_LOGIC_SPEC_LANES] = lanes;
  step->spec[GT_LOGIC_SPEC_QUADS] = quads;
  step->spec[GT_LOGIC_SPEC_X] = gt_logic_type(graph, x_id);
  gt_lower_read(lowering, offsetof(struct gt_logic_walk_args, x), x_id);
  gt_lower_read(lowering, offsetof(struct gt_logic_walk_args, coefficients), coefficients);
  gt_lower_read(lowering, offsetof(struct gt_logic_walk_args, walk), walk_id);
  gt_lower_grid(lowering, (uint64_t)(args.runs + local / lanes - 1) / (local / lanes) * local, local);
  return step;
}

void gt_logic_walk_lower(gt_lowering *lowering, gt_id logic) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), logic);
  gt_step *step = lower_step(lowering, &walk_kernel, node->input[0], node->input[1], node->input[3],
                             (gradient_attribute){1, 1});
  step->spec[GT_LOGIC_SPEC_Y] = gt_logic_type(gt_lowering_graph(lowering), logic);
  gt_lower_write(lowering, offsetof(struct gt_logic_walk_args, y), logic);
}

/* Runs per chunk: few enough that the chunks fill the device, and enough that the partial sums are
 * negligible. */
static uint32_t chunk_for(const gt_target *target, uint32_t runs, uint32_t blocks, uint32_t lanes) {
  const uint64_t wanted = (uint64_t)target->units * FILL * 2 / SUM_WORKGROUP / blocks + 1;
  const uint64_t chunk = gt_ceil_div(runs, wanted), minimum = (uint64_t)MIN_CHUNK * lanes;
  return (uint32_t)(chunk < minimum ? minimum : chunk);
}

/* Stores the sums of chunks of the walk to scratch memory, then adds them. */
static void lower_sum(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const gradient_attribute *a = node->attribute;
  const gt_target *target = gt_lowering_target(lowering);
  gt_step *step = lower_step(lowering, &sum_kernel, node->input[0], node->input[1], node->input[3], *a);
  struct gt_logic_walk_args *args = (struct gt_logic_walk_args *)step->args;
  const uint32_t groups = args->gates / a->gates_per_row,
                 width = args->batch % 4 ? args->batch : args->batch / 4;
  uint32_t local = gt_lower_workgroup(lowering, SUM_WORKGROUP, RUN), lanes = 1;
  while (local > RUN && target->shared_bytes && local * groups * 16 > target->shared_bytes) local /= 2;
  while (local / lanes > MIN_LANES || (lanes < local && local / lanes >= 2 * width)) lanes *= 2;
  const uint32_t columns = local / lanes, blocks = gt_ceil_div(width, columns);
  args->chunk_runs = target->device ? chunk_for(target, args->runs, blocks, lanes) : CPU_CHUNK;
  args->chunks = gt_ceil_div(args->runs, args->chunk_runs);
  step->tiles = args->chunks;
  step->spec[GT_LOGIC_SPEC_LANES] = lanes;
  step->spec[GT_LOGIC_SPEC_GROUPS] = groups;
  const uint32_t chunks = args->chunks;
  const uint32_t partial = gt_lower_scratch(lowering, 4ull * groups * chunks * args->batch);
  gt_lower_use_scratch(lowering, offsetof(struct gt_logic_walk_args, y), partial, true);
  gt_lower_grid(lowering, (uint64_t)chunks * blocks * local, local);
  gt_group_sum_lower(lowering, group->leader, partial, groups, chunks, a->scale);
}

static void lower_gradient(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  gt_step *step = lower_step(lowering, &gradient_kernel, node->input[0], node->input[1], node->input[2],
                             *(const gradient_attribute *)node->attribute);
  step->spec[GT_LOGIC_SPEC_G] = gt_logic_type(graph, node->input[3]);
  const gt_id dx = gt_result(graph, group->leader, 1);
  step->spec[GT_LOGIC_SPEC_Y] = gt_logic_type(graph, dx);
  gt_lower_read(lowering, offsetof(struct gt_logic_walk_args, g), node->input[3]);
  gt_lower_write(lowering, offsetof(struct gt_logic_walk_args, d_coefficients), group->leader);
  gt_lower_write(lowering, offsetof(struct gt_logic_walk_args, y), dx);
}

/* --- ops ------------------------------------------------------------------------------------------------ */

static double flops_gradient(const gt_graph *graph, const gt_node *node) {
  return 15.0 * (double)gt_shape_count(gt_node_at(graph, node->input[0])->shape);
}

static double flops_sum(const gt_graph *graph, const gt_node *node) {
  return 7.0 * (double)gt_shape_count(gt_node_at(graph, node->input[0])->shape);
}

static const gt_op ops[OPS] = {
    [OP_GRADIENT] = {.name = "logic_walk_gradient",
                     .kind = GT_OP_KERNEL,
                     .min_inputs = 4,
                     .further = 1,
                     .infer = infer_gradient,
                     .lower = lower_gradient,
                     .flops = flops_gradient},
    [OP_SUM] = {.name = "logic_walk_sum",
                .kind = GT_OP_KERNEL,
                .min_inputs = 4,
                .infer = infer_sum,
                .gradient = gradient_sum,
                .lower = lower_sum,
                .flops = flops_sum},
};
