/* gt_kan_network: a trained Kolmogorov-Arnold network as plain numbers on the host, in double, for
 * pruning, drawing and symbolic fits. Layers of type `kan`, one after the other, each edge a function phi(x)
 * of its own: basis functions by their coefficients (scales and mask are in them) and the base branch.
 * Splines are evaluated in double, other bases as exactly as kernels do. An edge
 * that a symbolic fit has replaced is a function of the library. Owner: whoever called gt_kan_network_read.
 */
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
  double *behind;           /* knots, centres or widths of the functions, [inputs, gt_kan_behind]; or NULL */
  bool squashed;            /* the functions read tanh(x) */
  double *coefficient;      /* [inputs, outputs, functions], silu as the last where the basis has it */
  double *base_weight;      /* [inputs, outputs], or NULL */
  double *bias;             /* [outputs], or NULL */
  bool *edge;               /* [inputs, outputs]: not pruned */
  gt_edge_fit *symbolic_edge; /* [inputs, outputs]: symbol NULL: a sum of basis functions; or NULL */
} gt_kan_layer;

typedef struct gt_kan_network {
  gt_arena arena;
  gt_kan_layer *layer;
  int layers;
} gt_kan_network;

/* Why a layer of the model cannot be in such a network, as the end of a sentence; NULL: it can. */
const char *gt_kan_network_lacks(const gt_model *model, int layer);
/* Reads the network from a built model and the values of its slots. GT_ERR_DATA, naming the layer, if the
 * model is not made of KAN layers alone, one after the other. `path`: whose, for messages. */
bool gt_kan_network_read(gt_kan_network *network, const gt_model *model, const gt_state_dict *dict,
                         const char *path, gt_error *error);
void gt_kan_network_finish(gt_kan_network *network); /* accepts a zeroed one */
int gt_kan_network_inputs(const gt_kan_network *network);
int gt_kan_network_outputs(const gt_kan_network *network);

/* The function of a symbolic edge; NULL: the edge is a sum of basis functions. */
const gt_edge_fit *gt_kan_edge_function(const gt_kan_layer *layer, int input, int output);
/* y[k] = phi(x[k]) of one edge, k < count. */
void gt_kan_edge(const gt_kan_layer *layer, int input, int output, const double *x, int64_t count, double *y);

/* Samples as the model's first layer reads them, scaled; or, with input NULL, as the data has them: [samples,
 * inputs], heap; at most `most` of them, evenly taken. NULL (GT_ERR_DATA) if they are not `inputs` numbers
 * each. */
double *gt_kan_samples(const gt_input *input, const gt_tensor *tensor, int inputs, int64_t most,
                       int64_t *samples, gt_error *error);

/* Values of all nodes of a network for samples of its inputs. */
typedef struct gt_kan_trace {
  int64_t samples;
  int layers;
  double **node;      /* [layers + 1]: values of its inputs, then of each layer's outputs, [width, samples] */
  double **deviation; /* [layers]: of each edge's values, [inputs, outputs] */
  double **spread;    /* [layers + 1]: deviation of each node, [width] */
} gt_kan_trace;
void gt_kan_trace_run(gt_kan_trace *trace, const gt_kan_network *network, const double *x, int64_t samples);
void gt_kan_trace_finish(gt_kan_trace *trace); /* accepts a zeroed one */
#endif
