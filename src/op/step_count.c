#include "op/step_count.h"
#include "op/check.h"
#include "op/op.h"
#include "shaders/op/step_count.h"
#include "step/lowering.h"
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { TILE = 16384, WORKGROUP = 64 };
static const gt_op op;

GT_DEFINE(op, step_count) = {&op, 1};

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_node *lengths = gt_node_at(graph, node->input[0]);
  char text[128];
  if (lengths->dtype != GT_I32 || lengths->shape.rank != 1)
    return gt_fail(error, GT_ERR_CONFIG, "step_count takes lengths [batch], integers, not %s %s",
                   gt_dtype_name(lengths->dtype), gt_shape_text(lengths->shape, text));
  *shape = lengths->shape;
  *dtype = GT_I32;
  return true;
}

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  const gt_step_change *c = node->attribute;
  snprintf(buffer, size, "(length * %" PRId32 " + %" PRId32 ") / %" PRId32, c->multiplier, c->offset,
           c->divisor);
}

int64_t gt_changed_steps(const gt_step_change *change, int64_t length) {
  const int64_t above = length > 0 ? length * change->multiplier + change->offset : 0,
                steps = above > 0 ? above / change->divisor : 0;
  return steps < change->most ? steps : change->most;
}

static void count_cpu(const void *arguments, const uint32_t *spec, uint32_t tile) {
  const struct gt_step_count_args *a = arguments;
  const int32_t *lengths = GT_PTR(const int32_t, a->lengths);
  int32_t *y = GT_PTR(int32_t, a->y);
  (void)spec;
  const gt_step_change change = {a->multiplier, a->offset, a->divisor, a->most};
  for (uint32_t b = tile * TILE; b < a->batch && b < (tile + 1) * TILE; b++)
    y[b] = (int32_t)gt_changed_steps(&change, lengths[b]);
}

static const gt_kernel kernel = {"step_count", count_cpu};

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const gt_step_change *c = node->attribute;
  const struct gt_step_count_args args = {.multiplier = c->multiplier,
                                          .offset = c->offset,
                                          .divisor = c->divisor,
                                          .most = c->most,
                                          .batch = (uint32_t)node->shape.dim[0]};
  gt_step *step = gt_lower_step(lowering, &kernel, &args, sizeof args);
  gt_lower_read(lowering, offsetof(struct gt_step_count_args, lengths), node->input[0]);
  gt_lower_write(lowering, offsetof(struct gt_step_count_args, y), group->leader);
  gt_lower_grid(lowering, args.batch, WORKGROUP);
  step->tiles = (args.batch + TILE - 1) / TILE;
}

/* True if `next` after `change` is one change that adds change->offset + next->offset steps: a count that
 * `change` has cut off at 0 may only fall, and `next` must cut nothing off at the end. */
static bool is_one_change(const gt_step_change *change, const gt_step_change *next) {
  return change->multiplier == 1 && change->divisor == 1 && next->multiplier == 1 && next->divisor == 1 &&
         (change->offset > 0 || (change->offset < 0 && next->offset <= 0)) &&
         (int64_t)change->most + next->offset == next->most;
}

gt_id gt_step_count(gt_graph *graph, gt_id lengths, gt_step_change change) {
  const gt_node *before = gt_node_at(graph, lengths);
  if (before->op == &op && is_one_change(before->attribute, &change)) {
    change.offset += ((const gt_step_change *)before->attribute)->offset;
    lengths = before->input[0];
    if (!change.offset) return lengths;
  }
  return gt_node_add(graph, &op, &lengths, 1, &change, sizeof change);
}

bool gt_step_count_equal(const gt_graph *graph, gt_id a, gt_id b) {
  while (a != b) {
    const gt_node *x = gt_node_at(graph, a), *y = gt_node_at(graph, b);
    if (x->op != &op || y->op != &op || memcmp(x->attribute, y->attribute, sizeof(gt_step_change)))
      return false;
    a = x->input[0], b = y->input[0];
  }
  return true;
}

const gt_step_change *gt_step_change_of(const gt_graph *graph, gt_id id, gt_id *lengths) {
  const gt_node *node = gt_node_at(graph, id);
  if (node->op != &op) return NULL;
  *lengths = node->input[0];
  return node->attribute;
}

static const gt_op op = {.name = "step_count",
                         .kind = GT_OP_KERNEL,
                         .min_inputs = 1,
                         .infer = infer,
                         .lower = lower,
                         .flops = gt_no_flops,
                         .print = print};
