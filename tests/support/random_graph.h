/* Random graphs of the ops that fusion attaches to a kernel, for comparing plans bit by bit.
 *
 * All visible values are integers below 2^22: inputs are small integers, every op either keeps integers or is
 * rounded to one directly after it, with a margin that is far from the nearest boundary, and factors are
 * taken modulo 16. float32 then adds them without rounding in any order, so a plan that reorders sums, or one
 * of another backend, must give equal numbers. No tolerance is needed. */
#ifndef GT_TESTS_RANDOM_GRAPH_H
#define GT_TESTS_RANDOM_GRAPH_H
#include "graph/graph.h"

/* Variables: those that a step updates, in place if the plan can; a copy of each, for graphs that update
 * nothing in place; outputs; and inputs from there on. */
enum {
  RANDOM_GRAPH_STATES = 8,
  RANDOM_GRAPH_OUTPUTS = 5,
  RANDOM_GRAPH_OUTPUT = 2 * RANDOM_GRAPH_STATES,
  RANDOM_GRAPH_INPUT = RANDOM_GRAPH_OUTPUT + RANDOM_GRAPH_OUTPUTS,
  RANDOM_GRAPH_VARIABLES = RANDOM_GRAPH_INPUT + 7,
  RANDOM_GRAPH_KEPT = 2
};

typedef struct random_graph {
  gt_graph *graph;
  bool updated[RANDOM_GRAPH_STATES];
  gt_id kept[RANDOM_GRAPH_KEPT]; /* for gt_plan_options.keep */
  int kept_count;
} random_graph;

/* The graph of a seed: `behind` products with ops that devices fuse into them, then `ops` ops of all kinds.
 * in_place: a state's new value is assigned to the variable itself, else to its copy. */
random_graph random_graph_draw(gt_arena *arena, uint32_t seed, int behind, int ops, bool in_place);
/* The initial value of a variable, in elements of its type. */
void random_graph_fill(const gt_graph *graph, uint32_t variable, uint32_t seed, void *data);
#endif
