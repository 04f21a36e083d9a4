#include "op/batch.h"
#include "base/count.h"
#include "base/philox.h"
#include "base/pool.h"
#include "op/batch_order.h"
#include "op/check.h"
#include "op/core.h"
#include "op/op.h"
#include "shaders/op/batch.h"
#include "step/lowering.h"
#include "step/math.h"
#include "step/program.h"
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { OP_BATCH, OP_WEIGHT, OPS };
enum {
  TILE_ELEMENTS = 16384,
  WORKGROUP = 256,
  PIECE = 4096,   /* features that an epilogue processes at once, in the L1 cache */
  QUADS = 4,      /* vec4s that an invocation copies, if there are many rows */
  MIN_GROUPS = 2, /* workgroups per multiprocessor; only with more do workgroups process several rows */
  MAX_ROWS = 64   /* per workgroup */
};
static const gt_op ops[OPS];

GT_DEFINE(op, batch) = {ops, OPS};

static uint32_t tile_rows(uint32_t features) {
  return features >= TILE_ELEMENTS ? 1 : TILE_ELEMENTS / features;
}

GT_CLONES static void widen(const uint8_t *restrict data, uint32_t n, float *restrict y) {
  for (uint32_t f = 0; f < n; f++) y[f] = (float)data[f];
}

GT_CLONES static void scale_uniform(float *y, uint32_t n, float center, float scale, float shift) {
  for (uint32_t f = 0; f < n; f++) y[f] = (y[f] - center) * scale + shift;
}

GT_CLONES static void scale_periodic(float *restrict y, uint32_t n, const float *restrict center,
                                     const float *restrict scale, const float *restrict shift) {
  for (uint32_t f = 0; f < n; f++) y[f] = (y[f] - center[f]) * scale[f] + shift[f];
}

/* Converts features f … f + n - 1 of a sample. */
static void convert(const struct gt_batch_args *a, const uint32_t *spec, uint32_t sample, uint32_t f,
                    uint32_t n, float *y) {
  const size_t from = (size_t)sample * a->features + f;
  if (spec[GT_BATCH_SPEC_MODE] == GT_BATCH_U8)
    widen(GT_PTR(const uint8_t, a->data) + from, n, y);
  else
    memcpy(y, GT_PTR(const float, a->data) + from, (size_t)n * 4);
  if (!spec[GT_BATCH_SPEC_SCALED]) return;
  const float *center = GT_PTR(const float, a->scaling), *scale = center + a->period,
              *shift = scale + a->period;
  if (a->period == 1) { /* the same scaling for all features, the usual case */
    scale_uniform(y, n, center[0], scale[0], shift[0]);
    return;
  }
  for (uint32_t done = 0, run = 0; done < n; done += run) {
    const uint32_t p = (f + done) % a->period;
    run = gt_min_u32(n - done, a->period - p);
    scale_periodic(y + done, run, center + p, scale + p, shift + p);
  }
}

/* The values go through a buffer, because an epilogue may update one of its inputs in place. */
static void convert_row(const struct gt_batch_args *a, const uint32_t *spec,
                        const gt_program_context *epilogue, uint32_t sample, uint32_t row) {
  const size_t to = (size_t)row * a->features;
  float *buffer = gt_pool_scratch();
  if (!epilogue) convert(a, spec, sample, 0, a->features, GT_PTR(float, a->y[0]) + to);
  for (uint32_t f = 0, n = 0; epilogue && f < a->features; f += n) {
    float *out[2] = {GT_PTR(float, a->y[0]) + to + f, GT_PTR(float, a->y[1]) + to + f};
    n = gt_min_u32(a->features - f, PIECE);
    convert(a, spec, sample, f, n, buffer);
    gt_program_evaluate(epilogue, (uint32_t)to + f, n, buffer, out);
  }
}

static void copy_integers(const struct gt_batch_args *a, uint32_t sample, uint32_t row) {
  const size_t from = (size_t)sample * a->features, to = (size_t)row * a->features;
  memcpy(GT_PTR(int32_t, a->y[0]) + to, GT_PTR(const int32_t, a->data) + from, (size_t)a->features * 4);
}

static void copy_row(const struct gt_batch_args *a, const uint32_t *spec, const gt_program_context *epilogue,
                     uint32_t sample_or_none, uint32_t row) {
  const uint32_t sample = sample_or_none == GT_NONE ? 0 : sample_or_none;
  if (spec[GT_BATCH_SPEC_MODE] == GT_BATCH_WEIGHT)
    GT_PTR(float, a->y[0])[row] = sample_or_none == GT_NONE ? 0.0f : 1.0f;
  else if (spec[GT_BATCH_SPEC_MODE] == GT_BATCH_I32)
    copy_integers(a, sample, row);
  else
    convert_row(a, spec, epilogue, sample, row);
}

static void batch_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  enum { AT_ONCE = 256 };
  const struct gt_batch_args *a = args;
  const uint32_t first = tile * tile_rows(a->features),
                 end = gt_min_u32(first + tile_rows(a->features), a->batch);
  gt_program program;
  gt_program_context context = {
      .program = &program, .clock = GT_PTR(const uint32_t, a->clock), .row_length = a->features};
  gt_program_from_spec(spec, &program);
  const gt_program_context *epilogue = gt_program_is_plain(&program) ? NULL : &context;
  uint32_t sample[AT_ONCE];
  for (uint32_t row = first; row < end; row += AT_ONCE) {
    const uint32_t count = gt_min_u32(end - row, AT_ONCE);
    GT_BATCH_FIND_SAMPLES(a, spec[GT_BATCH_SPEC_ORDER], row, count, sample);
    for (uint32_t i = 0; i < count; i++) copy_row(a, spec, epilogue, sample[i], row + i);
  }
}

static const gt_kernel batch_kernel = {"batch", batch_cpu};

/* --- ops ---- */

/* Number of values in a sample. */
static int64_t features_of(const gt_node *data) { return gt_shape_count(data->shape) / data->shape.dim[0]; }

/* Inputs: data, clock, optionally scaling, and `members` if a balanced order draws from all samples. */
static bool has_members(const gt_node *node) {
  const gt_batch_attribute *attribute = node->attribute;
  return attribute->classes && !attribute->window;
}

static bool has_scaling(const gt_node *node) { return node->inputs == 3 + has_members(node); }

static bool check_members(const gt_graph *graph, const gt_node *node) {
  if (!has_members(node)) return true;
  const gt_node *members = gt_node_at(graph, node->input[node->inputs - 1]);
  return members->dtype == GT_I32 &&
         gt_shape_equal(members->shape, gt_shape_1(gt_batch_member_count(node->attribute)));
}

static bool infer_batch(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                        gt_error *error) {
  const gt_batch_attribute *attribute = node->attribute;
  const gt_node *data = gt_node_at(graph, node->input[0]);
  char text[128];
  if (!gt_batch_check(attribute, error)) return false;
  const int64_t min_samples = attribute->window ? attribute->window * attribute->batch : attribute->samples;
  if (data->shape.rank < 1 || data->shape.dim[0] < min_samples || min_samples >= UINT32_MAX)
    return gt_fail(error, GT_ERR_CONFIG, "data %s does not hold %" PRId64 " samples",
                   gt_shape_text(data->shape, text), min_samples);
  if (!check_members(graph, node))
    return gt_fail(error, GT_ERR_INTERNAL, "batch: the members of the classes have the wrong shape");
  if (has_scaling(node)) {
    const gt_node *scaling = gt_node_at(graph, node->input[2]);
    const int64_t features = features_of(data);
    if (data->dtype == GT_I32 || scaling->dtype != GT_F32 || scaling->shape.rank != 2 ||
        scaling->shape.dim[0] != 3 || features % scaling->shape.dim[1])
      return gt_fail(error, GT_ERR_INTERNAL,
                     "batch: scaling %s does not divide samples of %" PRId64 " values",
                     gt_shape_text(scaling->shape, text), features);
  }
  *shape = data->shape;
  shape->dim[0] = attribute->batch;
  *dtype = data->dtype == GT_I32 ? GT_I32 : GT_F32;
  return gt_check_size("batch", *shape, error);
}

/* Without scaling, the values are 0 or 1 if those of the data are. */
static bool draws_bits(const gt_graph *graph, const gt_node *node) {
  return !has_scaling(node) && gt_node_at(graph, node->input[0])->bits;
}

static double draws_even(const gt_graph *graph, const gt_node *node) {
  (void)graph;
  return node->bits ? 1 : ((const gt_batch_attribute *)node->attribute)->even;
}

float gt_batch_even_bytes(const float *values, int64_t period) {
  float least = INFINITY, most = 0;
  for (int64_t i = 0; i < 256 * period; i++) {
    const int64_t f = i % period;
    const float y = fabsf(((float)(i / period) - values[f]) * values[period + f] + values[2 * period + f]);
    if (!isfinite(y)) return 0;
    most = fmaxf(most, y);
    if (y > 0) least = fminf(least, y);
  }
  return least >= most / GT_EVEN_RATIO ? most : 0;
}

/* The center is the byte whose number is nearest to 0, so that the difference of a byte from it is an exact
 * integer. */
gt_byte_form gt_batch_byte_form(float center, float scale, float shift) {
  enum { MAX_BYTE = 255 };
  const double zero = center - (double)shift / scale, center_byte = fmin(fmax(rint(zero), 0), MAX_BYTE);
  const gt_byte_form form = {(float)center_byte, scale, (float)((center_byte - zero) * scale)};
  const bool finite = isfinite(fabsf(form.shift) + MAX_BYTE * scale); /* for all bytes */
  return scale > 0 && finite ? form : (gt_byte_form){0};
}

/* The value can stay in bytes if a sample is a whole number of words. */
static bool leaves_bytes(const gt_graph *graph, const gt_node *node, gt_form *form) {
  const gt_node *data = gt_node_at(graph, node->input[0]);
  *form = (gt_form){GT_FORM_BYTES, ((const gt_batch_attribute *)node->attribute)->bytes};
  return data->dtype == GT_U8 && form->bytes.scale > 0 && features_of(data) % 4 == 0;
}

static bool infer_weight(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                         gt_error *error) {
  (void)graph;
  const gt_batch_attribute *attribute = node->attribute;
  if (!gt_batch_check(attribute, error)) return false;
  *shape = gt_shape_1(attribute->batch);
  *dtype = GT_F32;
  return true;
}

/* Emits the step; the caller adds the buffers and the grid. */
static gt_step *emit_step(gt_lowering *lowering, struct gt_batch_args *args,
                          const gt_batch_attribute *attribute, uint32_t mode) {
  GT_BATCH_SET_ARGS(args, attribute);
  gt_step *step = gt_lower_step(lowering, &batch_kernel, args, sizeof *args);
  step->spec[GT_BATCH_SPEC_MODE] = mode;
  step->spec[GT_BATCH_SPEC_ROWS] = 1;
  /* Weights do not depend on the order of samples. */
  step->spec[GT_BATCH_SPEC_ORDER] =
      mode == GT_BATCH_WEIGHT ? GT_BATCH_SEQUENTIAL : gt_batch_order_of(attribute);
  const uint32_t per_tile = tile_rows(args->features);
  step->tiles = gt_ceil_div(args->batch, per_tile);
  return step;
}

/* Chooses the rows per workgroup: enough to keep its invocations busy, but few enough that every
 * multiprocessor has workgroups. */
static void choose_rows(gt_lowering *lowering, gt_step *step, const struct gt_batch_args *args) {
  const uint32_t quads = (uint32_t)gt_ceil_div(args->features, 4),
                 local = gt_lower_workgroup(lowering, quads < WORKGROUP / 4 ? WORKGROUP / 4 : WORKGROUP, 1),
                 units = gt_max_u32(gt_lowering_target(lowering)->units, 1);
  const uint32_t wanted_rows = QUADS * local / quads, max_rows = args->batch / (MIN_GROUPS * units);
  const uint32_t rows = gt_max_u32(gt_min_u32(gt_min_u32(wanted_rows, max_rows), MAX_ROWS), 1);
  step->spec[GT_BATCH_SPEC_ROWS] = rows;
  step->spec[GT_BATCH_SPEC_WHOLE] = args->features % 4 == 0;
  gt_lower_grid(lowering, (uint64_t)gt_ceil_div(args->batch, rows) * local, local);
}

static void lower_batch(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader), *data = gt_node_at(graph, node->input[0]);
  /* Values that stay in bytes are copied as 32-bit words. */
  const bool as_words = gt_lower_form(lowering, group->leader), scaled = has_scaling(node) && !as_words;
  const gt_dtype dtype = as_words ? GT_I32 : data->dtype;
  struct gt_batch_args args = {.features = (uint32_t)features_of(data) / (as_words ? 4 : 1), .period = 1};
  if (scaled) args.period = (uint32_t)gt_node_at(graph, node->input[2])->shape.dim[1];
  const uint32_t mode = dtype == GT_U8 ? GT_BATCH_U8 : dtype == GT_I32 ? GT_BATCH_I32 : GT_BATCH_F32;
  gt_step *step = emit_step(lowering, &args, node->attribute, mode);
  step->spec[GT_BATCH_SPEC_SCALED] = scaled;
  step->touched =
      (uint64_t)args.batch * args.features * (gt_dtype_size(dtype) + sizeof(float) * group->program.outputs);
#define AT(name) offsetof(struct gt_batch_args, name)
  gt_lower_read(lowering, AT(data), node->input[0]);
  gt_lower_read(lowering, AT(batch_clock), node->input[1]);
  if (scaled) gt_lower_read(lowering, AT(scaling), node->input[2]);
  if (has_members(node)) gt_lower_read(lowering, AT(members), node->input[node->inputs - 1]);
  gt_lower_program(lowering, group, AT(x), AT(y), AT(clock), -1);
#undef AT
  choose_rows(lowering, step, &args);
}

static void lower_weight(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  struct gt_batch_args args = {.features = 1, .period = 1};
  emit_step(lowering, &args, node->attribute, GT_BATCH_WEIGHT);
  gt_lower_read(lowering, offsetof(struct gt_batch_args, batch_clock), node->input[0]);
  gt_lower_write(lowering, offsetof(struct gt_batch_args, y), group->leader);
  gt_lower_grid(lowering, args.batch, 256);
}

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  const gt_batch_attribute *attribute = node->attribute;
  const int used =
      snprintf(buffer, size, "%" PRId64 " of %" PRId64 "%s", attribute->batch, attribute->samples,
               attribute->sequential ? " in order"
               : attribute->classes  ? " balanced"
                                     : "");
  if (attribute->window && used > 0 && (size_t)used < size)
    snprintf(buffer + used, size - (size_t)used, ", in a window of %u", attribute->window);
}

gt_id gt_batch(gt_graph *graph, gt_id data, gt_id clock, gt_id scaling, gt_batch_attribute attribute) {
  return gt_batch_balanced(graph, data, clock, scaling, GT_NONE, attribute);
}

gt_id gt_batch_balanced(gt_graph *graph, gt_id data, gt_id clock, gt_id scaling, gt_id members,
                        gt_batch_attribute attribute) {
  gt_id input[4] = {data, clock};
  int inputs = 2;
  if (scaling != GT_NONE) input[inputs++] = scaling;
  if (members != GT_NONE) input[inputs++] = members;
  attribute = gt_batch_clean(attribute);
  return gt_node_add(graph, &ops[OP_BATCH], input, inputs, &attribute, sizeof attribute);
}

gt_id gt_batch_weight(gt_graph *graph, gt_id clock, gt_batch_attribute attribute) {
  /* Resets what weights do not depend on, so that equal nodes are shared. */
  attribute.window = 0, attribute.classes = 0, attribute.even = 0, attribute.bytes = (gt_byte_form){0};
  attribute = gt_batch_clean(attribute);
  return gt_node_add(graph, &ops[OP_WEIGHT], &clock, 1, &attribute, sizeof attribute);
}

static const gt_op ops[OPS] = {
    [OP_BATCH] = {.name = "batch",
                  .kind = GT_OP_KERNEL,
                  .min_inputs = 2,
                  .max_inputs = 4,
                  .infer = infer_batch,
                  .bits = draws_bits,
                  .even = draws_even,
                  .leaves = leaves_bytes,
                  .lower = lower_batch,
                  .print = print,
                  .epilogue = true,
                  .early = true,
                  .far = true},
    [OP_WEIGHT] = {.name = "batch_weight",
                   .kind = GT_OP_KERNEL,
                   .min_inputs = 1,
                   .infer = infer_weight,
                   .lower = lower_weight,
                   .print = print},
};
