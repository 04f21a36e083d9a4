/* gt_symbolic: a network of which every edge is c f(a x + b), f of the library, and every node a sum of such
 * and of a constant. Read off a trained network edge by edge, then all constants together are fitted to
 * samples in double (Levenberg and Marquardt), where the functions are chosen that explain them with the
 * least complexity. Its inputs are the model's, before any scaling. Owner: whoever called gt_symbolic_find.
 */
#ifndef GT_KAN_SYMBOLIC_H
#define GT_KAN_SYMBOLIC_H
#include "kan/edge_fit.h"
#include "kan/network.h"

enum { GT_CONSTANT_A, GT_CONSTANT_B, GT_CONSTANT_C, GT_EDGE_CONSTANTS };
enum { GT_SYMBOLIC_MOST_EDGES = 200 };

typedef struct gt_symbolic_edge {
  int layer, from, to; /* node `from` of the layer's inputs, `to` of its outputs */
  int row;             /* in the report */
  const gt_symbol *symbol;
  double value[GT_EDGE_CONSTANTS];
  bool fixed[GT_EDGE_CONSTANTS]; /* not fitted: has no say in it, or is a nice number */
} gt_symbolic_edge;

typedef struct gt_symbolic {
  gt_arena arena;
  int layers;
  int *width;             /* [layers + 1] */
  gt_symbolic_edge *edge; /* from the inputs up */
  int edges;
  double **bias; /* [layers + 1]: [width], of the inputs none */
  bool **bias_fixed;
  double nice_bits;         /* what its nice numbers take to be written down */
  const char *const *names; /* [width[0]]: of its inputs in formulas; NULL: x0, x1, … */
} gt_symbolic;

/* What fits of constants have cost, in operations, so that a search of many edges comes to an end at the same
 * place on every machine. */
typedef struct gt_symbolic_effort {
  double spent, most;
} gt_symbolic_effort;

typedef struct gt_symbolic_data { /* x [samples, inputs], y [samples, outputs] */
  const double *x, *y;
  int64_t samples;
  int inputs, outputs;
  const int *output;          /* [outputs]: of the network's outputs, those that y is; NULL: 0, 1, … */
  const double *weight;       /* [outputs]: factor of an output's errors; NULL: 1 */
  double variation;           /* of y, sum of (y - mean)^2 over all outputs; where that is 0, of y^2, or 1 */
  double rounding;            /* sum of squares that float32 samples leave of an exact formula */
  bool of_network;            /* y are a network's outputs */
  const char *const *names;   /* [inputs]: of columns; NULL: there are none */
  gt_symbolic_effort *effort; /* of all fits with these data; NULL: unlimited */
} gt_symbolic_data;
gt_symbolic_data gt_symbolic_data_of(const double *x, const double *y, int64_t samples, int inputs,
                                     int outputs);
/* For y that are a network's outputs: a formula need not explain the last millionth of their variance, as
 * splines only approximate the function that they learned. */
void gt_symbolic_of_network(gt_symbolic_data *data);

/* How a formula was found for outputs that share nodes: each such group has a search of its own. */
typedef struct gt_symbolic_verdict {
  const int *output; /* [outputs], in rising order */
  int outputs;
  int constants;            /* that were fitted, before some became nice numbers */
  int nice;                 /* constants that are nice numbers now */
  const gt_symbolic *rival; /* the second-best formula that is another, in out's arena; NULL: there is none */
  double lead;              /* bits that it is longer by */
  bool cut_short;           /* the search ended before all alternatives were tried */
} gt_symbolic_verdict;

/* What was read off an edge at first: the best few of the library by cost. And what was read in the end. */
typedef struct gt_symbolic_report {
  const gt_symbolic_edge *edge; /* [rows]: all that there were */
  gt_edge_fit *fit;             /* [rows, count], best first */
  int rows, count;
  gt_symbolic_verdict *verdict; /* [verdicts]: each output is in one */
  int verdicts;
} gt_symbolic_report;

typedef struct gt_symbolic_options {
  const bool *allowed; /* [gt_symbol_count()]: functions that edges may be; NULL: all */
  bool as_fitted;      /* no nice numbers */
  double effort;       /* operations that fits may take; 0: what takes about half a minute on one core */
} gt_symbolic_options;

/* The network in functions of the library: for each group of outputs that share no node with others, the
 * errors of each output in units of its deviation. In normal form (gt_symbolic_normalise), its constants nice
 * numbers where that makes it shorter. `scaled`: the samples as the network reads them; data: as they are,
 * and what its outputs are to be. An edge that gives all samples one value is part of a constant. GT_ERR_DATA
 * if the network has too many edges, or none of the functions fits one. The report is in the arena of *out.
 */
bool gt_symbolic_find(gt_symbolic *out, const gt_kan_network *network, const double *scaled,
                      const gt_symbolic_data *data, const gt_symbolic_options *options,
                      gt_symbolic_report *report, gt_error *error);
void gt_symbolic_finish(gt_symbolic *symbolic); /* accepts a zeroed one */

/* Fits all constants that are not fixed; returns the sum of squares: infinite where the formula has no finite
 * value at a sample, or another one than the network (a function beyond its domain). */
double gt_symbolic_fit(gt_symbolic *symbolic, const gt_symbolic_data *data, int most_steps);
double gt_symbolic_sum(const gt_symbolic *symbolic, const gt_symbolic_data *data);
void gt_symbolic_evaluate(const gt_symbolic *symbolic, const double *x, double *y); /* one sample */
/* The sum of squared differences of two, weighed as their errors. */
double gt_symbolic_distance(const gt_symbolic *a, const gt_symbolic *b, const gt_symbolic_data *data);
/* Of each edge the least and the greatest x that samples bring to it, [edges]. */
void gt_symbolic_ranges(const gt_symbolic *symbolic, const double *x, int64_t samples, double *low,
                        double *high);
/* The value of node `node` of a layer (0: the inputs) at each sample, [samples]. */
void gt_symbolic_node_values(const gt_symbolic *symbolic, const gt_symbolic_data *data, int layer, int node,
                             double *values);
double gt_symbolic_edge_value(const gt_symbolic_edge *edge, double x); /* c f(a x + b) */
double gt_symbolic_complexity(const gt_symbolic *symbolic);

/* Takes out nodes and edges without which the whole is no longer, by gt_symbolic_criterion, or, coarse, has a
 * sum of squares that is hardly greater. True if there were any. */
bool gt_symbolic_simplify(gt_symbolic *symbolic, const gt_symbolic_data *data, bool coarse);
/* Takes out what says the same twice: a constant inside and one outside that can stand for each other. The
 * function stays. */
void gt_symbolic_normalise(gt_symbolic *symbolic);
/* Makes constants nice numbers (0, 1/2, 3, pi, …), one after another, the others fitted anew, where that
 * makes the formula shorter (gt_symbolic_length). Returns how many. */
int gt_symbolic_snap(gt_symbolic *symbolic, const gt_symbolic_data *data);

/* Description lengths in bits (Rissanen, "Modeling by shortest data description", 1978), for comparison only.
 * Of n samples with a sum of squared residuals s: n/2 log2 s, which takes the noise for Gaussian and of the
 * deviation that s says, s at least what rounding leaves. Of the functions: their complexity.
 *
 * The criterion, of fitted constants: half a log2 n for each (Schwarz, "Estimating the dimension of a model",
 * 1978). */
double gt_symbolic_criterion(const gt_symbolic *symbolic, const gt_symbolic_data *data, double sum);
/* The length, in normal form: for each free constant its digits up to its standard error, half a log2 n at
 * least; for each nice number how far down it stands in the list of them. */
double gt_symbolic_length(gt_symbolic *symbolic, const gt_symbolic_data *data, double sum);

/* --- within kan/ --- */
bool gt_symbolic_is_exhausted(const gt_symbolic_data *data); /* the effort is spent: no more tries */
void gt_symbolic_measure(gt_symbolic_data *data);            /* variation and rounding of all else */
/* What leads nowhere goes, and what does not depend on its node, or comes from nowhere, becomes a part of the
 * constant of the next. True if there was any. */
bool gt_symbolic_drop_loose_ends(gt_symbolic *symbolic);
typedef struct gt_symbolic_constant {
  double *value;
  bool *fixed;
} gt_symbolic_constant;
int gt_symbolic_free(gt_symbolic *symbolic, gt_symbolic_constant *list); /* those not fixed; NULL: counted */
/* Their standard errors, where the noise has a deviation of 1. */
void gt_symbolic_deviations(gt_symbolic *symbolic, const gt_symbolic_data *data, double *deviation);
/* The variance of the noise, as what a fit leaves tells it. */
double gt_symbolic_noise(const gt_symbolic_data *data, double sum, int constants);
double gt_symbolic_error_bits(const gt_symbolic_data *data, double sum);
double gt_symbolic_constant_bits(const gt_symbolic_data *data, double value, double error);

/* Groups of outputs that share nodes, each as a network of its own with its data (symbolic_group.c). */
typedef struct gt_symbolic_group {
  gt_symbolic part;      /* all nodes, the edges and free constants of the group; in an arena of its own */
  gt_symbolic_data data; /* in that arena, weighed */
  bool **node;           /* [layers + 1]: [width]: it has that node */
} gt_symbolic_group;
/* The number of groups, at least 1; in *list, heap. */
int gt_symbolic_split(const gt_symbolic *symbolic, const gt_symbolic_data *data, gt_symbolic_group **list);
/* Makes *symbolic of the parts; frees the list. */
void gt_symbolic_join(gt_symbolic *symbolic, gt_symbolic_group *list, int count);

gt_symbolic gt_symbolic_copy(gt_arena *arena, const gt_symbolic *symbolic); /* in that arena, its own unset */
void gt_symbolic_set(gt_symbolic_edge *edge, const gt_edge_fit *fit);
#endif
