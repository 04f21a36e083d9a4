#include "base/count.h"
#include "base/memory.h"
#include "op/augment/augment.h"
#include "op/augment/augment_table.h"
#include "op/check.h"
#include "op/core.h"
#include "op/move.h"
#include "op/op.h"
#include "shaders/op/augment/rules.h"
#include "step/lowering.h"
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { TILE_ROWS = 64 };
static const gt_op ops[1];

GT_DEFINE(op, augment_draw) = {ops, 1};

/* --- the CPU kernel --- */

static void augment_draw_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_augment_draw_args *a = args;
  const uint32_t *clock = GT_PTR(const uint32_t, a->clock);
  const uint64_t key = clock[1] | (uint64_t)clock[2] << 32;
  (void)spec;
  for (uint32_t row = tile * TILE_ROWS; row < (tile + 1) * TILE_ROWS && row < a->batch; row++)
    gt_draw_row(GT_PTR(const uint32_t, a->table), GT_PTR(float, a->y), key, clock[0], row, a->stages,
                a->boxes, a->tones);
}

static const gt_kernel kernel = {"augment_draw", augment_draw_cpu};

/* --- the op --- */

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_augment_rule *rule = node->attribute;
  uint32_t boxes = 0, tones = 0;
  for (uint32_t i = 0; i < rule->stages && i < GT_AUGMENT_MAX_STAGES; i++) {
    boxes += gt_erases(rule->stage[i].kind);
    tones += rule->stage[i].kind == GT_DRAW_TONE;
  }
  if (rule->batch < 1 || !rule->height || !rule->width || rule->stages > GT_AUGMENT_MAX_STAGES ||
      boxes != rule->boxes || boxes > GT_AUGMENT_MAX_BOXES || tones != rule->tones ||
      tones > GT_AUGMENT_MAX_TONES)
    return gt_fail(error, GT_ERR_INTERNAL, "augment_draw: the rule is invalid");
  if (gt_node_at(graph, node->input[0])->dtype != GT_F32)
    return gt_fail(error, GT_ERR_INTERNAL, "augment_draw needs a clock");
  *shape = gt_shape_2(rule->batch, GT_AUGMENT_WORDS(rule->boxes, rule->tones));
  *dtype = GT_F32;
  return gt_check_size("augment_draw", *shape, error);
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const gt_augment_rule *rule = node->attribute;
  const struct gt_augment_draw_args args = {
      .batch = (uint32_t)rule->batch, .stages = rule->stages, .boxes = rule->boxes, .tones = rule->tones};
  size_t words;
  uint32_t *table = gt_augment_table(rule, &words);
  gt_step *step = gt_lower_step(lowering, &kernel, &args, sizeof args);
  step->tiles = gt_ceil_div(args.batch, TILE_ROWS);
  step->touched = gt_node_bytes(gt_lowering_graph(lowering), group->leader);
  gt_lower_read(lowering, offsetof(struct gt_augment_draw_args, clock), node->input[0]);
  gt_lower_write(lowering, offsetof(struct gt_augment_draw_args, y), group->leader);
  gt_lower_constants(lowering, offsetof(struct gt_augment_draw_args, table), table, words * sizeof *table);
  gt_lower_grid(lowering, args.batch, 64);
  free(table);
}

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  static const char *const names[] = {
#define X(name, number) #name + sizeof "GT_DRAW_" - 1,
      GT_AUGMENT_KINDS(X)
#undef X
  };
  const gt_augment_rule *rule = node->attribute;
  size_t used = 0;
  (void)graph;
  for (uint32_t i = 0; i < rule->stages && used < size; i++)
    used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? ", " : "", names[rule->stage[i].kind]);
}

gt_id gt_augment_draw(gt_graph *graph, gt_id clock, const gt_augment_rule *rule) {
  return gt_node_add(graph, &ops[0], &clock, 1, rule, sizeof *rule);
}

gt_id gt_augment_share(gt_graph *graph, gt_id drawn) {
  if (drawn == GT_NONE) return GT_NONE;
  const gt_shape shape = gt_node_at(graph, drawn)->shape;
  const int64_t start[2] = {0, GT_AUGMENT_SHARE}, stop[2] = {shape.dim[0], GT_AUGMENT_SHARE + 1};
  return gt_reshape(graph, gt_shrink(graph, drawn, start, stop), gt_shape_1(shape.dim[0]));
}

static const gt_op ops[1] = {{.name = "augment_draw",
                              .kind = GT_OP_KERNEL,
                              .min_inputs = 1,
                              .infer = infer,
                              .lower = lower,
                              .print = print}};
