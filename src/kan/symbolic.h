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
} gt_symbolic;

typedef struct gt_symbolic_data { /* x [samples, inputs], y [samples, outputs] */
  const double *x, *y;
  int64_t samples;
  int inputs, outputs;
  double variation;         /* of y, sum of (y - mean)^2 over all outputs; where that is 0, of y^2, or 1 */
  const char *const *names; /* [inputs], for messages; NULL: there are none */
} gt_symbolic_data;
gt_symbolic_data gt_symbolic_data_of(const double *x, const double *y, int64_t samples, int inputs,
                                     int outputs);

/* What was read off an edge at first, for reports: the best few of the library by cost. */
typedef struct gt_symbolic_report {
  const gt_symbolic_edge *edge; /* [rows]: all that there were */
  gt_edge_fit *fit;             /* [rows, count], best first */
  int rows, count;
} gt_symbolic_report;

/* The network in functions of the library for which allowed[index] is set (NULL: all). `scaled`: the samples
 * as the network reads them; data: as they are, and what its outputs are to be. An edge that gives all
 * samples one value is part of a constant. GT_ERR_DATA if the network has too many edges, or none of the
 * functions fits one. The report is in the arena of *out. */
bool gt_symbolic_find(gt_symbolic *out, const gt_kan_network *network, const double *scaled,
                      const gt_symbolic_data *data, const bool *allowed, gt_symbolic_report *report,
                      gt_error *error);
void gt_symbolic_finish(gt_symbolic *symbolic); /* accepts a zeroed one */

/* Fits all constants that are not fixed; returns the sum of squares. */
double gt_symbolic_fit(gt_symbolic *symbolic, const gt_symbolic_data *data, int most_steps);
double gt_symbolic_sum(const gt_symbolic *symbolic, const gt_symbolic_data *data);
void gt_symbolic_evaluate(const gt_symbolic *symbolic, const double *x, double *y); /* one sample */
/* Of each edge the least and the greatest x that samples bring to it, [edges]. */
void gt_symbolic_ranges(const gt_symbolic *symbolic, const double *x, int64_t samples, double *low,
                        double *high);
double gt_symbolic_edge_value(const gt_symbolic_edge *edge, double x); /* c f(a x + b) */
double gt_symbolic_complexity(const gt_symbolic *symbolic);

/* Takes out nodes and edges without which the rest explains the samples as well. Were there any? */
bool gt_symbolic_simplify(gt_symbolic *symbolic, const gt_symbolic_data *data);
/* Takes out what says the same twice: a constant inside and one outside that can stand for each other. The
 * function stays. */
void gt_symbolic_normalise(gt_symbolic *symbolic);
/* Makes constants nice numbers (0, 1/2, 3, pi, …) where the samples cannot tell the difference: as long as
 * the sum of squares grows by less than three deviations of its own. Returns how many. */
int gt_symbolic_snap(gt_symbolic *symbolic, const gt_symbolic_data *data);

/* --- within kan/ --- */
/* What leads nowhere goes, and what comes from nowhere becomes a part of the constant of its node. */
void gt_symbolic_drop_loose_ends(gt_symbolic *symbolic);
gt_symbolic gt_symbolic_copy(gt_arena *arena, const gt_symbolic *symbolic); /* in that arena, its own unset */
void gt_symbolic_set(gt_symbolic_edge *edge, const gt_edge_fit *fit);
#endif
