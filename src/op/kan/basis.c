/* Basis functions of a KAN on the CPU, and the geometry of the matrix of their values. */
#include "op/kan/basis.h"
#include "base/count.h"
#include "op/kan/kan.h"
#include "shaders/op/kan/real.h"
#include "shaders/op/kan/bases.h"
#include "step/math.h"
#include <math.h>
#include <string.h>

void gt_basis_geometry(const gt_kan_attribute *a, uint32_t lines, uint32_t inputs, uint32_t outputs,
                       uint32_t geometry[GT_BASIS_WORDS], uint32_t *spec) {
  geometry[GT_BASIS_INPUTS] = inputs;
  geometry[GT_BASIS_LOW] = gt_bits(a->low);
  geometry[GT_BASIS_INVERSE] = gt_bits(a->inverse);
  geometry[GT_BASIS_FIRST] = gt_bits(a->first);
  geometry[GT_BASIS_SECOND] = gt_bits(a->second);
  geometry[GT_BASIS_OUTPUTS] = outputs;
  geometry[GT_BASIS_PEAK_OF] = 0;
  if (gt_kan_parameter_rows(a)) geometry[GT_BASIS_BEHIND] = lines;
  geometry[GT_BASIS_RAW] = a->apart ? lines * inputs : 0;
  spec[GT_BASIS_SPEC_KIND - GT_FACTOR_SPEC_OWN] =
      a->basis | (a->base ? GT_BASIS_BASE : 0) | (a->placed ? GT_BASIS_PLACED : 0) |
      (a->apart ? GT_BASIS_APART : 0) | (outputs % 4 ? 0 : GT_BASIS_QUADS);
  spec[GT_BASIS_SPEC_DEGREE - GT_FACTOR_SPEC_OWN] = a->degree;
  spec[GT_BASIS_SPEC_TERMS - GT_FACTOR_SPEC_OWN] = a->terms;
  spec[GT_BASIS_SPEC_BLOCK - GT_FACTOR_SPEC_OWN] = a->block;
  spec[GT_BASIS_SPEC_ORDER - GT_FACTOR_SPEC_OWN] = a->order;
}

/* --- bounds --------------------------------------------------------------------------------------------- */

#define PEAK(number, name, function) \
  case number: return function##_peak(least, most, term, a->terms, a->first, a->second);

float gt_basis_peak(const gt_kan_attribute *a, uint32_t term, double limit) {
  const float m = (float)limit, least = (-m - a->low) * a->inverse, most = (m - a->low) * a->inverse;
  if (term == a->terms) return gt_basis_base_peak(-m, m, term, a->terms, 0, 0);
  if (a->placed) return 1;
  switch (a->basis) {
    GT_BASES(PEAK)
  default: return 1; /* GT_BASIS_KNOTS */
  }
}

/* Upper bound on the magnitudes of all functions without the base, at least 1. A NaN, from an overflow,
 * counts as infinity. */
static float peak_of_all(const gt_kan_attribute *a, double limit) {
  float most = 1;
  for (uint32_t term = 0; term < a->terms; term++) {
    const float peak = gt_basis_peak(a, term, limit);
    most = peak <= most ? most : peak >= most ? peak : INFINITY;
  }
  return most;
}

/* known: the kernel uses the bound as the amax of all functions; even: one scale serves a whole line. */
bool gt_basis_range(const gt_kan_attribute *a, const double limit[2], bool columns,
                    uint32_t geometry[GT_BASIS_WORDS], uint32_t *spec) {
  enum { MOST = 16 }; /* the largest bound that may replace an amax, which is about 1 (range_basis.glsl) */
  if (a->order) return false;
  float peak = peak_of_all(a, limit[0]);
  const float base = a->base ? gt_basis_peak(a, a->terms, limit[1]) : 0;
  const bool bounded = peak <= MOST, known = bounded && base <= MOST, even = known || (bounded && !columns);
  if (known && base > peak) peak = base;
  geometry[GT_BASIS_PEAK_OF] = gt_bits(peak);
  spec[GT_BASIS_SPEC_KIND - GT_FACTOR_SPEC_OWN] |= (even ? GT_BASIS_EVEN : 0) | (known ? GT_BASIS_KNOWN : 0) |
                                                   (a->apart && bounded ? GT_BASIS_RAW_ONLY : 0);
  return even;
}

/* --- values on the CPU ---------------------------------------------------------------------------------- */

/* One function: members of gt_kan_attribute, and its number `term`. which: GT_BASIS_FIRST_OF, for functions
 * with a centre and a scale at each input. */
typedef struct basis_function {
  uint32_t term, terms, degree, order, which;
  float low, inverse, first, second;
} basis_function;

typedef struct lines { /* `count` lines of `length` inputs x, and of function values `to` */
  const float *x;
  size_t x_step; /* floats from line to line */
  float *to;
  size_t to_step;
  uint32_t count, length;
  const float *behind; /* parameters: in the first row after the lines; rows are x_step apart, too */
} lines;

typedef void fill_function(const basis_function *f, const lines *l);

/* Factor on a derivative, by the chain rule, if the argument has this slope. */
GT_MATH float power_of(float slope, uint32_t order) {
  return order == 0 ? 1.0f : order == 1 ? slope : order == 2 ? slope * slope : slope * slope * slope;
}

/* The inner loop is vectorized. Term, degree and order are constants for the compiler if the arguments are
 * constants. */
#define FILL(name, function, term_, degree_, order_)                                           \
  GT_CLONES static void name(const basis_function *f, const lines *l) {                        \
    const uint32_t term = (term_), terms = f->terms, degree = (degree_), order = (order_);     \
    const float low = f->low, inverse = f->inverse, first = f->first, second = f->second;      \
    const float scale = power_of(inverse, order);                                              \
    for (uint32_t k = 0; k < l->count; k++) {                                                  \
      const float *restrict x = l->x + k * l->x_step;                                          \
      float *restrict to = l->to + k * l->to_step;                                             \
      GT_VECTOR_LOOP for (uint32_t i = 0; i < l->length; i++) to[i] =                          \
          scale * function((x[i] - low) * inverse, term, terms, degree, order, first, second); \
    }                                                                                          \
  }
#define ORDERS(name, function, term, degree) \
  FILL(name##_0, function, term, degree, 0)  \
  FILL(name##_1, function, term, degree, 1)  \
  FILL(name##_2, function, term, degree, 2)  \
  FILL(name##_3, function, term, degree, 3)
#define ORDERS_OF(name) \
  { name##_0, name##_1, name##_2, name##_3 }

/* AT_ONCE, PLACED_AT_ONCE: inputs that are processed at a time. COMMON_DEGREES: splines of fewer degrees than
 * this have code of their own. */
enum { ORDER_COUNT = GT_BASIS_MOST_ORDER + 1, COMMON_DEGREES = 6, AT_ONCE = 16, PLACED_AT_ONCE = 256 };

#define FILL_ANY(number, name, function) ORDERS(fill_##name, function, f->term, f->degree)
GT_PLAIN_BASES(FILL_ANY)
#define ANY_OF(number, name, function) [number] = ORDERS_OF(fill_##name),
static fill_function *const fill_any[][ORDER_COUNT] = {GT_PLAIN_BASES(ANY_OF)};
ORDERS(fill_base, gt_basis_base, 0, 0)
static fill_function *const fill_base[ORDER_COUNT] = ORDERS_OF(fill_base);

/* With a constant degree the compiler unrolls the loops of a spline. */
#define FILL_SPLINE(degree) ORDERS(fill_spline_##degree, gt_basis_bspline, f->term, degree)
FILL_SPLINE(0)
FILL_SPLINE(1)
FILL_SPLINE(2)
FILL_SPLINE(3)
FILL_SPLINE(4)
FILL_SPLINE(5)
#define SPLINE(degree) ORDERS_OF(fill_spline_##degree)
static fill_function *const fill_spline[COMMON_DEGREES][ORDER_COUNT] = {SPLINE(0), SPLINE(1), SPLINE(2),
                                                                        SPLINE(3), SPLINE(4), SPLINE(5)};

/* --- functions with a centre and a scale at each input, in rows after x --------------------------------- */

/* u = (x - centre) * scale. */
GT_CLONES static void to_own_place(const float *x, const float *centre, const float *scale, uint32_t n,
                                   float *u) {
  GT_VECTOR_LOOP for (uint32_t i = 0; i < n; i++) u[i] = (x[i] - centre[i]) * scale[i];
}

/* Derivative of this order by x: that by u times scale^order. */
GT_CLONES static void by_input(const float *scale, const float *function, uint32_t order, uint32_t n,
                               float *to) {
  GT_VECTOR_LOOP for (uint32_t i = 0; i < n; i++) to[i] =
      scale[i] * power_of(scale[i], order - 1) * function[i];
}

/* First derivative by the scale. */
GT_CLONES static void by_scale(const float *x, const float *centre, const float *function, uint32_t n,
                               float *to) {
  GT_VECTOR_LOOP for (uint32_t i = 0; i < n; i++) to[i] = (x[i] - centre[i]) * function[i];
}

/* Calls the functions above with u as their inputs (in_u): a second pass over a few numbers, but no further
 * code for each basis. */
static void fill_placed_run(fill_function *const fill[ORDER_COUNT], const basis_function *f, const lines *l,
                            uint32_t k, uint32_t first, uint32_t n) {
  const float *x = l->x + k * l->x_step + first;
  const float *centre = l->behind + f->term * l->x_step + first, *scale = centre + f->terms * l->x_step;
  float *to = l->to + k * l->to_step + first;
  const uint32_t order = f->order == GT_BASIS_BY_SCALE ? 1 : f->order;
  float u[PLACED_AT_ONCE], function[PLACED_AT_ONCE];
  basis_function in_u = *f;
  in_u.term = f->which;
  in_u.low = 0;
  in_u.inverse = 1;
  to_own_place(x, centre, scale, n, u);
  fill[order](&in_u, &(lines){.x = u, .to = order ? function : to, .count = 1, .length = n});
  if (f->order == GT_BASIS_BY_SCALE)
    by_scale(x, centre, function, n, to);
  else if (order)
    by_input(scale, function, order, n, to);
}

static void fill_placed(uint32_t basis, const basis_function *f, const lines *l) {
  for (uint32_t k = 0; k < l->count; k++)
    for (uint32_t first = 0; first < l->length; first += PLACED_AT_ONCE)
      fill_placed_run(fill_any[basis], f, l, k, first, gt_min_u32(l->length - first, PLACED_AT_ONCE));
}

/* --- splines over knots at each input, in rows after x -------------------------------------------------- */

/* For some neighbouring inputs: t[j]: their knots, from the first one of the function on; by[d][j]: 1 / (t[j
 * + d] - t[j]), or 0 if these are equal. */
typedef struct columns {
  const float *t[GT_BASIS_MOST_DEGREE + 2];
  float by[GT_BASIS_MOST_DEGREE + 1][GT_BASIS_MOST_DEGREE + 1][AT_ONCE];
} columns;

GT_MATH void fill_columns(const basis_function *f, const float *behind, size_t step, uint32_t n, columns *c) {
  for (uint32_t j = 0; j < f->degree + 2; j++) c->t[j] = behind + j * step;
  for (uint32_t d = 1; d <= f->degree; d++)
    for (uint32_t j = 0; j + d < f->degree + 2; j++) {
      const float *low = c->t[j], *high = c->t[j + d];
      float *by = c->by[d][j];
      for (uint32_t i = 0; i < n; i++) by[i] = high[i] > low[i] ? 1 / (high[i] - low[i]) : 0;
    }
}

/* The recursion of basis/knots.h, level by level for n inputs. */
GT_MATH void fill_knots_line(const basis_function *f, const columns *c, const float *x, uint32_t n,
                             float *to) {
  float value[GT_BASIS_MOST_DEGREE + 1][AT_ONCE];
  for (uint32_t j = 0; j <= f->degree; j++)
    for (uint32_t i = 0; i < n; i++) value[j][i] = x[i] >= c->t[j][i] && x[i] < c->t[j + 1][i] ? 1 : 0;
  for (uint32_t d = 1; d <= f->degree; d++)
    for (uint32_t j = 0; j + d <= f->degree; j++) {
      const float *low = c->t[j], *high = c->t[j + d + 1], *left = c->by[d][j], *right = c->by[d][j + 1];
      if (d + f->order <= f->degree)
        for (uint32_t i = 0; i < n; i++)
          value[j][i] =
              (x[i] - low[i]) * (left[i] * value[j][i]) + (high[i] - x[i]) * (right[i] * value[j + 1][i]);
      else
        for (uint32_t i = 0; i < n; i++)
          value[j][i] = (float)d * (left[i] * value[j][i] - right[i] * value[j + 1][i]);
    }
  for (uint32_t i = 0; i < n; i++) to[i] = f->order <= f->degree ? value[0][i] : 0;
}

GT_CLONES static void fill_knots(const basis_function *f, const lines *l) {
  columns c;
  for (uint32_t first = 0; first < l->length; first += AT_ONCE) {
    const uint32_t n = gt_min_u32(l->length - first, AT_ONCE);
    fill_columns(f, l->behind + f->term * l->x_step + first, l->x_step, n, &c);
    for (uint32_t k = 0; k < l->count; k++)
      fill_knots_line(f, &c, l->x + k * l->x_step + first, n, l->to + k * l->to_step + first);
  }
}

/* --- polynomials ---------------------------------------------------------------------------------------- */

typedef gt_recurrence step_function(uint n, float first, float second);
#define STEP(number, name, function) [number] = function,
static step_function *const steps[] = {GT_POLYNOMIALS(STEP)};

typedef float wide __attribute__((vector_size(AT_ONCE * sizeof(float))));

/* Copy n floats to and from a vector; results of the other lanes are not stored. */
GT_MATH void take(wide *to, const float *from, uint32_t n) {
  if (n == AT_ONCE)
    memcpy(to, from, sizeof *to);
  else
    memcpy(to, from, n * sizeof *from);
}
GT_MATH void give(float *to, const wide *from, uint32_t n) {
  if (n == AT_ONCE)
    memcpy(to, from, sizeof *from);
  else
    memcpy(to, from, n * sizeof *to);
}

/* The order is a constant for the compiler, so that it removes the code of higher derivatives. value, slope,
 * bend, twist: the derivatives of orders 0 to 3 of the previous polynomial. */
GT_MATH void fill_polynomial(const basis_function *f, const lines *l, const gt_recurrence *step,
                             uint32_t order) {
  const float scale = power_of(f->inverse, order);
  for (uint32_t k = 0; k < l->count; k++)
    for (uint32_t first = 0; first < l->length; first += AT_ONCE) {
      const uint32_t n = gt_min_u32(l->length - first, AT_ONCE);
      wide x = {0}, last[ORDER_COUNT] = {{0}}, now[ORDER_COUNT] = {{0}}; /* the polynomials' derivatives */
      take(&x, l->x + k * l->x_step + first, n);
      const wide u = (x - f->low) * f->inverse;
      now[0] += 1;
      for (uint32_t t = 0; t < f->term; t++) {
        const gt_recurrence r = step[t];
        const wide linear = r.a * u + r.b, value = now[0], slope = now[1], bend = now[2], twist = now[3];
        now[0] = linear * value - r.c * last[0];
        last[0] = value;
        if (order < 1) continue;
        now[1] = r.a * value + linear * slope - r.c * last[1];
        last[1] = slope;
        if (order < 2) continue;
        now[2] = 2 * r.a * slope + linear * bend - r.c * last[2];
        last[2] = bend;
        if (order < 3) continue;
        now[3] = 3 * r.a * bend + linear * twist - r.c * last[3];
        last[3] = twist;
      }
      const wide y = scale * now[order];
      give(l->to + k * l->to_step + first, &y, n);
    }
}

typedef void fill_recurrence(const basis_function *f, const lines *l, const gt_recurrence *step);
#define POLYNOMIAL(order)                                                                \
  GT_CLONES static void fill_polynomial_##order(const basis_function *f, const lines *l, \
                                                const gt_recurrence *step) {             \
    fill_polynomial(f, l, step, order);                                                  \
  }
POLYNOMIAL(0)
POLYNOMIAL(1)
POLYNOMIAL(2)
POLYNOMIAL(3)
static fill_recurrence *const fill_polynomials[] = ORDERS_OF(fill_polynomial);

/* --- all functions -------------------------------------------------------------------------------------- */

static void fill_by(uint32_t kind, const basis_function *f, const lines *l) {
  const uint32_t basis = kind % GT_BASIS_BASE;
  if (basis == GT_BASIS_KNOTS) {
    fill_knots(f, l);
  } else if (kind & GT_BASIS_PLACED) {
    fill_placed(basis, f, l);
  } else if (basis >= sizeof fill_any / sizeof *fill_any) {
    gt_recurrence step[GT_BASIS_MOST_POLYNOMIALS];
    for (uint32_t n = 0; n < f->term; n++) step[n] = steps[basis](n, f->first, f->second);
    fill_polynomials[f->order](f, l, step);
  } else if (basis == GT_BASIS_BSPLINE && f->degree < COMMON_DEGREES) {
    fill_spline[f->degree][f->order](f, l);
  } else {
    fill_any[basis][f->order](f, l);
  }
}

static const basis_function base_function = {.inverse = 1};

static void fill(const uint32_t *geometry, const uint32_t *spec, uint32_t term, const lines *l) {
  const basis_function f = {
      .term = term,
      .terms = spec[GT_BASIS_SPEC_TERMS],
      .degree = spec[GT_BASIS_SPEC_DEGREE],
      .order = spec[GT_BASIS_SPEC_ORDER],
      .which = GT_BASIS_FIRST_OF(spec[GT_BASIS_SPEC_KIND] % GT_BASIS_BASE, term, spec[GT_BASIS_SPEC_TERMS]),
      .low = gt_from_bits(geometry[GT_BASIS_LOW]),
      .inverse = gt_from_bits(geometry[GT_BASIS_INVERSE]),
      .first = gt_from_bits(geometry[GT_BASIS_FIRST]),
      .second = gt_from_bits(geometry[GT_BASIS_SECOND])};
  if (term == f.terms) /* the base has no scale: its derivative by the scale is not used */
    fill_base[f.order == GT_BASIS_BY_SCALE ? 1 : f.order](&base_function, l);
  else
    fill_by(spec[GT_BASIS_SPEC_KIND], &f, l);
}

void gt_basis_fill(const uint32_t *geometry, const uint32_t *spec, uint32_t term, const float *x,
                   const float *behind, uint32_t count, uint32_t n, float *to) {
  const lines l = {.x = x,
                   .x_step = geometry[GT_BASIS_INPUTS],
                   .to = to,
                   .to_step = n,
                   .count = count,
                   .length = n,
                   .behind = behind};
  fill(geometry, spec, term, &l);
}

/* One function at up to `run` neighbouring inputs. input: offset of the first of them from the start of the
 * line in x; for a base that is apart it includes GT_BASIS_RAW, the distance to its own inputs. */
typedef struct stretch {
  uint32_t term, run;
  size_t input;
} stretch;

static stretch stretch_at(const uint32_t *geometry, const uint32_t *spec, uint32_t at) {
  const bool apart = spec[GT_BASIS_SPEC_KIND] & GT_BASIS_APART;
  const uint32_t block = spec[GT_BASIS_SPEC_BLOCK], terms = spec[GT_BASIS_SPEC_TERMS],
                 inputs = geometry[GT_BASIS_INPUTS], total = apart ? terms : gt_basis_total(spec),
                 first = at % block;
  if (apart && at >= inputs * terms) {
    const uint32_t input = at - inputs * terms;
    return (stretch){terms, inputs - input, geometry[GT_BASIS_RAW] + (size_t)input};
  }
  return (stretch){at / block % total, block - first, (size_t)(at / block / total) * block + first};
}

void gt_basis_make(const gt_factor *factor, uint32_t line, uint32_t count, uint32_t position,
                   uint32_t positions, float *to, size_t step) {
  const uint32_t *spec = factor->spec;
  const size_t inputs = factor->geometry[GT_BASIS_INPUTS], behind = factor->geometry[GT_BASIS_BEHIND];
  for (uint32_t done = 0; done < positions;) {
    const stretch s = stretch_at(factor->geometry, spec, position + done);
    const uint32_t run = gt_min_u32(s.run, positions - done);
    const float *column = factor->from + s.input;
    fill(factor->geometry, spec, s.term,
         &(lines){.x = column + line * inputs,
                  .x_step = inputs,
                  .to = to + done,
                  .to_step = step,
                  .count = count,
                  .length = run,
                  .behind = gt_basis_has_parameter_rows(spec) ? column + behind * inputs : NULL});
    done += run;
  }
}
