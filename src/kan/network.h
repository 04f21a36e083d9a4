/* gt_kan_network: a trained Kolmogorov-Arnold network as plain numbers on the host, in double, for
 * pruning, drawing and symbolic fits. It is a sequence of `kan` layers. Each edge has a function phi(x): the
 * sum of basis functions times their coefficients (which include scales and mask), plus the base branch; or,
 * if a symbolic fit has replaced the edge, a function of the library. Splines are evaluated in double, other
 * bases with the accuracy of the kernels. Owner: the caller of gt_kan_network_read. */
#ifndef GT_KAN_NETWORK_H
#define GT_KAN_NETWORK_H
#include "data/data.h"
#include "kan/edge_fit.h"
#include "model/model.h"
#include "op/kan/kan.h"
#include "store/state_dict.h"

typedef struct gt_kan_layer {
  const char *name;
  int inputs, outputs;
  gt_kan_attribute basis;
  double (*base)(double x); /* base branch; NULL: none */
  /* [inputs, gt_kan_parameter_rows]: knots, frequencies, or centers and inverse widths of the functions;
   * NULL: none. */
  double *positions;
  bool squashed;              /* the functions read tanh(x) */
  double *coefficient;        /* [inputs, outputs, functions], silu last if the basis includes it */
  double *base_weight;        /* [inputs, outputs], or NULL */
  double *bias;               /* [outputs], or NULL */
  bool *edge;                 /* [inputs, outputs]: not pruned */
  gt_edge_fit *symbolic_edge; /* [inputs, outputs]: `symbol` is NULL for a sum of basis functions; or NULL */
} gt_kan_layer;

typedef struct gt_kan_network {
  gt_arena arena;
  gt_kan_layer *layer;
  int layers;
} gt_kan_network;

/* Why a layer of the model cannot be part of a gt_kan_network, as the end of a sentence; NULL: it can. */
const char *gt_kan_network_obstacle(const gt_model *model, int layer);
/* Reads the network from a built model and the values of its slots. GT_ERR_DATA, naming the layer, if the
 * model is not a sequence of KAN layers. `path`: the model file, for messages. */
bool gt_kan_network_read(gt_kan_network *network, const gt_model *model, const gt_state_dict *dict,
                         const char *path, gt_error *error);
/* Makes the network compute outputs in the units of the data: multiplies the last layer by the scale of the
 * targets and adds their mean. scaling->count is 0 or the number of outputs. */
void gt_kan_network_unscale(gt_kan_network *network, const gt_target_scaling *scaling);
void gt_kan_network_finish(gt_kan_network *network); /* accepts a zeroed one */
int gt_kan_network_inputs(const gt_kan_network *network);
int gt_kan_network_outputs(const gt_kan_network *network);
int gt_kan_network_edges(const gt_kan_network *network); /* number of edges that are not pruned */

/* The function of a symbolic edge; NULL: the edge is a sum of basis functions. */
const gt_edge_fit *gt_kan_edge_function(const gt_kan_layer *layer, int input, int output);
/* y[k] = phi(x[k]) of one edge, k < count. */
void gt_kan_edge_values(const gt_kan_layer *layer, int input, int output, const double *x, int64_t count,
                        double *y);

/* Returns samples of an input [samples, inputs], on the heap: at most max_samples of the tensor's, at equal
 * distances. Categories are one-hot, as the network reads them. scaled: false: in the units of the data.
 * input: NULL for targets, which are not scaled. Returns NULL (GT_ERR_DATA) if a sample does not have
 * `inputs` numbers. */
double *gt_kan_samples(const gt_input *input, bool scaled, const gt_tensor *tensor, int inputs,
                       int64_t max_samples, int64_t *samples, gt_error *error);

/* The values of all nodes of a network at samples of its inputs. */
typedef struct gt_kan_trace {
  gt_arena arena;
  int64_t samples;
  double **node;      /* [layers + 1]: values of the inputs, then of each layer's outputs, [width, samples] */
  double **deviation; /* [layers]: standard deviation of each edge's values, [inputs, outputs] */
  double **spread;    /* [layers + 1]: standard deviation of each node's values, [width] */
} gt_kan_trace;
void gt_kan_trace_run(gt_kan_trace *trace, const gt_kan_network *network, const double *x, int64_t samples);
void gt_kan_trace_finish(gt_kan_trace *trace); /* accepts a zeroed one */
#endif
