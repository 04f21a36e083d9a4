/* An elementwise program (src/step/program.h) as straight-line code. The program is in the specialization constants, so
 * that after specialization every condition, switch and index below is a constant and only the program remains: values
 * live in an array that is only ever indexed by constants, and instructions are expanded by a macro, never in a loop.
 *
 * Include after the kernel's argument struct, which provides x[], y[], clock and row_length. Define before:
 *   GT_PROGRAM_X         the length of x[]: 4 or 8; y[] then has 2 or 4 elements
 *   GT_PROGRAM_LAYOUT    if there is a layout_ argument (GT_LOAD_GENERAL)
 *   GT_PROGRAM_ROWS      if the program may contain row reductions (op/rows.h). The kernel then sets gt_row_now and
 *                        loads the per-element inputs itself (gt_row_input)
 *   GT_PROGRAM_JOINS     if the program may contain row reductions and an invocation processes elements of several
 *                        rows; row r begins at element r * row_length
 *   GT_PROGRAM_NO_STORE  if the kernel stores the results itself
 *   GT_PROGRAM_QUADS     a constant: true if every range has four elements and begins at a multiple of 4, and the
 *                        length of rows is a multiple of 4. With aligned buffers no scalar path is then compiled, which
 *                        saves instruction cache
 *   GT_SCALAR            if gt_program processes one element (V is float) instead of four consecutive ones (V is
 *                        vec4) */
#ifndef GT_PROGRAM_GLSL
#define GT_PROGRAM_GLSL
#include "lib/math.glsl"
#include "lib/opcodes.h"
#include "lib/philox.glsl"
#ifndef GT_PROGRAM_QUADS
#define GT_PROGRAM_QUADS false
#endif
/* The condition for a vec4 access in kernels that mix vec4 and scalar accesses (without GT_PROGRAM_QUADS). Kernels with
 * row reductions do not mix them: a test at each load would make drivers wait for the loads in flight. */
#ifdef GT_PROGRAM_ROWS
#define GT_IF_MIXED(is_quad) false
#else
#define GT_IF_MIXED(is_quad) is_quad
#endif

/* 1: buffer addresses are multiples of 16, so vec4 accesses are allowed. */
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;
layout(constant_id = GT_SPEC_CODE_COUNT) const uint CODE_COUNT = 0u;
layout(constant_id = GT_SPEC_INPUT_COUNT) const uint INPUT_COUNT = 0u;
layout(constant_id = GT_SPEC_OUTPUT_COUNT) const uint OUTPUT_COUNT = 0u;
/* 1: if a result is not finite, gt_check sets the flag word to 0. A checked program has one output, so gt_program_store
 * uses y[1] as the flag; a kernel with GT_PROGRAM_NO_STORE passes its own flag. */
layout(constant_id = GT_SPEC_CHECKED) const uint CHECKED = 0u;
layout(constant_id = GT_SPEC_CODE) const uint CODE_0 = 0u; layout(constant_id = GT_SPEC_CODE + 1) const uint CODE_1 = 0u;
layout(constant_id = GT_SPEC_CODE + 2) const uint CODE_2 = 0u; layout(constant_id = GT_SPEC_CODE + 3) const uint CODE_3 = 0u;
layout(constant_id = GT_SPEC_CODE + 4) const uint CODE_4 = 0u; layout(constant_id = GT_SPEC_CODE + 5) const uint CODE_5 = 0u;
layout(constant_id = GT_SPEC_CODE + 6) const uint CODE_6 = 0u; layout(constant_id = GT_SPEC_CODE + 7) const uint CODE_7 = 0u;
layout(constant_id = GT_SPEC_CODE + 8) const uint CODE_8 = 0u; layout(constant_id = GT_SPEC_CODE + 9) const uint CODE_9 = 0u;
layout(constant_id = GT_SPEC_CODE + 10) const uint CODE_10 = 0u; layout(constant_id = GT_SPEC_CODE + 11) const uint CODE_11 = 0u;
layout(constant_id = GT_SPEC_CODE + 12) const uint CODE_12 = 0u; layout(constant_id = GT_SPEC_CODE + 13) const uint CODE_13 = 0u;
layout(constant_id = GT_SPEC_CODE + 14) const uint CODE_14 = 0u; layout(constant_id = GT_SPEC_CODE + 15) const uint CODE_15 = 0u;
layout(constant_id = GT_SPEC_CODE + 16) const uint CODE_16 = 0u; layout(constant_id = GT_SPEC_CODE + 17) const uint CODE_17 = 0u;
layout(constant_id = GT_SPEC_CODE + 18) const uint CODE_18 = 0u; layout(constant_id = GT_SPEC_CODE + 19) const uint CODE_19 = 0u;
layout(constant_id = GT_SPEC_CODE + 20) const uint CODE_20 = 0u; layout(constant_id = GT_SPEC_CODE + 21) const uint CODE_21 = 0u;
layout(constant_id = GT_SPEC_CODE + 22) const uint CODE_22 = 0u; layout(constant_id = GT_SPEC_CODE + 23) const uint CODE_23 = 0u;
layout(constant_id = GT_SPEC_CODE + 24) const uint CODE_24 = 0u; layout(constant_id = GT_SPEC_CODE + 25) const uint CODE_25 = 0u;
layout(constant_id = GT_SPEC_CODE + 26) const uint CODE_26 = 0u; layout(constant_id = GT_SPEC_CODE + 27) const uint CODE_27 = 0u;
layout(constant_id = GT_SPEC_CODE + 28) const uint CODE_28 = 0u; layout(constant_id = GT_SPEC_CODE + 29) const uint CODE_29 = 0u;
layout(constant_id = GT_SPEC_CODE + 30) const uint CODE_30 = 0u; layout(constant_id = GT_SPEC_CODE + 31) const uint CODE_31 = 0u;
layout(constant_id = GT_SPEC_IMMEDIATE) const uint IMMEDIATE_0 = 0u; layout(constant_id = GT_SPEC_IMMEDIATE + 1) const uint IMMEDIATE_1 = 0u;
layout(constant_id = GT_SPEC_IMMEDIATE + 2) const uint IMMEDIATE_2 = 0u; layout(constant_id = GT_SPEC_IMMEDIATE + 3) const uint IMMEDIATE_3 = 0u;
layout(constant_id = GT_SPEC_IMMEDIATE + 4) const uint IMMEDIATE_4 = 0u; layout(constant_id = GT_SPEC_IMMEDIATE + 5) const uint IMMEDIATE_5 = 0u;
layout(constant_id = GT_SPEC_IMMEDIATE + 6) const uint IMMEDIATE_6 = 0u; layout(constant_id = GT_SPEC_IMMEDIATE + 7) const uint IMMEDIATE_7 = 0u;
layout(constant_id = GT_SPEC_IMMEDIATE + 8) const uint IMMEDIATE_8 = 0u; layout(constant_id = GT_SPEC_IMMEDIATE + 9) const uint IMMEDIATE_9 = 0u;
layout(constant_id = GT_SPEC_IMMEDIATE + 10) const uint IMMEDIATE_10 = 0u; layout(constant_id = GT_SPEC_IMMEDIATE + 11) const uint IMMEDIATE_11 = 0u;
layout(constant_id = GT_SPEC_IMMEDIATE + 12) const uint IMMEDIATE_12 = 0u; layout(constant_id = GT_SPEC_IMMEDIATE + 13) const uint IMMEDIATE_13 = 0u;
layout(constant_id = GT_SPEC_IMMEDIATE + 14) const uint IMMEDIATE_14 = 0u; layout(constant_id = GT_SPEC_IMMEDIATE + 15) const uint IMMEDIATE_15 = 0u;
layout(constant_id = GT_SPEC_LOAD) const uint LOAD_0 = 0u; layout(constant_id = GT_SPEC_LOAD + 1) const uint LOAD_1 = 0u;
layout(constant_id = GT_SPEC_LOAD + 2) const uint LOAD_2 = 0u; layout(constant_id = GT_SPEC_LOAD + 3) const uint LOAD_3 = 0u;
layout(constant_id = GT_SPEC_LOAD + 4) const uint LOAD_4 = 0u; layout(constant_id = GT_SPEC_LOAD + 5) const uint LOAD_5 = 0u;
layout(constant_id = GT_SPEC_LOAD + 6) const uint LOAD_6 = 0u; layout(constant_id = GT_SPEC_LOAD + 7) const uint LOAD_7 = 0u;
layout(constant_id = GT_SPEC_OUTPUT) const uint OUTPUT_0 = 0u; layout(constant_id = GT_SPEC_OUTPUT + 1) const uint OUTPUT_1 = 0u;
layout(constant_id = GT_SPEC_OUTPUT + 2) const uint OUTPUT_2 = 0u; layout(constant_id = GT_SPEC_OUTPUT + 3) const uint OUTPUT_3 = 0u;

/* A range of elements: first … first + lanes - 1. Component l of a vec4 is element first + min(l, lanes - 1). */
struct gt_place {
  uint first, lanes;
};

#ifdef GT_PROGRAM_ROWS
/* The current row, and the values of the per-element inputs for the current elements. */
uint gt_row_now;
V gt_row_input[GT_PROGRAM_X];
#define GT_COLUMN_OF(i) ((i) - gt_row_now * row_length)
#define GT_SAME_OF(k)   gt_row_input[k]
#else
#define GT_COLUMN_OF(i) ((i) % row_length)
#define GT_SAME_OF(k)   gt_load_same(x[k], at)
#endif

#ifdef GT_SCALAR
V gt_load_same(GT_FLOATS x, gt_place at) { return x.at[at.first]; }
V gt_load_row(GT_FLOATS x, gt_place at) { return x.at[at.first % row_length]; }
V gt_load_column(GT_FLOATS x, gt_place at) { return x.at[at.first / row_length]; }
#else
/* True if the elements can be moved as one vec4. */
bool gt_is_quad(gt_place at) {
  return ALIGNED != 0u && (GT_PROGRAM_QUADS || GT_IF_MIXED(at.lanes == 4u && (at.first & 3u) == 0u));
}

uvec4 gt_lanes(gt_place at) { return at.first + min(uvec4(0u, 1u, 2u, 3u), uvec4(at.lanes - 1u)); }

vec4 gt_gather(GT_FLOATS x, uvec4 i) { return vec4(x.at[i.x], x.at[i.y], x.at[i.z], x.at[i.w]); }

V gt_load_same(GT_FLOATS x, gt_place at) {
  V value;
  if (gt_is_quad(at)) value = GT_CAST(GT_FLOATS4, x).at[at.first >> 2];
  else value = gt_gather(x, gt_lanes(at));
  return value;
}

V gt_load_row(GT_FLOATS x, gt_place at) {
  V value;
  uint column = GT_COLUMN_OF(at.first);
  bool whole = GT_PROGRAM_QUADS || GT_IF_MIXED((column & 3u) == 0u && column + 4u <= row_length);
  if (ALIGNED != 0u && whole) value = GT_CAST(GT_FLOATS4, x).at[column >> 2];
  else value = gt_gather(x, GT_COLUMN_OF(gt_lanes(at)));
  return value;
}

V gt_load_column(GT_FLOATS x, gt_place at) {
  V value;
#ifdef GT_PROGRAM_ROWS
  value = V(x.at[gt_row_now]);
#else
  if (GT_PROGRAM_QUADS) value = V(x.at[at.first / row_length]);
  else value = gt_gather(x, gt_lanes(at) / row_length);
#endif
  return value;
}
#endif

#ifdef GT_PROGRAM_LAYOUT
V gt_load_general(GT_FLOATS x, gt_place at, uint k) {
  uint rank = layout_.at[0];
#ifdef GT_SCALAR
  uint rest = at.first, offset = 0u;
#else
  uvec4 rest = gt_lanes(at), offset = uvec4(0u);
#endif
  for (uint d = rank; d > 0u; d--) {
    uint dim = layout_.at[d], stride = layout_.at[8u * k + 8u + d];
    offset += rest % dim * stride;
    rest /= dim;
  }
#ifdef GT_SCALAR
  return x.at[offset];
#else
  return gt_gather(x, offset);
#endif
}
#else
#define gt_load_general(x, at, k) V(0.0)
#endif

/* For GT_LOAD_SPREAD and GT_LOAD_CHOICE: returns the index of the window that contains element i, and sets `place` to
 * the position of i in it. */
#define GT_WINDOW(U) \
  U gt_window(U i, uint load, out U place) { \
    uint height = GT_LOAD_HEIGHT(load), width = GT_LOAD_WIDTH(load), columns = GT_LOAD_COLUMNS(load); \
    U position = i / row_length, column = position % columns, line = position / columns; \
    place = line % height * width + column % width; \
    return (line / height * (columns / width) + column / width) * row_length + i % row_length; \
  }
GT_WINDOW(uint)

uint gt_byte(GT_FLOATS x, uint i) { return GT_CAST(GT_WORDS, x).at[i >> 2] >> 8u * (i & 3u) & 255u; }

#ifdef GT_SCALAR
V gt_load_spread(GT_FLOATS x, gt_place at, uint load) {
  uint place;
  return x.at[gt_window(at.first, load, place)];
}

V gt_load_choice(GT_FLOATS x, gt_place at, uint load) {
  uint place, i = gt_window(at.first, load, place);
  return V(gt_byte(x, i) == place);
}
#else
GT_WINDOW(uvec4)

/* True if the elements can be moved as one vec4 and are in the same row. */
bool gt_is_quad_of_row(gt_place at) { return gt_is_quad(at) && (GT_PROGRAM_QUADS || (row_length & 3u) == 0u); }

V gt_load_spread(GT_FLOATS x, gt_place at, uint load) {
  V value;
  uint place;
  uvec4 places;
  if (gt_is_quad_of_row(at)) value = GT_CAST(GT_FLOATS4, x).at[gt_window(at.first, load, place) >> 2];
  else value = gt_gather(x, gt_window(gt_lanes(at), load, places));
  return value;
}

V gt_load_choice(GT_FLOATS x, gt_place at, uint load) {
  uint place;
  uvec4 places, chosen;
  if (gt_is_quad_of_row(at)) {
    chosen = uvec4(GT_CAST(GT_WORDS, x).at[gt_window(at.first, load, place) >> 2]) >> uvec4(0u, 8u, 16u, 24u) & 255u;
    places = uvec4(place);
  } else {
    uvec4 i = gt_window(gt_lanes(at), load, places);
    chosen = uvec4(gt_byte(x, i.x), gt_byte(x, i.y), gt_byte(x, i.z), gt_byte(x, i.w));
  }
  return V(equal(chosen, places));
}
#endif

V gt_random(gt_place at, uint purpose) {
  uvec2 seed = uvec2(clock.at[1], clock.at[2]);
  uint draw = clock.at[0], block = at.first >> 2, lane = at.first & 3u;
  vec4 here = gt_random_block(seed, purpose, draw, block);
#ifdef GT_SCALAR
  return here[lane];
#else
  if (!GT_PROGRAM_QUADS && lane != 0u) {
    vec4 next = gt_random_block(seed, purpose, draw, block + 1u);
    if (lane == 1u) here = vec4(here.yzw, next.x);
    else if (lane == 2u) here = vec4(here.zw, next.xy);
    else here = vec4(here.w, next.xyz);
  }
  return here;
#endif
}

#define GT_INPUT(k, mode) \
  if (INPUT_COUNT > k) { \
    switch (GT_LOAD_MODE(mode)) { \
    case GT_LOAD_SAME: r[k] = GT_SAME_OF(k); break; \
    case GT_LOAD_SCALAR: r[k] = V(x[k].at[0]); break; \
    case GT_LOAD_ROW: r[k] = gt_load_row(x[k], at); break; \
    case GT_LOAD_COLUMN: r[k] = gt_load_column(x[k], at); break; \
    case GT_LOAD_SPREAD: r[k] = gt_load_spread(x[k], at, mode); break; \
    case GT_LOAD_CHOICE: r[k] = gt_load_choice(x[k], at, mode); break; \
    default: r[k] = gt_load_general(x[k], at, k); break; \
    } \
  }

#define GT_IMMEDIATE(k, bits) \
  immediate[k] = bits; \
  r[GT_OPERAND_IMMEDIATE + k] = V(uintBitsToFloat(bits));

#define GT_CASE(opcode, NAME, name, inputs, slope, formula, loop, float_value, glsl_value, real_value) \
  case opcode: v = glsl_value; break;

#if defined(GT_PROGRAM_ROWS) || defined(GT_PROGRAM_JOINS)
/* For each row reduction: the operand of this invocation (set by gt_program), and the result once it is computed. */
V gt_row_operand[GT_PROGRAM_REDUCTIONS];
float gt_row_known[GT_PROGRAM_REDUCTIONS];
#define GT_ROW_CASES(code) \
  case GT_I_ROW_SUM: case GT_I_ROW_MAX: case GT_I_ROW_MIN: \
    gt_row_operand[code >> 16 & 3u] = a; \
    v = V(gt_row_known[code >> 16 & 3u]); \
    break;
#else
#define GT_ROW_CASES(code)
#endif

/* Instruction i. All cases end at the same point, so the branches left after specialization are plain jumps. */
#define GT_STEP(i, code) \
  if (CODE_COUNT > i) { \
    V a = r[code >> 8 & 63u], b = r[code >> 16 & 63u], c = r[code >> 24 & 63u], v = V(0.0); \
    switch (code & 255u) { \
    GT_INSTRUCTIONS(GT_CASE) \
    case GT_I_RANDOM: v = gt_random(at, immediate[(code >> 8) - GT_OPERAND_IMMEDIATE & 15u]); break; \
    GT_ROW_CASES(code) \
    } \
    r[GT_OPERAND_RESULT + i] = v; \
  }

#define GT_OUTPUT(k, code) \
  if (OUTPUT_COUNT > k) result[k] = r[code & 63u];

/* Runs the program for these elements. leader: in an epilogue the value that the kernel has computed for them;
 * otherwise not read. */
void gt_program(gt_place at, V leader, out V result[GT_PROGRAM_OUTPUTS]) {
  V r[64];
  uint immediate[GT_PROGRAM_IMMEDIATES];
  r[GT_OPERAND_LEADER] = leader;
  GT_INPUT(0, LOAD_0)
  GT_INPUT(1, LOAD_1)
  GT_INPUT(2, LOAD_2)
  GT_INPUT(3, LOAD_3)
#if GT_PROGRAM_X > 4
  GT_INPUT(4, LOAD_4)
  GT_INPUT(5, LOAD_5)
  GT_INPUT(6, LOAD_6)
  GT_INPUT(7, LOAD_7)
#endif
  GT_IMMEDIATE(0, IMMEDIATE_0) GT_IMMEDIATE(1, IMMEDIATE_1)
  GT_IMMEDIATE(2, IMMEDIATE_2) GT_IMMEDIATE(3, IMMEDIATE_3)
  GT_IMMEDIATE(4, IMMEDIATE_4) GT_IMMEDIATE(5, IMMEDIATE_5)
  GT_IMMEDIATE(6, IMMEDIATE_6) GT_IMMEDIATE(7, IMMEDIATE_7)
  GT_IMMEDIATE(8, IMMEDIATE_8) GT_IMMEDIATE(9, IMMEDIATE_9)
  GT_IMMEDIATE(10, IMMEDIATE_10) GT_IMMEDIATE(11, IMMEDIATE_11)
  GT_IMMEDIATE(12, IMMEDIATE_12) GT_IMMEDIATE(13, IMMEDIATE_13)
  GT_IMMEDIATE(14, IMMEDIATE_14) GT_IMMEDIATE(15, IMMEDIATE_15)
  GT_STEP(0, CODE_0) GT_STEP(1, CODE_1) GT_STEP(2, CODE_2) GT_STEP(3, CODE_3)
  GT_STEP(4, CODE_4) GT_STEP(5, CODE_5) GT_STEP(6, CODE_6) GT_STEP(7, CODE_7)
  GT_STEP(8, CODE_8) GT_STEP(9, CODE_9) GT_STEP(10, CODE_10) GT_STEP(11, CODE_11)
  GT_STEP(12, CODE_12) GT_STEP(13, CODE_13) GT_STEP(14, CODE_14) GT_STEP(15, CODE_15)
  GT_STEP(16, CODE_16) GT_STEP(17, CODE_17) GT_STEP(18, CODE_18) GT_STEP(19, CODE_19)
  GT_STEP(20, CODE_20) GT_STEP(21, CODE_21) GT_STEP(22, CODE_22) GT_STEP(23, CODE_23)
  GT_STEP(24, CODE_24) GT_STEP(25, CODE_25) GT_STEP(26, CODE_26) GT_STEP(27, CODE_27)
  GT_STEP(28, CODE_28) GT_STEP(29, CODE_29) GT_STEP(30, CODE_30) GT_STEP(31, CODE_31)
  GT_OUTPUT(0, OUTPUT_0)
  GT_OUTPUT(1, OUTPUT_1)
  GT_OUTPUT(2, OUTPUT_2)
  GT_OUTPUT(3, OUTPUT_3)
}

#ifndef GT_SCALAR
void gt_store(GT_FLOATS to, gt_place at, V value) {
  if (gt_is_quad(at)) GT_CAST(GT_FLOATS4, to).at[at.first >> 2] = value;
  else
    for (uint l = 0u; l < at.lanes; l++) to.at[at.first + l] = value[l];
}

/* Sets the flag to 0 if one of the first at.lanes components is not finite. */
void gt_check(GT_WORDS flag, gt_place at, V value) {
  bvec4 bad = not(gt_finite(value));
  bool any_bad = bad.x || bad.y && at.lanes > 1u || bad.z && at.lanes > 2u || bad.w && at.lanes > 3u;
  if (any_bad) atomicAnd(flag.at[0], 0u);
}

#ifndef GT_PROGRAM_NO_STORE
void gt_program_store(gt_place at, V result[GT_PROGRAM_OUTPUTS]) {
  if (CHECKED != 0u) gt_check(GT_CAST(GT_WORDS, y[1]), at, result[0]);
  if (OUTPUT_COUNT > 0u) gt_store(y[0], at, result[0]);
  if (OUTPUT_COUNT > 1u) gt_store(y[1], at, result[1]);
#if GT_PROGRAM_X > 4
  if (OUTPUT_COUNT > 2u) gt_store(y[2], at, result[2]);
  if (OUTPUT_COUNT > 3u) gt_store(y[3], at, result[3]);
#endif
}

/* Runs the program, stores its outputs and returns the first of them. */
V gt_program_write(gt_place at, V leader) {
  V result[GT_PROGRAM_OUTPUTS];
  gt_program(at, leader, result);
  gt_program_store(at, result);
  return result[0];
}
#endif
#endif
#endif
