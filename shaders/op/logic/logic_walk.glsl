/* A run of a walk over a layer of logic gates, in the registers of an invocation. Include after op/logic/logic.glsl and
 * the constant RUN. */
#ifndef GT_LOGIC_WALK_GLSL
#define GT_LOGIC_WALK_GLSL
uint run_gates;          /* number of gates in the run */
uint run_pin[RUN];       /* pins of the gates (op/logic/logic_walk.h) */
uint run_row[RUN + 1u];  /* offsets of the run's inputs in x, in items; gate j has the inputs j and j + 1 */
vec4 run_gate[RUN];      /* coefficients of the gates */

void load_run(uint run, uint width) {
  uint at = run * GT_LOGIC_WALK_WORDS;
  run_gates = walk.at[at + 2u];
  run_row[RUN] = walk.at[at + 3u] * width;
  [[unroll]] for (uint j = 0u; j < RUN; j++) {
    run_pin[j] = walk.at[at + 4u + j];
    run_row[j] = walk.at[at + 4u + RUN + j] * width;
    run_gate[j] = gt_logic_gate(run_pin[j] >> 1);
  }
}
#endif
