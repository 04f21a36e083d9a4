#include "support/random_graph.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "support/random_ops.h"
#include "support/random_step.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const int state_kind[RANDOM_GRAPH_STATES] = {MATRIX,     MATRIX,  SQUARE, SQUARE,
                                                    PER_COLUMN, PER_ROW, SCALAR, TABLE};
static const int output_kind[RANDOM_GRAPH_OUTPUTS] = {MATRIX, MATRIX, SQUARE, PER_COLUMN, PER_ROW};

static void declare_inputs(drawing *d) {
  gt_graph *g = d->g;
  const int64_t w = d->width;
  gt_graph_variable(g, "index", gt_shape_2(d->rows, 2), GT_I32, false);
  gt_graph_variable(g, "labels", gt_shape_1(d->rows), GT_I32, false);
  gt_graph_variable(g, "data", gt_shape_2(2 * d->rows, w), GT_U8, false);
  gt_graph_variable(g, "scaling", gt_shape_2(3, 1), GT_F32, false);
  gt_graph_variable(g, "kernel", (gt_shape){4, {w, 3, 3, w}}, GT_F32, false);
  gt_graph_variable(g, "clock", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  gt_graph_variable(g, "clock table", gt_shape_2(1, 1), GT_F32, false);
  d->clock = gt_clock(g, CLOCK_STATE, CLOCK_TABLE);
}

static void declare(drawing *d) {
  gt_graph *g = d->g;
  for (int v = 0; v < RANDOM_GRAPH_INPUT; v++) {
    const bool is_state_or_copy = v < RANDOM_GRAPH_OUTPUT;
    const int kind =
        is_state_or_copy ? state_kind[v % RANDOM_GRAPH_STATES] : output_kind[v - RANDOM_GRAPH_OUTPUT];
    gt_graph_variable(g, gt_arena_printf(g->arena, "v%d", v), random_ops_shape(d, kind), GT_F32, false);
    if (v < RANDOM_GRAPH_STATES) random_ops_add(d, kind, gt_variable_read(g, (uint32_t)v), SMALL);
  }
  declare_inputs(d);
}

/* Assigns a value, or the old value plus another one, to each state with probability 3/4, and any value to
 * each output with probability 2/3. Chooses the values to keep. */
static void assign(drawing *d, random_graph *result, bool in_place) {
  gt_graph *g = d->g;
  for (uint32_t v = 0; v < RANDOM_GRAPH_STATES; v++) {
    value x = random_ops_pick(d, state_kind[v], random_ops_roll(d, 2) ? SMALL : MEDIUM);
    if (x.limit > SMALL || random_ops_roll(d, 2))
      x = random_ops_modulo(d, gt_add(g, gt_variable_read(g, v), x.id), SMALL);
    result->updated[v] = random_ops_roll(d, 4) > 0;
    if (result->updated[v]) gt_assign(g, v + (in_place ? 0 : RANDOM_GRAPH_STATES), 0, x.id);
  }
  for (uint32_t v = 0; v < RANDOM_GRAPH_OUTPUTS; v++)
    if (random_ops_roll(d, 3))
      gt_assign(g, RANDOM_GRAPH_OUTPUT + v, 0, random_ops_pick(d, output_kind[v], LARGEST).id);
  result->kept_count = (int)random_ops_roll(d, RANDOM_GRAPH_KEPT + 1);
  for (int k = 0; k < result->kept_count; k++) result->kept[k] = random_ops_pick(d, MATRIX, LARGEST).id;
}

random_graph random_graph_draw(gt_arena *arena, uint32_t seed, int fused_ops, int ops, bool in_place) {
  static const int64_t rows[] = {64, 128, 192}, widths[] = {16, 32, 36, 40};
  /* A multiplicative hash (Knuth), so that seeds in sequence give different random numbers. */
  drawing d = {.g = gt_graph_create(arena), .dice = seed * 2654435761u, .next_fused = 2 * seed};
  random_graph result = {.graph = d.g};
  d.rows = rows[random_ops_roll(&d, 3)];
  d.width = widths[random_ops_roll(&d, 4)];
  declare(&d);
  for (int n = 0; n < fused_ops; n++) random_ops_draw_fused(&d);
  for (int n = 0; n < ops; n++) random_ops_draw_any(&d);
  assign(&d, &result, in_place);
  if (d.g->error.status) fail_msg("%s", d.g->error.message);
  return result;
}

void random_graph_fill(const gt_graph *graph, uint32_t variable, uint32_t seed, void *data) {
  static const float scaling[] = {RANDOM_BYTE_CENTER, 1, 0};
  const gt_variable *v = &graph->variable[variable];
  const int64_t count = gt_shape_count(v->shape);
  uint32_t dice = seed + variable;
  for (int64_t i = 0; i < count; i++) {
    const uint32_t number = random_step_roll(&dice, variable == INDEX ? RANDOM_TABLE_ROWS : SMALL);
    switch (v->dtype) {
    case GT_I32: ((int32_t *)data)[i] = (int32_t)number; break;
    case GT_U8: ((uint8_t *)data)[i] = (uint8_t)number; break;
    default: ((float *)data)[i] = (float)number; break;
    }
  }
  if (variable == SCALING) memcpy(data, scaling, sizeof scaling);
  if (variable == CLOCK_STATE) memset(data, 0, (size_t)count * sizeof(float)); /* step 0 of seed 0 */
}
