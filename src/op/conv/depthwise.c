#include "op/conv/depthwise.h"
#include "base/count.h"
#include "op/conv/depthwise_cpu.h"
#include "op/matmul/product.h"
#include "shaders/op/conv/depthwise.h"
#include <stddef.h>
#include <stdlib.h>

#define AT(field) offsetof(struct gt_depthwise_args, field)

enum {
  WORKGROUP = 256,
  ENOUGH = 1 << 17, /* invocations that fill a device */
  /* The gradient of the weights is a sum over all lines, computed in parts (split-K). */
  MIN_LINES = 64,      /* per part, on a device */
  CPU_MAX_PARTS = 16,  /* on the CPU */
  CPU_MIN_LINES = 256, /* per part, on the CPU */
};

static const gt_kernel kernel = {"depthwise", gt_depthwise_cpu},
                       weight_kernel = {"depthwise_weight", gt_depthwise_weight_cpu};

bool gt_depthwise_fits(const gt_patches *p, uint32_t out) {
  return p->groups == p->channels && out == p->channels && p->channels <= GT_DEPTHWISE_VALUES &&
         gt_patches_length(p) <= GT_DEPTHWISE_WEIGHTS / p->channels;
}

static gt_step *emit_step(gt_lowering *lowering, const gt_kernel *kernel_of_step, const gt_patches *p,
                          const struct gt_depthwise_args *args) {
  uint32_t own_spec[GT_FACTOR_SPEC_END - GT_FACTOR_SPEC_OWN] = {0};
  size_t words;
  uint32_t *geometry = gt_patches_geometry(p, &words, own_spec);
  gt_step *step = gt_lower_step(lowering, kernel_of_step, args, sizeof *args);
  for (int i = GT_FACTOR_SPEC_OWN; i < GT_FACTOR_SPEC_END; i++)
    step->spec[i] = own_spec[i - GT_FACTOR_SPEC_OWN];
  gt_lower_constants(lowering, AT(geometry), geometry, 4 * words);
  free(geometry);
  return step;
}

void gt_depthwise_lower(gt_lowering *lowering, const gt_group *group, const gt_patches *p,
                        uint32_t positions) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const struct gt_depthwise_args args = {
      .lines = positions, .channels = p->channels, .taps = gt_patches_length(p)};
  gt_step *step = emit_step(lowering, &kernel, p, &args);
  step->tiles = gt_ceil_div(positions, gt_depthwise_tile_positions(p->channels));
  gt_lower_read(lowering, AT(image), node->input[0]);
  gt_lower_read(lowering, AT(other), node->input[1]);
  gt_lower_program(lowering, group, AT(x), AT(y), AT(clock), -1);
  gt_lower_grid(lowering, (uint64_t)positions * gt_ceil_div(p->channels, 4), WORKGROUP);
}

void gt_depthwise_weight_lower(gt_lowering *lowering, const gt_group *group, const gt_patches *p,
                               uint32_t positions) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const bool device = gt_lowering_target(lowering)->device;
  const uint32_t taps = gt_patches_length(p), items = gt_ceil_div(p->channels, 4) * taps;
  const uint32_t max_parts = device
                                 ? gt_min_u32(gt_ceil_div(ENOUGH, items), gt_ceil_div(positions, MIN_LINES))
                                 : gt_min_u32(CPU_MAX_PARTS, gt_ceil_div(positions, CPU_MIN_LINES));
  struct gt_depthwise_args args = {.lines = positions, .channels = p->channels, .taps = taps};
  args.lines_per_part = gt_ceil_div(positions, max_parts);
  args.parts = gt_ceil_div(positions, args.lines_per_part);
  const uint32_t count = p->channels * taps;
  const uint32_t scratch = gt_lower_scratch(lowering, 4ull * args.parts * count);
  gt_step *step = emit_step(lowering, &weight_kernel, p, &args);
  step->tiles = args.parts;
  gt_lower_read(lowering, AT(other), node->input[0]);
  gt_lower_read(lowering, AT(image), node->input[1]);
  gt_lower_use_scratch(lowering, AT(partial), scratch, true);
  gt_lower_grid(lowering, (uint64_t)items * args.parts, WORKGROUP);
  gt_product_finish(lowering, group, count, taps, args.parts, scratch);
}
