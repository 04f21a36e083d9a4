#include "layer/kan/kan_host.h"
#include "layer/kan/kan_layer.h"
#include "op/kan/basis.h"
#include <math.h>
#include <string.h>

#define BASIS_NAME(number, name, function) #name,
const char *const gt_kan_bases[] = {GT_BASES(BASIS_NAME) NULL};
const char *const gt_kan_base_names[] = {"none", "silu", "identity", "relu", "gelu", "tanh", NULL};
const char *const gt_kan_norm_names[] = {"none", "tanh", "layer_norm", NULL};
const char *const gt_kan_edge_sizes[] = {"activation", "coefficient", NULL};

static const gt_field update_fields[] = {
    GT_ROW(gt_kan_grid_update, every, GT_FIELD_INT, .min = 1, .max = 1e12,
           .help = "update every this many steps, starting before the first step of a phase (default: 5)"),
    GT_ROW(gt_kan_grid_update, until, GT_FIELD_INT, .min = 1, .max = 1e12,
           .help = "last step of a phase with an update (default: ten times `every`)"),
    GT_ROW(gt_kan_grid_update, blend, GT_FIELD_FLOAT, .min = 1e-3, .max = 1,
           .help = "weight of a uniform grid in the new one; the rest has equally many samples per "
                   "interval (default: 0.02)"),
    {.name = NULL},
};
const gt_schema gt_kan_grid_update_schema = {
    .name = "grid_update", .help = "grid updates that follow the data", .fields = update_fields};

enum {
  USES_GRID = 1,
  USES_DEGREE = 2,
  USES_RANGE = 4,
  USES_WIDTH = 8,
  USES_EXPONENTS = 16,
  USES_NOISE = 32,   /* noise, and grid_update */
  USES_CENTRES = 64, /* centers and widths that can be learned */
  USES_FREQUENCIES = 128
};

#define SPLINES USES_GRID | USES_DEGREE | USES_RANGE | USES_NOISE
#define BUMPS   USES_GRID | USES_RANGE | USES_WIDTH | USES_CENTRES
#define POLYNOMIALS \
  { USES_DEGREE, 0, 4, 1, "tanh", "none", false }
/* Columns: uses, grid, degree, high, norm, base, has_bias, has_scale. */
static const gt_kan_basis_info infos[] = {
    [GT_BASIS_BSPLINE] = {SPLINES, 5, 3, 1, "none", "silu", false, true},
    [GT_BASIS_PIECEWISE_LINEAR] = {USES_GRID | USES_RANGE, 5, 0, 1, "none", "none", false},
    [GT_BASIS_FOURIER] = {USES_GRID | USES_FREQUENCIES, 5, 0, 1, "none", "none", true},
    [GT_BASIS_CHEBYSHEV] = POLYNOMIALS,
    [GT_BASIS_LEGENDRE] = POLYNOMIALS,
    [GT_BASIS_HERMITE] = POLYNOMIALS,
    [GT_BASIS_JACOBI] = {USES_DEGREE | USES_EXPONENTS, 0, 4, 1, "tanh", "none", false},
    [GT_BASIS_RBF] = {BUMPS, 8, 0, 2, "layer_norm", "silu", true},
    [GT_BASIS_RSWAF] = {BUMPS, 8, 0, 2, "layer_norm", "none", false},
    [GT_BASIS_WAVELET] = {BUMPS, 8, 0, 2, "none", "none", false},
    [GT_BASIS_SINC] = {USES_GRID | USES_RANGE | USES_CENTRES, 8, 0, 2, "none", "none", false},
};

static bool is_set(const gt_build *build, const char *key) {
  return build->spec && build->spec->kind == GT_SPEC_MAP && gt_spec_find(build->spec, key);
}

/* False, after reporting, if a key is set that this basis does not use. */
static bool check_uses(gt_build *build, const gt_kan_config *c, const gt_kan_basis_info *f) {
  static const struct {
    unsigned use;
    const char *key;
  } keys[] = {{USES_GRID, "grid"},
              {USES_DEGREE, "degree"},
              {USES_RANGE, "range"},
              {USES_WIDTH, "width"},
              {USES_EXPONENTS, "alpha"},
              {USES_EXPONENTS, "beta"},
              {USES_NOISE, "noise"},
              {USES_NOISE, "grid_update"},
              {USES_CENTRES, "learn_centres"},
              {USES_CENTRES, "learn_widths"},
              {USES_FREQUENCIES, "learn_frequencies"}};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (!(f->uses & keys[i].use) && is_set(build, keys[i].key))
      return gt_build_fail(build, keys[i].key, "has '%s', which basis '%s' does not use", keys[i].key,
                           c->basis);
  return true;
}

bool gt_kan_uses_range(const gt_kan_choice *o) { return o->info->uses & USES_RANGE; }

bool gt_kan_read(gt_build *build, const gt_kan_config *c, gt_kan_choice *o) {
  *o = (gt_kan_choice){.config = c};
  while (strcmp(gt_kan_bases[o->basis], c->basis)) o->basis++;
  const gt_kan_basis_info *f = o->info = &infos[o->basis];
  if (!check_uses(build, c, f)) return false;
  o->grid = is_set(build, "grid") ? (uint32_t)c->grid : f->grid;
  o->degree = is_set(build, "degree") ? (uint32_t)c->degree : f->degree;
  o->low = c->range.count ? c->range.items[0] : -f->high;
  o->high = c->range.count ? c->range.items[c->range.count - 1] : f->high;
  o->alpha = is_set(build, "alpha") ? c->alpha : 1;
  o->beta = is_set(build, "beta") ? c->beta : 1;
  o->noise = is_set(build, "noise") ? c->noise : 0.1;
  o->norm = c->input_norm ? c->input_norm : f->norm;
  o->base = c->base ? c->base : f->base;
  o->has_bias = is_set(build, "bias") ? c->bias : f->has_bias;
  o->has_scale = is_set(build, "spline_scale") ? c->spline_scale : f->has_scale;
  o->adapts = is_set(build, "grid_update") && !gt_spec_is_null(gt_spec_find(build->spec, "grid_update"));
  o->learns_centres = c->learn_centres;
  o->learns_widths = c->learn_widths || c->learn_frequencies;
  if (o->basis == GT_BASIS_BSPLINE && o->degree > GT_BASIS_MOST_DEGREE)
    return !gt_build_error(build, "degree", "has splines of degree %u; %d is the highest", o->degree,
                           (int)GT_BASIS_MOST_DEGREE);
  if (c->range.count && (c->range.count != 2 || !(o->high - o->low > 0) || !isfinite(o->high - o->low)))
    return !gt_build_error(build, "range", "needs two numbers in 'range', the smaller first");
  return true;
}

gt_kan_branch_settings gt_kan_branch_settings_of(const void *config) {
  const gt_kan_config *c = config;
  uint32_t basis = 0;
  while (strcmp(gt_kan_bases[basis], c->basis)) basis++;
  return (gt_kan_branch_settings){c->input_norm ? c->input_norm : infos[basis].norm,
                                  c->base ? c->base : infos[basis].base, c->width};
}
