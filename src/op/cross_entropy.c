/* Softmax cross-entropy. With the row's maximum m and t the target, loss = Σ t · log Σ exp(x - m) - Σ t (x -
 * m): nothing overflows. Σ t is 1 unless classes have weights. */
#include "op/cross_entropy.h"
#include "base/count.h"
#include "base/memory.h"
#include "op/check.h"
#include "op/op.h"
#include "shaders/op/cross_entropy.h"
#include "step/lowering.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

enum { /* the index of an op is its kernel's mode */
       OP_LOSS = GT_CROSS_ENTROPY_LOSS,
       OP_GRADIENT = GT_CROSS_ENTROPY_GRADIENT,
       OP_CORRECT = GT_CROSS_ENTROPY_CORRECT,
       OP_WEIGHT = GT_CROSS_ENTROPY_WEIGHT,
       OPS
};
enum { TILE_ELEMENTS = 4096 };
enum { MAX_LANE_CLASSES = 64 }; /* with at most this number of classes, one invocation computes a row */
static const gt_op ops[OPS];

GT_DEFINE(op, cross_entropy) = {ops, OPS};

typedef struct cross_entropy_attribute {
  float smoothing;
  uint32_t classes; /* number of class weights; 0: none */
  float weight[];
} cross_entropy_attribute;

/* The settings of the target: label smoothing, class weights and their sum. */
typedef struct target_settings {
  float smoothing, total;
  const float *weight; /* NULL: all are 1 */
} target_settings;

static uint32_t tile_rows(uint32_t columns) { return columns >= TILE_ELEMENTS ? 1 : TILE_ELEMENTS / columns; }

static float row_maximum(const float *x, uint32_t n) {
  float maximum = x[0];
  for (uint32_t c = 1; c < n; c++) maximum = x[c] > maximum ? x[c] : maximum;
  return maximum;
}

/* The value for a row whose label is not a class: 0 if it is ignored, else NaN. */
static float value_without_label(uint32_t label) { return label == GT_LABEL_IGNORED ? 0 : NAN; }

static float row_loss(const float *x, uint32_t n, uint32_t label, const target_settings *r) {
  if (label >= n) return value_without_label(label);
  const float maximum = row_maximum(x, n), label_weight = r->weight ? r->weight[label] : 1;
  float exponentials = 0, shifted = 0;
  for (uint32_t c = 0; c < n; c++) exponentials += expf(x[c] - maximum);
  /* The largest logit adds exp(0) = 1, so the sum is never 0. */
  // cppcheck-suppress invalidFunctionArg
  float loss = logf(exponentials);
  if (r->weight) loss *= (1 - r->smoothing) * label_weight + r->smoothing / (float)n * r->total;
  loss -= (1 - r->smoothing) * label_weight * (x[label] - maximum);
  /* Without smoothing a logit of -inf (a masked class) must not give 0 * inf. */
  if (r->smoothing == 0) return loss;
  for (uint32_t c = 0; c < n; c++) shifted += (r->weight ? r->weight[c] : 1) * (x[c] - maximum);
  return loss - r->smoothing / (float)n * shifted;
}

/* Writes the gradient of a row's logits, times scale. */
static void write_row_gradient(const float *x, uint32_t n, uint32_t label, const target_settings *r,
                               float scale, float *y) {
  const float maximum = row_maximum(x, n), background = r->smoothing / (float)n;
  float exponentials = 0, label_weight = 1 - r->smoothing, target_sum = 1;
  if (label >= n) scale = value_without_label(label);
  if (r->weight) {
    label_weight *= label < n ? r->weight[label] : 0;
    target_sum = label_weight + background * r->total;
  }
  for (uint32_t c = 0; c < n; c++) exponentials += y[c] = expf(x[c] - maximum);
  const float inverse = 1 / exponentials;
  for (uint32_t c = 0; c < n; c++) {
    const float smoothed = r->weight ? background * r->weight[c] : background;
    y[c] = (y[c] * inverse * target_sum - smoothed - (c == label ? label_weight : 0)) * scale;
  }
}

static float row_correct(const float *x, uint32_t n, uint32_t label) {
  uint32_t best = 0;
  for (uint32_t c = 1; c < n; c++) best = x[c] > x[best] ? c : best;
  return best == label ? 1.0f : 0.0f;
}

static void cross_entropy_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_cross_entropy_args *a = args;
  const uint32_t per_tile = tile_rows(a->columns), n = a->columns, mode = spec[GT_CROSS_ENTROPY_SPEC_MODE];
  const float *weight = spec[GT_CROSS_ENTROPY_SPEC_WEIGHTED] ? GT_PTR(const float, a->weights) : NULL;
  const target_settings r = {a->smoothing, a->total, weight};
  float *y = GT_PTR(float, a->y);
  for (uint32_t row = tile * per_tile; row < (tile + 1) * per_tile && row < a->rows; row++) {
    const float *x = GT_PTR(const float, a->logits) + (size_t)row * n;
    const uint32_t label = GT_PTR(const uint32_t, a->labels)[row]; /* negative labels are large as uint32_t */
    if (mode == OP_LOSS)
      y[row] = row_loss(x, n, label, &r);
    else if (mode == OP_CORRECT)
      y[row] = row_correct(x, n, label);
    else if (mode == OP_WEIGHT)
      y[row] = label < n ? weight[label] : value_without_label(label);
    else
      write_row_gradient(x, n, label, &r, GT_PTR(const float, a->row_gradient)[row], y + (size_t)row * n);
  }
}

static const gt_kernel kernel = {"cross_entropy", cross_entropy_cpu};

static bool infer_rows(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                       gt_error *error) {
  const gt_node *logits = gt_node_at(graph, node->input[0]), *labels = gt_node_at(graph, node->input[1]);
  gt_shape leading = logits->shape;
  if (leading.rank > 0) leading.rank--;
  if (logits->shape.rank < 1 || logits->dtype != GT_F32 || labels->dtype != GT_I32 ||
      !gt_shape_equal(leading, labels->shape)) {
    char x[128], y[128];
    return gt_fail(
        error, GT_ERR_CONFIG,
        "cross-entropy needs float32 [rows, classes] and one int32 label per row, not %s %s and %s %s",
        gt_dtype_name(logits->dtype), gt_shape_text(logits->shape, x), gt_dtype_name(labels->dtype),
        gt_shape_text(labels->shape, y));
  }
  const cross_entropy_attribute *a = node->attribute;
  if (a && a->classes && a->classes != (uint64_t)logits->shape.dim[logits->shape.rank - 1])
    return gt_fail(error, GT_ERR_CONFIG, "there are weights for %u classes, but %lld logits", a->classes,
                   (long long)logits->shape.dim[logits->shape.rank - 1]);
  *shape = leading;
  *dtype = GT_F32;
  return true;
}

static bool infer_weight(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                         gt_error *error) {
  const gt_node *labels = gt_node_at(graph, node->input[0]);
  if (labels->dtype != GT_I32)
    return gt_fail(error, GT_ERR_CONFIG, "class_weight needs int32 labels, not %s",
                   gt_dtype_name(labels->dtype));
  *shape = labels->shape;
  *dtype = GT_F32;
  return gt_check_size("class_weight", *shape, error);
}

static bool infer_gradient(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                           gt_error *error) {
  gt_shape leading;
  if (!infer_rows(graph, node, &leading, dtype, error)) return false;
  const gt_node *row_gradient = gt_node_at(graph, node->input[2]);
  if (row_gradient->dtype != GT_F32 || !gt_shape_equal(row_gradient->shape, leading))
    return gt_fail(error, GT_ERR_INTERNAL, "cross_entropy_gradient needs one float32 gradient per row");
  *shape = gt_node_at(graph, node->input[0])->shape;
  return true;
}

static void gradient_loss(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                          gt_id *input_gradient) {
  if (!wanted[0]) return;
  const gt_node *loss = gt_node_at(graph, node);
  const gt_id input[3] = {loss->input[0], loss->input[1], output_gradient[0]};
  input_gradient[0] = gt_node_add(graph, &ops[OP_GRADIENT], input, 3, loss->attribute, loss->attribute_size);
}

/* Can be fused into a GEMM epilogue if there are few classes, because the epilogue needs whole rows of
 * logits, and no class weights, for which it has no buffer. */
static bool follows(const gt_graph *graph, const gt_node *node) {
  enum { MAX_CLASSES = 32 };
  const cross_entropy_attribute *a = node->attribute;
  const gt_shape logits = gt_node_at(graph, node->input[0])->shape;
  return logits.dim[logits.rank - 1] <= MAX_CLASSES && (!a || !a->classes);
}

float gt_cross_entropy_smoothing(const gt_node *node) {
  const cross_entropy_attribute *a = node->attribute;
  return a ? a->smoothing : 0;
}

/* Emits the step; class weights become constants of the plan. */
static void emit_step(gt_lowering *lowering, const gt_node *node, struct gt_cross_entropy_args *args) {
  const cross_entropy_attribute *a = node->attribute;
  const uint32_t classes = a ? a->classes : 0;
  double total = 0;
  if (a) args->smoothing = a->smoothing;
  for (uint32_t c = 0; c < classes; c++) total += (double)a->weight[c];
  args->total = (float)total;
  gt_step *step = gt_lower_step(lowering, &kernel, args, sizeof *args);
  step->spec[GT_CROSS_ENTROPY_SPEC_MODE] = (uint32_t)(node->op - ops);
  step->spec[GT_CROSS_ENTROPY_SPEC_WEIGHTED] = classes > 0;
  step->spec[GT_SPEC_PER_LANE] = args->columns <= MAX_LANE_CLASSES || node->op == &ops[OP_WEIGHT];
  step->tiles = gt_ceil_div(args->rows, tile_rows(args->columns));
  if (classes)
    gt_lower_constants(lowering, offsetof(struct gt_cross_entropy_args, weights), a->weight,
                       classes * sizeof *a->weight);
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const gt_shape logits = gt_node_at(graph, node->input[0])->shape;
  struct gt_cross_entropy_args args = {.columns = (uint32_t)logits.dim[logits.rank - 1]};
  args.rows = (uint32_t)(gt_shape_count(logits) / args.columns);
  emit_step(lowering, node, &args);
  gt_lower_read(lowering, offsetof(struct gt_cross_entropy_args, logits), node->input[0]);
  gt_lower_read(lowering, offsetof(struct gt_cross_entropy_args, labels), node->input[1]);
  if (node->inputs == 3)
    gt_lower_read(lowering, offsetof(struct gt_cross_entropy_args, row_gradient), node->input[2]);
  gt_lower_write(lowering, offsetof(struct gt_cross_entropy_args, y), group->leader);
  if (args.columns <= MAX_LANE_CLASSES)
    gt_lower_grid(lowering, args.rows, 64);
  else
    gt_lower_grid(lowering, (uint64_t)args.rows * 128, 128); /* one workgroup per row */
}

static void lower_weight(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  struct gt_cross_entropy_args args = {.columns = ((const cross_entropy_attribute *)node->attribute)->classes,
                                       .rows = (uint32_t)gt_shape_count(node->shape)};
  emit_step(lowering, node, &args);
  gt_lower_read(lowering, offsetof(struct gt_cross_entropy_args, labels), node->input[0]);
  gt_lower_write(lowering, offsetof(struct gt_cross_entropy_args, y), group->leader);
  gt_lower_grid(lowering, args.rows, 64);
}

static double flops(const gt_graph *graph, const gt_node *node) {
  return 5.0 * (double)gt_shape_count(gt_node_at(graph, node->input[0])->shape);
}

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  const cross_entropy_attribute *a = node->attribute;
  size_t used = 0;
  if (a && a->smoothing != 0) used = (size_t)snprintf(buffer, size, "smoothing %g", (double)a->smoothing);
  if (a && a->classes && used < size)
    snprintf(buffer + used, size - used, "%s%u classes with weights", used ? ", " : "", a->classes);
}

static gt_id add_weighted(gt_graph *graph, int op_index, const gt_id *input, int inputs, double smoothing,
                          const double *weight, int64_t classes) {
  const size_t size = sizeof(cross_entropy_attribute) + (size_t)classes * sizeof(float);
  cross_entropy_attribute *a = gt_alloc(size);
  a->smoothing = (float)smoothing;
  a->classes = (uint32_t)classes;
  for (int64_t c = 0; c < classes; c++) a->weight[c] = (float)weight[c];
  const gt_id node = gt_node_add(graph, &ops[op_index], input, inputs, a, size);
  free(a);
  return node;
}

gt_id gt_cross_entropy(gt_graph *graph, gt_id logits, gt_id labels, double smoothing, const double *weight) {
  const gt_id input[2] = {logits, labels};
  int64_t classes = 0;
  if (logits == GT_NONE) return GT_NONE;
  const gt_shape shape = gt_node_at(graph, logits)->shape;
  if (weight && shape.rank) classes = shape.dim[shape.rank - 1];
  return add_weighted(graph, OP_LOSS, input, 2, smoothing, weight, classes);
}

gt_id gt_class_weight(gt_graph *graph, gt_id labels, const double *weight, int64_t classes) {
  return add_weighted(graph, OP_WEIGHT, &labels, 1, 0, weight, classes);
}

gt_id gt_correct(gt_graph *graph, gt_id logits, gt_id labels) {
  const gt_id input[2] = {logits, labels};
  return gt_node_add(graph, &ops[OP_CORRECT], input, 2, NULL, 0);
}

static const gt_op ops[OPS] = {
    [OP_LOSS] = {.name = "cross_entropy",
                 .kind = GT_OP_KERNEL,
                 .min_inputs = 2,
                 .infer = infer_rows,
                 .gradient = gradient_loss,
                 .lower = lower,
                 .follows = follows,
                 .flops = flops,
                 .print = print},
    [OP_GRADIENT] = {.name = "cross_entropy_gradient",
                     .kind = GT_OP_KERNEL,
                     .min_inputs = 3,
                     .infer = infer_gradient,
                     .lower = lower,
                     .follows = follows,
                     .flops = flops,
                     .print = print},
    [OP_CORRECT] = {.name = "correct",
                    .kind = GT_OP_KERNEL,
                    .min_inputs = 2,
                    .infer = infer_rows,
                    .lower = lower,
                    .flops = flops},
    [OP_WEIGHT] = {.name = "class_weight",
                   .kind = GT_OP_KERNEL,
                   .min_inputs = 1,
                   .infer = infer_weight,
                   .lower = lower_weight,
                   .flops = gt_no_flops,
                   .print = print},
};
