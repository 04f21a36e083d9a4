/* Shared by the wgrad and dgrad kernels of a KAN layer with few outputs: tile sizes and limits. */
#include "op/matmul/matmul_lines.h"
#include "base/count.h"
#include "step/occupancy.h"
#include "shaders/op/matmul/lines.h"
#include <math.h>

enum {
  /* Instructions of a warp: */
  LINE = 12,  /* per line, in addition to functions and sums */
  STAGED = 12 /* per element that is staged: its address, the load and the store */
};

uint32_t gt_matmul_lines_room(const gt_target *target) {
  enum { RESERVED = 16 }; /* for small variables of the kernels, such as `arrived` (parts.glsl) */
  return gt_min_u32(target->shared_bytes, GT_LINES_BYTES + RESERVED) - RESERVED;
}

uint32_t gt_matmul_lines_staged(const gt_matmul_lines *work, uint32_t lines, uint32_t room, uint32_t more) {
  const uint32_t at_once = GT_LINES_THREADS / work->inputs;
  const uint32_t bytes = 4 * work->inputs * work->planes + 16 * GT_LINES_SPREAD(work->outputs) + more;
  const uint32_t most = room / bytes / at_once * at_once;
  if (!most) return 0;
  return gt_ceil_div(gt_ceil_div(lines, gt_ceil_div(lines, most)), at_once) * at_once;
}

double gt_matmul_lines_cycles(const gt_matmul_lines *work, double lines) {
  const double warps = lines * work->inputs / GT_WARP, quads = gt_ceil_div(work->outputs, 4);
  const double issued =
      (work->functions * ((double)work->outputs + work->instructions) + quads + LINE) / GT_SCHEDULERS;
  const double staged =
      lines * (work->inputs * work->planes / 4.0 + work->outputs) * STAGED / GT_WARP / GT_SCHEDULERS;
  return warps * fmax(issued, quads * GT_SHARED_CYCLES + 1 /* the input */) + staged;
}
