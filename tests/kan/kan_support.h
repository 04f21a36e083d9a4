/* Builds networks whose edges are B-splines that approximate known functions. */
#ifndef TESTS_KAN_SUPPORT_H
#define TESTS_KAN_SUPPORT_H
#include "kan/scores.h"
#include "kan/symbolic.h"
#include "layer/kan/kan_host.h"
#include "layer/kan/spline.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef double edge_function(double x);

enum {
  KNOWN_GRID = 20,    /* intervals of the grid of each spline */
  KNOWN_POINTS = 200, /* points at which a spline is fitted to its function */
  KNOWN_SAMPLES = 400 /* samples of the inputs in most tests */
};

/* A network without edges; set_edge adds them. width: [layers + 1], nodes per layer, inputs first; low, high:
 * range of the grids. */
static inline void init_network(gt_kan_network *n, const int *width, int layers, double low, double high) {
  *n = (gt_kan_network){.layers = layers};
  gt_arena_init(&n->arena);
  n->layer = GT_NEW_N(&n->arena, gt_kan_layer, layers);
  for (int l = 0; l < layers; l++) {
    gt_kan_layer *layer = &n->layer[l];
    const size_t edges = (size_t)(width[l] * width[l + 1]);
    layer->name = gt_arena_printf(&n->arena, "kan%d", l + 1);
    layer->inputs = width[l];
    layer->outputs = width[l + 1];
    layer->basis = gt_kan_bspline(low, high, KNOWN_GRID, 3);
    layer->coefficient = GT_NEW_N(&n->arena, double, edges * layer->basis.terms);
    layer->edge = GT_NEW_N(&n->arena, bool, edges);
  }
}

/* Adds edge `from` -> `to` to layer l: fits its spline, which must be zero before, to the function on [low,
 * high]. */
static inline void set_edge(gt_kan_network *n, int l, int from, int to, edge_function *function, double low,
                            double high) {
  gt_kan_layer *layer = &n->layer[l];
  const uint32_t terms = layer->basis.terms;
  const int edge = from * layer->outputs + to;
  double *values = test_malloc(sizeof *values * KNOWN_POINTS * terms);
  double *fit = test_malloc(sizeof *fit * KNOWN_POINTS * terms);
  for (int k = 0; k < KNOWN_POINTS; k++)
    gt_kan_functions(&layer->basis, NULL, low + (high - low) * (k + 0.5) / KNOWN_POINTS,
                     values + (uint32_t)k * terms);
  gt_pseudo_inverse(values, KNOWN_POINTS, terms, fit);
  for (uint32_t t = 0; t < terms; t++)
    for (int k = 0; k < KNOWN_POINTS; k++)
      layer->coefficient[(uint32_t)edge * terms + t] +=
          fit[t * KNOWN_POINTS + (uint32_t)k] * function(low + (high - low) * (k + 0.5) / KNOWN_POINTS);
  layer->edge[edge] = true;
  test_free(values);
  test_free(fit);
}

/* Pseudo-random numbers in [low, high]; the caller frees them with test_free. */
static inline double *random_values(int64_t count, double low, double high) {
  double *x = test_malloc(sizeof *x * (size_t)count);
  uint32_t state = 12345;
  for (int64_t k = 0; k < count; k++) {
    state = state * 1664525u + 1013904223u;
    x[k] = low + (high - low) * ((double)(state >> 8) + 0.5) / 16777216.0;
  }
  return x;
}
#endif
