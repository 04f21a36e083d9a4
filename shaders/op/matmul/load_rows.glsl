/* Operand loader (load.glsl): rows of an embedding table, gathered on load (table_rows.h). */
#include "lib/math.glsl"
#include "op/matmul/table_rows.h"
const uint ROWS_WIDTH = OWN_FIRST != 0u ? OWN_FIRST : 1u, ROWS_EACH = OWN_SECOND, ROWS_COUNT = OWN_THIRD;

/* True if the table has a row of this number; a negative number is large as uint. */
bool rows_has(uint number) { return number < ROWS_COUNT; }

/* Index of the row's first element; 0 if the table has no such row. */
uint rows_start(uint number) { return rows_has(number) ? number * ROWS_WIDTH : 0u; }

gt_spot rows_line(uint line) { return gt_spot(line * ROWS_EACH, ivec3(0), 0u); }

/* phase: the number of the row in the line. */
gt_spot rows_position(uint position) {
  uint which = position / ROWS_WIDTH;
  return gt_spot(position - which * ROWS_WIDTH, ivec3(0), which);
}

vec4 rows_quad(GT_FLOATS from, gt_spot line, gt_spot position, int left) {
  uint number = geometry.at[left > 0 ? line.at + position.phase : 0u];
  vec4 v = fetch(from, rows_start(number) + position.at, left, ALIGNED != 0u);
  if (left > 0 && !rows_has(number)) v = vec4(gt_nan());
  return v;
}

/* The number of the table row that a quad reads. Kernels that read K tiles without checks load it one K tile ahead and
 * keep it in the spot (place.x), because the load of the quad has to wait for it. along: the quad's index along K,
 * which is the line if lines are of constant k (k_lines), otherwise the position. After the end of K the last index is
 * used. */
uint rows_number(bool k_lines, gt_spot spot, uint along) {
  uint line = k_lines ? min(along, k - 1u) * ROWS_EACH : spot.at;
  uint which = k_lines ? spot.phase : min(along / ROWS_WIDTH, ROWS_EACH - 1u);
  return geometry.at[line + which];
}

/* Index of the first element of that quad. */
uint rows_element(bool k_lines, gt_spot spot, uint along) {
  return rows_start(uint(spot.place.x)) + (k_lines ? spot.at : along % ROWS_WIDTH);
}
