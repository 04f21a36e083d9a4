/* Candidates of product_outer: small-N wgrad of a KAN or linear layer. */
#include "op/matmul/matmul_engines.h"
#include "base/count.h"
#include "op/matmul/matmul_lines.h"
#include "shaders/op/matmul/matmul.h"
#include "shaders/op/matmul/product_outer.h"

static const gt_kernel outer = {.name = "product_outer"};

enum {
  MOST_PARTS = 65535, /* of split-K */
  /* Cycles of a multiprocessor: */
  JOIN_CYCLES = 2, /* reduction in shared memory: to write a sum per invocation of a warp, and to read it, */
  ROUND_CYCLES = 200, /* and latency per round of functions */
  WAIT_CYCLES = 1200, /* latency of staged lines */
  START_CYCLES = 3000
};

/* Number of functions of an input; 0: unknown. */
static uint32_t functions_of(const gt_matmul_shape *s) {
  return s->kind_a == GT_FACTOR_DENSE ? 1 : s->inputs_a ? s->m / s->inputs_a : 0;
}

bool gt_matmul_is_outer(const gt_matmul_shape *s) {
  return s->trans_a && !s->trans_b && (s->kind_a == GT_FACTOR_BASIS || s->kind_a == GT_FACTOR_DENSE) &&
         s->kind_b == GT_FACTOR_DENSE && s->n <= GT_LINES_MOST_OUTPUTS && s->batch == 1 && !s->whole_k &&
         functions_of(s) && functions_of(s) <= GT_LINES_MOST_FUNCTIONS;
}

/* Most sums of an invocation. Addresses of prefetched elements take registers, too, which AMD's compiler
 * lacks. */
static uint32_t most_sums(const gt_target *target) {
  enum { FEW = 64 };
  return target->matrix.fast ? GT_LINES_REGISTERS : FEW;
}

/* Elements that an invocation prefetches. */
static uint32_t fetched(const gt_target *target) {
  enum { FEW = 8 };
  return target->matrix.fast ? GT_LINES_FETCHED : FEW;
}

static gt_matmul_lines lines_of(const gt_matmul_shape *s, uint32_t inputs, const gt_target *target) {
  gt_matmul_lines work = {.inputs = inputs, .functions = functions_of(s), .planes = 1 + s->apart_a};
  if (s->kind_a == GT_FACTOR_BASIS)
    work.instructions = !s->plain_a ? GT_LINES_PLACED : s->heavy_a ? GT_LINES_HEAVY : GT_LINES_LIGHT;
  work.outputs = gt_ceil_div(s->n, gt_ceil_div(s->n, most_sums(target) / work.functions));
  return work;
}

/* Functions whose sums are reduced at a time: as many as fit into shared memory, in even shares. */
static uint32_t round_of(const gt_matmul_lines *work, uint32_t room) {
  const uint32_t most = room / (4 * GT_LINES_THREADS * (work->outputs | 1));
  return most ? gt_ceil_div(work->functions, gt_ceil_div(work->functions, most)) : 0;
}

static double estimate(const gt_matmul_config *c, const gt_matmul_shape *s, const gt_target *target) {
  const gt_matmul_lines work = lines_of(s, c->bm / c->tm, target);
  const uint32_t rounds = gt_ceil_div(work.functions, round_of(&work, gt_matmul_lines_room(target)));
  const double sums = (double)work.functions * work.outputs * GT_LINES_THREADS / GT_WARP;
  const double of_unit = gt_workgroups_per_unit((double)gt_matmul_groups(s, c), target->units);
  const double busy = gt_matmul_lines_cycles(&work, c->k_chunk) + sums * JOIN_CYCLES;
  const double waits = START_CYCLES + gt_ceil_div(c->k_chunk, c->bk) * WAIT_CYCLES + rounds * ROUND_CYCLES;
  return of_unit * (busy + waits) + gt_matmul_ending_cycles(s, c, target->units);
}

/* Offers split-K with `each` workgroups per multiprocessor. */
static void offer_parts(const gt_matmul_lines *work, uint32_t each, const gt_matmul_shape *s,
                        const gt_target *target, gt_matmul_offer *offer, void *context) {
  const uint32_t room = gt_matmul_lines_room(target), at_once = GT_LINES_THREADS / work->inputs;
  gt_matmul_config c = {.bm = (uint16_t)(work->inputs * work->functions),
                        .bn = (uint16_t)work->outputs,
                        .tm = (uint16_t)work->functions,
                        .tn = (uint16_t)work->outputs,
                        .teams = (uint16_t)at_once,
                        .engine = GT_ENGINE_OUTER};
  const uint32_t tiles = gt_ceil_div(s->m, c.bm) * gt_ceil_div(s->n, c.bn);
  const uint32_t parts = gt_max_u32(each * gt_max_u32(target->units, 1) / tiles, 2);
  c.k_chunk = gt_ceil_div(gt_ceil_div(s->k, parts), at_once) * at_once;
  c.split = gt_ceil_div(s->k, c.k_chunk);
  c.bk = (uint16_t)gt_matmul_lines_staged(work, c.k_chunk, room, 0);
  if (c.split < 2 || c.split > MOST_PARTS || !c.bk || !round_of(work, room) ||
      (uint64_t)c.split * s->m * s->n > GT_MATMUL_MOST_PARTIAL ||
      (target->max_grid && tiles > target->max_grid))
    return;
  offer(context, c, estimate(&c, s, target));
}

void gt_matmul_offer_outer(const gt_matmul_shape *s, const gt_target *target, gt_matmul_offer *offer,
                           void *context) {
  enum { EACH = 2 };
  if (!gt_matmul_is_outer(s) || GT_LINES_THREADS > target->max_workgroup) return;
  for (uint32_t inputs = 8; inputs <= GT_LINES_MOST_INPUTS; inputs *= 2) {
    const gt_matmul_lines work = lines_of(s, inputs, target);
    for (uint32_t each = 1; each <= EACH; each++) offer_parts(&work, each, s, target, offer, context);
  }
}

gt_matmul_cut gt_matmul_cut_outer(const gt_matmul_config *c, const gt_matmul_shape *s,
                                  const gt_target *target) {
  const gt_matmul_lines work = lines_of(s, c->bm / c->tm, target);
  const bool arrives = gt_matmul_arrives(s, c, target->units);
  return (gt_matmul_cut){.kernel = &outer,
                         .bm = c->bm,
                         .bn = c->bn,
                         .threads = GT_LINES_THREADS,
                         .split = c->split,
                         .k_chunk = c->k_chunk,
                         .arrives = arrives,
                         .spec = {[GT_LINES_SPEC_INPUTS] = work.inputs,
                                  [GT_LINES_SPEC_OUTPUTS] = work.outputs,
                                  [GT_LINES_SPEC_STAGED] = c->bk,
                                  [GT_LINES_SPEC_QUADS] = s->m / work.functions % 4 == 0,
                                  [GT_LINES_SPEC_PLANES] = work.planes,
                                  [GT_LINES_SPEC_FETCHED] = fetched(target),
                                  [GT_OUTER_SPEC_ROUND] = round_of(&work, gt_matmul_lines_room(target)),
                                  [GT_OUTER_SPEC_PART] = c->k_chunk,
                                  [GT_MATMUL_SPEC_SPLIT] = c->split,
                                  [GT_MATMUL_SPEC_ARRIVE] = arrives}};
}
