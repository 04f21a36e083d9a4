/* Operand loader: rows of an embedding table, gathered on load.
 *
 * Rows of a table (table_rows.h, load.glsl). */
#include "lib/math.glsl"
#include "op/matmul/table_rows.h"
const uint ROWS_WIDTH = OWN_FIRST != 0u ? OWN_FIRST : 1u, ROWS_EACH = OWN_SECOND, ROWS_COUNT = OWN_THIRD;

bool rows_has(uint number) { return number < ROWS_COUNT; } /* a negative one is large here */

/* The row's first element; some other's where the table has no such row. */
uint rows_start(uint number) { return rows_has(number) ? number * ROWS_WIDTH : 0u; }

gt_spot rows_line(uint line) { return gt_spot(line * ROWS_EACH, ivec3(0), 0u); }

/* `phase`: which of the line's rows. */
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

/* Where slabs are read without a check, a quad waits for the number of its row, which is therefore asked for a slab ahead
 * and kept in the spot: place.x. `along` is the quad's place along k, the line where lines are of constant k (k_lines) and
 * else the position; what lies behind the last is the last. */
uint rows_number(bool k_lines, gt_spot spot, uint along) {
  uint line = k_lines ? min(along, k - 1u) * ROWS_EACH : spot.at;
  uint which = k_lines ? spot.phase : min(along / ROWS_WIDTH, ROWS_EACH - 1u);
  return geometry.at[line + which];
}

/* Its first element. */
uint rows_element(bool k_lines, gt_spot spot, uint along) {
  return rows_start(uint(spot.place.x)) + (k_lines ? spot.at : along % ROWS_WIDTH);
}
