/* Candidates of product_slopes: dgrad of a KAN layer with few outputs and many rows. */
#include "op/matmul/matmul_engines.h"
#include "base/count.h"
#include "op/matmul/matmul_lines.h"
#include "shaders/op/matmul/product_slopes.h"
#include "shaders/op/matmul/range.h"

static const gt_kernel slopes = {.name = "product_slopes"};

enum {
  /* Cycles of a multiprocessor: */
  COEFFICIENT_CYCLES = 6, /* to stage and read a coefficient for each invocation of a warp */
  WRITE_CYCLES = 15,      /* to write a vec4 for each invocation of a warp */
  WAIT_CYCLES = 2000,     /* latency of coefficients and of lines */
  START_CYCLES = 3500
};

static gt_matmul_lines lines_of(const gt_matmul_shape *s, uint32_t inputs) {
  return (gt_matmul_lines){.inputs = inputs,
                           .functions = s->k / s->segment,
                           .planes = 1,
                           .outputs = s->outputs,
                           .instructions = s->plain_a ? GT_LINES_HEAVY : GT_LINES_PLACED};
}

/* Functions whose coefficients an invocation holds at a time, in even shares. */
static uint32_t own_of(const gt_matmul_lines *work) {
  return gt_ceil_div(work->functions, gt_ceil_div(work->functions * work->outputs, GT_LINES_REGISTERS));
}

static double estimate(const gt_matmul_config *c, const gt_matmul_shape *s, const gt_target *target) {
  const gt_matmul_lines work = lines_of(s, c->bn);
  const double groups = (double)gt_matmul_groups(s, c);
  const double coefficient_rows = (double)work.functions * work.inputs,
               of_unit = gt_workgroups_per_unit(groups, target->units);
  const double busy = gt_matmul_lines_cycles(&work, c->bm) +
                      coefficient_rows * work.outputs / GT_WARP * COEFFICIENT_CYCLES +
                      (double)c->bm * c->bn / 4 / GT_WARP * WRITE_CYCLES;
  return of_unit * (busy + WAIT_CYCLES + START_CYCLES);
}

/* Offers `each` workgroups per multiprocessor, or more if shared memory is too small for their lines. */
static void offer_lines(const gt_matmul_lines *work, uint32_t each, const gt_matmul_shape *s,
                        const gt_target *target, gt_matmul_offer *offer, void *context) {
  const uint32_t room = gt_matmul_lines_room(target), at_once = GT_LINES_THREADS / work->inputs;
  /* The most that measures_scalar.glsl uses. */
  const uint32_t measure_bytes = 4 * (GT_RANGE_DEPTH + work->inputs);
  const uint32_t taken = 16 * work->functions * work->inputs * GT_LINES_SPREAD(work->outputs) + measure_bytes;
  const uint32_t more = own_of(work) < work->functions ? 4 * work->inputs : 0;
  const uint32_t tiles = gt_ceil_div(s->n, work->inputs);
  const uint32_t wanted = gt_max_u32(each * gt_max_u32(target->units, 1) / tiles, 1);
  if (taken >= room) return;
  const uint32_t lines = gt_min_u32(gt_ceil_div(s->m, wanted), GT_RANGE_DEPTH); /* at most a scale block */
  const uint32_t staged = gt_matmul_lines_staged(work, lines, room - taken, more);
  if (!staged) return;
  const gt_matmul_config c = {.bm = (uint16_t)staged,
                              .bn = (uint16_t)work->inputs,
                              .bk = GT_FACTOR_SLICE,
                              .tm = (uint16_t)(staged / at_once),
                              .tn = 1,
                              .teams = (uint16_t)at_once,
                              .engine = GT_ENGINE_SLOPES,
                              .split = 1,
                              .k_chunk = s->k};
  offer(context, c, estimate(&c, s, target));
}

void gt_matmul_offer_slopes(const gt_matmul_shape *s, const gt_target *target, gt_matmul_offer *offer,
                            void *context) {
  enum { EACH = 2 };
  if (!s->segment || s->outputs > GT_LINES_MOST_OUTPUTS || s->k / s->segment > GT_LINES_MOST_FUNCTIONS ||
      GT_LINES_THREADS > target->max_workgroup)
    return;
  for (uint32_t inputs = 8; inputs <= GT_LINES_MOST_INPUTS; inputs *= 2) {
    const gt_matmul_lines work = lines_of(s, inputs);
    for (uint32_t each = 1; each <= EACH; each++) offer_lines(&work, each, s, target, offer, context);
  }
}

gt_matmul_cut gt_matmul_cut_slopes(const gt_matmul_config *c, const gt_matmul_shape *s) {
  const gt_matmul_lines work = lines_of(s, c->bn);
  return (gt_matmul_cut){.kernel = &slopes,
                         .bm = c->bm,
                         .bn = c->bn,
                         .threads = GT_LINES_THREADS,
                         .split = 1,
                         .k_chunk = s->k,
                         .scalar = true,
                         .measures =
                             s->n % 4 == 0 && gt_matmul_is_part_of_depth(c->bm) ? GT_MEASURED_COLUMNS : 0,
                         .spec = {[GT_LINES_SPEC_INPUTS] = work.inputs,
                                  [GT_LINES_SPEC_OUTPUTS] = work.outputs,
                                  [GT_LINES_SPEC_STAGED] = c->bm,
                                  [GT_LINES_SPEC_QUADS] = s->n % 4 == 0,
                                  [GT_LINES_SPEC_PLANES] = work.planes,
                                  [GT_LINES_SPEC_FETCHED] = GT_LINES_FETCHED,
                                  [GT_SLOPES_SPEC_OWN] = own_of(&work)}};
}
