/* gt_symbolic: a formula as a network. Each edge is c f(a x + b) with a function f of the library; each node
 * is the sum of its edges and a constant. The search starts from fits of the single edges of a trained
 * network, fits all constants together to samples in double (Levenberg-Marquardt), and chooses the functions
 * that give the shortest description. The inputs are the model's, before any scaling. Owner: the caller of
 * gt_symbolic_find. */
#ifndef GT_KAN_SYMBOLIC_H
#define GT_KAN_SYMBOLIC_H
#include "kan/edge_fit.h"
#include "kan/network.h"

enum { GT_CONSTANT_A, GT_CONSTANT_B, GT_CONSTANT_C, GT_EDGE_CONSTANTS };
enum { GT_SYMBOLIC_MAX_EDGES = 200 };

typedef struct gt_symbolic_edge {
  int layer, from, to; /* node `from` of the layer's inputs, `to` of its outputs */
  int row;             /* index of the edge in gt_symbolic_report.edge */
  const gt_symbol *symbol;
  double value[GT_EDGE_CONSTANTS];
  bool fixed[GT_EDGE_CONSTANTS]; /* not fitted: redundant, or a rounded number */
} gt_symbolic_edge;

typedef struct gt_symbolic {
  gt_arena arena;
  int layers;
  int *width;             /* [layers + 1] */
  gt_symbolic_edge *edge; /* [edges], ordered by layer */
  int edges;
  double **bias;            /* [layers + 1]: [width]: the constant of each node; NULL for the inputs */
  bool **bias_fixed;        /* like gt_symbolic_edge.fixed */
  double rounded_bits;      /* bits of the rounded constants in the description length */
  const char *const *names; /* [width[0]]: of the inputs in formulas; NULL: x0, x1, … */
} gt_symbolic;

/* The budget of a search, in operations of its fits, so that the search ends at the same point on every
 * machine. */
typedef struct gt_symbolic_effort {
  double spent, budget;
} gt_symbolic_effort;

typedef struct gt_symbolic_data { /* x [samples, inputs], y [samples, outputs] */
  const double *x, *y;
  int64_t samples;
  int inputs, outputs;
  const int *output;        /* [outputs]: the outputs of the network that y has; NULL: 0, 1, … */
  const double *weight;     /* [outputs]: factor of an output's errors; NULL: 1 */
  const double *relative;   /* [samples, outputs]: a further factor (gt_symbolic_find_noise); NULL: 1 */
  double variation;         /* sum of (y - mean)^2 over all outputs; if that is 0, of y^2; if that is 0, 1 */
  double rounding;          /* smallest sum of squared residuals that counts: that of an exact formula on
                             * float32 samples; if fits_network, a millionth of `variation` */
  bool fits_network;        /* y are the outputs of a network */
  const char *const *names; /* [inputs]: column names, or NULL */
  gt_symbolic_effort *effort; /* budget of all fits with these data; NULL: unlimited */
} gt_symbolic_data;
gt_symbolic_data gt_symbolic_data_of(const double *x, const double *y, int64_t samples, int inputs,
                                     int outputs);
/* The factor by which an error is multiplied before it is squared. */
static inline double gt_symbolic_weight(const gt_symbolic_data *data, int64_t sample, int output) {
  return (data->weight ? data->weight[output] : 1) *
         (data->relative ? data->relative[sample * data->outputs + output] : 1);
}
/* States that y are the outputs of a network. A formula then need not explain the last millionth of their
 * variance, because splines only approximate the function that they learned. */
void gt_symbolic_set_fits_network(gt_symbolic_data *data);

/* Result of the search for one group of outputs that share nodes. */
typedef struct gt_symbolic_verdict {
  const int *output; /* [outputs], ascending */
  int outputs;
  int constants;            /* fitted constants, before rounding */
  int rounded;              /* constants that were rounded to simple numbers */
  const gt_symbolic *rival; /* the second-best formula, in the arena of *out; or NULL */
  double lead;              /* bits by which the description of the rival is longer */
  bool cut_short;           /* the budget was spent before all alternatives were tried */
} gt_symbolic_verdict;

/* The fits of the single edges, and the results of the search. */
typedef struct gt_symbolic_report {
  const gt_symbolic_edge *edge; /* [rows]: all edges of the network */
  gt_edge_fit *fit;             /* [rows, count], best first */
  int rows, count;              /* number of edges; of functions that are tried for an edge */
  gt_symbolic_verdict *verdict; /* [verdicts]: one for each group of outputs */
  int verdicts;
} gt_symbolic_report;

typedef struct gt_symbolic_options {
  const bool *allowed; /* [gt_symbol_count()]: functions that edges may be; NULL: all */
  bool as_fitted;      /* do not round constants */
  double effort;       /* budget in operations; 0: about half a minute on one core */
} gt_symbolic_options;

/* Finds a formula for the network. Groups of outputs that share no node are searched separately, with the
 * errors of each output in units of its standard deviation. The result is in normal form
 * (gt_symbolic_normalize), with constants rounded to simple numbers where that makes it shorter. `scaled`:
 * the inputs as the network reads them; data: the unscaled inputs, and the values to fit. An edge with the
 * same value at all samples becomes part of a constant. GT_ERR_DATA if the network has too many edges, or if
 * no function fits an edge. The report is in the arena of *out. */
bool gt_symbolic_find(gt_symbolic *out, const gt_kan_network *network, const double *scaled,
                      const gt_symbolic_data *data, const gt_symbolic_options *options,
                      gt_symbolic_report *report, gt_error *error);
void gt_symbolic_finish(gt_symbolic *symbolic); /* accepts a zeroed one */

/* Fits all constants that are not fixed. Returns the sum of squared residuals; infinite if at some sample the
 * formula has no finite value or the argument of a function is outside its domain. */
double gt_symbolic_fit(gt_symbolic *symbolic, const gt_symbolic_data *data, int max_steps);
/* The same sum without fitting. */
double gt_symbolic_sum(const gt_symbolic *symbolic, const gt_symbolic_data *data);
void gt_symbolic_evaluate(const gt_symbolic *symbolic, const double *x, double *y); /* one sample */
/* The sum of squared differences between two formulas, weighted like errors. */
double gt_symbolic_distance(const gt_symbolic *a, const gt_symbolic *b, const gt_symbolic_data *data);
/* The smallest and the largest x of each edge over the samples, [edges]. */
void gt_symbolic_ranges(const gt_symbolic *symbolic, const double *x, int64_t samples, double *low,
                        double *high);
/* The value of node `node` of a layer (0: the inputs) at each sample, [samples]. */
void gt_symbolic_node_values(const gt_symbolic *symbolic, const gt_symbolic_data *data, int layer, int node,
                             double *values);
double gt_symbolic_edge_value(const gt_symbolic_edge *edge, double x); /* c f(a x + b) */
/* Sum of the complexities of all functions, in bits. */
double gt_symbolic_complexity(const gt_symbolic *symbolic);

/* Removes nodes and edges if the description does not get longer without them (gt_symbolic_criterion) or, if
 * coarse, if the sum of squares hardly grows. True if any was removed. */
bool gt_symbolic_simplify(gt_symbolic *symbolic, const gt_symbolic_data *data, bool coarse);
/* Removes redundant constants: one inside a function and one outside that can replace each other. The values
 * stay the same. */
void gt_symbolic_normalize(gt_symbolic *symbolic);
/* Rounds constants to simple numbers (0, 1/2, 3, pi, …), one after another, each time fitting the others
 * again, where that makes the formula shorter (gt_symbolic_length). Returns the number of rounded
 * constants. */
int gt_symbolic_round_constants(gt_symbolic *symbolic, const gt_symbolic_data *data);

/* Description lengths in bits (Rissanen, "Modeling by shortest data description", 1978), for comparison only:
 * n/2 log2 s for n values (samples times outputs) with a sum of squared residuals s (at least that of
 * rounding), assuming Gaussian noise with the variance estimated from s; plus the complexity of the
 * functions.
 *
 * The criterion adds half a log2 n for each fitted constant (Schwarz, "Estimating the dimension of a model",
 * 1978). */
double gt_symbolic_criterion(const gt_symbolic *symbolic, const gt_symbolic_data *data, double sum);
/* The length of a formula in normal form adds for each free constant the bits of its digits down to its
 * standard error (at least half a log2 n), and for each rounded constant the bits of its rank among simple
 * numbers. */
double gt_symbolic_length(gt_symbolic *symbolic, const gt_symbolic_data *data, double sum);

/* --- within kan/ --- */
bool gt_symbolic_is_exhausted(const gt_symbolic_data *data); /* true if the budget is spent */
void gt_symbolic_measure(gt_symbolic_data *data);            /* sets variation and rounding */
/* Removes edges that lead to no output; adds edges that do not depend on an input to the constant of their
 * node. True if there were any. */
bool gt_symbolic_drop_loose_ends(gt_symbolic *symbolic);
typedef struct gt_symbolic_constant {
  double *value;
  bool *fixed;
} gt_symbolic_constant;
/* Writes the constants that are not fixed to `list`, unless it is NULL; returns their number. */
int gt_symbolic_free_constants(gt_symbolic *symbolic, gt_symbolic_constant *list);
/* The standard errors of these constants, for noise with a standard deviation of 1. */
void gt_symbolic_deviations(gt_symbolic *symbolic, const gt_symbolic_data *data, double *deviation);
/* The variance of the noise, estimated from the residuals of a fit. */
double gt_symbolic_noise(const gt_symbolic_data *data, double sum, int constants);
/* Sets data->relative if, by the residuals of the formula, the noise of an output is more likely proportional
 * to its values than the same for all samples. True if it is. The factors are in the arena. */
bool gt_symbolic_find_noise(gt_symbolic_data *data, const gt_symbolic *formula, gt_arena *arena);
double gt_symbolic_error_bits(const gt_symbolic_data *data, double sum); /* n/2 log2 (sum / variation) */
/* Bits of a free constant with this standard error. */
double gt_symbolic_constant_bits(const gt_symbolic_data *data, double value, double error);

/* A group of outputs that share nodes, as a separate network with its data (symbolic_group.c). */
typedef struct gt_symbolic_group {
  gt_symbolic part;      /* all nodes, but only edges and free constants of the group; has its own arena */
  gt_symbolic_data data; /* in the arena of `part`, with weights */
  bool **node;           /* [layers + 1]: [width]: true if the node is in the group */
} gt_symbolic_group;
/* Fills *list, heap memory, with the groups; returns their number, at least 1. */
int gt_symbolic_split(const gt_symbolic *symbolic, const gt_symbolic_data *data, gt_symbolic_group **list);
/* Combines the parts into *symbolic; frees the list. */
void gt_symbolic_join(gt_symbolic *symbolic, gt_symbolic_group *list, int count);

/* A copy in `arena`; the member `arena` of the copy is empty. */
gt_symbolic gt_symbolic_copy(gt_arena *arena, const gt_symbolic *symbolic);
/* Sets function and constants of the edge. */
void gt_symbolic_set_fit(gt_symbolic_edge *edge, const gt_edge_fit *fit);
#endif
