#include "op/matmul/matmul.h"
#include "base/count.h"
#include "op/check.h"
#include "op/core.h"
#include "op/matmul/matmul_config.h"
#include "op/matmul/matmul_cpu.h"
#include "op/matmul/matmul_matrix.h"
#include "op/move.h"
#include "op/op.h"
#include "op/reduce.h"
#include "shaders/op/matmul/matmul.h"
#include "shaders/op/matmul/matmul_finish.h"
#include "step/lowering.h"
#include <assert.h>
#include <stddef.h>

enum {
  MOST_GROUPS_Z = 65535, /* what Vulkan promises */
  MANY_UNITS = 16,       /* a GPU rather than a CPU */
  RASTER = 8 /* rows of tiles that are walked at a time, so that the cache holds what they share */
};
static const gt_op rows[1];

GT_REGISTER(op, matmul)
const gt_op_family gt_op_matmul;
const gt_op_family gt_op_matmul = {rows, 1};

static gt_shape batch_axes(gt_shape shape) {
  shape.rank -= 2;
  return shape;
}

static gt_shape with_matrix(gt_shape batch, int64_t rows_, int64_t columns) {
  batch.dim[batch.rank++] = rows_;
  batch.dim[batch.rank++] = columns;
  return batch;
}

/* The product's extents, and its batch axes broadcast; false if the shapes do not fit. */
static bool extents(gt_shape a, gt_shape b, const gt_matmul_attribute *t, int64_t *m, int64_t *n,
                    gt_shape *batch) {
  if (a.rank < 2 || b.rank < 2) return false;
  const int64_t *a_axes = a.dim + a.rank - 2, *b_axes = b.dim + b.rank - 2;
  *m = a_axes[t->trans_a ? 1 : 0];
  *n = b_axes[t->trans_b ? 0 : 1];
  return a_axes[t->trans_a ? 0 : 1] == b_axes[t->trans_b ? 1 : 0] &&
         gt_shape_broadcast(batch_axes(a), batch_axes(b), batch);
}

/* One stride from batch entry to batch entry: an operand has all entries or a single one. */
static bool strided(gt_shape x, gt_shape batch) {
  const int64_t own = gt_shape_count(batch_axes(x));
  return own == 1 || own == gt_shape_count(batch);
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
    return gt_fail(error, GT_ERR_CONFIG, "matmul: %s%s does not fit %s%s", gt_shape_text(a->shape, a_text),
                   attribute->trans_a ? " transposed" : "", gt_shape_text(b->shape, b_text),
                   attribute->trans_b ? " transposed" : "");
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

/* With Y = A B, the gradient G gives A' = G Bᵀ and B' = Aᵀ G; a transposed operand gets its gradient
 * transposed, which is again a product, with the operands exchanged. Batch entries that were shared are
 * summed. */
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
    /* One matrix b for all of a's batch: its leading axes are rows, and the sum over them is the product's
     * own. */
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

static const gt_kernel matmul_kernel = {"matmul", gt_matmul_cpu, gt_matmul_prepare};
static const gt_kernel finish_kernel = {"matmul_finish", gt_matmul_finish_cpu};

/* Second pass of a split product. */
static void lower_finish(gt_lowering *lowering, const gt_group *group, const gt_matmul_shape *s,
                         uint32_t split, uint32_t scratch) {
  struct gt_matmul_finish_args args = {.count = s->batch * s->m * s->n, .row = s->n, .split = split};
  gt_step *step = gt_lower_step(lowering, &finish_kernel, &args, sizeof args);
  step->tiles = gt_ceil_div(args.count, GT_MATMUL_FINISH_TILE);
  gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_finish_args, partial), scratch, false);
  gt_lower_program(lowering, group, offsetof(struct gt_matmul_finish_args, x),
                   offsetof(struct gt_matmul_finish_args, y), offsetof(struct gt_matmul_finish_args, clock),
                   -1);
  gt_lower_grid(lowering, (args.count + 3) / 4, 256);
}

/* Does no tile reach over the end of the matrices? Then the kernel checks no edge. */
static bool is_whole(const gt_matmul_shape *s, const gt_matmul_config *c) {
  const uint32_t chunk = c->split > 1 ? c->k_chunk : s->k;
  return s->m % c->bm == 0 && s->n % c->bn == 0 && s->k % chunk == 0 && chunk % c->bk == 0;
}

/* On scalar units, or on the CPU. */
static void cut_scalar(gt_lowering *lowering, const gt_matmul_shape *s, gt_matmul_cut *cut) {
  const gt_target *target = gt_lowering_target(lowering);
  const gt_matmul_config c = gt_matmul_choose(lowering, s);
  *cut = (gt_matmul_cut){
      .kernel = &matmul_kernel,
      .bm = c.bm,
      .bn = c.bn,
      .split = c.split,
      .k_chunk = c.k_chunk,
      .threads = target->device ? c.bm / c.tm * (c.bn / c.tn) : 1,
      .spec = {[GT_MATMUL_SPEC_BM] = c.bm,
               [GT_MATMUL_SPEC_BN] = c.bn,
               [GT_MATMUL_SPEC_BK] = c.bk,
               [GT_MATMUL_SPEC_TM] = c.tm,
               [GT_MATMUL_SPEC_TN] = c.tn,
               [GT_MATMUL_SPEC_TRANS_A] = s->trans_a,
               [GT_MATMUL_SPEC_TRANS_B] = s->trans_b,
               [GT_MATMUL_SPEC_SPLIT] = c.split,
               /* Straight code is faster, but software devices take a minute to compile much of it. */
               [GT_MATMUL_SPEC_UNROLL] = target->units >= MANY_UNITS ? c.bk : 4},
  };
  if (!target->device) return;
  cut->spec[GT_MATMUL_SPEC_WHOLE] = is_whole(s, &c);
  cut->spec[GT_MATMUL_SPEC_RASTER] = RASTER;
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const gt_target *target = gt_lowering_target(lowering);
  gt_matmul_shape s = shape_of(graph, node);
  const gt_shape a = gt_node_at(graph, node->input[0])->shape, b = gt_node_at(graph, node->input[1])->shape;
  bool shared_a = gt_shape_count(batch_axes(a)) == 1, shared_b = gt_shape_count(batch_axes(b)) == 1;
  if (shared_b && !shared_a && !s.trans_a) { /* all batch entries of a are rows of one product */
    s.m *= s.batch;
    s.batch = 1;
  }
  gt_matmul_cut cut;
  if (!gt_matmul_cut_matrix(&s, target, node->precision, &cut)) cut_scalar(lowering, &s, &cut);
  struct gt_matmul_args args = {.m = s.m,
                                .n = s.n,
                                .k = s.k,
                                .batch = s.batch,
                                .split = cut.split,
                                .k_chunk = cut.split > 1 ? cut.k_chunk : s.k};
  args.stride_a = shared_a || s.batch == 1 ? 0 : s.m * s.k;
  args.stride_b = shared_b || s.batch == 1 ? 0 : s.k * s.n;
  const uint32_t down = gt_ceil_div(s.m, cut.bm), across = gt_ceil_div(s.n, cut.bn);
  gt_step *step = gt_lower_step(lowering, cut.kernel, &args, sizeof args);
  step->tiles = down * across * s.batch;
  for (int i = GT_SPEC_OWN; i < GT_SPEC_ALIGNED; i++) step->spec[i] = cut.spec[i];
  gt_lower_read(lowering, offsetof(struct gt_matmul_args, a), node->input[0]);
  gt_lower_read(lowering, offsetof(struct gt_matmul_args, b), node->input[1]);
  uint32_t scratch = 0;
  if (cut.split > 1) {
    scratch = gt_lower_scratch(lowering, (uint64_t)cut.split * s.batch * s.m * s.n * 4);
    gt_lower_use_scratch(lowering, offsetof(struct gt_matmul_args, partial), scratch, true);
  } else {
    gt_lower_program(lowering, group, offsetof(struct gt_matmul_args, x), offsetof(struct gt_matmul_args, y),
                     offsetof(struct gt_matmul_args, clock), -1);
  }
  if (target->device) {
    gt_lower_groups(lowering, (uint64_t)down * across, cut.threads);
    if (cut.split > 1) step->grid[1] = cut.split;                      /* a split product's tiles are few */
    step->grid[2] = s.batch < MOST_GROUPS_Z ? s.batch : MOST_GROUPS_Z; /* the kernel loops over the rest */
  }
  if (cut.split > 1) lower_finish(lowering, group, &s, cut.split, scratch);
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
                               .max_inputs = 2,
                               .infer = infer,
                               .gradient = gradient,
                               .lower = lower,
                               .flops = flops,
                               .print = print,
                               .epilogue = true}};
