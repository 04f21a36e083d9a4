/* The reductions of row programs (op/rows.h). A kernel evaluates a row program in passes over its row, and each pass
 * computes some of the program's reductions:
 *   1. Each invocation accumulates the operands of each of its vec4s (gt_reductions_accumulate).
 *   2. gt_reductions_partial returns its partial results.
 *   3. gt_reductions_combine combines the partial results of two invocations.
 *   4. gt_reductions_set stores the final results, which the next passes read.
 * Include after lib/program.glsl and the constants REDUCTION_0 … _3 (0: unused, otherwise 1 + the pass that computes
 * it) and OPCODE_0 … _3 (GT_I_ROW_…). */
#ifndef GT_ROW_REDUCTIONS_GLSL
#define GT_ROW_REDUCTIONS_GLSL
#define GT_EACH_REDUCTION(DO) \
  DO(0, REDUCTION_0, OPCODE_0) \
  DO(1, REDUCTION_1, OPCODE_1) \
  DO(2, REDUCTION_2, OPCODE_2) \
  DO(3, REDUCTION_3, OPCODE_3)

float gt_reduction_neutral(uint opcode) {
  return opcode == GT_I_ROW_MAX ? -gt_infinity() : opcode == GT_I_ROW_MIN ? gt_infinity() : 0.0;
}

vec4 gt_reduction_combine(vec4 a, vec4 b, uint opcode) {
  vec4 value = a + b;
  if (opcode == GT_I_ROW_MAX) value = gt_max(a, b);
  if (opcode == GT_I_ROW_MIN) value = gt_min(a, b);
  return value;
}

/* Keeps the first `lanes` components and replaces the others by the neutral element. If rows consist of whole vec4s
 * (GT_PROGRAM_QUADS), `lanes` is 0 or 4. */
vec4 gt_reduction_mask(vec4 value, uint lanes, uint opcode) {
  bvec4 kept = GT_PROGRAM_QUADS ? bvec4(lanes != 0u) : lessThan(uvec4(0u, 1u, 2u, 3u), uvec4(lanes));
  return mix(vec4(gt_reduction_neutral(opcode)), value, kept);
}

/* Reduces the four components to one value. */
float gt_reduction_fold(vec4 v, uint opcode) {
  vec4 value = gt_reduction_combine(v, v.yxwz, opcode);
  return gt_reduction_combine(value, value.zwxy, opcode).x;
}

vec4 gt_reductions_combine(vec4 a, vec4 b) {
  vec4 value = a;
#define GT_COMBINE(k, pass_of, opcode) \
  if (pass_of != 0u) value[k] = gt_reduction_combine(a, b, opcode)[k];
  GT_EACH_REDUCTION(GT_COMBINE)
  return value;
}

/* Called before the first pass over a row. */
void gt_reductions_reset() {
  for (uint k = 0u; k < GT_PROGRAM_REDUCTIONS; k++) gt_row_known[k] = 0.0;
}

/* Sets the accumulators of this invocation to the neutral elements; `sum` also accumulates maxima and minima. */
void gt_reductions_neutral(out vec4 sum[GT_PROGRAM_REDUCTIONS]) {
#define GT_NEUTRAL(k, pass_of, opcode) sum[k] = vec4(gt_reduction_neutral(opcode));
  GT_EACH_REDUCTION(GT_NEUTRAL)
}

/* Accumulates the operands that the last call of gt_program has stored; the first `lanes` components are elements of
 * the row. */
void gt_reductions_accumulate(inout vec4 sum[GT_PROGRAM_REDUCTIONS], uint lanes, uint pass) {
#define GT_ADD(k, pass_of, opcode) \
  if (pass_of == pass + 1u) \
    sum[k] = gt_reduction_combine(sum[k], gt_reduction_mask(gt_row_operand[k], lanes, opcode), opcode);
  GT_EACH_REDUCTION(GT_ADD)
}

/* The partial results of this invocation, one component per reduction. */
vec4 gt_reductions_partial(vec4 sum[GT_PROGRAM_REDUCTIONS], uint pass) {
  vec4 mine = vec4(0.0);
#define GT_PARTIAL(k, pass_of, opcode) \
  if (pass_of == pass + 1u) mine[k] = gt_reduction_fold(sum[k], opcode);
  GT_EACH_REDUCTION(GT_PARTIAL)
  return mine;
}

/* Stores the results of the pass for the whole row, one component of `all` per reduction. */
void gt_reductions_set(vec4 all, uint pass) {
#define GT_SET(k, pass_of, opcode) \
  if (pass_of == pass + 1u) gt_row_known[k] = all[k];
  GT_EACH_REDUCTION(GT_SET)
}
#endif
