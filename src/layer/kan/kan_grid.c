/* Positions of functions that differ between inputs: learned centers and inverse widths, as in FasterKAN and
 * SincKAN but per input; learned frequencies; and knots that are adapted to the distribution of an input's
 * values (pykan's update_grid_from_samples: Liu et al., 2024, section 2.4). */
#include "layer/kan/kan_host.h"
#include "base/memory.h"
#include "base/order.h"
#include "layer/kan/kan_layer.h"
#include "layer/kan/spline.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/kan/basis.h"
#include "op/move.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- initial values ------------------------------------------------------------------------------------- */

typedef struct linspace { /* row k: start + k * step, for all inputs */
  double start, step;
} linspace;

static void fill_linspace(const void *settings, const char *name, gt_shape shape, uint64_t seed, float *out) {
  const linspace *l = settings;
  (void)name;
  (void)seed;
  for (int64_t k = 0; k < shape.dim[0]; k++)
    for (int64_t i = 0; i < shape.dim[1]; i++)
      out[k * shape.dim[1] + i] = (float)(l->start + (double)k * l->step);
}

static void fill_rows(const void *config, gt_shape shape, const gt_init_stream *stream, float *out) {
  (void)stream;
  fill_linspace(config, NULL, shape, 0, out);
}

/* A parameter whose rows are initialized to start, start + step, … */
static gt_id learned_rows(gt_build *build, const char *name, gt_shape shape, double start, double step) {
  static const gt_init_type type = {
      .name = "ladder", .help = "evenly spaced", .min_rank = 2, .fill = fill_rows};
  const linspace rows = {start, step};
  return gt_build_parameter(build, name, shape, gt_init_create(build->arena, &type, &rows, sizeof rows));
}

/* The same values as constants. */
static gt_id fixed_rows(gt_build *build, gt_shape shape, double start, double step) {
  gt_graph *graph = build->graph;
  if (step == 0) return gt_expand(graph, gt_constant(graph, start), shape);
  gt_id *row = GT_NEW_N(build->arena, gt_id, shape.dim[0]);
  for (int64_t k = 0; k < shape.dim[0]; k++)
    row[k] = gt_expand(graph, gt_constant(graph, start + (double)k * step), gt_shape_2(1, shape.dim[1]));
  return gt_concatenate(graph, row, (int)shape.dim[0], 0);
}

/* Learned or fixed centers and inverse widths, or frequencies, as shaders/op/kan/basis.h expects them. */
static gt_id learned_positions(gt_build *build, const gt_kan_choice *o, const gt_kan_attribute *a,
                               int64_t inputs) {
  const gt_shape shape = gt_shape_2(a->terms, inputs);
  if (a->basis == GT_BASIS_FOURIER) {
    const gt_id waves = learned_rows(build, "frequencies", gt_shape_2(a->terms / 2, inputs), 1, 1);
    const gt_id parts[3] = {fixed_rows(build, shape, 0, 0), waves, waves};
    return gt_concatenate(build->graph, parts, 3, 0);
  }
  const double spacing = 1 / (double)a->inverse;
  const double scale = o->config->width > 0 ? 1 / o->config->width : (double)a->inverse;
  const gt_id parts[2] = {o->learns_centres ? learned_rows(build, "centres", shape, o->low, spacing)
                                            : fixed_rows(build, shape, o->low, spacing),
                          o->learns_widths ? learned_rows(build, "scales", shape, scale, 0)
                                           : fixed_rows(build, shape, scale, 0)};
  return gt_concatenate(build->graph, parts, 2, 0);
}

gt_id gt_kan_positions(gt_build *build, const gt_kan_choice *o, const gt_kan_attribute *a, int64_t inputs) {
  if (a->placed) return learned_positions(build, o, a, inputs);
  if (a->basis != GT_BASIS_KNOTS) return GT_NONE;
  const double step = (o->high - o->low) / o->grid;
  const linspace rows = {o->low - (double)o->degree * step, step};
  const gt_fill fill = {.write = fill_linspace, .settings = gt_arena_copy(build->arena, &rows, sizeof rows)};
  return gt_build_filled_state(build, "knots", gt_shape_2(gt_kan_parameter_rows(a), inputs), fill,
                               GT_ASCENDING, gt_arena_copy(build->arena, a, sizeof *a));
}

/* --- updates of knots ----------------------------------------------------------------------------------- */

typedef struct grid_update { /* settings of adapt() */
  gt_kan_attribute a;
  int64_t inputs, units;
  double blend;
} grid_update;

void gt_kan_extend_knots(double *knot, uint32_t cells, uint32_t degree) {
  const double step = (knot[degree + cells] - knot[degree]) / cells;
  for (uint32_t k = 1; k <= degree; k++) {
    knot[degree - k] = knot[degree] - k * step;
    knot[degree + cells + k] = knot[degree + cells] + k * step;
  }
}

/* The quantile of sorted values for a fraction from 0 to 1, interpolated. */
static double quantile(const float *sorted, int64_t count, double fraction) {
  const double at = fraction * (double)(count - 1);
  const int64_t k = (int64_t)at < count - 2 ? (int64_t)at : count - 2;
  return (double)sorted[k] + (at - (double)k) * ((double)sorted[k + 1] - (double)sorted[k]);
}

/* Computes an input's new knots from its values; false if these are almost equal, so that the input keeps its
 * knots. */
static bool find_knots(const grid_update *f, float *value, int64_t count, double *knot) {
  const uint32_t degree = f->a.degree, cells = f->a.terms - degree;
  qsort(value, (size_t)count, sizeof *value, gt_order_floats);
  const double low = (double)value[0], high = (double)value[count - 1];
  if (count < 2 || !(high - low > 1e-5 * (1 + fabs(low) + fabs(high))) || !isfinite(high - low)) return false;
  for (uint32_t k = 0; k <= cells; k++) {
    const double fraction = (double)k / cells, uniform = low + fraction * (high - low);
    knot[degree + k] = f->blend * uniform + (1 - f->blend) * quantile(value, count, fraction);
  }
  gt_kan_extend_knots(knot, cells, degree);
  return true;
}

/* The values of the slot named PREFIX LAYER.NAME (without the space); NULL if there is none. */
static float *layer_values(const gt_slot_values *values, const char *prefix, const char *layer,
                           const char *name) {
  char text[1024];
  return snprintf(text, sizeof text, "%s%s.%s", prefix, layer, name) < (int)sizeof text
             ? values->find(values, text)
             : NULL;
}

/* Moves the knots and converts the coefficients, and their moving average if there is one; the optimizer's
 * moments are not changed. */
static void adapt(const gt_adaptation *adaptation, const float *sample, int64_t rows,
                  const gt_slot_values *values) {
  const grid_update *f = adaptation->settings;
  const int64_t knots = gt_kan_parameter_rows(&f->a);
  float *knot = layer_values(values, "", adaptation->layer, "knots");
  float *coefficients[2] = {layer_values(values, "", adaptation->layer, "coefficients"),
                            layer_values(values, GT_AVERAGE_VARIABLE "/", adaptation->layer, "coefficients")};
  float *column = gt_alloc(sizeof *column * (size_t)rows);
  double *before = gt_alloc(sizeof *before * (size_t)knots), *now = gt_alloc(sizeof *now * (size_t)knots);
  for (int64_t i = 0; i < f->inputs; i++) {
    for (int64_t r = 0; r < rows; r++) column[r] = sample[r * f->inputs + i];
    if (!find_knots(f, column, rows, now)) continue;
    for (int64_t k = 0; k < knots; k++) before[k] = (double)knot[k * f->inputs + i];
    /* Rounded to float as they are stored, so that the coefficients fit these knots. */
    for (int64_t k = 0; k < knots; k++) now[k] = (double)(knot[k * f->inputs + i] = (float)now[k]);
    const gt_kan_conversion conversion = {&f->a, &f->a, before, now, i, f->units};
    for (int which = 0; which < 2; which++)
      if (coefficients[which]) gt_kan_convert_input(&conversion, coefficients[which], coefficients[which]);
  }
  free(column);
  free(before);
  free(now);
}

void gt_kan_adapt_grid(gt_build *build, const gt_kan_choice *o, const gt_kan_attribute *a, gt_id x) {
  const gt_kan_grid_update *update = &o->config->grid_update;
  const gt_shape shape = gt_node_at(build->graph, x)->shape;
  const int64_t every = update->every ? update->every : 5;
  const grid_update f = {.a = *a,
                         .inputs = shape.dim[shape.rank - 1],
                         .units = o->config->units,
                         .blend = update->blend > 0 ? update->blend : 0.02};
  gt_build_adapt(build, (gt_adaptation){.key = "grid_update",
                                        .sample = x,
                                        .every = every,
                                        .until = update->until ? update->until : 10 * every,
                                        .settings = gt_arena_copy(build->arena, &f, sizeof f),
                                        .adapt = adapt});
}
