#include "op/confusion.h"
#include "base/count.h"
#include "op/op.h"
#include "shaders/op/confusion.h"
#include "step/lowering.h"
#include <stddef.h>

enum { TILE_ELEMENTS = 4096 };
static const gt_op ops[1];

GT_DEFINE(op, confusion) = {ops, 1};

typedef struct confusion_attribute {
  uint32_t counts;
  float scale;
} confusion_attribute;

/* 32-bit words of a cell of the counts. */
static uint32_t words_of(const gt_shape *counts) { return counts->rank == 2 ? 1 : GT_CONFUSION_WORDS; }
static uint32_t tile_rows(uint32_t columns) { return columns >= TILE_ELEMENTS ? 1 : TILE_ELEMENTS / columns; }

/* Tiles run in parallel, so counts are incremented atomically. */
static void confusion_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_confusion_args *a = args;
  const uint32_t per_tile = tile_rows(a->columns), n = a->columns;
  uint32_t *counts = GT_PTR(uint32_t, a->counts);
  (void)spec;
  for (uint32_t r = tile * per_tile; r < (tile + 1) * per_tile && r < a->rows; r++) {
    const float *x = GT_PTR(const float, a->logits) + (size_t)r * n;
    const uint32_t label = GT_PTR(const uint32_t, a->labels)[r]; /* negative labels are large as uint32_t */
    uint32_t best = 0;
    if (label >= n || !(GT_PTR(const float, a->weight)[r] > 0)) continue;
    for (uint32_t c = 1; c < n; c++) best = x[c] > x[best] ? c : best;
    uint32_t *cell = counts + ((size_t)label * n + best) * a->words;
    __atomic_fetch_add(cell, 1u, __ATOMIC_RELAXED);
    if (a->words == 1) continue;
    const uint32_t more = (uint32_t)(GT_PTR(const float, a->weight)[r] * a->scale),
                   before = __atomic_fetch_add(cell + 1, more, __ATOMIC_RELAXED);
    if (before + more < before) __atomic_fetch_add(cell + 2, 1u, __ATOMIC_RELAXED);
  }
}

static const gt_kernel kernel = {"confusion", confusion_cpu};

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_variable *counts = &graph->variable[((const confusion_attribute *)node->attribute)->counts];
  const gt_node *logits = gt_node_at(graph, node->input[0]), *labels = gt_node_at(graph, node->input[1]),
                *weight = gt_node_at(graph, node->input[2]);
  const int64_t classes = logits->shape.rank == 2 ? logits->shape.dim[1] : 0;
  if (!classes || logits->dtype != GT_F32 || labels->dtype != GT_I32 || weight->dtype != GT_F32 ||
      counts->dtype != GT_I32 ||
      !(gt_shape_equal(counts->shape, gt_shape_2(classes, classes)) ||
        gt_shape_equal(counts->shape, gt_shape_of(3, (int64_t[]){classes, classes, GT_CONFUSION_WORDS}))) ||
      !gt_shape_equal(labels->shape, gt_shape_1(logits->shape.dim[0])) ||
      !gt_shape_equal(weight->shape, labels->shape)) {
    char x[128], y[128];
    return gt_fail(error, GT_ERR_INTERNAL,
                   "counts %s do not match logits %s with one label and one weight per row",
                   gt_shape_text(counts->shape, x), gt_shape_text(logits->shape, y));
  }
  *shape = gt_shape_of(0, NULL);
  *dtype = GT_F32;
  return true;
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const gt_shape logits = gt_node_at(graph, node->input[0])->shape;
  const confusion_attribute *attribute = node->attribute;
  struct gt_confusion_args args = {.rows = (uint32_t)logits.dim[0],
                                   .columns = (uint32_t)logits.dim[1],
                                   .words = words_of(&graph->variable[attribute->counts].shape),
                                   .scale = attribute->scale};
  gt_step *step = gt_lower_step(lowering, &kernel, &args, sizeof args);
  step->tiles = gt_ceil_div(args.rows, tile_rows(args.columns));
  step->touched = 4ull * args.rows * (args.columns + 4ull);
  gt_lower_read(lowering, offsetof(struct gt_confusion_args, logits), node->input[0]);
  gt_lower_read(lowering, offsetof(struct gt_confusion_args, labels), node->input[1]);
  gt_lower_read(lowering, offsetof(struct gt_confusion_args, weight), node->input[2]);
  gt_lower_update_variable(lowering, offsetof(struct gt_confusion_args, counts), attribute->counts);
  gt_lower_grid(lowering, args.rows, 64);
}

gt_id gt_confusion(gt_graph *graph, uint32_t counts, gt_id logits, gt_id labels, gt_id weight, float scale) {
  const gt_id input[3] = {logits, labels, weight};
  const confusion_attribute attribute = {counts, scale};
  const gt_id node = gt_node_add(graph, &ops[0], input, 3, &attribute, sizeof attribute);
  if (node != GT_NONE) gt_graph_add_root(graph, node);
  return node;
}

static const gt_op ops[1] = {{.name = "confusion",
                              .kind = GT_OP_KERNEL,
                              .min_inputs = 3,
                              .infer = infer,
                              .lower = lower,
                              .bookkeeping = true,
                              .flops = gt_no_flops}};
