/* Random graphs of ops that can be fused, to compare the results of different plans bit by bit.
 *
 * All values that are compared are integers with a magnitude of at most 2^22: inputs are small integers; an
 * op whose results are not integers is followed by rounding, and these results are never close to a point
 * where rounding jumps; operands that are too large are first taken modulo 16 or less. float32 adds such
 * integers without rounding in any order, so a plan that reorders sums, or one of another backend, must give
 * equal numbers. No tolerance is needed. */
#ifndef GT_TESTS_RANDOM_GRAPH_H
#define GT_TESTS_RANDOM_GRAPH_H
#include "graph/graph.h"

/* The variables, in this order: the states, which a step updates, in place if the plan can; a copy of each
 * state, which gets the new value in graphs that update nothing in place; outputs; inputs. */
enum {
  RANDOM_GRAPH_STATES = 8,                                         /* number of states */
  RANDOM_GRAPH_OUTPUTS = 5,                                        /* number of outputs */
  RANDOM_GRAPH_OUTPUT = 2 * RANDOM_GRAPH_STATES,                   /* index of the first output */
  RANDOM_GRAPH_INPUT = RANDOM_GRAPH_OUTPUT + RANDOM_GRAPH_OUTPUTS, /* index of the first input */
  RANDOM_GRAPH_VARIABLES = RANDOM_GRAPH_INPUT + 7,                 /* number of all variables */
  RANDOM_GRAPH_KEPT = 2                                            /* largest kept_count */
};

typedef struct random_graph {
  gt_graph *graph;
  bool updated[RANDOM_GRAPH_STATES]; /* the state is assigned a new value */
  gt_id kept[RANDOM_GRAPH_KEPT];     /* for gt_plan_options.keep */
  int kept_count;
} random_graph;

/* The graph of a seed: first `fused_ops` products, each followed by an op that devices may fuse into it, then
 * `ops` ops of any kind. in_place: a state's new value is assigned to the state itself, otherwise to its
 * copy. */
random_graph random_graph_draw(gt_arena *arena, uint32_t seed, int fused_ops, int ops, bool in_place);
/* Writes the initial content of a variable, in elements of its type, to `data`. */
void random_graph_fill(const gt_graph *graph, uint32_t variable, uint32_t seed, void *data);
#endif
