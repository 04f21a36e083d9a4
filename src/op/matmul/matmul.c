/* The matmul op: shape inference, gradients, lowering. */
#include "op/matmul/matmul.h"
#include "op/check.h"
#include "op/core.h"
#include "op/matmul/product.h"
#include "op/move.h"
#include "op/op.h"
#include "op/reduce.h"
#include "step/lowering.h"

static const gt_op rows[1];

GT_DEFINE(op, matmul) = {rows, 1};

static gt_shape batch_axes(gt_shape shape) {
  shape.rank -= 2;
  return shape;
}

static gt_shape with_matrix(gt_shape batch, int64_t rows_, int64_t columns) {
  batch.dim[batch.rank++] = rows_;
  batch.dim[batch.rank++] = columns;
  return batch;
}

/* Computes m, n and the broadcast batch axes of the product; false if the shapes do not match. */
static bool extents(gt_shape a, gt_shape b, const gt_matmul_attribute *t, int64_t *m, int64_t *n,
                    gt_shape *batch) {
  if (a.rank < 2 || b.rank < 2) return false;
  const int64_t *a_axes = a.dim + a.rank - 2, *b_axes = b.dim + b.rank - 2;
  *m = a_axes[t->trans_a ? 1 : 0];
  *n = b_axes[t->trans_b ? 0 : 1];
  return a_axes[t->trans_a ? 0 : 1] == b_axes[t->trans_b ? 1 : 0] &&
         gt_shape_broadcast(batch_axes(a), batch_axes(b), batch);
}

/* True if one stride leads from each batch entry of x to the next: x has all entries of the batch or a single
 * one. */
static bool strided(gt_shape x, gt_shape batch) {
  const int64_t entries = gt_shape_count(batch_axes(x));
  return entries == 1 || entries == gt_shape_count(batch);
}

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_matmul_attribute *attribute = node->attribute;
  const gt_node *a = gt_node_at(graph, node->input[0]), *b = gt_node_at(graph, node->input[1]);
  char a_text[128], b_text[128];
  gt_shape batch;
  int64_t m, n;
  if (a->dtype != GT_F32 || b->dtype != GT_F32)
    return gt_fail(error, GT_ERR_CONFIG, "matmul takes float32 values, not %s and %s",
                   gt_dtype_name(a->dtype), gt_dtype_name(b->dtype));
  if (!extents(a->shape, b->shape, attribute, &m, &n, &batch))
    return gt_fail(error, GT_ERR_CONFIG, "matmul: shapes %s%s and %s%s do not match",
                   gt_shape_text(a->shape, a_text), attribute->trans_a ? " transposed" : "",
                   gt_shape_text(b->shape, b_text), attribute->trans_b ? " transposed" : "");
  if (!strided(a->shape, batch) || !strided(b->shape, batch))
    return gt_fail(error, GT_ERR_INTERNAL, "matmul: batch axes of %s and %s need gt_expand",
                   gt_shape_text(a->shape, a_text), gt_shape_text(b->shape, b_text));
  *shape = with_matrix(batch, m, n);
  *dtype = GT_F32;
  return gt_check_size("matmul", *shape, error);
}

gt_id gt_matmul(gt_graph *graph, gt_id a, gt_id b, bool trans_a, bool trans_b) {
  if (a == GT_NONE || b == GT_NONE) return GT_NONE;
  const gt_matmul_attribute attribute = {trans_a, trans_b};
  gt_id input[2] = {a, b};
  int64_t m, n;
  gt_shape batch;
  if (extents(gt_node_at(graph, a)->shape, gt_node_at(graph, b)->shape, &attribute, &m, &n, &batch)) {
    for (int i = 0; i < 2; i++) {
      const gt_shape x = gt_node_at(graph, input[i])->shape;
      if (!strided(x, batch))
        input[i] = gt_expand(graph, input[i], with_matrix(batch, x.dim[x.rank - 2], x.dim[x.rank - 1]));
    }
  }
  return gt_node_add(graph, &rows[0], input, 2, &attribute, sizeof attribute);
}

/* With Y = A B and the gradient G of Y, the gradient of A is G Bᵀ and that of B is Aᵀ G. The gradient of a
 * transposed operand is transposed: the same product with its operands exchanged. Gradients of a shared batch
 * entry are summed. */
static void gradient(gt_graph *graph, gt_id node, const gt_id *given, const bool *wanted,
                     gt_id *input_gradient) {
  const gt_id g = given[0];
  const gt_matmul_attribute t = *(const gt_matmul_attribute *)gt_node_at(graph, node)->attribute;
  const gt_id a = gt_node_at(graph, node)->input[0], b = gt_node_at(graph, node)->input[1];
  const gt_shape a_shape = gt_node_at(graph, a)->shape, b_shape = gt_node_at(graph, b)->shape;
  if (wanted[0]) {
    const gt_id d =
        t.trans_a ? gt_matmul(graph, b, g, t.trans_b, true) : gt_matmul(graph, g, b, false, !t.trans_b);
    input_gradient[0] = gt_sum_to(graph, d, a_shape);
  }
  if (!wanted[1]) return;
  gt_id left = a, right = g;
  if (!t.trans_a && gt_shape_count(batch_axes(b_shape)) == 1 && a_shape.rank > 2 &&
      gt_shape_count(batch_axes(a_shape)) == gt_shape_count(batch_axes(gt_node_at(graph, g)->shape))) {
    /* b is one matrix for the whole batch of a: the batch axes become rows, so that the product sums over
     * them. */
    const gt_shape g_shape = gt_node_at(graph, g)->shape;
    left = gt_reshape(graph, a, gt_shape_2(-1, a_shape.dim[a_shape.rank - 1]));
    right = gt_reshape(graph, g, gt_shape_2(-1, g_shape.dim[g_shape.rank - 1]));
  }
  const gt_id d = t.trans_b ? gt_matmul(graph, right, left, true, t.trans_a)
                            : gt_matmul(graph, left, right, !t.trans_a, false);
  if (left != a)
    input_gradient[1] = gt_reshape(graph, d, b_shape);
  else
    input_gradient[1] = gt_sum_to(graph, d, b_shape);
}

static gt_matmul_shape shape_of(const gt_graph *graph, const gt_node *node) {
  const gt_matmul_attribute *t = node->attribute;
  const gt_shape a = gt_node_at(graph, node->input[0])->shape, y = node->shape;
  return (gt_matmul_shape){.m = (uint32_t)y.dim[y.rank - 2],
                           .n = (uint32_t)y.dim[y.rank - 1],
                           .k = (uint32_t)a.dim[a.rank - (t->trans_a ? 2 : 1)],
                           .batch = (uint32_t)gt_shape_count(batch_axes(y)),
                           .trans_a = t->trans_a,
                           .trans_b = t->trans_b};
}

static gt_product product_of(const gt_graph *graph, const gt_node *node) {
  gt_product p = {
      .shape = shape_of(graph, node), .a = {.node = node->input[0]}, .b = {.node = node->input[1]}};
  const gt_shape a = gt_node_at(graph, node->input[0])->shape, b = gt_node_at(graph, node->input[1])->shape;
  const bool shared_a = gt_shape_count(batch_axes(a)) == 1, shared_b = gt_shape_count(batch_axes(b)) == 1;
  gt_matmul_shape *s = &p.shape;
  if (shared_b && !shared_a && !s->trans_a) { /* all batch entries of a are rows of one product */
    s->m *= s->batch;
    s->batch = 1;
  }
  p.a.stride = shared_a || s->batch == 1 ? 0 : s->m * s->k;
  p.b.stride = shared_b || s->batch == 1 ? 0 : s->k * s->n;
  return p;
}

/* The operand that is computed last; GT_NONE if both are leaves, which need no computation. */
static gt_id last_operand(const gt_graph *graph, const gt_node *node) {
  gt_id last = GT_NONE;
  for (int i = 0; i < node->inputs; i++) {
    const gt_id origin = gt_reshape_origin(graph, node->input[i]);
    if (gt_node_at(graph, origin)->inputs && (last == GT_NONE || origin > last)) last = origin;
  }
  return last;
}

/* Another product that waits for the same operand, so that both can run at the same time, such as the
 * gradients of both operands of a product. Only CLOSE nodes before and after this one are searched. NULL:
 * none, or several. */
static const gt_node *find_other(const gt_graph *graph, gt_id id) {
  enum { CLOSE = 6 };
  const gt_id last = last_operand(graph, gt_node_at(graph, id));
  const gt_node *found = NULL;
  for (gt_id i = id > CLOSE ? id - CLOSE : 0; i <= id + CLOSE && i < graph->count; i++) {
    const gt_node *node = gt_node_at(graph, i);
    if (i == id || node->op != rows || last_operand(graph, node) != last) continue;
    if (found) return NULL;
    found = node;
  }
  return last == GT_NONE ? NULL : found;
}

/* The product of a node, with the storage formats of its operands, and what a concurrent product implies. */
static gt_product product_at(const gt_lowering *lowering, gt_id id) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, id), *other = find_other(graph, id);
  gt_product p = product_of(graph, node);
  for (int i = 0; i < 2; i++) {
    const gt_form *form = gt_lower_form(lowering, node->input[i]);
    if (form) gt_product_take(graph, &p, i == 0, form);
  }
  if (!other) return p;
  const gt_product beside = product_of(graph, other);
  p.shape.shares = gt_matmul_side_by_side(gt_lowering_target(lowering), &p.shape, &beside.shape,
                                          gt_node_at(graph, id)->precision);
  return p;
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_product p = product_at(lowering, group->leader);
  gt_product_lower(lowering, group, &p);
}

static uint32_t measures(gt_lowering *lowering, const gt_node *node, int i) {
  const gt_product p = product_at(lowering, (gt_id)(node - gt_lowering_graph(lowering)->node));
  return gt_product_measures(lowering, &p, node->precision, i == 0);
}

/* Answers a question of product.h about the node's product. */
static bool ask(gt_lowering *lowering, const gt_node *node, gt_product_question *question) {
  const gt_product p = product_at(lowering, (gt_id)(node - gt_lowering_graph(lowering)->node));
  return question(lowering, &p, node->precision);
}

static bool joins(gt_lowering *lowering, const gt_node *node) {
  return ask(lowering, node, gt_product_joins);
}
static bool has_rows(gt_lowering *lowering, const gt_node *node) {
  return ask(lowering, node, gt_product_rows);
}
static bool has_sums(gt_lowering *lowering, const gt_node *node) {
  return ask(lowering, node, gt_product_sums);
}

/* At most one operand has another storage format than floats. */
static bool takes(gt_lowering *lowering, const gt_group *group, int i, const gt_form *form) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  gt_product p = product_of(graph, node);
  return !gt_node_at(graph, gt_reshape_origin(graph, node->input[1 - i]))->op->leaves &&
         gt_product_take(graph, &p, i == 0, form) && gt_product_gains(lowering, group, &p, node->precision);
}

static double flops(const gt_graph *graph, const gt_node *node) {
  const gt_matmul_shape s = shape_of(graph, node);
  return 2.0 * s.m * s.n * s.k * s.batch;
}

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  const gt_matmul_attribute *t = node->attribute;
  snprintf(buffer, size, "%c%c%s", t->trans_a ? 't' : 'n', t->trans_b ? 't' : 'n',
           node->precision == GT_PRECISION_HALF ? " half" : "");
}

static const gt_op rows[1] = {{.name = "matmul",
                               .kind = GT_OP_KERNEL,
                               .min_inputs = 2,
                               .infer = infer,
                               .gradient = gradient,
                               .lower = lower,
                               .measures = measures,
                               .joins = joins,
                               .sums = has_sums,
                               .rows = has_rows,
                               .takes = takes,
                               .flops = flops,
                               .print = print,
                               .epilogue = true}};
