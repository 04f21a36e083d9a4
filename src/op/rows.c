/* How a row program becomes a step. */
#include "op/rows.h"
#include "base/count.h"
#include "op/rows_cpu.h"
#include "shaders/op/rows.h"
#include "step/lowering.h"
#include <stddef.h>

enum { MOST_LANES = 256, LEAST_WORKGROUP = 64, QUADS_A_LANE = 2 };

static const gt_kernel kernel = {"rows", gt_rows_cpu};

/* When each reduction can be joined, and how many passes that makes. */
static void set_passes(gt_step *step, const gt_program *p) {
  uint32_t known[GT_OPERAND_RESULT + GT_PROGRAM_CODE] = {0}; /* after so many passes */
  for (uint32_t i = 0; i < p->instructions; i++) {
    const uint32_t code = p->code[i], opcode = gt_code_opcode(code), which = gt_code_operand(code, 1);
    const uint32_t a = known[gt_code_operand(code, 0)];
    uint32_t *own = &known[GT_OPERAND_RESULT + i];
    if (gt_joins_rows(opcode)) {
      *own = a + 1;
      step->spec[GT_ROWS_SPEC_REDUCTION + which] = *own;
      step->spec[GT_ROWS_SPEC_OPCODE + which] = opcode;
      step->spec[GT_ROWS_SPEC_PASSES] = gt_most_u32(step->spec[GT_ROWS_SPEC_PASSES], *own);
    } else {
      *own = gt_most_u32(a, gt_most_u32(known[which], known[gt_code_operand(code, 2)]));
    }
  }
}

/* An invocation has two quads of a long row, so that one's values come while the other's are worked on. */
static uint32_t lanes_of(uint32_t width) {
  uint32_t lanes = 1;
  while (lanes < gt_ceil_div(width, 4 * QUADS_A_LANE) && lanes < MOST_LANES) lanes *= 2;
  return lanes;
}

void gt_rows_lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const struct gt_rows_args args = {.rows = (uint32_t)group->shape.dim[0], .row = group->width};
  gt_step *step = gt_lower_step(lowering, &kernel, &args, sizeof args);
  gt_lower_program(lowering, group, offsetof(struct gt_rows_args, x), offsetof(struct gt_rows_args, y),
                   offsetof(struct gt_rows_args, clock), -1);
  set_passes(step, &group->program);
  for (uint32_t k = 0; k < group->program.outputs; k++)
    if (gt_shape_count(gt_node_at(graph, group->output[k])->shape) == args.rows)
      step->spec[GT_ROWS_SPEC_NARROW] |= 1u << k;
  const uint32_t local = gt_lower_workgroup(lowering, gt_most_u32(lanes_of(args.row), LEAST_WORKGROUP), 1);
  const uint32_t lanes = gt_least_u32(lanes_of(args.row), local);
  step->spec[GT_ROWS_SPEC_LANES] = lanes;
  gt_lower_grid(lowering, (uint64_t)args.rows * lanes, local);
  step->tiles = gt_rows_tiles(&args);
}
