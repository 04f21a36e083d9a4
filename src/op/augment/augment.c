#include "op/augment/augment.h"
#include "base/count.h"
#include "base/memory.h"
#include "op/check.h"
#include "op/image_cpu.h"
#include "op/move.h"
#include "op/op.h"
#include "shaders/op/augment/augment.h"
#include "shaders/op/augment/drawn.h"
#include "step/lowering.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { OP_AUGMENT, OP_GREY, OPS };
static const gt_op ops[OPS];

GT_DEFINE(op, augment) = {ops, OPS};

_Static_assert((uint32_t)GT_BORDER_EDGE == GT_AUGMENT_EDGE &&
                   (uint32_t)GT_BORDER_SYMMETRIC == GT_AUGMENT_SYMMETRIC,
               "the kernel uses the same numbers");

static const gt_kernel augment_kernel = {"augment", gt_augment_cpu};
static const gt_kernel grey_kernel = {"augment_grey", gt_augment_grey_cpu};

static int64_t channels_of(gt_shape shape) { return shape.rank == 4 ? shape.dim[3] : 1; }

/* The shape of the output for images of this shape. */
static gt_shape output_shape(gt_shape shape, const gt_augment_look *look) {
  if (!look->height) return shape;
  shape.dim[1] = look->height;
  shape.dim[2] = look->width;
  return shape;
}

/* Checks the images, and that there is a record of random parameters for each. */
static bool check_images(const gt_graph *graph, const gt_node *node, gt_error *error) {
  const gt_augment_look *look = node->attribute;
  const gt_node *x = gt_node_at(graph, node->input[0]), *drawn = gt_node_at(graph, node->input[1]);
  char text[128];
  if (!gt_check_f32(node->op->name, x, error) || !gt_check_f32(node->op->name, drawn, error)) return false;
  if (x->shape.rank != 3 && x->shape.rank != 4)
    return gt_fail(error, GT_ERR_CONFIG, "%s works on images, not on %s", node->op->name,
                   gt_shape_text(x->shape, text));
  return (drawn->shape.rank == 2 && drawn->shape.dim[0] == x->shape.dim[0] &&
          look->boxes <= GT_AUGMENT_MAX_BOXES && look->tones <= GT_AUGMENT_MAX_TONES &&
          drawn->shape.dim[1] >= GT_AUGMENT_WORDS(look->boxes, look->tones)) ||
         gt_fail(error, GT_ERR_INTERNAL, "%s: the drawn values do not match the images", node->op->name);
}

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_augment_look *look = node->attribute;
  if (!check_images(graph, node, error)) return false;
  const gt_shape x = gt_node_at(graph, node->input[0])->shape;
  const int expected = 2 + (look->contrasts != 0);
  if (node->inputs > expected) {
    const gt_shape scaling = gt_node_at(graph, node->input[expected])->shape;
    if (node->inputs > expected + 1 || scaling.rank != 2 || scaling.dim[0] != 3 ||
        gt_shape_count(x) / x.dim[0] % scaling.dim[1] || (look->height && channels_of(x) % scaling.dim[1]))
      return gt_fail(error, GT_ERR_INTERNAL, "augment: the scaling does not match");
  }
  *shape = output_shape(x, look);
  *dtype = GT_F32;
  return gt_check_size("augment", *shape, error);
}

static bool infer_grey(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                       gt_error *error) {
  *dtype = GT_F32;
  if (!check_images(graph, node, error)) return false;
  *shape = gt_shape_1(gt_node_at(graph, node->input[0])->shape.dim[0]);
  return true;
}

static struct gt_augment_args arguments_of(const gt_graph *graph, const gt_node *node) {
  const gt_augment_look *look = node->attribute;
  const gt_shape x = gt_node_at(graph, node->input[0])->shape, out = output_shape(x, look);
  return (struct gt_augment_args){.batch = (uint32_t)x.dim[0],
                                  .height = (uint32_t)x.dim[1],
                                  .width = (uint32_t)x.dim[2],
                                  .out_height = (uint32_t)out.dim[1],
                                  .out_width = (uint32_t)out.dim[2],
                                  .channels = (uint32_t)channels_of(x),
                                  .words = (uint32_t)gt_node_at(graph, node->input[1])->shape.dim[1],
                                  .boxes = look->boxes,
                                  .period = 1,
                                  .white = look->white,
                                  .level = (float)(GT_AUGMENT_LEVELS - 1) / look->white};
}

/* Number of rows in the table of tone curves. */
static uint32_t curves_of(const gt_augment_look *look) {
  uint32_t curves = 0;
  for (uint32_t i = 0; i < look->tones; i++) curves += look->tone[i].rows;
  return curves;
}

/* Writes the rows of a tone curve; white: the maximum of a channel. */
static void tabulate(const gt_tone *tone, double white, float *out) {
  for (uint32_t row = 0; row < tone->rows; row++) {
    const double amount = tone->low + (tone->high - tone->low) * (row + 0.5) / tone->rows;
    for (uint32_t level = 0; level < GT_AUGMENT_LEVELS; level++)
      *out++ = (float)(white * tone->curve(level / (GT_AUGMENT_LEVELS - 1.0), amount));
  }
}

/* Uploads a table: the values outside the image and in each erased box, per channel; then the tone curves. */
static void lower_values(gt_lowering *lowering, const gt_augment_look *look, uint32_t channels) {
  const size_t constants = (size_t)(1 + look->boxes) * channels,
               count = constants + (size_t)curves_of(look) * GT_AUGMENT_LEVELS;
  float *value = gt_alloc(count * sizeof *value);
  for (uint32_t row = 0; row <= look->boxes; row++)
    for (uint32_t c = 0; c < channels; c++) {
      const float *by_channel = row ? look->value[row - 1] : look->fill;
      value[row * channels + c] = by_channel[gt_min_u32(c, GT_AUGMENT_MAX_VALUES - 1)];
    }
  float *curve = value + constants;
  for (uint32_t i = 0; i < look->tones; i++) {
    tabulate(&look->tone[i], (double)look->white, curve);
    curve += (size_t)look->tone[i].rows * GT_AUGMENT_LEVELS;
  }
  gt_lower_constants(lowering, offsetof(struct gt_augment_args, table), value, count * sizeof *value);
  free(value);
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const gt_augment_look *look = node->attribute;
  struct gt_augment_args args = arguments_of(graph, node);
  const int scaling = 2 + (look->contrasts != 0);
  const bool scaled = node->inputs > scaling;
  if (scaled) args.period = (uint32_t)gt_node_at(graph, node->input[scaling])->shape.dim[1];
  const uint32_t pixels = args.batch * args.out_height * args.out_width;
  gt_step *step = gt_lower_step(lowering, &augment_kernel, &args, sizeof args);
  step->spec[GT_AUGMENT_SPEC_NEAREST] = look->nearest != 0;
  step->spec[GT_AUGMENT_SPEC_LIGHTS] = look->lights != 0;
  step->spec[GT_AUGMENT_SPEC_CONTRASTS] = look->contrasts != 0;
  step->spec[GT_AUGMENT_SPEC_SATURATES] = look->saturates && args.channels == 3;
  step->spec[GT_AUGMENT_SPEC_HUES] = look->hues && args.channels == 3;
  step->spec[GT_AUGMENT_SPEC_TONES] = look->tones;
  step->spec[GT_AUGMENT_SPEC_SCALED] = scaled;
  step->spec[GT_AUGMENT_SPEC_MIXES] = look->mixes != 0;
  step->spec[GT_AUGMENT_SPEC_BORDER] = look->border;
  step->tiles = (uint32_t)gt_ceil_div(pixels, gt_image_tile_positions(args.channels));
  gt_lower_read(lowering, offsetof(struct gt_augment_args, x), node->input[0]);
  gt_lower_read(lowering, offsetof(struct gt_augment_args, drawn), node->input[1]);
  if (look->contrasts) gt_lower_read(lowering, offsetof(struct gt_augment_args, grey), node->input[2]);
  if (scaled) gt_lower_read(lowering, offsetof(struct gt_augment_args, scaling), node->input[scaling]);
  gt_lower_write(lowering, offsetof(struct gt_augment_args, y), group->leader);
  lower_values(lowering, look, args.channels);
  gt_lower_grid(lowering, pixels, 256);
}

static void lower_grey(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const struct gt_augment_args args = arguments_of(graph, node);
  const uint32_t local = gt_lower_workgroup(lowering, 256, 1);
  gt_step *step = gt_lower_step(lowering, &grey_kernel, &args, sizeof args);
  step->tiles = args.batch;
  gt_lower_read(lowering, offsetof(struct gt_augment_args, x), node->input[0]);
  gt_lower_read(lowering, offsetof(struct gt_augment_args, drawn), node->input[1]);
  gt_lower_write(lowering, offsetof(struct gt_augment_args, y), group->leader);
  gt_lower_grid(lowering, (uint64_t)args.batch * local, local); /* one workgroup per sample */
}

/* An estimate: per value 9 operations for bilinear interpolation, 9 for color changes and 2 for scaling. */
static double flops(const gt_graph *graph, const gt_node *node) {
  const gt_augment_look *look = node->attribute;
  const gt_shape x = gt_node_at(graph, node->input[0])->shape;
  const double values = (double)gt_shape_count(node->op == &ops[OP_GREY] ? x : node->shape);
  if (node->op == &ops[OP_GREY]) return 4 * values;
  return values * ((look->nearest ? 0 : 9) + (look->lights ? 9 : 0) + 2);
}

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  const gt_augment_look *look = node->attribute;
  (void)graph;
  snprintf(buffer, size, "%s%s%s%s%s", look->nearest ? "nearest" : "bilinear", look->lights ? ", light" : "",
           look->tones ? ", toned" : "", look->boxes ? ", erased" : "", look->mixes ? ", mixed" : "");
}

gt_id gt_augment(gt_graph *graph, gt_id x, gt_id drawn, gt_id scaling, const gt_augment_look *look) {
  gt_id input[4] = {x, drawn};
  int inputs = 2;
  if (look->contrasts) input[inputs++] = gt_augment_grey(graph, x, drawn, look);
  if (scaling != GT_NONE) input[inputs++] = scaling;
  return gt_node_add(graph, &ops[OP_AUGMENT], input, inputs, look, sizeof *look);
}

gt_id gt_center_crop(gt_graph *graph, gt_id x, int64_t height, int64_t width) {
  if (x == GT_NONE) return x;
  const gt_shape shape = gt_node_at(graph, x)->shape;
  int64_t start[GT_MAX_RANK] = {0}, stop[GT_MAX_RANK];
  if (shape.dim[1] == height && shape.dim[2] == width) return x;
  memcpy(stop, shape.dim, sizeof stop);
  start[1] = gt_half_to_even(shape.dim[1] - height);
  start[2] = gt_half_to_even(shape.dim[2] - width);
  stop[1] = start[1] + height;
  stop[2] = start[2] + width;
  return gt_shrink(graph, x, start, stop);
}

gt_id gt_mirror(gt_graph *graph, gt_id clock, gt_id x) {
  gt_augment_rule rule;
  gt_augment_look look;
  if (x == GT_NONE) return x;
  const gt_shape shape = gt_node_at(graph, x)->shape;
  memset(&rule, 0, sizeof rule); /* attributes are compared as bytes */
  memset(&look, 0, sizeof look);
  rule.batch = shape.dim[0];
  rule.height = shape.rank > 2 ? (uint32_t)shape.dim[1] : 1;
  rule.width = shape.rank > 2 ? (uint32_t)shape.dim[2] : 1;
  rule.stages = 1;
  rule.stage[0] = (gt_augment_stage){GT_DRAW_HORIZONTAL_FLIP, {1}};
  return gt_augment(graph, x, gt_augment_draw(graph, clock, &rule), GT_NONE, &look);
}

gt_id gt_augment_grey(gt_graph *graph, gt_id x, gt_id drawn, const gt_augment_look *look) {
  const gt_id input[2] = {x, drawn};
  return gt_node_add(graph, &ops[OP_GREY], input, 2, look, sizeof *look);
}

static const gt_op ops[OPS] = {
    [OP_AUGMENT] = {.name = "augment",
                    .kind = GT_OP_KERNEL,
                    .min_inputs = 2,
                    .max_inputs = 4,
                    .infer = infer,
                    .lower = lower,
                    .flops = flops,
                    .print = print},
    [OP_GREY] = {.name = "augment_grey",
                 .kind = GT_OP_KERNEL,
                 .min_inputs = 2,
                 .infer = infer_grey,
                 .lower = lower_grey,
                 .flops = flops},
};
