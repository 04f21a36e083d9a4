/* The reductions of row programs (op/rows.h). A kernel evaluates such a program in passes over its row. In each pass an
 * invocation adds the operands of each of its vec4s with gt_along_add; gt_along_own returns its partial results,
 * gt_along_both combines those of two invocations, and gt_along_know sets the results for the next passes. Include after
 * lib/program.glsl, with the constants REDUCTION_0 … _3 (0: unused, else 1 + the pass) and OPCODE_0 … _3 (GT_I_ROW_…). */
#ifndef GT_ALONG_GLSL
#define GT_ALONG_GLSL
#define GT_EACH_REDUCTION(DO) \
  DO(0, REDUCTION_0, OPCODE_0) \
  DO(1, REDUCTION_1, OPCODE_1) \
  DO(2, REDUCTION_2, OPCODE_2) \
  DO(3, REDUCTION_3, OPCODE_3)

float gt_along_start(uint opcode) {
  return opcode == GT_I_ROW_MAX ? -gt_infinity() : opcode == GT_I_ROW_MIN ? gt_infinity() : 0.0;
}

vec4 gt_along_join(vec4 a, vec4 b, uint opcode) {
  vec4 value = a + b;
  if (opcode == GT_I_ROW_MAX) value = gt_max(a, b);
  if (opcode == GT_I_ROW_MIN) value = gt_min(a, b);
  return value;
}

/* Replaces lanes that are not elements of the row by the neutral element of the reduction. */
vec4 gt_along_only(vec4 value, uint lanes, uint opcode) {
  bvec4 counts = GT_PROGRAM_QUADS ? bvec4(lanes != 0u) : lessThan(uvec4(0u, 1u, 2u, 3u), uvec4(lanes));
  return mix(vec4(gt_along_start(opcode)), value, counts);
}

float gt_along_fold(vec4 v, uint opcode) {
  vec4 value = gt_along_join(v, v.yxwz, opcode);
  return gt_along_join(value, value.zwxy, opcode).x;
}

vec4 gt_along_both(vec4 a, vec4 b) {
  vec4 value = a;
#define GT_BOTH(k, pass_of, opcode) \
  if (pass_of != 0u) value[k] = gt_along_join(a, b, opcode)[k];
  GT_EACH_REDUCTION(GT_BOTH)
  return value;
}

/* Called before the first pass over a row. */
void gt_along_begin() {
  for (uint k = 0u; k < GT_PROGRAM_REDUCTIONS; k++) gt_row_known[k] = 0.0;
}

void gt_along_none(out vec4 sum[GT_PROGRAM_REDUCTIONS]) {
#define GT_NOTHING(k, pass_of, opcode) sum[k] = vec4(gt_along_start(opcode));
  GT_EACH_REDUCTION(GT_NOTHING)
}

/* Called after gt_program; lanes: the number of elements in its range. */
void gt_along_add(inout vec4 sum[GT_PROGRAM_REDUCTIONS], uint lanes, uint pass) {
#define GT_ADD(k, pass_of, opcode) \
  if (pass_of == pass + 1u) sum[k] = gt_along_join(sum[k], gt_along_only(gt_row_operand[k], lanes, opcode), opcode);
  GT_EACH_REDUCTION(GT_ADD)
}

/* The partial results of this invocation, one component per reduction. */
vec4 gt_along_own(vec4 sum[GT_PROGRAM_REDUCTIONS], uint pass) {
  vec4 mine = vec4(0.0);
#define GT_OWN(k, pass_of, opcode) \
  if (pass_of == pass + 1u) mine[k] = gt_along_fold(sum[k], opcode);
  GT_EACH_REDUCTION(GT_OWN)
  return mine;
}

void gt_along_know(vec4 all, uint pass) {
#define GT_KNOW(k, pass_of, opcode) \
  if (pass_of == pass + 1u) gt_row_known[k] = all[k];
  GT_EACH_REDUCTION(GT_KNOW)
}
#endif
