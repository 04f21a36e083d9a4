/* Symbolic fit: replaces edges of a trained network by functions of the library, c f(a x + b) + d, each
 * fitted to the edge's own values at the samples; and writes the result into configs and parameters. Owner:
 * the phase that does the fit (src/change/symbolic.c). */
#ifndef GT_KAN_SYMBOLIC_EDGES_H
#define GT_KAN_SYMBOLIC_EDGES_H
#include "kan/network.h"
#include "kan/scores.h"
#include "kan/symbolic.h"
#include "layer/kan/kan_symbolic.h"
#include "spec/spec.h"

typedef struct gt_symbolic_edges_request { /* an edge that the config requests to be symbolic */
  int layer, from, to;
  const gt_symbol *symbol; /* NULL: the best function of the library */
  bool limited;            /* use `symbol` only if its fit reaches minimum_r2 */
} gt_symbolic_edges_request;

typedef struct gt_symbolic_edges_options {
  double minimum_r2;    /* edges that no function explains this well stay splines, except for requests */
  double weight_simple; /* w: fits minimize w complexity + (1 - w) log2(1 - r2) */
  const bool *allowed;  /* [gt_symbol_count()] */
  const gt_symbolic_edges_request *request;
  int requests; /* 0: all edges */
  int threads;  /* as for gt_pool_create */
} gt_symbolic_edges_options;

/* Replaces edges of the network by functions, then normalizes them (gt_kan_normalize). Edges that are
 * symbolic already stay as they are. tried: [layers], for each layer an array [inputs, outputs] that receives
 * the best fit of each edge that was tried; symbol NULL: the edge was not tried. */
void gt_kan_fit_symbolic_edges(gt_kan_network *network, const gt_kan_trace *trace,
                               const gt_symbolic_edges_options *options, gt_edge_fit *const *tried);

/* Chooses functions by a formula for the whole network (gt_symbolic_find) and adds them to the options as
 * limited requests: for the requested edges without a function or, without requests, for all edges.
 * GT_ERR_DATA if the network cannot be read as a formula. */
bool gt_kan_choose_functions_jointly(const gt_kan_network *network, const double *scaled,
                                     const gt_symbolic_data *data, gt_symbolic_edges_options *options,
                                     gt_arena *arena, gt_error *error);

/* The symbolic edges of a layer, ordered by function, and their constants. */
typedef struct gt_kan_edge_functions {
  gt_kan_symbolic symbolic;
  const gt_edge_fit **fit; /* [symbolic.edges] */
} gt_kan_edge_functions;
/* kept: nodes are numbered as after pruning; NULL: nothing is pruned. */
gt_kan_edge_functions gt_kan_edge_functions_of(gt_arena *arena, const gt_kan_network *network, int layer,
                                               const gt_kan_kept *kept);
/* Writes the constants into the parameters of the layer of that name. */
void gt_kan_edge_functions_write(const gt_kan_edge_functions *functions, const char *layer,
                                 gt_state_dict *dict);

/* The settings of a layer in a config that lists its KAN layers one by one; `- kan: 5` becomes a map. NULL if
 * the config does not list them one by one. */
gt_spec *gt_kan_settings(gt_arena *arena, gt_spec *root, int layer, int layers);
/* Sets a key of a layer's settings (gt_kan_settings). */
void gt_kan_set(gt_arena *arena, gt_spec *settings, const char *key, gt_spec *value);
/* Sets the key `symbolic` of a layer's settings to the list, or removes it if the list is empty. False if
 * gt_kan_settings does not find them. */
bool gt_kan_set_symbolic(gt_arena *arena, gt_spec *root, int layer, int layers, const gt_spec *list);

/* Normalizes the constants of symbolic edges: the network computes the same, but its nodes, and the arguments
 * and values of its functions, are neither large nor small nor differences of large numbers. This reduces
 * rounding in float32, and an optimizer converges faster. Also makes the mean of a hidden node 0 and its
 * standard deviation 1, if all its edges, in and out, are symbolic. */
void gt_kan_normalize(gt_kan_network *network, const gt_kan_trace *trace);
#endif
