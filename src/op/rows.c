/* Lowering of a row program to a step. */
#include "op/rows.h"
#include "base/count.h"
#include "op/rows_cpu.h"
#include "shaders/op/rows.h"
#include "step/lowering.h"
#include <stddef.h>

enum {
  FEW_LANES = 64, /* with fewer lanes per row, a lane has at most 2 vec4s, else 4 */
  MAX_LANES = 512,
  MIN_WORKGROUP = 64,
  MAX_KEPT = 16 /* vec4s that an invocation keeps in registers */
};

static const gt_kernel kernel = {"rows", gt_rows_cpu};

gt_row_passes gt_rows_passes(const gt_program *p) {
  gt_row_passes passes = {.count = 0};
  uint32_t known[GT_OPERAND_RESULT + GT_PROGRAM_CODE] = {0}; /* number of passes before an operand is known */
  for (uint32_t i = 0; i < p->instructions; i++) {
    const uint32_t code = p->code[i], opcode = gt_code_opcode(code), which = gt_code_operand(code, 1);
    const uint32_t a = known[gt_code_operand(code, 0)];
    uint32_t *result = &known[GT_OPERAND_RESULT + i];
    if (gt_reduces_row(opcode)) {
      *result = a + 1;
      passes.pass_of[which] = *result;
      passes.opcode[which] = opcode;
      passes.count = gt_max_u32(passes.count, *result);
    } else {
      *result = gt_max_u32(a, gt_max_u32(known[which], known[gt_code_operand(code, 2)]));
    }
  }
  return passes;
}

uint32_t gt_rows_narrow(const gt_graph *graph, const gt_group *group) {
  const int64_t rows = gt_shape_count(group->shape) / group->width;
  uint32_t narrow = 0;
  for (uint32_t k = 0; k < group->program.outputs; k++)
    if (gt_shape_count(gt_node_at(graph, group->output[k])->shape) == rows) narrow |= 1u << k;
  return narrow;
}

static void set_passes(gt_step *step, const gt_program *p) {
  const gt_row_passes passes = gt_rows_passes(p);
  for (int r = 0; r < GT_PROGRAM_REDUCTIONS; r++) {
    step->spec[GT_ROWS_SPEC_REDUCTION + r] = passes.pass_of[r];
    step->spec[GT_ROWS_SPEC_OPCODE + r] = passes.opcode[r];
  }
  step->spec[GT_ROWS_SPEC_PASSES] = passes.count;
}

/* Vec4 registers per vec4 of the row: one for each per-element input, or output if there are more outputs. */
static uint32_t values_of(const gt_program *p, uint32_t narrow) {
  uint32_t inputs = 0, outputs = 0;
  for (uint32_t k = 0; k < p->inputs; k++) inputs += GT_LOAD_MODE(p->load[k]) == GT_LOAD_SAME;
  for (uint32_t k = 0; k < p->outputs; k++) outputs += !(narrow >> k & 1);
  return gt_max_u32(inputs, outputs);
}

/* Chooses lanes per row and vec4s per lane. A lane keeps its vec4s in registers from pass to pass. For long
 * rows it has more vec4s, because more lanes would wait for each other, but no more than its registers can
 * hold. */
static void choose_lanes(gt_step *step, uint32_t quads, uint32_t values, uint32_t max_lanes) {
  uint32_t lanes = 1, quads_per_lane = 1;
  while (lanes * quads_per_lane < quads) {
    if (quads_per_lane < (lanes < FEW_LANES ? 2 : 4) && 2 * quads_per_lane * values <= MAX_KEPT)
      quads_per_lane *= 2;
    else if (lanes < max_lanes)
      lanes *= 2;
    else
      break;
  }
  step->spec[GT_ROWS_SPEC_LANES] = lanes;
  step->spec[GT_ROWS_SPEC_EACH] = quads_per_lane;
  step->spec[GT_ROWS_SPEC_KEPT] = lanes * quads_per_lane >= quads;
}

void gt_rows_lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const struct gt_rows_args args = {.rows = (uint32_t)group->shape.dim[0], .row_length = group->width};
  gt_step *step = gt_lower_step(lowering, &kernel, &args, sizeof args);
  gt_lower_program(lowering, group, offsetof(struct gt_rows_args, x), offsetof(struct gt_rows_args, y),
                   offsetof(struct gt_rows_args, clock), -1);
  set_passes(step, &group->program);
  step->spec[GT_ROWS_SPEC_NARROW] = gt_rows_narrow(graph, group);
  choose_lanes(step, (uint32_t)gt_ceil_div(args.row_length, 4),
               values_of(&group->program, step->spec[GT_ROWS_SPEC_NARROW]),
               gt_lower_workgroup(lowering, MAX_LANES, 1));
  step->spec[GT_ROWS_SPEC_WHOLE] = args.row_length % 4 == 0;
  const uint32_t lanes = step->spec[GT_ROWS_SPEC_LANES];
  gt_lower_grid(lowering, (uint64_t)args.rows * lanes, gt_max_u32(lanes, MIN_WORKGROUP));
  step->tiles = gt_rows_tiles(&args);
}
