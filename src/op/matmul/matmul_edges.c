/* Candidates of product_edges: per-edge dgrad of a KAN layer with few outputs. */
#include "op/matmul/matmul_engines.h"
#include "base/count.h"
#include "shaders/op/matmul/product_edges.h"
#include <math.h>

static const gt_kernel edges = {.name = "product_edges"};

enum {
  /* Cycles of a multiprocessor, from the number of instructions: */
  COEFFICIENT_CYCLES = 4, /* to read a coefficient that all of a warp share, and to multiply with it */
  FUNCTION_CYCLES = 40,   /* a derivative at four inputs */
  WAIT_CYCLES = 1200,     /* latency of the coefficients and the derivatives of a function */
  START_CYCLES = 3000     /* of a workgroup, including latency */
};

/* How many invocations share the functions of a line, as evenly as possible. */
static uint32_t shares_of(const gt_matmul_shape *s, const gt_target *target) {
  const uint32_t functions = s->k / s->segment;
  const uint32_t most = gt_min_u32(target->max_workgroup / GT_EDGES_LINES, GT_EDGES_MOST_SHARES);
  return gt_ceil_div(functions, gt_ceil_div(functions, most));
}

static double estimate(const gt_matmul_config *c, const gt_matmul_shape *s, const gt_target *target) {
  const double functions = s->k / s->segment,
               groups = (double)gt_ceil_div(s->m, c->bm) * gt_ceil_div(s->n, c->bn);
  const double warp = functions * (4.0 * COEFFICIENT_CYCLES * s->outputs + FUNCTION_CYCLES);
  return gt_matmul_cycles(s, c, target->units, groups, GT_EDGES_LINES / GT_WARP * warp) +
         ceil(functions / c->teams) * WAIT_CYCLES + START_CYCLES;
}

void gt_matmul_offer_edges(const gt_matmul_shape *s, const gt_target *target, gt_matmul_offer *offer,
                           void *context) {
  if (!s->segment || s->outputs > GT_EDGES_MOST_OUTPUTS || GT_EDGES_LINES > target->max_workgroup) return;
  const gt_matmul_config c = {.bm = GT_EDGES_LINES,
                              .bn = 4,
                              .bk = GT_FACTOR_SLICE,
                              .tm = 1,
                              .tn = 4,
                              .teams = (uint16_t)shares_of(s, target),
                              .engine = GT_ENGINE_EDGES,
                              .split = 1,
                              .k_chunk = s->k};
  offer(context, c, estimate(&c, s, target));
}

gt_matmul_cut gt_matmul_cut_edges(const gt_matmul_config *c, const gt_matmul_shape *s) {
  return (gt_matmul_cut){.kernel = &edges,
                         .bm = c->bm,
                         .bn = c->bn,
                         .threads = GT_EDGES_LINES * c->teams,
                         .split = 1,
                         .k_chunk = s->k,
                         .spec = {[GT_EDGES_SPEC_OUTPUTS] = s->outputs}};
}
