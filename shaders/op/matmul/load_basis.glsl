/* Operand loader (load.glsl): basis functions of a KAN, computed on load (op/kan/basis.h). */
#include "lib/math.glsl"
#include "op/kan/basis.h"
layout(constant_id = GT_BASIS_SPEC_KIND) const uint BASIS_KIND = 0u;
layout(constant_id = GT_BASIS_SPEC_DEGREE) const uint BASIS_DEGREE = 3u;
layout(constant_id = GT_BASIS_SPEC_TERMS) const uint BASIS_TERMS = 1u;
layout(constant_id = GT_BASIS_SPEC_BLOCK) const uint BASIS_BLOCK = 1u;
layout(constant_id = GT_BASIS_SPEC_ORDER) const uint BASIS_ORDER = 0u;

const uint BASIS_FORM = BASIS_KIND & 255u, BASIS_HAS_BASE = BASIS_KIND / GT_BASIS_BASE & 1u;
const uint BASIS_IS_PLACED = BASIS_KIND / GT_BASIS_PLACED & 1u;
/* The order of the derivative with respect to u, the argument of the functions. */
const uint BASIS_DERIVED = BASIS_ORDER == GT_BASIS_BY_SCALE ? 1u : BASIS_ORDER;
const bool BASIS_QUADS = (BASIS_KIND & GT_BASIS_QUADS) != 0u; /* the number of outputs is a multiple of 4 */
const uint BASIS_TOTAL = BASIS_TERMS + BASIS_HAS_BASE;
const bool BASIS_APART = (BASIS_KIND & GT_BASIS_APART) != 0u;
const uint BASIS_TOGETHER = BASIS_APART ? BASIS_TERMS : BASIS_TOTAL; /* functions whose columns lie together in a block */
float basis_low = 0.0, basis_inverse = 1.0, basis_first = 0.0, basis_second = 0.0;
uint basis_inputs = 1u, basis_lines = 0u, basis_raw = 0u;

/* Row j of the numbers that follow x: those of four neighboring inputs, of which `left` exist. at: index of the first
 * one in row 0. */
vec4 basis_behind(GT_FLOATS from, uint at, uint j, int left) {
  return fetch(from, at + j * basis_inputs, left, ALIGNED != 0u && ((at | basis_inputs) & 3u) == 0u);
}

#include "op/kan/real.h"
#include "op/kan/bases.h"

void basis_begin() {
  basis_inputs = geometry.at[GT_BASIS_INPUTS];
  basis_low = uintBitsToFloat(geometry.at[GT_BASIS_LOW]);
  basis_lines = geometry.at[GT_BASIS_BEHIND];
  basis_inverse = uintBitsToFloat(geometry.at[GT_BASIS_INVERSE]);
  basis_first = uintBitsToFloat(geometry.at[GT_BASIS_FIRST]);
  basis_second = uintBitsToFloat(geometry.at[GT_BASIS_SECOND]);
  if (BASIS_APART) basis_raw = geometry.at[GT_BASIS_RAW];
}

#define GT_BASIS_CASE(number, name, function) \
  if (BASIS_FORM == number) y = function(u, which);

/* Function `term`, or its derivative, if each input has centers and scales of its own (GT_BASIS_PLACED). */
vec4 basis_placed(vec4 x, uint term, GT_FLOATS from, uint behind, int left) {
  uint which = GT_BASIS_FIRST_OF(BASIS_FORM, term, BASIS_TERMS);
  vec4 off = x - basis_behind(from, behind, term, left), scale = basis_behind(from, behind, BASIS_TERMS + term, left);
  vec4 u = off * scale, y = vec4(0.0);
  GT_PLAIN_BASES(GT_BASIS_CASE)
  if (BASIS_ORDER == GT_BASIS_BY_SCALE) y *= off;
  else {
    if (BASIS_ORDER >= 1u) y *= scale;
    if (BASIS_ORDER >= 2u) y *= scale;
    if (BASIS_ORDER >= 3u) y *= scale;
  }
  return y;
}

/* Function `term` at x, or its derivative; not for the base. behind: index of the inputs' first numbers that follow
 * x. */
vec4 basis_function(vec4 x, uint term, GT_FLOATS from, uint behind, int left) {
  vec4 u = (x - basis_low) * basis_inverse, y = vec4(0.0);
  uint which = term;
  if (BASIS_FORM == GT_BASIS_KNOTS) y = gt_basis_knots(x, from, behind + term * basis_inputs, left);
  else if (BASIS_IS_PLACED != 0u) y = basis_placed(x, term, from, behind, left);
  else {
    GT_BASES(GT_BASIS_CASE)
    if (BASIS_ORDER >= 1u) y *= basis_inverse;
    if (BASIS_ORDER >= 2u) y *= basis_inverse;
    if (BASIS_ORDER >= 3u) y *= basis_inverse;
  }
  return y;
}

/* Function `term` at x, or its derivative, for four neighboring inputs from input_ on, of which `left` exist. */
vec4 basis_values(vec4 x, uint term, GT_FLOATS from, uint input_, int left) {
  vec4 y;
  if (BASIS_HAS_BASE != 0u && term >= BASIS_TERMS) y = gt_basis_base(x, term);
  else y = basis_function(x, term, from, basis_lines * basis_inputs + input_, left);
  return y;
}

/* As basis_position below, for packed operands, in which a base that is apart is placed after the functions
 * of its block. K steps of one block share their inputs, which stay in registers: in this order they are loaded twice
 * per block, for the functions and for the base. With all base columns last, each of their steps would load inputs. */
gt_spot basis_woven(uint position) {
  uint block = position / (BASIS_TOTAL * BASIS_BLOCK), rest = position - block * (BASIS_TOTAL * BASIS_BLOCK);
  uint term = rest / BASIS_BLOCK, raw = BASIS_APART && term == BASIS_TERMS ? basis_raw : 0u;
  return gt_spot(raw + block * BASIS_BLOCK + rest - term * BASIS_BLOCK, ivec3(0), term);
}

/* BASIS_GRAIN: columns of the functions of a block. If the base is apart and BASIS_GRAIN is a multiple of the width of
 * a tile, then all columns of a tile are of the base, or none is. The kernel can then decide once per tile: at a branch
 * per element a driver would wait for the loads in flight. */
const uint BASIS_GRAIN = BASIS_BLOCK * BASIS_TERMS;
bool basis_is_base(uint position) { return position >= basis_inputs * BASIS_TERMS; }

const bool BASIS_EVEN = (BASIS_KIND & GT_BASIS_EVEN) != 0u;
#define RANGE_EVEN(KIND) ((KIND) == GT_FACTOR_BASIS && BASIS_EVEN) /* for range.glsl */
#define GT_PEAK_CASE(number, name, function) \
  if (BASIS_FORM == number) y = function##_peak(least, most, term);

/* An upper bound of the absolute value of function `term` at inputs |x| <= m; 1 for splines over knots.
 * The functions that may be placed have bounds that do not depend on least and most. */
vec4 basis_peak(vec4 m, uint term) {
  vec4 least = (-m - basis_low) * basis_inverse, most = (m - basis_low) * basis_inverse, y = vec4(1.0);
  GT_BASES(GT_PEAK_CASE)
  if (BASIS_HAS_BASE != 0u)
    if (term == BASIS_TERMS) y = gt_basis_base_peak(-m, m, term);
  return y;
}

/* The column of the operand that is function `term` of an input. */
uint basis_column(uint input_, uint term) {
  uint block = input_ / BASIS_BLOCK, column = (block * BASIS_TOGETHER + term) * BASIS_BLOCK + input_ - block * BASIS_BLOCK;
  return BASIS_APART && term == BASIS_TERMS ? basis_inputs * BASIS_TERMS + input_ : column;
}

gt_spot basis_line(uint line) { return gt_spot(line * basis_inputs, ivec3(0), 0u); }

/* phase: the function; at: the input. */
gt_spot basis_position(uint position) {
  uint block = position / (BASIS_TOGETHER * BASIS_BLOCK), rest = position - block * (BASIS_TOGETHER * BASIS_BLOCK);
  uint term = rest / BASIS_BLOCK, functions = basis_inputs * BASIS_TERMS;
  gt_spot spot = gt_spot(block * BASIS_BLOCK + rest - term * BASIS_BLOCK, ivec3(0), term);
  if (BASIS_APART && position >= functions) spot = gt_spot(basis_raw + position - functions, ivec3(0), BASIS_TERMS);
  return spot;
}

vec4 basis_quad(GT_FLOATS from, gt_spot line, gt_spot at, uint position, int left) {
  vec4 v = vec4(0.0);
  if (BASIS_BLOCK % 4u == 0u) {
    vec4 x = fetch(from, line.at + at.at, left > 0 ? 4 : 0, ALIGNED != 0u);
    if (left > 0) v = basis_values(x, at.phase, from, at.at, 4);
  } else {
    [[unroll]] for (int i = 0; i < 4; i++)
      if (i < left) {
        gt_spot one = basis_position(position + uint(i));
        v[i] = basis_values(vec4(from.at[line.at + one.at]), one.phase, from, one.at, 1).x;
      }
  }
  return v;
}
