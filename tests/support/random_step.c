#include "support/random_step.h"
#include "op/batch.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/move.h"
#include "op/op.h"
#include "op/reduce.h"
#include "op/softmax.h"

enum { VARIABLES = 4, MAX_ITEMS = VARIABLES + 2 + RANDOM_STEP_VALUES };

typedef struct pool { /* the values so far, which further ones may read */
  gt_graph *graph;
  uint32_t *dice; /* state of the random number generator */
  gt_id item[MAX_ITEMS];
  uint32_t count;
} pool;

uint32_t random_step_roll(uint32_t *dice, uint32_t below) {
  *dice = *dice * 1664525u + 1013904223u;
  return (*dice >> 8) % below;
}

/* Usually a recent value, for long chains rather than wide graphs. */
static gt_id pick(pool *p) {
  const uint32_t recent = p->count < 4 || !random_step_roll(p->dice, 4) ? p->count : 4;
  return p->item[p->count - 1 - random_step_roll(p->dice, recent)];
}

/* All values have the same square shape. Most ops end in tanh or softmax, which keeps elements small. */
static gt_id draw_value(pool *p, gt_shape shape) {
  gt_graph *g = p->graph;
  const gt_id a = pick(p), b = pick(p);
  switch (random_step_roll(p->dice, 5)) {
  case 0: return gt_tanh(g, gt_add(g, a, b));
  case 1: return gt_tanh(g, gt_matmul(g, a, b, random_step_roll(p->dice, 2), false));
  case 2: return gt_softmax(g, a, 1);
  case 3: return gt_tanh(g, gt_mul(g, a, gt_expand(g, gt_sum(g, b, 2, true), shape)));
  default: return gt_sub(g, gt_matmul(g, a, a, false, false), b);
  }
}

/* Assigns a new value, or half the old value plus the new one times the clock's first scalar. */
static void draw_assign(pool *p, uint32_t variable, gt_id old_value, gt_id clock) {
  gt_graph *g = p->graph;
  gt_id value = gt_tanh(g, pick(p));
  if (random_step_roll(p->dice, 3))
    value =
        gt_add(g, gt_mul(g, old_value, gt_constant(g, 0.5)), gt_mul(g, value, gt_clock_scalar(g, clock, 0)));
  gt_assign(g, variable, 0, value);
}

void random_step_draw(gt_graph *g, uint32_t *dice, int64_t size, uint32_t values) {
  const gt_shape shape = gt_shape_2(size, size);
  const gt_batch_attribute batch = {.batch = size, .samples = RANDOM_STEP_BATCHES * size};
  pool p = {.graph = g, .dice = dice};
  gt_id old_value[VARIABLES];
  uint32_t variable[VARIABLES];
  const uint32_t clock_state = gt_graph_variable(g, "state", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  const uint32_t table = gt_graph_variable(g, "table", gt_shape_2(2, 1), GT_F32, false);
  const uint32_t data =
      gt_graph_variable(g, "data", gt_shape_2(RANDOM_STEP_BATCHES * size, size), GT_F32, false);
  const uint32_t log = gt_graph_variable(g, "log", gt_shape_2(8, 2), GT_F32, false);
  const gt_id clock = gt_clock(g, clock_state, table);
  for (int v = 0; v < VARIABLES; v++) {
    variable[v] = gt_graph_variable(g, gt_arena_printf(g->arena, "v%d", v), shape, GT_F32, false);
    old_value[v] = gt_variable_read(g, variable[v]);
    if (random_step_roll(dice, 2)) p.item[p.count++] = old_value[v];
  }
  if (random_step_roll(dice, 2)) p.item[p.count++] = gt_random(g, shape, clock);
  p.item[p.count++] = gt_batch(g, gt_variable_read(g, data), clock, GT_NONE, batch);
  for (uint32_t left = 3 + random_step_roll(dice, values - 3); left; left--) {
    const gt_id value = draw_value(&p, shape);
    p.item[p.count++] = value;
  }
  for (int v = 0; v < VARIABLES; v++)
    if (random_step_roll(dice, 3)) draw_assign(&p, variable[v], old_value[v], clock);
  const gt_id scalar[2] = {gt_sum(g, pick(&p), 0, false), gt_clock_scalar(g, clock, 0)};
  gt_log_row(g, log, clock, scalar, 2);
}
