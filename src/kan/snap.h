/* Snapping: edges of a trained network that become functions by name, c f(a x + b) + d, each by what its own
 * function looks like over what samples bring to it; and what follows from it for configs and values. */
#ifndef GT_KAN_SNAP_H
#define GT_KAN_SNAP_H
#include "kan/scores.h"
#include "kan/symbolic.h"
#include "layer/kan/kan_symbolic.h"
#include "spec/spec.h"

typedef struct gt_snap_wish { /* an edge that was asked for */
  int layer, from, to;
  const gt_symbol *symbol; /* NULL: the best one */
  bool limited;            /* that one if it explains enough */
} gt_snap_wish;

typedef struct gt_snap_limits {
  double minimum_r2;    /* a function that explains less is none for an edge, unless it was asked for */
  double weight_simple; /* of complexity beside log2(1 - r2), which has the rest of 1 */
  const bool *allowed;  /* [symbols] */
  const gt_snap_wish *wish;
  int wishes;  /* 0: all edges */
  int threads; /* as gt_pool_create has it */
} gt_snap_limits;

/* Makes edges of the network functions: those that are one already stay it. tried: [layers], of each an array
 * [inputs, outputs] that receives the best fit of each edge that was tried; symbol NULL: it was not. */
void gt_kan_snap(gt_kan_network *network, const gt_kan_trace *trace, const gt_snap_limits *limits,
                 gt_edge_fit *const *tried);

/* What edges are when the network is read as a formula as a whole (gt_symbolic_find), as limited wishes of
 * `wish`: those that want no function in particular; or of all edges, where there are none. GT_ERR_DATA if it
 * cannot be read. */
bool gt_kan_snap_together(const gt_kan_network *network, const double *scaled, const gt_symbolic_data *data,
                          gt_snap_limits *limits, gt_arena *arena, gt_error *error);

/* The edges of a layer that are functions, ordered by function, and what they are. */
typedef struct gt_kan_snapping {
  gt_kan_symbolic symbolic;
  const gt_edge_fit **fit; /* [symbolic.edges] */
} gt_kan_snapping;
/* kept: as they are numbered when the others are gone; NULL: all stay. */
gt_kan_snapping gt_kan_snapping_of(gt_arena *arena, const gt_kan_network *network, int layer,
                                   const gt_kan_kept *kept);
/* Into the parameters of the layer of that name. */
void gt_kan_snapping_write(const gt_kan_snapping *snapping, const char *layer, gt_state_dict *dict);

/* The settings of a layer in a config whose model is written out, a KAN layer an entry: `- kan: 5` becomes a
 * map. NULL: it is not. */
gt_spec *gt_kan_settings(gt_arena *arena, gt_spec *root, int layer, int layers);
/* Gives a key of these settings another value. */
void gt_kan_set(gt_arena *arena, gt_spec *settings, const char *key, gt_spec *value);
/* Writes the list there; false: as above. */
bool gt_kan_snap_config(gt_arena *arena, gt_spec *root, int layer, int layers, const gt_spec *list);
#endif
