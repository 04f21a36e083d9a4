/* The cells of a workgroup, for the kernels that run a step of an automaton. Include after the argument struct and
 * after the definition of P, the number of cells per workgroup. */
#ifndef GT_LOGIC_CA_CELLS_GLSL
#define GT_LOGIC_CA_CELLS_GLSL
#include "lib/philox.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 1u;
layout(constant_id = GT_CA_SPEC_SHARED) const uint SHARED = 1u;
layout(constant_id = GT_CA_SPEC_CHANNELS) const uint CHANNELS = 1u;
layout(constant_id = GT_CA_SPEC_KERNELS) const uint KERNELS = 1u;
layout(constant_id = GT_CA_SPEC_HEIGHT) const uint HEIGHT = 1u;
layout(constant_id = GT_CA_SPEC_WIDTH) const uint WIDTH = 1u;
layout(constant_id = GT_CA_SPEC_PERIODIC) const uint PERIODIC = 0u;
layout(constant_id = GT_CA_SPEC_PERCEPTIONS) const uint PERCEPTIONS = 1u;
layout(constant_id = GT_CA_SPEC_UPDATES) const uint UPDATES = 1u;

#if P == 1
#define LANE(value, lane) value
#else
#define LANE(value, lane) value[lane]
#endif

#define me gl_LocalInvocationID.x
#define group (gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x)

const uint NONE = 0xffffffffu;

/* The cell that is component `lane` of the workgroup's vectors. */
uint cell_of(uint lane) { return group * P + lane; }

/* True if the workgroup has no cells: a grid of several rows of workgroups may have more than are needed. */
bool no_cells() { return cell_of(0u) >= cells; }

/* The cell at position j of the 3x3 neighborhood of a cell, row-major. NONE outside a board that is not periodic, and
 * if `cell` does not exist. */
uint neighbor_of(uint cell, uint j) {
  uint inside = cell % (HEIGHT * WIDTH);
  uint y = inside / WIDTH + j / 3u + HEIGHT - 1u, x = inside % WIDTH + j % 3u + WIDTH - 1u;
  bool outside = y < HEIGHT || y >= 2u * HEIGHT || x < WIDTH || x >= 2u * WIDTH;
  return cell >= cells || outside && PERIODIC == 0u ? NONE : cell - inside + y % HEIGHT * WIDTH + x % WIDTH;
}

/* True if the cell takes its new state in this step, by a random draw. */
bool is_drawn(uint cell) {
  uint board = HEIGHT * WIDTH, element = step * board + cell % board;
  vec4 draw = gt_random_block(uvec2(clock.at[1], clock.at[2]), purpose, clock.at[0], element >> 2u);
  return cell < cells && draw[element & 3u] <= fire_rate;
}
#endif
