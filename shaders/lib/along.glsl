/* What row programs (op/rows.h) join along a row. A kernel that runs one evaluates it in passes: of each quad of its row
 * that an invocation has, gt_along_add takes what the reductions of the pass join, gt_along_own is what has come together, and
 * gt_along_both joins what two of them have; of what all have gt_along_know makes the program's results. Include after
 * lib/program.glsl, with the constants REDUCTION_0 … _3 (0: there is none, else 1 + its pass) and OPCODE_0 … _3 (GT_I_ROW_…
 * of it). */
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

/* What the lanes that are none hold is another's value: it counts nothing. */
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

/* Before a row's first pass. */
void gt_along_begin() {
  for (uint k = 0u; k < GT_PROGRAM_REDUCTIONS; k++) gt_row_known[k] = 0.0;
}

void gt_along_none(out vec4 sum[GT_PROGRAM_REDUCTIONS]) {
#define GT_NOTHING(k, pass_of, opcode) sum[k] = vec4(gt_along_start(opcode));
  GT_EACH_REDUCTION(GT_NOTHING)
}

/* Behind gt_program, for so many lanes that exist. */
void gt_along_add(inout vec4 sum[GT_PROGRAM_REDUCTIONS], uint lanes, uint pass) {
#define GT_ADD(k, pass_of, opcode) \
  if (pass_of == pass + 1u) sum[k] = gt_along_join(sum[k], gt_along_only(gt_row_operand[k], lanes, opcode), opcode);
  GT_EACH_REDUCTION(GT_ADD)
}

/* A component for each reduction. */
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
