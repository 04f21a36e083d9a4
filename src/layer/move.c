/* permute, pad, shrink and stride: move values within each sample. Lists refer to a sample's axes; the batch
 * is unchanged. */
#include "op/move.h"
#include "layer/sequence.h"
#include <math.h>

/* Sets out[0] to `batch` and out[d], d > 0, to the list's value for axis d; false after reporting that the
 * list does not have one value per axis of a sample. */
static bool read_axes(gt_build *build, const char *key, gt_ints list, const gt_id *input, int64_t batch,
                      int64_t out[GT_MAX_RANK]) {
  const int rank = gt_node_at(build->graph, input[0])->shape.rank;
  out[0] = batch;
  if (list.count != rank - 1)
    return gt_build_fail(build, key, "needs %d values in '%s', one for each axis of a sample of %s, not %d",
                         rank - 1, key, gt_build_input_text(build, input, 0), list.count);
  for (int d = 1; d < rank; d++) out[d] = list.items[d - 1];
  return true;
}

#define MOVEMENT(op, text)                                                                         \
  GT_WITH_SCHEMA(layer, op, text, op##_fields, op##_shorthand, .config_size = sizeof(op##_config), \
                 .family = GT_LAYER_SHAPE, .integers = true, .moves = true, .ends_lengths = true,  \
                 .build = build_##op)

typedef struct permute_config {
  gt_ints axes;
} permute_config;

#define permute_shorthand "axes"
static const gt_field permute_fields[] = {
    GT_ROW(permute_config, axes, GT_FIELD_INTS, .min = 1, .max = GT_MAX_RANK - 1,
           .help = "new order of the axes 1, 2, …; the batch stays first", .flags = GT_FIELD_REQUIRED),
    {.name = NULL},
};

static gt_id build_permute(gt_build *build, const void *config, const gt_id *input) {
  const permute_config *c = config;
  int64_t list[GT_MAX_RANK];
  int axes[GT_MAX_RANK];
  unsigned seen = 0;
  if (!read_axes(build, "axes", c->axes, input, 0, list)) return GT_NONE;
  for (int d = 0; d <= c->axes.count; d++) {
    axes[d] = (int)list[d];
    if (axes[d] > c->axes.count || seen & 1u << axes[d])
      return gt_build_error(build, "axes", "must list each of the axes 1 to %d once", c->axes.count);
    seen |= 1u << axes[d];
  }
  if (axes[1] == 1) gt_build_set_lengths(build, 1, 0, 1, gt_node_at(build->graph, input[0])->shape.dim[1]);
  return gt_permute(build->graph, input[0], axes);
}

GT_REGISTER(layer, permute)
MOVEMENT(permute, "permute the axes of a sample")

typedef struct pad_config {
  gt_ints before, after;
  double value;
} pad_config;

#define pad_shorthand "before"
static const gt_field pad_fields[] = {
    GT_ROW(pad_config, before, GT_FIELD_INTS, .min = 0, .max = 1 << 24,
           .help = "elements added before each axis of a sample", .flags = GT_FIELD_REQUIRED),
    GT_ROW(pad_config, after, GT_FIELD_INTS, .min = 0, .max = 1 << 24,
           .help = "elements added after each axis (default: same as `before`)"),
    GT_ROW(pad_config, value, GT_FIELD_FLOAT, .fallback = "0", .help = "value of the added elements"),
    {.name = NULL},
};

/* Sets the lengths of the output, and returns the input with `value` from the end of each sample on, where
 * the elements after a sample are. Integers have no such masks; their padding is 0 (tokens/tokens.h), so with
 * another value the lengths end. */
static gt_id pad_after_lengths(gt_build *build, gt_id x, int64_t before, int64_t after, double value) {
  const gt_node *node = gt_node_at(build->graph, x);
  const gt_id lengths = gt_build_lengths(build, 0);
  const bool is_integer = node->dtype == GT_I32;
  if (is_integer && after && value != 0) return x;
  gt_build_set_lengths(build, 1, before + after, 1, node->shape.dim[1] + before + after);
  return is_integer || !after ? x : gt_sequence_mask(build->graph, x, lengths, value);
}

static gt_id build_pad(gt_build *build, const void *config, const gt_id *input) {
  const pad_config *c = config;
  int64_t before[GT_MAX_RANK], after[GT_MAX_RANK];
  if (!read_axes(build, "before", c->before, input, 0, before)) return GT_NONE;
  if (!read_axes(build, "after", c->after.count ? c->after : c->before, input, 0, after)) return GT_NONE;
  if (gt_node_at(build->graph, input[0])->dtype == GT_I32 &&
      !(fabs(c->value) <= INT32_MAX && rint(c->value) == c->value))
    return gt_build_error(build, "value", "cannot pad the integers of %s with %g",
                          gt_build_input_text(build, input, 0), c->value);
  const gt_id x = pad_after_lengths(build, input[0], before[1], after[1], c->value);
  return gt_pad(build->graph, x, before, after, c->value);
}

GT_REGISTER(layer, pad)
MOVEMENT(pad, "pad each sample")

typedef struct shrink_config {
  gt_ints start, stop;
} shrink_config;

#define shrink_shorthand NULL
static const gt_field shrink_fields[] = {
    GT_ROW(shrink_config, start, GT_FIELD_INTS, .min = 0, .max = 1 << 30,
           .help = "first element to keep, per axis of a sample (default: 0)"),
    GT_ROW(shrink_config, stop, GT_FIELD_INTS, .min = 1, .max = 1 << 30,
           .help = "end (exclusive) of the elements to keep, per axis", .flags = GT_FIELD_REQUIRED),
    {.name = NULL},
};

static gt_id build_shrink(gt_build *build, const void *config, const gt_id *input) {
  const shrink_config *c = config;
  const gt_shape shape = gt_node_at(build->graph, input[0])->shape;
  int64_t start[GT_MAX_RANK] = {0}, stop[GT_MAX_RANK];
  if (c->start.count && !read_axes(build, "start", c->start, input, 0, start)) return GT_NONE;
  if (!read_axes(build, "stop", c->stop, input, shape.dim[0], stop)) return GT_NONE;
  for (int d = 1; d < shape.rank; d++)
    if (start[d] >= stop[d] || stop[d] > shape.dim[d])
      return gt_build_error(build, "stop", "cannot keep elements %lld to %lld of axis %d of %s",
                            (long long)start[d], (long long)stop[d], d, gt_build_input_text(build, input, 0));
  gt_build_set_lengths(build, 1, -start[1], 1, stop[1] - start[1]);
  return gt_shrink(build->graph, input[0], start, stop);
}

GT_REGISTER(layer, shrink)
MOVEMENT(shrink, "slice of each sample")

typedef struct stride_config {
  gt_ints step;
} stride_config;

#define stride_shorthand "step"
static const gt_field stride_fields[] = {
    GT_ROW(stride_config, step, GT_FIELD_INTS, .min = 1, .max = 1 << 30,
           .help = "step between the elements to keep, per axis of a sample", .flags = GT_FIELD_REQUIRED),
    {.name = NULL},
};

static gt_id build_stride(gt_build *build, const void *config, const gt_id *input) {
  const stride_config *c = config;
  int64_t step[GT_MAX_RANK];
  if (!read_axes(build, "step", c->step, input, 1, step)) return GT_NONE;
  const int64_t steps = gt_node_at(build->graph, input[0])->shape.dim[1];
  gt_build_set_lengths(build, 1, step[1] - 1, step[1], (steps - 1) / step[1] + 1);
  return gt_stride(build->graph, input[0], step);
}

GT_REGISTER(layer, stride)
MOVEMENT(stride, "every n-th element of each sample")
