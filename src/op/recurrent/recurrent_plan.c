/* Ways to run the recurrence on a device, and its steps. Way A ("alone") is one dispatch for all steps, in
 * which no workgroup waits for another; its workgroups read the weight from the caches in every step, so it
 * is good while the weight is small. Way C ("a step") is a dispatch a step, for any size. The CPU has way A.
 */
#include "op/recurrent/recurrent_plan.h"
#include "base/count.h"
#include "shaders/op/recurrent/recurrent.h"
#include "shaders/op/recurrent/recurrent_gradient.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

_Static_assert(GT_CELL_LSTM == GT_LSTM && GT_CELL_GRU == GT_GRU && GT_CELL_RNN_TANH == GT_RNN_TANH &&
                   GT_CELL_RNN_RELU == GT_RNN_RELU,
               "shaders count cells alike");

enum { ALONE, STEPWISE };
/* The words of a candidate. */
enum { WAY, QUADS, SETS, SLICES, KEEP };
enum { MOST_WAYS = 128, LEAST_SHARED = 16384, PASSES = 60000, WORKGROUP = 512 };

typedef struct problem {
  const gt_node *node;
  const gt_recurrent_attribute *a;
  gt_recurrent_operands o;
  gt_recurrent_size n;
  /* Of a step's product, as in the shaders: units and columns of a set, number of sets. */
  uint32_t depth, units, columns, span;
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
  p.span = gt_ceil_div(p.n.hidden, p.units);
  return p;
}

/* --- estimates ------------------------------------------------------------------------------------------ */

/* Cycles of a multiprocessor: 128 multiply-adds a cycle in four parts, a vec4 that a subgroup reads from
 * shared memory in 4. Its own caches give 64 bytes a cycle; the second-level cache gives it 24 when all
 * multiprocessors read. A dispatch and its barrier take about 3500, the wait for a load 300. */
enum { DISPATCH = 3500, WAIT = 300, LANES = 32, PARTS = 4, OVERHEAD = 8, NEAR = 64, FAR = 24 };

static double groups_of(const problem *p, const uint32_t *way) {
  const uint32_t across = way[WAY] == ALONE ? 1 : gt_ceil_div(p->span, way[SETS]);
  return (double)across * gt_ceil_div(p->n.batch, 4 * way[QUADS]);
}

/* A workgroup's product: its multiply-adds, what it reads from shared memory, or what one of few subgroups
 * does in order. */
static double product_cycles(const problem *p, const uint32_t *way) {
  const double subgroups = ceil(way[SETS] * way[SLICES] / (double)LANES);
  const double rounds = way[QUADS] * ceil(p->depth / (double)way[SLICES]);
  const double fused = (double)p->depth * p->columns * way[SETS] * 4 * way[QUADS] / (LANES * PARTS);
  const double order = rounds * (4 * p->columns + OVERHEAD) * ceil(subgroups / PARTS);
  return fmax(fmax(fused, order), subgroups * rounds * 4);
}

static double load_cycles(const problem *p, const gt_target *target, const uint32_t *way, double bytes) {
  const double units = gt_most_u32(target->units, 1);
  return bytes / fmin(NEAR, FAR * units / fmin(groups_of(p, way), units));
}

/* Rows of the weight that are read one after the other wait for the caches; up to GT_RECURRENT_AT_ONCE are
 * loaded together, half of which the product hides. Two forward workgroups that keep none run on a
 * multiprocessor at once, and share what they read. The constants are those of an H100. */
static double alone_cycles(const problem *p, const gt_target *target, const uint32_t *way) {
  enum { WAIT_OF_STRIP = 1300, CELLS = 1000 };
  const uint32_t rounds = gt_ceil_div(p->depth, way[SLICES]), read = rounds - gt_least_u32(rounds, way[KEEP]);
  const double kept = (double)way[KEEP] * way[SLICES], units = gt_most_u32(target->units, 1);
  const double strips = read > GT_RECURRENT_AT_ONCE ? (double)read / GT_RECURRENT_STRIP : 0;
  const double loads = load_cycles(p, target, way, (p->depth - kept) * p->columns * p->span * 4);
  const double waves = ceil(groups_of(p, way) / units);
  const double shared_waves = way[KEEP] || p->a->is_gradient ? waves : ceil(waves / 2);
  return DISPATCH + p->n.steps * (waves * (product_cycles(p, way) + strips * WAIT_OF_STRIP) +
                                  shared_waves * (0.5 * loads + CELLS));
}

/* A chunk costs a barrier, and four rows two more with the sums of all slices. */
static double stepwise_cycles(const problem *p, const gt_target *target, const uint32_t *way) {
  enum { FIRST_LOADS = 1200, OF_CHUNK = 120, OF_QUAD = 80 };
  const double columns = (double)p->columns * way[SETS],
               chunks = ceil(p->depth / ((double)way[SLICES] * way[KEEP]));
  const double loads = load_cycles(p, target, way, (4 * way[QUADS] + columns) * p->depth * 4);
  const double product = fmax(product_cycles(p, way), loads);
  const double join = way[QUADS] * (OF_QUAD + columns * way[SLICES] / 4);
  const double waves = ceil(groups_of(p, way) / gt_most_u32(target->units, 1));
  return p->n.steps * (DISPATCH + waves * (FIRST_LOADS + product + chunks * OF_CHUNK + join));
}

/* --- candidates ----------------------------------------------------------------------------------------- */

typedef struct offer {
  const problem *p;
  const gt_target *target;
  gt_candidate way[MOST_WAYS];
  uint32_t ways;
} offer;

static void way_text(const gt_candidate *way, char *text, size_t size) {
  const uint32_t *w = way->what;
  if (w[WAY] == ALONE)
    snprintf(text, size, "alone, %u sets by %u slices, %u rows kept", w[SETS], w[SLICES], w[KEEP]);
  else
    snprintf(text, size, "a step, %u rows, %u sets by %u slices, chunks of %u", 4 * w[QUADS], w[SETS],
             w[SLICES], w[KEEP] * w[SLICES]);
}

static uint32_t shared_of(const problem *p, const uint32_t *w) {
  const uint64_t sums = (uint64_t)w[SLICES] * w[SETS] * (p->columns + 1);
  const uint64_t chunks = 2ull * w[QUADS] * w[KEEP] * w[SLICES], step = chunks > sums ? chunks : sums;
  const uint64_t bytes = 16 * (w[WAY] == ALONE ? p->depth + sums : step);
  return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

static void add_way(offer *o, uint32_t kind, uint32_t quads, uint32_t sets, uint32_t slices, uint32_t keep) {
  gt_candidate way = {.kin = kind, .what = {kind, quads, sets, slices, keep}};
  const uint32_t threads = sets * slices, most = o->target->max_workgroup;
  if (o->ways == MOST_WAYS || (most && threads > most)) return;
  if (shared_of(o->p, way.what) > gt_most_u32(o->target->shared_bytes, LEAST_SHARED)) return;
  way.cost =
      kind == ALONE ? alone_cycles(o->p, o->target, way.what) : stepwise_cycles(o->p, o->target, way.what);
  o->way[o->ways++] = way;
}

/* Passes through loops that an invocation of way A makes in a step. */
static uint32_t passes_of(const problem *p, const uint32_t *w) {
  const uint64_t threads = (uint64_t)w[SETS] * w[SLICES],
                 cells = gt_ceil_div(4 * p->n.hidden, (int64_t)threads);
  const uint64_t product = 3 * p->columns + (uint64_t)gt_ceil_div(p->depth, w[SLICES]) * (1 + 2 * p->columns),
                 rest = cells * (40 + 5 * (uint64_t)w[SLICES]) + gt_ceil_div(4 * p->depth, (int64_t)threads);
  return product + rest > PASSES ? PASSES : (uint32_t)(product + rest);
}

/* Rows of the weight that fit the registers of an invocation beside its sums: of the 64 K registers that
 * subgroups of 32 share, half; with other subgroups, fewer, so that no compiler spills. A software device,
 * which has none to spare, keeps a few, so that its tests have such a kernel. */
static uint32_t rows_kept(const offer *o, uint32_t slices) {
  const bool wide = o->target->subgroup == LANES, many = o->p->span * slices <= 256;
  const uint32_t room = o->target->brief ? 16 : wide && many ? 128 : wide ? 64 : 32;
  return gt_least_u32(o->p->depth / slices, room / o->p->columns);
}

static void offer_alone(offer *o) {
  const uint32_t sets = o->p->span, most = gt_least_u32(64, o->p->depth);
  for (uint32_t slices = 1; slices <= most; slices *= 2) {
    const uint64_t threads = (uint64_t)sets * slices;
    const uint32_t way[] = {ALONE, 1, sets, slices, 0};
    if (threads > WORKGROUP || (threads < 64 && 2 * slices <= most)) continue;
    if (o->target->brief && passes_of(o->p, way) >= PASSES) continue;
    add_way(o, ALONE, 1, sets, slices, 0);
    if (rows_kept(o, slices)) add_way(o, ALONE, 1, sets, slices, rows_kept(o, slices));
  }
}

/* Registers of an invocation of way C: its sums, the rows of the weight twice, the left operand of a chunk,
 * and its cells. More than there are would spill. */
static bool fits_registers(const offer *o, uint32_t quads, uint32_t sets, uint32_t slices, uint32_t keep) {
  enum { OF_CELL = 9, OTHER = 28, MOST = 232, FEW = 128, ALL = 65536 };
  const uint32_t columns = o->p->columns, threads = sets * slices,
                 most = o->target->subgroup == LANES ? MOST : FEW;
  const int64_t cells = gt_ceil_div(4ll * quads * sets * o->p->units, threads),
                lefts = gt_ceil_div(4ll * keep * quads, sets);
  return (4 * quads + 2 * keep) * columns + lefts + OF_CELL * cells + OTHER <=
         gt_least_u32(most, ALL / threads);
}

static void offer_stepwise(offer *o) {
  enum { FEWEST = 128, LEAST_KEPT = 4 };
  for (uint32_t quads = 1; quads <= 4 && (quads == 1 || 2 * quads < o->p->n.batch); quads *= 2)
    for (uint32_t sets = 4; sets <= 32 && (sets == 4 || sets < 2 * o->p->span); sets *= 2)
      for (uint32_t threads = FEWEST; threads <= WORKGROUP / 2; threads *= 2)
        for (uint32_t keep = LEAST_KEPT; keep <= 2 * LEAST_KEPT; keep *= 2) {
          const uint32_t slices = threads / sets;
          const bool is_least = threads == FEWEST && keep == LEAST_KEPT;
          if ((is_least || slices * keep < 2 * o->p->depth) && fits_registers(o, quads, sets, slices, keep))
            add_way(o, STEPWISE, quads, sets, slices, keep);
        }
}

static gt_candidate choose(gt_lowering *lowering, const problem *p) {
  char key[128];
  const gt_recurrent_size n = p->n;
  snprintf(key, sizeof key, "%s, %u steps of %u rows, %u units", p->node->op->name, n.steps, n.batch,
           n.hidden);
  const gt_candidate *taken = gt_lower_known_choice(lowering, key);
  if (taken) return *taken;
  offer o = {.p = p, .target = gt_lowering_target(lowering)};
  offer_alone(&o);
  offer_stepwise(&o);
  return *gt_lower_choice(lowering, key, way_text, o.way, o.ways);
}

/* --- steps ---------------------------------------------------------------------------------------------- */

typedef struct run { /* the way, and the steps of one dispatch */
  uint32_t way[GT_CANDIDATE_WORDS];
  uint32_t stretch;
} run;

/* A software device (lavapipe) ends all loops of an invocation silently after 65,535 passes, so there way A
 * runs in stretches. */
static run plan_run(gt_lowering *lowering, const problem *p) {
  const gt_target *target = gt_lowering_target(lowering);
  run r = {.way = {ALONE, 1, 1, 1, 0}, .stretch = p->n.steps};
  if (!target->device) return r;
  const gt_candidate taken = choose(lowering, p);
  memcpy(r.way, taken.what, sizeof r.way);
  if (r.way[WAY] == STEPWISE)
    r.stretch = 1;
  else if (target->brief)
    r.stretch = gt_most_u32(1, PASSES / passes_of(p, r.way));
  return r;
}

static gt_step *start_step(gt_lowering *lowering, const problem *p, const run *r, const void *args,
                           size_t size, uint32_t steps) {
  static const gt_kernel kernels[2][2] = {
      {{"recurrent_alone", gt_recurrent_cpu}, {"recurrent_step", gt_recurrent_cpu}},
      {{"recurrent_alone_gradient", gt_recurrent_gradient_cpu},
       {"recurrent_step_gradient", gt_recurrent_gradient_cpu}}};
  const uint32_t *w = r->way, rows = 4 * w[QUADS];
  gt_step *step = gt_lower_step(lowering, &kernels[p->a->is_gradient][w[WAY]], args, size);
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
  /* The weight, and of each token the gates twice, h, and what else is saved. */
  step->touched =
      4ull * p->n.width * p->n.hidden + 4ull * steps * p->n.batch * (2ull * p->n.width + 3ull * p->n.hidden);
  const uint64_t across = w[WAY] == ALONE ? 1 : gt_ceil_div(p->span, w[SETS]);
  gt_lower_groups(lowering, across * gt_ceil_div(p->n.batch, rows), w[SETS] * w[SLICES]);
  return step;
}

/* The current step writes this value; after the first dispatch it also reads what earlier ones wrote. */
static void write_on(gt_lowering *lowering, size_t argument, gt_id value, bool is_first) {
  if (!is_first) gt_lower_read(lowering, argument, value);
  gt_lower_write(lowering, argument, value);
}

void gt_recurrent_lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const problem p = problem_of(graph, group->leader);
  const run r = plan_run(lowering, &p);
  const bool gated = gt_recurrent_is_gated(p.a);
#define AT(field) offsetof(struct gt_recurrent_args, field)
  for (uint32_t s = 0; s < p.n.steps; s += r.stretch) {
    const struct gt_recurrent_args args = {.first = s,
                                           .steps = gt_least_u32(r.stretch, p.n.steps - s),
                                           .all_steps = p.n.steps,
                                           .batch = p.n.batch};
    start_step(lowering, &p, &r, &args, sizeof args, args.steps);
    gt_lower_read(lowering, AT(gates), p.o.gates);
    gt_lower_read(lowering, AT(weight), p.o.turned);
    if (p.o.bias != GT_NONE) gt_lower_read(lowering, AT(bias), p.o.bias);
    if (p.o.lengths != GT_NONE) gt_lower_read(lowering, AT(lengths), p.o.lengths);
    write_on(lowering, AT(y), gt_result(graph, group->leader, gated ? GT_RECURRENT_Y : 0), s == 0);
    if (!gated) continue;
    write_on(lowering, AT(saved), group->leader, s == 0);
    write_on(lowering, AT(extra), gt_result(graph, group->leader, GT_RECURRENT_EXTRA), s == 0);
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
  for (uint32_t s = 0; s < p.n.steps; s += r.stretch) {
    const struct gt_recurrent_gradient_args args = {.first = p.n.steps - 1 - s,
                                                    .steps = gt_least_u32(r.stretch, p.n.steps - s),
                                                    .all_steps = p.n.steps,
                                                    .batch = p.n.batch};
    start_step(lowering, &p, &r, &args, sizeof args, args.steps);
    if (gated) {
      gt_lower_read(lowering, AT(saved), p.o.saved);
      gt_lower_read(lowering, AT(extra), p.o.extra);
      if (s) gt_lower_use_scratch(lowering, AT(carry), carry, false);
      gt_lower_use_scratch(lowering, AT(carry), carry, true);
    }
    if (p.o.y != GT_NONE) gt_lower_read(lowering, AT(y), p.o.y);
    gt_lower_read(lowering, AT(given), p.o.given);
    gt_lower_read(lowering, AT(weight), p.o.w_hh);
    if (p.o.lengths != GT_NONE) gt_lower_read(lowering, AT(lengths), p.o.lengths);
    write_on(lowering, AT(d_gates), group->leader, s == 0);
    if (p.a->cell == GT_CELL_GRU)
      write_on(lowering, AT(d_hidden), gt_result(graph, group->leader, 1), s == 0);
  }
#undef AT
}
