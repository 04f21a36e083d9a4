/* Candidates for the recurrence on a device, and the steps that run it. Kernel recurrent_alone computes all
 * time steps in one dispatch: a workgroup has four rows of the batch and waits for no other; it reads the
 * weight from the caches in every time step, so it is fast if the weight is small. Kernel recurrent_step
 * computes one time step per dispatch, for any size. The CPU kernel computes all time steps. */
#include "op/recurrent/recurrent_plan.h"
#include "base/count.h"
#include "shaders/op/recurrent/recurrent.h"
#include "shaders/op/recurrent/recurrent_gradient.h"
#include "step/occupancy.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

_Static_assert(GT_CELL_LSTM == GT_LSTM && GT_CELL_GRU == GT_GRU && GT_CELL_RNN_TANH == GT_RNN_TANH &&
                   GT_CELL_RNN_RELU == GT_RNN_RELU,
               "shaders use the same numbers");

enum { ALL_STEPS, ONE_STEP };
/* The words of a candidate: its kernel, then specialization constants
 * (shaders/op/recurrent/recurrent_spec.h). */
enum { KERNEL, QUADS, SETS, SLICES, KEEP };
enum {
  MAX_CANDIDATES = 128,
  MIN_SHARED = 16384,     /* bytes of shared memory that every device has */
  MAX_ITERATIONS = 60000, /* of loops in an invocation, on a software device; see plan_run */
  WORKGROUP = 512
};

typedef struct problem {
  const gt_node *node;
  const gt_recurrent_attribute *a;
  gt_recurrent_operands o;
  gt_recurrent_size n;
  /* The GEMM of a time step: K; hidden units and columns of a set, which an invocation computes; number of
   * sets. */
  uint32_t depth, units, columns, set_count;
} problem;

static problem problem_of(const gt_graph *graph, gt_id leader) {
  const gt_node *node = gt_node_at(graph, leader);
  problem p = {.node = node,
               .a = node->attribute,
               .o = gt_recurrent_operands_of(node),
               .n = gt_recurrent_size_of(graph, node)};
  p.depth = p.a->is_gradient ? p.n.width : p.n.hidden;
  p.units = p.a->is_gradient || p.n.width == p.n.hidden ? 4 : 1;
  p.columns = p.units * (p.a->is_gradient ? 1 : p.n.width / p.n.hidden);
  p.set_count = gt_ceil_div(p.n.hidden, p.units);
  return p;
}

/* --- estimates ------------------------------------------------------------------------------------------ */

/* Costs are in cycles of a multiprocessor (step/occupancy.h), measured on an H100. DISPATCH: a dispatch with
 * its barrier. OVERHEAD: instructions per row of the weight. */
enum { DISPATCH = 3500, OVERHEAD = 8 };

/* Workgroups of a dispatch. */
static double groups_of(const problem *p, const uint32_t *words) {
  const uint32_t across = words[KERNEL] == ALL_STEPS ? 1 : gt_ceil_div(p->set_count, words[SETS]);
  return (double)across * gt_ceil_div(p->n.batch, 4 * words[QUADS]);
}

/* The GEMM of a workgroup takes as long as the slowest of these: its multiply-adds, the instructions of one
 * scheduler's subgroups in order, its reads of shared memory. */
static double product_cycles(const problem *p, const uint32_t *words) {
  const double subgroups = ceil(words[SETS] * words[SLICES] / (double)GT_WARP);
  const double rounds = words[QUADS] * ceil(p->depth / (double)words[SLICES]);
  const double multiply_adds =
      (double)p->depth * p->columns * words[SETS] * 4 * words[QUADS] / GT_FMA_PER_CYCLE;
  const double serial = rounds * (4 * p->columns + OVERHEAD) * ceil(subgroups / GT_SCHEDULERS);
  return fmax(fmax(multiply_adds, serial), subgroups * rounds * GT_SHARED_CYCLES);
}

/* Rows of the weight that are not kept in registers are loaded in every time step: all at once if there are
 * at most GT_RECURRENT_AT_ONCE, otherwise in strips, each with a latency. The GEMM hides half of the time of
 * the loads, or three quarters in the gradient, as measured with batches of 128 to 4,096. Two forward
 * workgroups that keep no rows run on a multiprocessor at the same time and share loads. */
static double all_steps_cycles(const problem *p, const gt_target *target, const uint32_t *words) {
  enum { STRIP_LATENCY = 1300, CELLS = 1000 /* computing the cells of a time step */ };
  const uint32_t rounds = gt_ceil_div(p->depth, words[SLICES]),
                 rows_read = rounds - gt_min_u32(rounds, words[KEEP]);
  const double kept = (double)words[KEEP] * words[SLICES], processors = gt_max_u32(target->units, 1);
  const double strips = rows_read > GT_RECURRENT_AT_ONCE ? (double)rows_read / GT_RECURRENT_STRIP : 0;
  const double loads =
      gt_load_cycles((p->depth - kept) * p->columns * p->set_count * 4, groups_of(p, words), target);
  const double waves = ceil(groups_of(p, words) / processors);
  const double shared_waves = words[KEEP] || p->a->is_gradient ? waves : ceil(waves / 2);
  const double visible_loads = (p->a->is_gradient ? 0.25 : 0.5) * loads;
  return DISPATCH + p->n.steps * (waves * (product_cycles(p, words) + strips * STRIP_LATENCY) +
                                  shared_waves * (visible_loads + CELLS));
}

/* Each chunk of K costs a barrier, and the reduction of the slices' sums two more for each four rows. The
 * GEMM hides half of the time of the loads, or a quarter in the gradient, whose K is longer, as measured with
 * batches of 1,024 and 4,096. */
static double one_step_cycles(const problem *p, const gt_target *target, const uint32_t *words) {
  enum { FIRST_LOADS = 1200, PER_CHUNK = 120, PER_QUAD = 80 };
  const double columns = (double)p->columns * words[SETS],
               chunks = ceil(p->depth / ((double)words[SLICES] * words[KEEP]));
  const double loads =
      gt_load_cycles((4 * words[QUADS] + columns) * p->depth * 4, groups_of(p, words), target);
  const double product = product_cycles(p, words) + (p->a->is_gradient ? 0.75 : 0.5) * loads;
  const double reduction = words[QUADS] * (PER_QUAD + columns * words[SLICES] / 4);
  const double waves = ceil(groups_of(p, words) / gt_max_u32(target->units, 1));
  return p->n.steps * (DISPATCH + waves * (FIRST_LOADS + product + chunks * PER_CHUNK + reduction));
}

/* --- candidates ----------------------------------------------------------------------------------------- */

typedef struct candidates { /* those found so far */
  const problem *p;
  const gt_target *target;
  gt_candidate item[MAX_CANDIDATES];
  uint32_t count;
} candidates;

static void candidate_text(const gt_candidate *candidate, char *text, size_t size) {
  const uint32_t *w = candidate->what;
  if (w[KERNEL] == ALL_STEPS)
    snprintf(text, size, "alone, %u sets by %u slices, %u rows kept", w[SETS], w[SLICES], w[KEEP]);
  else
    snprintf(text, size, "a step, %u rows, %u sets by %u slices, chunks of %u", 4 * w[QUADS], w[SETS],
             w[SLICES], w[KEEP] * w[SLICES]);
}

/* Bytes of shared memory. */
static uint32_t shared_of(const problem *p, const uint32_t *w) {
  const uint64_t sums = (uint64_t)w[SLICES] * w[SETS] * (p->columns + 1);
  const uint64_t chunks = 2ull * w[QUADS] * w[KEEP] * w[SLICES], step = chunks > sums ? chunks : sums;
  const uint64_t bytes = 16 * (w[KERNEL] == ALL_STEPS ? p->depth + sums : step);
  return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

static void add_candidate(candidates *o, uint32_t kind, uint32_t quads, uint32_t sets, uint32_t slices,
                          uint32_t keep) {
  gt_candidate candidate = {.family = kind, .what = {kind, quads, sets, slices, keep}};
  const uint32_t threads = sets * slices, max_threads = o->target->max_workgroup;
  if (o->count == MAX_CANDIDATES || (max_threads && threads > max_threads)) return;
  if (shared_of(o->p, candidate.what) > gt_max_u32(o->target->shared_bytes, MIN_SHARED)) return;
  candidate.cost = kind == ALL_STEPS ? all_steps_cycles(o->p, o->target, candidate.what)
                                     : one_step_cycles(o->p, o->target, candidate.what);
  o->item[o->count++] = candidate;
}

/* Iterations of loops in an invocation of recurrent_alone, per time step, estimated from alone.glsl:
 * those of `multiply`, and for each cell 5 per slice in `sum_slices` and 40 others. */
static uint32_t iterations_of(const problem *p, const uint32_t *w) {
  const uint64_t threads = (uint64_t)w[SETS] * w[SLICES],
                 cells = gt_ceil_div(4 * p->n.hidden, (int64_t)threads);
  const uint64_t product = 3 * p->columns + (uint64_t)gt_ceil_div(p->depth, w[SLICES]) * (1 + 2 * p->columns),
                 cell_iterations =
                     cells * (40 + 5 * (uint64_t)w[SLICES]) + gt_ceil_div(4 * p->depth, (int64_t)threads);
  return product + cell_iterations > MAX_ITERATIONS ? MAX_ITERATIONS : (uint32_t)(product + cell_iterations);
}

/* Rows of the weight that an invocation of recurrent_alone keeps in registers besides its sums. With
 * subgroups of 32 they take at most half of a multiprocessor's 64 K registers; with others fewer, so that no
 * compiler spills. On a software device only a few, so that tests cover such kernels. */
static uint32_t rows_kept(const candidates *o, uint32_t slices) {
  const bool is_32 = o->target->subgroup == GT_WARP, is_small = o->p->set_count * slices <= 256;
  const uint32_t registers = o->target->brief ? 16 : is_32 && is_small ? 128 : is_32 ? 64 : 32;
  return gt_min_u32(o->p->depth / slices, registers / o->p->columns);
}

static void add_all_steps(candidates *o) {
  const uint32_t sets = o->p->set_count, max_slices = gt_min_u32(64, o->p->depth);
  for (uint32_t slices = 1; slices <= max_slices; slices *= 2) {
    const uint64_t threads = (uint64_t)sets * slices;
    const uint32_t words[] = {ALL_STEPS, 1, sets, slices, 0};
    if (threads > WORKGROUP || (threads < 64 && 2 * slices <= max_slices)) continue;
    if (o->target->brief && iterations_of(o->p, words) >= MAX_ITERATIONS) continue;
    add_candidate(o, ALL_STEPS, 1, sets, slices, 0);
    if (rows_kept(o, slices)) add_candidate(o, ALL_STEPS, 1, sets, slices, rows_kept(o, slices));
  }
}

/* True if an invocation of recurrent_step has enough registers for its sums, the rows of the weight of two
 * chunks, its part of the left operand of a chunk, and its cells. */
static bool fits_registers(const candidates *o, uint32_t quads, uint32_t sets, uint32_t slices,
                           uint32_t keep) {
  enum { PER_CELL = 9, OTHER = 28 }; /* registers per cell, and of everything else */
  const uint32_t columns = o->p->columns, threads = sets * slices;
  const int64_t cells = gt_ceil_div(4ll * quads * sets * o->p->units, threads),
                lefts = gt_ceil_div(4ll * keep * quads, sets);
  return gt_fits_registers((4 * quads + 2 * keep) * columns + lefts + PER_CELL * cells + OTHER, threads,
                           o->target);
}

static void add_one_step(candidates *o) {
  enum { MIN_THREADS = 128, MIN_KEPT = 4 };
  for (uint32_t quads = 1; quads <= 4 && (quads == 1 || 2 * quads < o->p->n.batch); quads *= 2)
    for (uint32_t sets = 4; sets <= 32 && (sets == 4 || sets < 2 * o->p->set_count); sets *= 2)
      for (uint32_t threads = MIN_THREADS; threads <= WORKGROUP / 2; threads *= 2)
        for (uint32_t keep = MIN_KEPT; keep <= 2 * MIN_KEPT; keep *= 2) {
          const uint32_t slices = threads / sets;
          const bool is_least = threads == MIN_THREADS && keep == MIN_KEPT;
          if ((is_least || slices * keep < 2 * o->p->depth) && fits_registers(o, quads, sets, slices, keep))
            add_candidate(o, ONE_STEP, quads, sets, slices, keep);
        }
}

static gt_candidate choose(gt_lowering *lowering, const problem *p) {
  char key[128];
  const gt_recurrent_size n = p->n;
  snprintf(key, sizeof key, "%s, %u steps of %u rows, %u units", p->node->op->name, n.steps, n.batch,
           n.hidden);
  const gt_candidate *chosen = gt_lower_reuse_choice(lowering, key);
  if (chosen) return *chosen;
  candidates o = {.p = p, .target = gt_lowering_target(lowering)};
  add_all_steps(&o);
  add_one_step(&o);
  return *gt_lower_choice(lowering, key, candidate_text, o.item, o.count);
}

/* --- steps ---------------------------------------------------------------------------------------------- */

typedef struct run { /* the words of the candidate; time steps per dispatch */
  uint32_t words[GT_CANDIDATE_WORDS];
  uint32_t per_dispatch;
} run;

/* A software device (lavapipe) silently ends all loops of an invocation after 65,535 iterations, so there
 * recurrent_alone is divided into several dispatches. */
static run plan_run(gt_lowering *lowering, const problem *p) {
  const gt_target *target = gt_lowering_target(lowering);
  run r = {.words = {ALL_STEPS, 1, 1, 1, 0}, .per_dispatch = p->n.steps};
  if (!target->device) return r;
  const gt_candidate chosen = choose(lowering, p);
  memcpy(r.words, chosen.what, sizeof r.words);
  if (r.words[KERNEL] == ONE_STEP)
    r.per_dispatch = 1;
  else if (target->brief)
    r.per_dispatch = gt_max_u32(1, MAX_ITERATIONS / iterations_of(p, r.words));
  return r;
}

/* Emits the step for one dispatch; `steps`: its number of time steps. The caller adds the buffers. */
static gt_step *emit_step(gt_lowering *lowering, const problem *p, const run *r, const void *args,
                          size_t size, uint32_t steps) {
  static const gt_kernel kernels[2][2] = {
      {{"recurrent_alone", gt_recurrent_cpu}, {"recurrent_step", gt_recurrent_cpu}},
      {{"recurrent_alone_gradient", gt_recurrent_gradient_cpu},
       {"recurrent_step_gradient", gt_recurrent_gradient_cpu}}};
  const uint32_t *w = r->words, rows = 4 * w[QUADS];
  gt_step *step = gt_lower_step(lowering, &kernels[p->a->is_gradient][w[KERNEL]], args, size);
  step->spec[GT_RECURRENT_SPEC_CELL] = p->a->cell;
  step->spec[GT_RECURRENT_SPEC_REVERSE] = p->a->reverse;
  step->spec[GT_RECURRENT_SPEC_LENGTHS] = p->a->has_lengths;
  step->spec[GT_RECURRENT_SPEC_BIASED] = p->a->biased;
  step->spec[GT_RECURRENT_SPEC_HIDDEN] = p->n.hidden;
  step->spec[GT_RECURRENT_SPEC_LAST] = p->a->last_only;
  step->spec[GT_RECURRENT_SPEC_QUADS] = w[QUADS];
  step->spec[GT_RECURRENT_SPEC_SETS] = w[SETS];
  step->spec[GT_RECURRENT_SPEC_SLICES] = w[SLICES];
  step->spec[GT_RECURRENT_SPEC_KEEP] = w[KEEP];
  step->tiles = gt_ceil_div(p->n.batch, GT_RECURRENT_ROWS);
  step->cached = true;
  /* The weight and, per row and time step, the gates twice, h and the other saved values. */
  step->touched =
      4ull * p->n.width * p->n.hidden + 4ull * steps * p->n.batch * (2ull * p->n.width + 3ull * p->n.hidden);
  const uint64_t across = w[KERNEL] == ALL_STEPS ? 1 : gt_ceil_div(p->set_count, w[SETS]);
  gt_lower_workgroups(lowering, across * gt_ceil_div(p->n.batch, rows), w[SETS] * w[SLICES]);
  return step;
}

/* The current step writes this value and, after the first dispatch, also reads what earlier ones wrote. */
static void write_value(gt_lowering *lowering, size_t argument, gt_id value, bool is_first) {
  if (!is_first) gt_lower_read(lowering, argument, value);
  gt_lower_write(lowering, argument, value);
}

void gt_recurrent_lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const problem p = problem_of(graph, group->leader);
  const run r = plan_run(lowering, &p);
  const bool gated = gt_recurrent_is_gated(p.a);
#define AT(field) offsetof(struct gt_recurrent_args, field)
  for (uint32_t s = 0; s < p.n.steps; s += r.per_dispatch) {
    const struct gt_recurrent_args args = {.first = s,
                                           .steps = gt_min_u32(r.per_dispatch, p.n.steps - s),
                                           .all_steps = p.n.steps,
                                           .batch = p.n.batch};
    emit_step(lowering, &p, &r, &args, sizeof args, args.steps);
    gt_lower_read(lowering, AT(gates), p.o.gates);
    gt_lower_read(lowering, AT(weight), p.o.transposed);
    if (p.o.bias != GT_NONE) gt_lower_read(lowering, AT(bias), p.o.bias);
    if (p.o.lengths != GT_NONE) gt_lower_read(lowering, AT(lengths), p.o.lengths);
    write_value(lowering, AT(y), gt_result(graph, group->leader, gated ? GT_RECURRENT_Y : 0), s == 0);
    if (!gated) continue;
    write_value(lowering, AT(saved), group->leader, s == 0);
    write_value(lowering, AT(extra), gt_result(graph, group->leader, GT_RECURRENT_EXTRA), s == 0);
  }
#undef AT
}

void gt_recurrent_gradient_lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const problem p = problem_of(graph, group->leader);
  const run r = plan_run(lowering, &p);
  const bool gated = gt_recurrent_is_gated(p.a);
  const uint32_t carry = gated ? gt_lower_scratch(lowering, 4ull * p.n.batch * p.n.hidden) : 0;
#define AT(field) offsetof(struct gt_recurrent_gradient_args, field)
  for (uint32_t s = 0; s < p.n.steps; s += r.per_dispatch) {
    const struct gt_recurrent_gradient_args args = {.first = p.n.steps - 1 - s,
                                                    .steps = gt_min_u32(r.per_dispatch, p.n.steps - s),
                                                    .all_steps = p.n.steps,
                                                    .batch = p.n.batch};
    emit_step(lowering, &p, &r, &args, sizeof args, args.steps);
    if (gated) {
      gt_lower_read(lowering, AT(saved), p.o.saved);
      gt_lower_read(lowering, AT(extra), p.o.extra);
      if (s) gt_lower_use_scratch(lowering, AT(carry), carry, false);
      gt_lower_use_scratch(lowering, AT(carry), carry, true);
    }
    if (p.o.y != GT_NONE) gt_lower_read(lowering, AT(y), p.o.y);
    gt_lower_read(lowering, AT(given), p.o.dy);
    gt_lower_read(lowering, AT(weight), p.o.w_hh);
    if (p.o.lengths != GT_NONE) gt_lower_read(lowering, AT(lengths), p.o.lengths);
    write_value(lowering, AT(d_gates), group->leader, s == 0);
    if (p.a->cell == GT_CELL_GRU)
      write_value(lowering, AT(d_hidden), gt_result(graph, group->leader, 1), s == 0);
  }
#undef AT
}
