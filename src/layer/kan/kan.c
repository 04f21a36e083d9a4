/* kan: a layer of a Kolmogorov-Arnold network (Liu et al., "KAN: Kolmogorov-Arnold Networks", 2024) over the
 * last axis: y_o = sum over inputs i and functions b of coefficients[b, i, o] B_b(x_i), and base_weight[i, o]
 * base(x_i) where there is a base branch. Formulas of the bases and their sources: shaders/op/kan/basis/.
 * Defaults are those of the sources: efficient-kan, ChebyKAN, FastKAN, FourierKAN, JacobiKAN, FasterKAN,
 * SincKAN, Wav-KAN. Coefficients are kept as the kernel reads them, [blocks, functions, inputs of a block,
 * outputs]; a base branch of silu that reads what the functions read is the last of the functions, one
 * product with them. */
#include "base/count.h"
#include "layer/kan/kan_init.h"
#include "layer/kan/kan_host.h"
#include "layer/layer.h"
#include "layer/norm.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/kan/basis.h"
#include "op/kan/kan.h"
#include "op/matmul/matmul.h"
#include "op/move.h"
#include <math.h>
#include <string.h>

typedef struct kan_config {
  int64_t units, grid, degree;
  const char *basis, *base, *input_norm;
  gt_floats range;
  double width, alpha, beta, noise, scale_base, scale_spline;
  bool spline_scale, bias, mask;
  const gt_spec *init;
} kan_config;

enum { MOST_GRID = 4096, MOST_DEGREE = 64, MOST_UNITS = 1 << 24 };

#define BASIS_NAME(number, name, function) #name,
static const char *const bases[] = {GT_BASES(BASIS_NAME) NULL};
static const char *const base_names[] = {"none", "silu", "identity", "relu", "gelu", "tanh", NULL};
static const char *const norm_names[] = {"none", "tanh", "layer_norm", NULL};

static const gt_field fields[] = {
    GT_ROW(kan_config, units, GT_FIELD_INT, .min = 1, .max = MOST_UNITS, .help = "number of outputs",
           .flags = GT_FIELD_REQUIRED),
    GT_ROW(kan_config, basis, GT_FIELD_CHOICE, .fallback = "bspline", .choices = bases,
           .help = "functions that an input goes through"),
    GT_ROW(
        kan_config, grid, GT_FIELD_INT, .min = 1, .max = MOST_GRID,
        .help =
            "cells of the range (bspline, piecewise_linear: 5), centres in it (rbf, rswaf, sinc, wavelet: 8), "
            "frequencies (fourier: 5)"),
    GT_ROW(kan_config, degree, GT_FIELD_INT, .min = 0, .max = MOST_DEGREE,
           .help = "of splines (3, at most 9), highest of polynomials (4)"),
    GT_ROW(kan_config, range, GT_FIELD_FLOATS,
           .help = "ends of the grid (default: [-1, 1], of rbf, rswaf, sinc and wavelet [-2, 2])"),
    GT_ROW(kan_config, width, GT_FIELD_FLOAT, .min = 0, .max = 1e6, .flags = GT_FIELD_OPEN_MIN,
           .help = "of rbf, rswaf and wavelet (default: the centres' distance)"),
    GT_ROW(kan_config, alpha, GT_FIELD_FLOAT, .min = -1, .max = 100, .flags = GT_FIELD_OPEN_MIN,
           .help = "exponent of jacobi (default: 1)"),
    GT_ROW(kan_config, beta, GT_FIELD_FLOAT, .min = -1, .max = 100, .flags = GT_FIELD_OPEN_MIN,
           .help = "the other exponent of jacobi (default: 1)"),
    GT_ROW(
        kan_config, input_norm, GT_FIELD_CHOICE, .choices = norm_names,
        .help =
            "before the functions (default: tanh of chebyshev, legendre, hermite and jacobi, layer_norm of rbf "
            "and rswaf, else none)"),
    GT_ROW(
        kan_config, base, GT_FIELD_CHOICE, .choices = base_names,
        .help =
            "activation of a linear branch beside the functions (default: silu of bspline and rbf, else none)"),
    GT_ROW(kan_config, bias, GT_FIELD_BOOL, .help = "add a bias (default: true of rbf and fourier)"),
    GT_ROW(kan_config, spline_scale, GT_FIELD_BOOL,
           .help = "learn a factor on the functions of each pair of input and output, too (default: true of "
                   "bspline)"),
    GT_ROW(kan_config, noise, GT_FIELD_FLOAT, .min = 0, .max = 1e6,
           .help = "of bspline: spread of initial values, times the grid's cells (default: 0.1)"),
    GT_ROW(kan_config, scale_spline, GT_FIELD_FLOAT, .fallback = "1", .min = 0, .max = 1e6,
           .help = "factor on initial coefficients, or on the spread of an initial spline_scale"),
    GT_ROW(kan_config, scale_base, GT_FIELD_FLOAT, .fallback = "1", .min = 0, .max = 1e6,
           .help = "of the base branch's initial weights: uniform within sqrt(6 / ((1 + 5 scale^2) inputs))"),
    GT_ROW(kan_config, init, GT_FIELD_NODE,
           .help = "initial coefficients (default: as the basis' source begins)"),
    GT_ROW(kan_config, mask, GT_FIELD_BOOL,
           .help = "each pair of input and output has a factor, 1 or 0, that pruning sets (default: false)"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "kan", .help = "Kolmogorov-Arnold layer", .fields = fields, .shorthand = "units"};

/* --- bases ------------------------------------------------------------------------------------------------
 */

enum { USES_GRID = 1, USES_DEGREE = 2, USES_RANGE = 4, USES_WIDTH = 8, USES_EXPONENTS = 16, USES_NOISE = 32 };

typedef struct form { /* what a basis has, and its defaults */
  unsigned uses;
  uint32_t grid, degree;
  double reach; /* of the range, to either side */
  const char *norm, *base;
  bool bias, scale;
} form;

#define SPLINES USES_GRID | USES_DEGREE | USES_RANGE | USES_NOISE
#define BUMPS   USES_GRID | USES_RANGE | USES_WIDTH
#define POLYNOMIALS \
  { USES_DEGREE, 0, 4, 1, "tanh", "none", false }
static const form forms[] = {
    [GT_BASIS_BSPLINE] = {SPLINES, 5, 3, 1, "none", "silu", false, true},
    [GT_BASIS_PIECEWISE_LINEAR] = {USES_GRID | USES_RANGE, 5, 0, 1, "none", "none", false},
    [GT_BASIS_FOURIER] = {USES_GRID, 5, 0, 1, "none", "none", true},
    [GT_BASIS_CHEBYSHEV] = POLYNOMIALS,
    [GT_BASIS_LEGENDRE] = POLYNOMIALS,
    [GT_BASIS_HERMITE] = POLYNOMIALS,
    [GT_BASIS_JACOBI] = {USES_DEGREE | USES_EXPONENTS, 0, 4, 1, "tanh", "none", false},
    [GT_BASIS_RBF] = {BUMPS, 8, 0, 2, "layer_norm", "silu", true},
    [GT_BASIS_RSWAF] = {BUMPS, 8, 0, 2, "layer_norm", "none", false},
    [GT_BASIS_WAVELET] = {BUMPS, 8, 0, 2, "none", "none", false},
    [GT_BASIS_SINC] = {USES_GRID | USES_RANGE, 8, 0, 2, "none", "none", false},
};

typedef struct choice { /* what a layer is, defaults filled in */
  uint32_t basis, grid, degree;
  double low, high, alpha, beta, noise;
  const form *form;
  const char *norm, *base;
  bool bias, scale;
} choice;

static bool given(const gt_build *build, const char *key) {
  return build->spec && build->spec->kind == GT_SPEC_MAP && gt_spec_find(build->spec, key);
}

/* Is a key set that this basis has no use for? */
static bool check_uses(gt_build *build, const kan_config *c, const form *f) {
  static const struct {
    unsigned use;
    const char *key;
  } keys[] = {{USES_GRID, "grid"},   {USES_DEGREE, "degree"},   {USES_RANGE, "range"},
              {USES_WIDTH, "width"}, {USES_EXPONENTS, "alpha"}, {USES_EXPONENTS, "beta"},
              {USES_NOISE, "noise"}};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (!(f->uses & keys[i].use) && given(build, keys[i].key)) {
      gt_build_error(build, keys[i].key, "has '%s', which basis %s has no use for", keys[i].key, c->basis);
      return false;
    }
  return true;
}

static bool read_choice(gt_build *build, const kan_config *c, choice *o) {
  memset(o, 0, sizeof *o);
  while (strcmp(bases[o->basis], c->basis)) o->basis++;
  const form *f = o->form = &forms[o->basis];
  if (!check_uses(build, c, f)) return false;
  o->grid = given(build, "grid") ? (uint32_t)c->grid : f->grid;
  o->degree = given(build, "degree") ? (uint32_t)c->degree : f->degree;
  o->low = c->range.count ? c->range.items[0] : -f->reach;
  o->high = c->range.count ? c->range.items[c->range.count - 1] : f->reach;
  o->alpha = given(build, "alpha") ? c->alpha : 1;
  o->beta = given(build, "beta") ? c->beta : 1;
  o->noise = given(build, "noise") ? c->noise : 0.1;
  o->norm = c->input_norm ? c->input_norm : f->norm;
  o->base = c->base ? c->base : f->base;
  o->bias = given(build, "bias") ? c->bias : f->bias;
  o->scale = given(build, "spline_scale") ? c->spline_scale : f->scale;
  if (o->basis == GT_BASIS_BSPLINE && o->degree > GT_BASIS_MOST_DEGREE)
    return !gt_build_error(build, "degree", "has splines of degree %u; %d is the highest", o->degree,
                           (int)GT_BASIS_MOST_DEGREE);
  if (c->range.count && (c->range.count != 2 || !(o->high - o->low > 0) || !isfinite(o->high - o->low)))
    return !gt_build_error(build, "range", "needs two numbers in 'range', the smaller first");
  return true;
}

static gt_kan_attribute attribute_of(const kan_config *c, const choice *o) {
  switch (o->basis) {
  case GT_BASIS_BSPLINE: return gt_kan_bspline(o->low, o->high, o->grid, o->degree);
  case GT_BASIS_PIECEWISE_LINEAR: return gt_kan_lines(o->low, o->high, o->grid);
  case GT_BASIS_FOURIER: return gt_kan_waves(o->grid);
  default:
    return o->form->uses & USES_DEGREE ? gt_kan_polynomials(o->basis, o->degree, o->alpha, o->beta)
                                       : gt_kan_bumps(o->basis, o->low, o->high, o->grid, c->width);
  }
}

/* --- parameters -------------------------------------------------------------------------------------------
 */

/* Neighbours that stand together: as many as a kernel reads while it stays with a function, if that comes out
 * even. */
static uint32_t block_of(int64_t inputs) {
  return inputs % 32 == 0 ? 32 : inputs % 16 == 0 ? 16 : (uint32_t)inputs;
}

/* Normal deviations of the sources where they have one: FastKAN 0.1, ChebyKAN (and all polynomials) 1 /
 * (inputs functions), FourierKAN 1 / sqrt(inputs frequencies); else such that outputs have a variance of
 * about one. */
static double deviation_of(const gt_kan_attribute *a, double inputs) {
  switch (a->basis) {
  case GT_BASIS_RBF: return 0.1;
  case GT_BASIS_FOURIER: return 1 / sqrt(inputs * a->terms / 2);
  case GT_BASIS_CHEBYSHEV:
  case GT_BASIS_LEGENDRE:
  case GT_BASIS_HERMITE:
  case GT_BASIS_JACOBI: return 1 / (inputs * a->terms);
  default: return 1 / sqrt(inputs);
  }
}

static double base_reach(const kan_config *c, double inputs) {
  return sqrt(6 / ((1 + 5 * c->scale_base * c->scale_base) * inputs));
}

/* Of each pair, 1 or 0. */
static gt_id read_mask(gt_build *build, const kan_config *c, const gt_kan_attribute *a, int64_t inputs) {
  const gt_shape shape = {.rank = 4, .dim = {inputs / a->block, 1, a->block, c->units}};
  return gt_build_state(build, "mask", shape, 1);
}

/* The scales for each of the functions, and 1 for the base behind them. */
static gt_id with_ones(gt_graph *graph, gt_id scale, uint32_t terms) {
  static const int64_t none[4] = {0}, behind[4] = {0, 1, 0, 0};
  gt_shape shape = gt_node_at(graph, scale)->shape;
  shape.dim[1] = terms;
  return gt_pad(graph, gt_expand(graph, scale, shape), none, behind, 1);
}

static gt_id read_coefficients(gt_build *build, const kan_config *c, const choice *o,
                               const gt_kan_attribute *a, int64_t inputs) {
  const int64_t functions = a->terms + a->base, blocks = inputs / a->block;
  const gt_shape shape = {.rank = 4, .dim = {blocks, functions, a->block, c->units}};
  const gt_kan_start start = {.a = *a,
                              .points = o->basis == GT_BASIS_BSPLINE ? o->grid + 1 : 0,
                              .noise = o->noise / o->grid,
                              .deviation = deviation_of(a, (double)inputs),
                              .scale = o->scale ? 1 : c->scale_spline,
                              .base = base_reach(c, (double)inputs)};
  const gt_init *init = c->init ? gt_init_read(build->arena, c->init, build->diagnostics)
                                : gt_kan_start_of(build->arena, &start);
  gt_kan_attribute *kept = GT_NEW(build->arena, gt_kan_attribute);
  *kept = *a;
  gt_id coefficients = gt_build_formed(build, "coefficients", shape, init, kept);
  if (o->scale) {
    const double reach = sqrt(6 / ((1 + 5 * c->scale_spline * c->scale_spline) * (double)inputs));
    const gt_shape one = {.rank = 4, .dim = {blocks, 1, a->block, c->units}};
    gt_id scale =
        gt_build_parameter(build, "spline_scale", one, gt_init_uniform_between(build->arena, -reach, reach));
    if (a->base) scale = with_ones(build->graph, scale, a->terms);
    coefficients = gt_mul(build->graph, coefficients, scale);
  }
  if (c->mask) coefficients = gt_mul(build->graph, coefficients, read_mask(build, c, a, inputs));
  return coefficients;
}

/* --- the layer --------------------------------------------------------------------------------------------
 */

static gt_id normalise(gt_build *build, const choice *o, gt_id x) {
  gt_graph *graph = build->graph;
  const gt_shape shape = gt_node_at(graph, x)->shape, last = gt_shape_1(shape.dim[shape.rank - 1]);
  if (!strcmp(o->norm, "tanh")) return gt_tanh(graph, x);
  if (strcmp(o->norm, "layer_norm") != 0) return x;
  const gt_id count = gt_constant(graph, (double)last.dim[0]);
  const gt_moments m = gt_norm_moments(graph, x, 1u << (shape.rank - 1), GT_NONE, count);
  const gt_id out = gt_norm_scale(graph, m.centered, m.variance, 1e-5);
  const gt_id weight = gt_build_parameter(build, "norm_weight", last, gt_init_constant_of(build->arena, 1));
  const gt_id bias = gt_build_parameter(build, "norm_bias", last, gt_init_constant_of(build->arena, 0));
  return gt_add(graph, gt_mul(graph, out, weight), bias);
}

static gt_id base_branch(gt_build *build, const kan_config *c, const choice *o, gt_id x, int64_t inputs) {
  const double reach = base_reach(c, (double)inputs);
  gt_id weight = gt_build_parameter(build, "base_weight", gt_shape_2(inputs, c->units),
                                    gt_init_uniform_between(build->arena, -reach, reach));
  if (c->mask) {
    const gt_kan_attribute a = {.block = block_of(inputs)};
    const gt_id mask = read_mask(build, c, &a, inputs);
    weight = gt_mul(build->graph, weight, gt_reshape(build->graph, mask, gt_shape_2(inputs, c->units)));
  }
  const gt_id active = strcmp(o->base, "identity") ? gt_apply(build->graph, o->base, 1, x) : x;
  return gt_matmul(build->graph, active, weight, false, false);
}

static gt_id add_bias(gt_build *build, const kan_config *c, const choice *o, gt_id y, int64_t inputs) {
  /* FastKAN's bias is that of its base branch, a torch.nn.Linear; FourierKAN's begins as zeros. */
  const double reach = o->basis == GT_BASIS_RBF ? 1 / sqrt((double)inputs) : 0;
  const gt_init *init =
      reach > 0 ? gt_init_uniform_between(build->arena, -reach, reach) : gt_init_constant_of(build->arena, 0);
  return gt_add(build->graph, y, gt_build_parameter(build, "bias", gt_shape_1(c->units), init));
}

static gt_id build_kan(gt_build *build, const void *config, const gt_id *input, int inputs_) {
  const kan_config *c = config;
  const gt_shape shape = gt_node_at(build->graph, input[0])->shape;
  choice o;
  (void)inputs_;
  if (shape.rank < 2)
    return gt_build_error(build, NULL, "needs at least one axis besides the batch; its input is %s",
                          gt_build_input_text(build, input, 0));
  if (!read_choice(build, c, &o)) return GT_NONE;
  const int64_t inputs = shape.dim[shape.rank - 1];
  const bool has_base = strcmp(o.base, "none") != 0;
  gt_kan_attribute a = attribute_of(c, &o);
  a.block = block_of(inputs);
  a.base = !strcmp(o.base, "silu") && !strcmp(o.norm, "none");
  const int64_t functions = a.terms + a.base;
  if (gt_times_at_most(gt_times_at_most(inputs, functions, INT32_MAX), c->units, INT32_MAX) == INT32_MAX)
    return gt_build_error(build, NULL, "would have %d coefficients or more", INT32_MAX);
  const gt_id x = normalise(build, &o, input[0]);
  gt_id y = gt_kan(build->graph, x, read_coefficients(build, c, &o, &a, inputs), &a);
  if (has_base && !a.base) y = gt_add(build->graph, y, base_branch(build, c, &o, input[0], inputs));
  return o.bias ? add_bias(build, c, &o, y, inputs) : y;
}

gt_kan_beside gt_kan_beside_of(const void *config) {
  const kan_config *c = config;
  uint32_t basis = 0;
  while (strcmp(bases[basis], c->basis)) basis++;
  return (gt_kan_beside){c->input_norm ? c->input_norm : forms[basis].norm,
                         c->base ? c->base : forms[basis].base};
}

GT_DEFINE(layer, kan) = {.name = "kan",
                         .help = "Kolmogorov-Arnold layer over the last axis",
                         .schema = &schema,
                         .config_size = sizeof(kan_config),
                         .min_inputs = 1,
                         .max_inputs = 1,
                         .refit = gt_kan_refit,
                         .build = build_kan};
